"""Check the notebooks as they ship: `python .ci/check_notebooks.py [FILE ...]`, all of notebooks/ unless told.

Prints a line for each fault, `file: cell: what is wrong`, and exits 1 if there is one. Links out of the project are
read, never fetched. Source: exercises, "The frame"; architecture, "Habits of this house".
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from statistics import median_low
from typing import Any
from urllib.parse import unquote, urlsplit

NOTEBOOKS = Path(__file__).resolve().parent.parent / "notebooks"
LONGEST = 15
LONGEST_SETUP = 6
#: The cells of exercise N: the end of the id, the heading or the tags, in this order. Other cells may stand between.
FRAME: tuple[tuple[str, str | set[str]], ...] = (
    ("", "## Exercise N: "),
    ("-predict-why", "### N Predict"),
    ("-predict", {"predict"}),
    ("-run-why", "### N Run"),
    ("-run", set()),
    ("-explain", "### N Explain"),
    ("-change-why", "### N Change"),
    ("-answer", {"answer"}),
    ("-check-why", "### N Check"),
    ("-check", {"check"}),
)
#: What nbgrader is to see in a cell of exercise N, beside its id and the points that the heading tells.
NBGRADER = {
    "answer": {"grade": False, "locked": False, "schema_version": 3, "solution": True, "task": False},
    "check": {"grade": True, "locked": True, "schema_version": 3, "solution": False, "task": False},
}
TAGS = re.compile(r"setup|answer|check|predict|[1-9]\.[1-9]")
SLUG = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")

_POINTS = re.compile(r"## Exercise ([0-9]\.[0-9]): .* \(([0-9]+) points\)")
_FENCE = re.compile(r"^(```|~~~).*?^\1", re.MULTILINE | re.DOTALL)
_CODE = re.compile(r"`[^`\n]*`")
_HEADING = re.compile(r"^(#{1,6}) +(.+?) *$", re.MULTILINE)
_LINK = re.compile(r"(!?)\[([^\]]*)\]\(([^)\s]+)\)")
_IMG = re.compile(r"<img\b[^>]*>")
_PLUMBING = re.compile(r"\bsleep\(|\btime\.|\bdatetime\.|\bSystemClock\b|%%html|<style|\bplt\.", re.MULTILINE)
_DEFINITION = re.compile(r"^\s*(async def|def|class|lambda)\b", re.MULTILINE)


def faults(path: Path) -> list[str]:
    """Every fault of one notebook, in the order of its cells."""
    try:
        notebook = json.loads(path.read_text(encoding="utf-8"))
        cells: list[dict[str, Any]] = notebook["cells"]
    except (OSError, ValueError, KeyError, TypeError) as error:
        return [f"{path.name}: unreadable: {error}"]
    found = [*_file(notebook), *_ids(cells), *_headings(cells), *_opening(cells), *_order(cells), *_pace(cells)]
    found += [*_frames(cells), *_nbgrader(cells)]
    for cell in cells:
        where = cell.get("id", "?")
        rules = _code(cell) if cell["cell_type"] == "code" else _prose(cell, path)
        found += [f"{where}: {fault}" for fault in (*_any_cell(cell), *rules)]
    return [f"{path.name}: {fault}" for fault in found]


def anchors(cells: list[dict[str, Any]]) -> set[str]:
    """The anchors that JupyterLab gives to the headings."""
    return {heading.replace(" ", "-") for _, heading, _ in _found_headings(cells)}


def _source(cell: dict[str, Any]) -> str:
    return "".join(cell["source"])


def _file(notebook: dict[str, Any]) -> Iterator[str]:
    if (notebook.get("nbformat"), notebook.get("nbformat_minor", 0)) < (4, 5):
        yield "the format is older than 4.5, so cells have no ids"
    metadata = notebook.get("metadata", {})
    if metadata.get("kernelspec", {}).get("name") != "python3":
        yield "the kernel is not python3"
    if metadata.get("language_info") != {"name": "python"}:
        yield "language_info names more than the language, python"
    if set(metadata) - {"kernelspec", "language_info"}:
        yield f"stray metadata: {', '.join(sorted(set(metadata) - {'kernelspec', 'language_info'}))}"


def _ids(cells: list[dict[str, Any]]) -> Iterator[str]:
    seen: set[str] = set()
    for cell in cells:
        cell_id = cell.get("id", "")
        # A hexadecimal id is one that a tool made up: it would change with the next tool.
        if not SLUG.fullmatch(cell_id) or re.fullmatch("[0-9a-f-]{8,}", cell_id):
            yield f"{cell_id or '?'}: the id is no readable slug such as 'setup' or 'gap-run'"
        if cell_id in seen:
            yield f"{cell_id}: the id is there twice"
        seen.add(cell_id)


def _found_headings(cells: list[dict[str, Any]]) -> Iterator[tuple[int, str, str]]:
    for cell in cells:
        if cell["cell_type"] == "markdown":
            for marks, text in _HEADING.findall(_FENCE.sub("", _source(cell))):
                yield len(marks), text, cell.get("id", "?")


def _headings(cells: list[dict[str, Any]]) -> Iterator[str]:
    before = 0
    texts: set[str] = set()
    for level, text, where in _found_headings(cells):
        if before == 0 and level != 1:
            yield f"{where}: the first heading is no H1"
        elif level == 1 and before:
            yield f"{where}: a second H1, '{text}'"
        elif level > before + 1:
            yield f"{where}: '{text}' is an H{level} after an H{before}"
        if text in texts:
            yield f"{where}: the heading '{text}' is there twice, so its anchor is too"
        texts.add(text)
        before = level
    if not before:
        yield "there is no heading"


def _opening(cells: list[dict[str, Any]]) -> Iterator[str]:
    first = _source(cells[0]) if cells else ""
    for wanted in ("you can", "minutes"):
        if wanted not in first:
            yield f"the opening cell does not say '{wanted}'"
    code = [cell for cell in cells if cell["cell_type"] == "code"]
    setup = [cell for cell in code if "setup" in cell["metadata"].get("tags", [])]
    if len(setup) != 1 or code[0] is not setup[0]:
        yield "the first code cell, and only it, must be tagged setup"
    elif len(_source(setup[0]).splitlines()) > LONGEST_SETUP:
        yield f"setup: longer than {LONGEST_SETUP} lines"


def _order(cells: list[dict[str, Any]]) -> Iterator[str]:
    before = ""
    for cell in cells:
        if cell["cell_type"] == "code" and before != "markdown":
            yield f"{cell.get('id', '?')}: no prose stands before this code cell"
        before = cell["cell_type"]


def _pace(cells: list[dict[str, Any]]) -> Iterator[str]:
    code = [len(_source(cell).splitlines()) for cell in cells if cell["cell_type"] == "code"]
    if code and not 2 <= median_low(code) <= 5:
        yield f"half of the code cells have {median_low(code)} lines; 2 to 5 let a notebook breathe"
    prose = len(cells) - len(code)
    if prose > 2 * max(len(code), 1):
        yield f"{prose} prose cells and {len(code)} code cells; about one to one lets a notebook breathe"


def _frames(cells: list[dict[str, Any]]) -> Iterator[str]:
    """Every exercise has the same cells, headings and tags."""
    places = {cell.get("id", ""): place for place, cell in enumerate(cells)}
    numbers = {tag for cell in cells for tag in cell["metadata"].get("tags", []) if re.fullmatch(r"[0-9]\.[0-9]", tag)}
    for number in sorted(numbers):
        before = -1
        for ending, wanted in FRAME:
            cell_id = f"ex-{number.replace('.', '-')}{ending}"
            place = places.get(cell_id, -1)
            if place < 0:
                yield f"{cell_id}: exercise {number} lacks this cell"
                continue
            if place < before:
                yield f"{cell_id}: stands before what it follows from"
            before = place
            if isinstance(wanted, str):
                if not _source(cells[place]).startswith(wanted.replace("N", number)):
                    yield f"{cell_id}: does not begin with '{wanted.replace('N', number)}'"
            elif set(cells[place]["metadata"].get("tags", [])) != wanted | {number}:
                yield f"{cell_id}: its tags are not {', '.join(sorted(wanted | {number}))}"
        check = places.get(f"ex-{number.replace('.', '-')}-check")
        if check is not None and _source(cells[check]) != f'check("{number}")':
            yield f'ex-{number.replace(".", "-")}-check: is not check("{number}")'


def _nbgrader(cells: list[dict[str, Any]]) -> Iterator[str]:
    """Answers and checks carry nbgrader's metadata, and nothing else does."""
    points = {told[1]: int(told[2]) for cell in cells if (told := _POINTS.match(_source(cell)))}
    for cell in cells:
        cell_id, tags = cell.get("id", "?"), set(cell["metadata"].get("tags", []))
        wanted: dict[str, Any] = {}
        for role in tags & set(NBGRADER):
            wanted = NBGRADER[role] | {"grade_id": cell_id}
            if role == "check":
                wanted["points"] = next((points[tag] for tag in tags if tag in points), None)
        there = cell["metadata"].get("nbgrader", {})
        if bool(there) != bool(wanted):
            yield f"{cell_id}: {'lacks' if wanted else 'has no use for'} nbgrader's metadata"
            continue
        for key in sorted(set(there) | set(wanted)):
            # As JSON, where 1 is not true.
            found, asked = (json.dumps(each[key]) if key in each else "missing" for each in (there, wanted))
            if found != asked:
                yield f"{cell_id}: nbgrader's {key} is {found}, and must be {asked}"


