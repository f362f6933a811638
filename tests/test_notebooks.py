"""The notebooks as they ship: their form, and what a reader sees who runs every cell, and every cell again."""

import copy
import importlib.util
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient

from echomq_lab.embedded import NODES, EmbeddedServer

NOTEBOOKS = Path(__file__).resolve().parent.parent / "notebooks"
NAMES = sorted(path.name for path in NOTEBOOKS.glob("*.ipynb"))
DIVE_1 = "01-cron-vs-interval.ipynb"

spec = importlib.util.spec_from_file_location("check_notebooks", NOTEBOOKS.parent / ".ci" / "check_notebooks.py")
assert spec is not None
assert spec.loader is not None
check_notebooks = importlib.util.module_from_spec(spec)
spec.loader.exec_module(check_notebooks)

Outputs = dict[str, list[Any]]


def run_twice(path: Path, home: Path, url: str | None = None) -> tuple[Outputs, Outputs]:
    """The outputs by cell id of every cell, run top to bottom in a fresh kernel, and then once more in the same one.

    `url` is the store, embedded fakeredis unless given.
    """
    notebook = nbformat.read(path, as_version=4)
    again = copy.deepcopy(notebook.cells)
    for cell in again:
        cell.id += "-again"
    notebook.cells += again
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("ECHOMQ_LAB_URL", raising=False)
        if url is not None:
            patch.setenv("ECHOMQ_LAB_URL", url)
        for name in ("IPYTHONDIR", "JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "MPLCONFIGDIR"):
            patch.setenv(name, str(home / name))
        NotebookClient(
            notebook, timeout=120, coalesce_streams=True, resources={"metadata": {"path": str(home)}}
        ).execute()
    outputs = {cell.id: cell.outputs for cell in notebook.cells if cell.cell_type == "code"}
    first = {name: out for name, out in outputs.items() if not name.endswith("-again")}
    return first, {name: outputs[f"{name}-again"] for name in first}


@pytest.fixture(scope="module", params=NAMES)
def executed(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[str, Outputs, Outputs]:
    return request.param, *run_twice(NOTEBOOKS / request.param, tmp_path_factory.mktemp("home"))


def shown(outputs: Outputs) -> dict[str, str]:
    """Each cell's output as text, the ids of a display left out."""
    return {
        name: re.sub(
            r'\br[0-9a-f]{12}-|"model_id": "\w+"',
            "",
            "\n".join(json.dumps(out.get("data", out.get("text"))) for out in outs),
        )
        for name, outs in outputs.items()
    }


def plain(outputs: Outputs, cell: str) -> str:
    return "\n".join(out["data"]["text/plain"] if "data" in out else out["text"] for out in outputs[cell])


def test_every_cell_runs_twice_in_one_kernel_and_shows_the_same(executed: tuple[str, Outputs, Outputs]) -> None:
    _, first, again = executed
    for outputs in (first, again):
        for cell, outs in outputs.items():
            assert [out for out in outs if out["output_type"] == "error" or out.get("name") == "stderr"] == [], cell
    before, after = shown(first), shown(again)
    for told in (before, after):
        told.pop("ready-run", None)
    assert before == after


@pytest.mark.parametrize("nodes", [1, NODES], ids=["valkey", "cluster"])
def test_on_a_server_every_cell_shows_the_same(
    executed: tuple[str, Outputs, Outputs], nodes: int, tmp_path: Path
) -> None:
    name, on_fakeredis, _ = executed
    server = EmbeddedServer(nodes)
    on_server, again = run_twice(NOTEBOOKS / name, tmp_path, server.url)
    server.stop()
    assert [out for outs in again.values() for out in outs if out["output_type"] == "error"] == []
    before, after = shown(on_fakeredis), shown(on_server)
    for told in (before, after):
        told.pop("ready-run", None)
    assert before == after


def test_every_cell_but_the_setup_and_the_stubs_shows_something(executed: tuple[str, Outputs, Outputs]) -> None:
    _, first, _ = executed
    assert first.pop("setup") == []
    assert [cell for cell, outs in first.items() if bool(outs) is cell.endswith("-answer")] == []


def test_every_output_can_be_read_without_html(executed: tuple[str, Outputs, Outputs]) -> None:
    _, first, _ = executed
    for outs in first.values():
        for out in outs:
            assert "object at 0x" not in json.dumps(out)
            assert out["output_type"] == "stream" or out["data"]["text/plain"]


# What a reader of a notebook must find in the text of a cell's output.
SEEN = {
    "00-hub.ipynb": [
        ("ready-run", "ready: "),
        ("once-run", "state = scheduled"),
        ("once-run", "emq:{reports}:schedule"),
        ("promote-run", "state = pending"),
        ("register-run", "09:20           in 15 minutes  1767604800000"),
        ("sweep-run", "1767604800000 (09:20)  1767605700000 (09:35)"),
        ("sweep-run", "1767605700000 (09:35)  1767606600000 (09:50)"),
        ("sweep-run", "1767606600000 (09:50)  1767607500000 (10:05)"),
        ("registry-run", "2 entries"),
        ("view-run", "Pending emq:{reports}:pending: 4 jobs"),
        ("registry-run", "Tue 6 Jan 00:00  in 14 hours 10 minutes"),
    ],
    DIVE_1: [
        ("rules-run", "At 09:00 AM | every 15 minutes"),
        ("verdicts-run", "Next runs, seen from Monday 5 January 2026, 08:50"),
        ("rail-run", "diamonds: 09:00;"),
        ("rail-run", "circles: 09:05, 09:20, 09:35."),
        ("cron-slot-run", "09:00:00.000  09:00            now"),
        ("cron-slot-run", "09:00:00.001  Tue 6 Jan 09:00"),
        ("cron-zone-run", "Sun 29 Mar 09:00          in 22 hours 59 minutes 59 seconds"),
        ("tracer-run", "The registry holds: ZADD emq:{dive-1}:repeat 1767603900000 every-gap"),
        ("happened-run", "2026-11-01T01:00:00.000-07:00"),
        ("happened-run", "2026-11-01T01:00:00.000-08:00"),
        ("happened-store-run", "in 1 hour    1793523600000"),
        ("gap-still-run", "09:05           in 8 minutes"),
        ("gap-march-run", "1767604800000 (09:20)     1767605740000 (09:35:40)"),
        ("daily-slip-run", "Wed 7 Jan 09:00:01"),
        ("same-row-run", "no record"),
        ("swept-run", "fired=1, swept=1"),
        ("ex-1-1-predict", "Nothing is recorded yet."),
        ("ex-1-1-run", "nothing   17:20:00.500"),
        ("ex-1-1-check", "1.1 The two next runs: not answered yet, 0 of 4 points (public checks)"),
        ("ex-1-2-run", "11:10"),
        ("ex-1-2-check", "1.2 next_interval: not answered yet, 0 of 4 points"),
        ("ex-1-3-run", "nothing   4 "),
        ("ex-1-3-check", "1.3 next_cron: not answered yet, 0 of 10 points"),
        ("own-slot-run", "croniter answers strictly after its start"),
        ("ex-1-4-run", "nothing   beta"),
        ("ex-1-4-check", "1.4 earliest: not answered yet, 0 of 6 points"),
        ("ex-1-5-run", "number 2  nothing   2 "),
        ("ex-1-5-check", "1.5 next_cron_tz: not answered yet, 0 of 6 points"),
        ("own-zone-run", "none in a gap, two in an overlap"),
        ("progress-run", "0 of 100 points"),
        ("steps-run", "ZADD emq:{shop}:repeat 1767603900000 stock"),
        ("keys-run", 'every_ms = 900000, template = {"shelf": 7}'),
        ("again-run", "EXISTS emq:{shop}:repeat:stock  0      nothing"),
    ],
    "02-the-upsert.ipynb": [
        ("boot-run", "{'exists': 9, 'registered': 3}"),
        ("lost-run", "absent"),
        ("again-run", "1767603900000 (09:05)  1767603960000 (09:06)"),
        ("fifty-run", "50 1 1"),
        ("happened-run", "{'fired': 4}"),
        ("keys-run", "every_ms = 900000, template = {}"),
        ("spread-run", "reports  5152   node 1"),
        ("spread-run", "visits   12263  node 3"),
        ("script-run", "if redis.call('EXISTS', KEYS[2]) == 1 then return 0 end"),
        ("ex-2-1-run", "number 1  nothing   5"),
        ("ex-2-2-run", "number  nothing   2"),
        ("ex-2-3-run", "number 3  nothing   3"),
        ("ex-2-4-given", "E  The second boot is answered as if the name were new."),
        *((f"ex-2-{number}-check", "not answered yet, 0 of") for number in range(1, 6)),
        ("progress-run", "0 of 100 points"),
    ],
    "03-start-to-start.ipynb": [
        ("ten-thousand-run", "1 10000 True"),
        ("id-run", "2026-01-05T11:46:39.000Z"),
        ("lanes-run", "09:57, 12 minutes late"),
        ("ex-3-1-run", "09:30"),
        ("ex-3-1-check", "3.1 start_to_start and start_to_finish: not answered yet, 0 of 4 points"),
        ("release-run", "10:03, 18 minutes late"),
        ("outage-run", "4 runs due meanwhile, 1 released"),
        ("happened-run", "drift 36 seconds"),
        ("ex-3-2-run", "absent"),
        ("ex-3-2-run", "gone"),
        ("ex-3-2-check", "3.2 ADVANCE_LUA: not answered yet, 0 of 10 points"),
        ("own-advance-run", "redis.call('ZADD', KEYS[1], tonumber(ARGV[2]), ARGV[1])"),
        ("kill-run", "enqueued twice"),
        ("points-run", "6: 'twice', 7: 'once'"),
        ("pumps-run", "enqueued twice"),
        ("cancel-run", "Registered: 0"),
        ("half-run", "fired=1, swept=1, broken=['broken']"),
        ("ex-3-3-run", "missing"),
        ("ex-3-3-check", "3.3 sweep: not answered yet, 0 of 14 points"),
        ("own-sweep-run", "def sweep(conn: Connection, queue: str, batch: int = 100) -> Sweep:"),
        ("ex-3-4-run", "3"),
        ("ex-3-4-check", "3.4 crash_order: not answered yet, 0 of 4 points"),
        ("atomic-run", "5: 'once'"),
        ("race-run", "The sweep fired 0"),
        ("ex-3-5-run", "missing"),
        ("ex-3-5-check", "3.5 drift_ms: not answered yet, 0 of 4 points"),
        ("progress-run", "0 of 100 points"),
    ],
}


def test_the_reader_sees_what_the_text_says(executed: tuple[str, Outputs, Outputs]) -> None:
    name, first, again = executed
    for outputs in (first, again):
        for cell, words in SEEN.get(name, []):
            assert words in plain(outputs, cell), cell


def test_the_verdicts_are_the_seeds(executed: tuple[str, Outputs, Outputs]) -> None:
    name, first, _ = executed
    if name != DIVE_1:
        return
    rows = [line.split() for line in plain(first, "verdicts-run").split("\n")]
    assert next(row[6] for row in rows if row[:2] == ["cron", "0"]) == "09:00"
    assert [row[3] for row in rows if row[:3] == ["interval", "every_ms", "900000"]] == ["09:05", "09:20", "09:35"]


@pytest.mark.parametrize("name", NAMES)
def test_the_form_of_every_notebook(name: str) -> None:
    assert check_notebooks.faults(NOTEBOOKS / name) == []
    nbformat.validate(nbformat.read(NOTEBOOKS / name, as_version=nbformat.NO_CONVERT))


@pytest.mark.parametrize("name", NAMES)
def test_a_cell_that_asks_for_a_prediction_also_tells_what_is_seen(name: str) -> None:
    cells = nbformat.read(NOTEBOOKS / name, as_version=4).cells
    asking = [cell for cell in cells if re.search(r"Say so\s+before\s+you\s+run\s+the\s+cell", cell.source)]
    assert len(asking) >= 4
    for cell in asking:
        assert "<summary>What the cell shows</summary>\n\n" in cell.source, cell.id


def small() -> dict[str, Any]:
    def cell(kind: str, name: str, source: str, **more: Any) -> dict[str, Any]:
        return {"cell_type": kind, "id": name, "metadata": {}, "source": [source], **more}

    code: dict[str, Any] = {"execution_count": None, "outputs": []}
    return {
        "cells": [
            cell("markdown", "title", "# Title\n\nAfter this you can read. 5 minutes. [Hub](other.ipynb#A-part)"),
            cell("code", "setup", "import echomq_lab\n\none = 1", **code) | {"metadata": {"tags": ["setup"]}},
            cell("markdown", "why", "## Part\n\n![a rail](rail.svg) [Cron](https://en.wikipedia.org/wiki/Cron)"),
            cell("code", "run", "two = one + 1\ntwo", **code),
        ],
        "metadata": {"kernelspec": {"name": "python3"}, "language_info": {"name": "python"}},
        "nbformat": 4,
        "nbformat_minor": 5,
    }


def prose(name: str) -> dict[str, Any]:
    return {"cell_type": "markdown", "id": name, "metadata": {}, "source": ["More."]}


Break = Callable[[dict[str, Any]], object]
FAULTS: list[tuple[str, Break]] = [
    ("the format is older than 4.5", lambda nb: nb.update(nbformat_minor=4)),
    ("the kernel is not python3", lambda nb: nb["metadata"]["kernelspec"].update(name="venv")),
    ("language_info names more", lambda nb: nb["metadata"]["language_info"].update(version="3.11.7")),
    ("stray metadata: widgets", lambda nb: nb["metadata"].update(widgets={})),
    ("run: stray metadata: collapsed", lambda nb: nb["cells"][3]["metadata"].update(collapsed=True)),
    ("a1b2c3d4: the id is no readable slug", lambda nb: nb["cells"][3].update(id="a1b2c3d4")),
    ("Run_1: the id is no readable slug", lambda nb: nb["cells"][3].update(id="Run_1")),
    ("setup: the id is there twice", lambda nb: nb["cells"][3].update(id="setup")),
    ("title: the first heading is no H1", lambda nb: nb["cells"][0].update(source="## T\n\nyou can 5 minutes")),
    ("why: a second H1, 'Part'", lambda nb: nb["cells"][2].update(source="# Part")),
    ("why: 'Part' is an H3 after an H1", lambda nb: nb["cells"][2].update(source="### Part")),
    ("why: the heading 'Title' is there twice", lambda nb: nb["cells"][2].update(source="## Title")),
    ("the opening cell does not say 'minutes'", lambda nb: nb["cells"][0].update(source="# T\n\nyou can")),
    ("the first code cell, and only it", lambda nb: nb["cells"][1].update(metadata={})),
    ("the first code cell, and only it", lambda nb: nb["cells"][3].update(metadata={"tags": ["setup"]})),
    ("setup: longer than 6 lines", lambda nb: nb["cells"][1].update(source="1\n" * 7)),
    ("run: no prose stands before", lambda nb: nb["cells"].pop(2)),
    ("run: carries outputs", lambda nb: nb["cells"][3].update(outputs=[{"output_type": "stream"}])),
    ("run: carries an execution count", lambda nb: nb["cells"][3].update(execution_count=1)),
    ("run: 16 lines of code, 15 at most", lambda nb: nb["cells"][3].update(source="1\n" * 16)),
    ("run: plumbing", lambda nb: nb["cells"][3].update(source="import time\ntime.sleep(1)")),
    ("run: plumbing", lambda nb: nb["cells"][3].update(source="def helper():\n    return 1")),
    ("run: empty", lambda nb: nb["cells"][3].update(source=" ")),
    ("half of the code cells have 1 lines", lambda nb: [nb["cells"][n].update(source="1") for n in (1, 3)]),
    ("5 prose cells and 2 code cells", lambda nb: nb["cells"].extend(prose(f"more-{n}") for n in range(3))),
    ("run: unknown tag remove-input", lambda nb: nb["cells"][3].update(metadata={"tags": ["remove-input"]})),
    ("why: an image without alt text: rail.svg", lambda nb: nb["cells"][2].update(source="![](rail.svg)")),
    ("why: an image without alt text: <img", lambda nb: nb["cells"][2].update(source='<img src="rail.svg">')),
    ("why: a link to a file that is not there", lambda nb: nb["cells"][2].update(source="[x](none.ipynb)")),
    ("why: a link to a heading", lambda nb: nb["cells"][2].update(source="[x](other.ipynb#Nowhere)")),
    ("why: a link to a heading", lambda nb: nb["cells"][2].update(source="[x](#Part)")),
    ("why: no well-formed https link", lambda nb: nb["cells"][2].update(source="[x](http://example.org)")),
    ("why: no well-formed https link", lambda nb: nb["cells"][2].update(source="[x](https:///wiki)")),
    ("why: a link without words", lambda nb: nb["cells"][2].update(source="[](https://example.org/)")),
]


@pytest.mark.parametrize(("fault", "spoil"), FAULTS, ids=[fault for fault, _ in FAULTS])
def test_the_checker_finds(tmp_path: Path, fault: str, spoil: Break) -> None:
    (tmp_path / "rail.svg").touch()
    part = {"cell_type": "markdown", "id": "part", "metadata": {}, "source": "## A part"}
    (tmp_path / "other.ipynb").write_text(json.dumps({"cells": [part]}))
    path = tmp_path / "some.ipynb"
    path.write_text(json.dumps(small()))
    assert check_notebooks.faults(path) == []
    spoiled = small()
    spoil(spoiled)
    path.write_text(json.dumps(spoiled))
    assert any(told.startswith(f"some.ipynb: {fault}") for told in check_notebooks.faults(path))


def test_the_checker_reads_no_code_and_no_broken_file(tmp_path: Path) -> None:
    path = tmp_path / "some.ipynb"
    (tmp_path / "rail.svg").touch()
    quoting = small()
    quoting["cells"][0]["source"] = "# T\n\nyou can, 5 minutes, `![](none.png)`\n\n```python\n# no heading\n```"
    path.write_text(json.dumps(quoting))
    assert check_notebooks.faults(path) == []
    path.write_text("{")
    assert check_notebooks.faults(path)[0].startswith("some.ipynb: unreadable")


def test_the_checker_tells_and_answers_an_exit_code(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert check_notebooks.main([]) == 0
    assert capsys.readouterr().out == f"{len(NAMES)} notebooks: no fault\n"
    assert check_notebooks.main([str(tmp_path / "none.ipynb")]) == 1
    assert "none.ipynb: unreadable" in capsys.readouterr().out


def test_no_notebook_at_all_is_a_fault(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(check_notebooks, "NOTEBOOKS", tmp_path)
    assert check_notebooks.main([]) == 1
