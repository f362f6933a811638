"""What names a cell binds and which it needs from cells above, so that nothing is run which nobody needs.

Source: grading, "Cells are matched by id"; Python's own symbol tables say what is free.
"""

from __future__ import annotations

import ast
import re
import symtable
from collections.abc import Iterator
from dataclasses import dataclass

#: A source that is longer is told by its words alone.
_LONGEST = 100_000
_WORD = re.compile(r"[^\W\d]\w*")
_BOUND = re.compile(r"^(?:async\s+)?(?:def\s+|class\s+)?([^\W\d]\w*)\s*(?:=(?!=)|\(|:)", re.MULTILINE)
#: Names by which code reaches names that it does not spell.
_UNSPELT = {"globals", "eval", "exec", "vars", "locals", "get_ipython", "__import__"}
#: What Python's parser raises for a source that is none, or is nested too deep.
_NO_PYTHON = (SyntaxError, ValueError, RecursionError, MemoryError)


@dataclass(frozen=True, slots=True)
class Names:
    """The names that a cell binds, and those it needs; `unspelt`: it may need some that it does not spell."""

    binds: frozenset[str]
    needs: frozenset[str]
    unspelt: bool = False


def names(source: str) -> Names:
    """The names of a cell. One that is no Python binds and needs whatever its words might."""
    binds: set[str] = set()
    needs: set[str] = set()
    deferred: set[str] = set()
    try:
        for statement in _parsed(source):
            used, later, bound = _of(statement)
            needs |= used - binds
            deferred |= later
            binds |= bound
    except _NO_PYTHON:
        return _by_words(source)
    needs |= deferred - binds
    return Names(frozenset(binds), frozenset(needs), bool(needs & _UNSPELT))


def imported(source: str) -> frozenset[tuple[str, str]]:
    """The names that a cell binds by importing, each with what it stands for."""
    found = set()
    try:
        for statement in _parsed(source):
            if isinstance(statement, ast.Import | ast.ImportFrom):
                module = f"{statement.module}." if isinstance(statement, ast.ImportFrom) else ""
                found |= {
                    (alias.asname or alias.name.partition(".")[0], module + alias.name) for alias in statement.names
                }
    except _NO_PYTHON:
        return frozenset()
    return frozenset(found)


def without_uses(source: str, of: frozenset[str]) -> str:
    """A source whose top-level expressions that use any of these names are left blank."""
    lines = source.split("\n")
    try:
        for statement in _parsed(source):
            if isinstance(statement, ast.Expr) and _of(statement)[0] & of:
                end = statement.end_lineno or statement.lineno
                lines[statement.lineno - 1 : end] = [""] * (end - statement.lineno + 1)
    except _NO_PYTHON:
        return source
    return "\n".join(lines)


def called(source: str) -> frozenset[str] | None:
    """The names of the functions that a cell calls, where it does nothing else; None where it does."""
    try:
        body = _parsed(source)
    except _NO_PYTHON:
        return None
    calls = [each.value for each in body if isinstance(each, ast.Expr) and isinstance(each.value, ast.Call)]
    found = [call.func.id for call in calls if isinstance(call.func, ast.Name)]
    return frozenset(found) if found and len(found) == len(body) else None


def _parsed(source: str) -> list[ast.stmt]:
    if len(source) > _LONGEST:
        raise ValueError("too long to be parsed")
    return ast.parse(source).body


def _of(statement: ast.stmt) -> tuple[set[str], set[str], set[str]]:
    """What a statement uses when it runs, what its functions may use later, and what it binds."""
    table = symtable.symtable(ast.unparse(statement), "<cell>", "exec")
    used = {symbol.get_name() for symbol in table.get_symbols() if symbol.is_referenced()}
    # A name that is added to is read as well, which the tables do not tell.
    used |= {
        node.target.id
        for node in ast.walk(statement)
        if isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name)
    }
    used -= _own(statement)
    bound = {symbol.get_name() for symbol in table.get_symbols() if symbol.is_assigned() or symbol.is_imported()}
    later: set[str] = set()
    for inner in _inner(table):
        for symbol in inner.get_symbols():
            if symbol.is_global():
                later.add(symbol.get_name())
                if symbol.is_declared_global() and symbol.is_assigned():
                    bound.add(symbol.get_name())
    return used, later, bound


def _own(statement: ast.stmt) -> set[str]:
    """The names that a loop or a with binds before its body uses them."""
    if isinstance(statement, ast.For | ast.AsyncFor):
        targets, first = [statement.target], [statement.iter]
    elif isinstance(statement, ast.With | ast.AsyncWith):
        targets = [item.optional_vars for item in statement.items if item.optional_vars]
        first = [item.context_expr for item in statement.items]
    else:
        return set()
    return _spelt(targets, ast.Store) - _spelt(first, ast.Load)


def _spelt(nodes: list[ast.expr], way: type[ast.expr_context]) -> set[str]:
    found = (each for node in nodes for each in ast.walk(node))
    return {each.id for each in found if isinstance(each, ast.Name) and isinstance(each.ctx, way)}


def _inner(table: symtable.SymbolTable) -> Iterator[symtable.SymbolTable]:
    for child in table.get_children():
        yield child
        yield from _inner(child)


def _by_words(source: str) -> Names:
    words = frozenset(_WORD.findall(source[:_LONGEST]))
    return Names(frozenset(_BOUND.findall(source[:_LONGEST])), words, bool(words & _UNSPELT))