def _any_cell(cell: dict[str, Any]) -> Iterator[str]:
    if not _source(cell).strip():
        yield "empty"
    strange = [tag for tag in cell["metadata"].get("tags", []) if not TAGS.fullmatch(tag)]
    if strange:
        yield f"unknown tag {strange[0]}"
    if stray := set(cell["metadata"]) - {"nbgrader", "tags"}:
        yield f"stray metadata: {', '.join(sorted(stray))}"


def _code(cell: dict[str, Any]) -> Iterator[str]:
    source = _source(cell)
    if cell.get("outputs"):
        yield "carries outputs"
    if cell.get("execution_count") is not None:
        yield "carries an execution count"
    lines = len(source.splitlines())
    if lines > LONGEST:
        yield f"{lines} lines of code, {LONGEST} at most"
    plumbing = _PLUMBING.search(source)
    if not plumbing and "answer" not in cell["metadata"].get("tags", []):
        plumbing = _DEFINITION.search(source)
    if plumbing:
        yield f"plumbing belongs in the library: '{plumbing[0].strip()}'"


def _prose(cell: dict[str, Any], path: Path) -> Iterator[str]:
    text = _CODE.sub("", _FENCE.sub("", _source(cell)))
    for image, words, target in _LINK.findall(text):
        if not words.strip():
            yield f"{'an image without alt text' if image else 'a link without words'}: {target}"
        wrong = _target(target, path)
        if wrong:
            yield f"{wrong}: {target}"
    for tag in _IMG.findall(text):
        if not re.search(r'\balt="[^"]*\S[^"]*"', tag):
            yield f"an image without alt text: {tag}"


def _target(target: str, path: Path) -> str:
    """What is wrong with the target of a link, or nothing."""
    url = urlsplit(target)
    if url.scheme or url.netloc:
        host = re.fullmatch(r"[a-z0-9-]+(\.[a-z0-9-]+)+", url.netloc)
        return "" if url.scheme == "https" and host else "no well-formed https link"
    linked = (path.parent / unquote(url.path)).resolve() if url.path else path
    if not linked.exists():
        return "a link to a file that is not there"
    if url.fragment and linked.suffix == ".ipynb":
        there = json.loads(linked.read_text(encoding="utf-8"))["cells"]
        return "" if unquote(url.fragment) in anchors(there) else "a link to a heading that is not there"
    return ""


def main(arguments: list[str]) -> int:
    """Print the faults of the notebooks named, or of all; answer the exit code."""
    paths = [Path(argument) for argument in arguments] or sorted(NOTEBOOKS.glob("*.ipynb"))
    found = [fault for path in paths for fault in faults(path)]
    if not paths:
        found = ["no notebook is there to be checked"]
    print("\n".join(found) or f"{len(paths)} notebooks: no fault")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
