"""Small faults put into an answer, one at a time: operators, comparisons, constants, boundaries; in Python and Lua."""

import ast
import copy
import re
from collections.abc import Callable, Iterator
from typing import Any

_OPERATORS: dict[type, tuple[type, ...]] = {
    ast.Add: (ast.Sub,),
    ast.Sub: (ast.Add,),
    ast.Mult: (ast.FloorDiv, ast.Add),
    ast.Div: (ast.Mult, ast.FloorDiv),
    ast.FloorDiv: (ast.Mult, ast.Div),
    ast.Mod: (ast.FloorDiv,),
    ast.Lt: (ast.LtE, ast.GtE),
    ast.LtE: (ast.Lt, ast.Gt),
    ast.Gt: (ast.GtE, ast.LtE),
    ast.GtE: (ast.Gt, ast.Lt),
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
    ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,),
    ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
    ast.And: (ast.Or,),
    ast.Or: (ast.And,),
}
# What stands in Lua, and what is put in its place.
_LUA = [
    (r"==", ("~=",)),
    (r"~=", ("==",)),
    (r"<=", ("<", ">")),
    (r">=", (">", "<")),
    (r"(?<![<>=~])<(?!=)", ("<=", ">=")),
    (r"(?<![<>=~])>(?!=)", (">=", "<=")),
    (r"\band\b", ("or",)),
    (r"\bor\b", ("and",)),
    (r"\bnot ", ("",)),
    (r"(?<=KEYS\[)[0-9]+", ("1", "2")),
    (r"(?<=ARGV\[)[0-9]+", ("1", "2", "3", "4")),
    (r"(?<![\w\[.'\"])[0-9]+\b", ("0", "1", "2")),
    (r"(?<=['\"])(?:every_ms|template)(?=['\"])", ("other",)),
    (r"\btonumber\b", ("tostring",)),
]


def mutants(code: str) -> Iterator[tuple[str, str]]:
    """Each mutant of an answer's code: what was changed where, and the code."""
    tree = ast.parse(code)
    strings = _docstrings(tree)
    for number, node in enumerate(ast.walk(tree)):
        if id(node) in strings or isinstance(node, ast.Import | ast.ImportFrom):
            continue
        for change, apply in _changes(node):
            mutant = copy.deepcopy(tree)
            apply(list(ast.walk(mutant))[number])
            yield f"line {getattr(node, 'lineno', '?')}: {change}", ast.unparse(ast.fix_missing_locations(mutant))


def _docstrings(tree: ast.Module) -> set[int]:
    """The texts that stand for themselves, and those in the pieces of an f-string's format."""
    return {
        id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    }


def _changes(node: ast.AST) -> Iterator[tuple[str, Callable[[Any], None]]]:
    if isinstance(node, ast.BinOp | ast.AugAssign | ast.BoolOp):
        for other in _OPERATORS.get(type(node.op), ()):
            change = f"{type(node.op).__name__} to {other.__name__} in {ast.unparse(node)[:60]!r}"
            yield change, lambda mutant, other=other: setattr(mutant, "op", other())  # type: ignore[misc]
    elif isinstance(node, ast.Compare):
        for place, op in enumerate(node.ops):
            for other in _OPERATORS.get(type(op), ()):
                change = f"{type(op).__name__} to {other.__name__} in {ast.unparse(node)[:60]!r}"
                yield change, lambda mutant, place=place, other=other: mutant.ops.__setitem__(place, other())  # type: ignore[misc]
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        yield f"minus dropped in {ast.unparse(node)[:60]!r}", lambda mutant: setattr(mutant, "op", ast.UAdd())
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        change = f"not dropped in {ast.unparse(node)[:60]!r}"
        yield (
            change,
            lambda mutant: mutant.__dict__.update(op=ast.Not(), operand=ast.UnaryOp(ast.Not(), mutant.operand)),
        )
    elif isinstance(node, ast.Constant):
        for value in _constants(node.value):
            change = (
                f"{node.value!r:.60} to {value!r:.60}"
                if "redis" not in str(node.value)
                else _lua_change(node.value, value)
            )
            yield change, lambda mutant, value=value: setattr(mutant, "value", value)  # type: ignore[misc]


def _constants(value: object) -> Iterator[object]:
    if type(value) is bool:
        yield not value
    elif type(value) in (int, float):
        yield value + 1  # type: ignore[operator]
        yield value - 1  # type: ignore[operator]
    elif type(value) is str and "redis" in value:
        yield from _lua(value)


def _lua(text: str) -> Iterator[str]:
    plain = re.sub(r"--.*", lambda comment: " " * len(comment[0]), text)
    for pattern, others in _LUA:
        for found in re.finditer(pattern, plain):
            for other in others:
                if other != found[0]:
                    yield text[: found.start()] + other + text[found.end() :]


def _lua_change(before: object, after: object) -> str:
    pairs = zip(str(before).splitlines(), str(after).splitlines(), strict=True)
    return next(f"{a.strip()!r} to {b.strip()!r}" for a, b in pairs if a != b)
