"""What `make bench` wrote and what it would write: the same rows and limits; nothing is measured here."""

import json
import re
import xml.etree.ElementTree as ET
from datetime import date

import pytest

from benchmarks import __main__ as bench
from benchmarks import bench_sweeps, peers, picture, results, table
from benchmarks.table import Limit, Row

RESULTS = results.RESULTS.read_text("utf-8")
LINES = [tuple(cell.strip() for cell in line.split("|")[1:-1]) for line in RESULTS.splitlines() if line.startswith("|")]


def rates() -> dict[str, float]:
    """The rates of the picture as the table tells them."""
    told = {line[0]: float(line[1].split()[0].replace(",", "")) for line in LINES[2:]}
    return {name: told[row.name] for name, row in bench_sweeps.PICTURED.items()}


def test_the_results_have_the_rows_and_limits_of_the_code() -> None:
    written = [(name, figure.partition(" ")[2], limit) for name, figure, _, limit, _ in LINES[2:]]
    assert written == [(row.name, row.unit, str(row.limit or "")) for row in bench.rows()]
    assert len({row.name for row in bench.rows()}) == len(bench.rows())


def test_the_readme_and_the_picture_tell_the_figures_of_the_results() -> None:
    assert results.part(rates()) in results.README.read_text("utf-8")
    shown = ET.fromstring(results.PICTURE.read_text("utf-8"))
    assert shown.get("aria-label") == picture.alt(rates())
    words = ["".join(each.itertext()) for each in shown.iter("{http://www.w3.org/2000/svg}text")]
    assert {*rates(), *map(table.number, rates().values())} <= set(words)


def test_the_results_name_no_path_and_no_host() -> None:
    assert not re.search(r"(?<![\w.`])/\w|://|localhost|\w@\w", RESULTS)


def test_the_same_run_is_written_the_same() -> None:
    found = [row.measured(2.0, 2.0) for row in bench.rows()]
    about = {"date": date(2026, 1, 5).isoformat()}
    assert results.page(found, about) == results.page(found, about)
    assert results.page(found, about).endswith("\n\n## Where\n\n- date: 2026-01-05\n")
    assert picture.svg(rates()) == picture.svg(rates())


def test_the_pins_of_the_peers_name_no_host() -> None:
    python, node = ((peers.HERE / name).read_text("utf-8") for name in ("requirements.txt", "package-lock.json"))
    assert "://" not in python + node
    pins = re.findall(r"^[a-z].*==.*\\$", python, re.MULTILINE)
    assert len(pins) == len(re.findall(r"^[a-z]", python, re.MULTILINE)) > 3
    packages = json.loads(node)["packages"].values()
    assert not [each for each in packages if "resolved" in each]
    assert all("integrity" in each for each in packages if "name" not in each)


def test_the_peers_versions_are_those_of_the_pins() -> None:
    assert list(peers.versions()) == ["BullMQ", "ioredis", "rq-scheduler", "rq", "APScheduler"]
    wanted = json.loads((peers.HERE / "package.json").read_text("utf-8"))["dependencies"]
    assert {name.lower(): version for name, version in peers.versions().items() if name.lower() in wanted} == wanted


@pytest.mark.parametrize(
    ("limit", "figure", "ratio", "cells"),
    [
        (None, 12_345.6, None, ("a to b", "12,346 ms", "", "", "")),
        (Limit("at least", 20), 5, 20.0, ("a to b", "5 ms", "20", "at least 20", "yes")),
        (Limit("at least", 20), 50, 19.99, ("a to b", "50 ms", "20", "at least 20", "no")),
        (Limit("at most", 1.3), 0.123, 1.3, ("a to b", "0.12 ms", "1.3", "at most 1.3", "yes")),
        (Limit("under", 300), 300.0, None, ("a to b", "300 ms", "", "under 300", "no")),
        (Limit("under", 2_000), 99.94, None, ("a to b", "99.9 ms", "", "under 2,000", "yes")),
    ],
)
def test_a_row_says_whether_its_limit_is_met(limit: Limit | None, figure: float, ratio: float, cells: tuple) -> None:
    found = Row("a to b", "ms", limit).measured(figure, ratio)
    assert found.cells() == cells
    assert found.met == (cells[-1] != "no")


def test_what_cannot_be_shown_is_not_met() -> None:
    found = Row("BullMQ", "/s", Limit("at least", 5)).missing("needs Node.js")
    assert found.cells() == ("BullMQ", "not measured: needs Node.js", "", "at least 5", "no")
    assert not found.met
    assert not Row("BullMQ", "/s").missing("needs Node.js").met


def test_a_benchmark_that_is_none_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        bench.main(["nope"])
    assert end.value.code == 2
    assert "no benchmark nope; there are sweeps, cadence, checks, grading, import, widgets" in capsys.readouterr().err
