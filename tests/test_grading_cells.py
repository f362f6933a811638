"""A student's notebook beside the one that was handed out: what is run of it, what is remarked, whatever was done.

The released notebook here is a small one, so that each case shows all of it.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest

from echomq_lab.grading import cells, needs
from echomq_lab.grading.cells import plan
from echomq_lab.grading.needs import names
from echomq_lab.grading.notebook import Cell
from echomq_lab.grading.released import DIVES, Released, released, role_of

STUB_2 = "def next_interval(prev_ms, every_ms):\n    ..."
STUB_3 = "def next_cron(expr, now_ms):\n    ..."


def code(cell_id: str, source: str, *tags: str, kind: str = "code") -> Cell:
    return Cell(0, kind, cell_id, frozenset(tags), source)


SHIPPED = (
    code("title", "# Dive", kind="markdown"),
    code("setup", "from echomq_lab import connect, repeat\n\nconn = connect()", "setup"),
    code("rules-run", "daily = Rule(1)\nshow(daily)"),
    code("march-run", "march = daily.march()\nprint(march)"),
    code("ex-1-2", "## Exercise 1.2", kind="markdown"),
    code("ex-1-2-predict", 'guess = predict("1.2")', "predict", "1.2"),
    code("ex-1-2-run", "gap = 5\nguess.compare(gap)", "1.2"),
    code("ex-1-2-answer", STUB_2, "answer", "1.2"),
    code("ex-1-2-check", 'check("1.2")', "check", "1.2"),
    code("ex-1-3-answer", STUB_3, "answer", "1.3"),
    code("ex-1-3-check", 'check("1.3")', "check", "1.3"),
    code("late-run", "late = 1"),
)


@pytest.fixture(autouse=True)
def _small_notebook(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(cells, "released", lambda dive: Released(dive, "01-small.ipynb", SHIPPED))
    monkeypatch.setattr(cells, "exercise", lambda exercise: _Asked(exercise))
    monkeypatch.setattr(cells, "IDS", ("1.2", "1.3", "2.3"))
    cells._names.cache_clear()
    yield
    cells._names.cache_clear()


class _Asked:
    def __init__(self, exercise: str) -> None:
        self.names = (_Name({"1.2": "next_interval", "1.3": "next_cron", "2.3": "REGISTER_LUA"}[exercise]),)


class _Name:
    def __init__(self, name: str) -> None:
        self.name = name


def numbered(found: list[Cell]) -> list[Cell]:
    return [replace(cell, number=number) for number, cell in enumerate(found, 1)]


def sources(changes: dict[str, str]) -> list[Cell]:
    return [replace(cell, source=changes.get(cell.id, cell.source)) for cell in SHIPPED]


def without(*gone: str) -> list[Cell]:
    return [cell for cell in SHIPPED if cell.id not in gone]


def after(place: str, *new: Cell) -> list[Cell]:
    at = next(number for number, cell in enumerate(SHIPPED) if cell.id == place) + 1
    return [*SHIPPED[:at], *new, *SHIPPED[at:]]


def stripped(ids: bool = False, tags: bool = False) -> list[Cell]:
    return [
        replace(cell, id="" if ids else cell.id, tags=frozenset() if tags else cell.tags)
        for cell in sources({"ex-1-3-answer": "def next_cron(expr, now_ms):\n    return 5"})
    ]


ANSWERS = ["ex-1-2-answer", "ex-1-3-answer"]
OWN = code("mine", "helper = 5")
#: What was done to the notebook, what is run of it, how the remarks begin.
CASES: list[tuple[str, list[Cell], list[str], list[str]]] = [
    ("as shipped", list(SHIPPED), ANSWERS, []),
    ("answered", sources({"ex-1-3-answer": "def next_cron(expr, now_ms):\n    return 5"}), ANSWERS, []),
    ("blanks at line ends", sources({"rules-run": "daily = Rule(1)  \nshow(daily)\n"}), ANSWERS, []),
    ("a cell of one's own", after("rules-run", OWN), ["mine", *ANSWERS], []),
    (
        "an answer that needs a demonstration",
        sources({"ex-1-3-answer": "def next_cron(expr, now_ms):\n    return march"}),
        ["rules-run", "march-run", *ANSWERS],
        [],
    ),
    (
        "an answer that needs setup",
        sources({"ex-1-3-answer": "def next_cron(expr, now_ms):\n    return repeat"}),
        ["setup", *ANSWERS],
        [],
    ),
    (
        "an answer that needs what stands below",
        sources({"ex-1-3-answer": "def next_cron(expr, now_ms):\n    return late"}),
        [*ANSWERS, "late-run"],
        [],
    ),
    (
        "a name that the cell binds itself is not needed",
        after("rules-run", code("mine", "march = 1\nprint(march)\nfor daily in []: daily")),
        ["mine", *ANSWERS],
        [],
    ),
    (
        "the nearest above counts",
        after("march-run", code("m", "march = 1"), code("n", "print(march)")),
        ["m", "n", *ANSWERS],
        [],
    ),
    (
        "names that are not spelt may be setup's",
        sources({"ex-1-3-answer": "next_cron = eval('lambda e, n: conn')"}),
        ["setup", *ANSWERS],
        [],
    ),
    (
        "a comparison with a prediction is left blank",
        sources({"ex-1-3-answer": "next_cron = lambda expr, now_ms: gap"}),
        ["ex-1-2-run", *ANSWERS],
        [],
    ),
    (
        "setup changed",
        sources({"setup": "conn = connect('redis://elsewhere')\nextra = 1"}),
        ["setup as handed out", "setup", *ANSWERS],
        ["dive 1: changed setup cell: run after the one that was handed out: setup"],
    ),
    (
        "setup gone, and not needed",
        without("setup"),
        ANSWERS,
        ["dive 1: not in the notebook any more: setup"],
    ),
    (
        "setup gone, and needed",
        [*without("setup"), code("mine", "repeat.register(conn)")],
        ["setup as handed out", *ANSWERS, "mine"],
        ["dive 1: not in the notebook any more: setup"],
    ),
    (
        "demonstrations changed, and not needed",
        sources({"rules-run": "daily = Rule(2)", "late-run": "late = 2"}),
        ANSWERS,
        ["dive 1: changed: rules-run, late-run"],
    ),
    (
        "a demonstration changed, and needed",
        sources({"rules-run": "daily = Rule(2)", "ex-1-3-answer": "next_cron = daily.next_at"}),
        ["rules-run", *ANSWERS],
        ["dive 1: changed: rules-run"],
    ),
    (
        "check changed",
        sources({"ex-1-3-check": "def check(_): return 'right'\ncheck('1.3')"}),
        ANSWERS,
        ["dive 1: changed check cell, not run: ex-1-3-check"],
    ),
    (
        "checks and hints of one's own",
        after("late-run", code("c", 'check("1.3")\nhint("1.3")\nprogress()')),
        ANSWERS,
        [],
    ),
    (
        "a cell of one's own tagged check",
        after("late-run", code("c", "x = 1", "check", "1.3")),
        ANSWERS,
        ["dive 1: 1 cell has", "dive 1: changed check cell, not run: c", "dive 1: there more than once: ex-1-3-check"],
    ),
    ("a check and more", after("late-run", code("c", 'check("1.3")\nx.append(1)')), [*ANSWERS, "c"], []),
    ("an answer cell gone", without("ex-1-3-answer"), ["ex-1-2-answer"], ["dive 1: the answer cell of 1.3 is missing"]),
    (
        "an answer cell made prose",
        [replace(cell, kind="markdown") if cell.id == "ex-1-3-answer" else cell for cell in SHIPPED],
        ["ex-1-2-answer"],
        ["dive 1: the answer cell of 1.3 is a markdown cell now: not run"],
    ),
    (
        "an answer cell copied",
        after("ex-1-3-answer", code("copy", "next_cron = 5", "answer", "1.3")),
        [*ANSWERS, "copy"],
        ["dive 1: 1 cell has another id", "dive 1: 1.3 has 2 answer cells: all are run, the last one counts"],
    ),
    (
        "an id twice",
        after("ex-1-3-answer", code("ex-1-3-answer", "next_cron = 5", "answer", "1.3")),
        ["ex-1-2-answer", "ex-1-3-answer (number 10)", "ex-1-3-answer (number 11)"],
        ["dive 1: 1.3 has 2 answer cells: all are run, the last one counts"],
    ),
    ("tags stripped", stripped(tags=True), ANSWERS, []),
    (
        "ids renewed",
        stripped(ids=True),
        ["number 8", "number 10"],
        ["dive 1: 10 cells have other ids than was handed out: known by tags or text"],
    ),
    (
        "ids and tags stripped",
        stripped(ids=True, tags=True),
        ["number 8", "number 10"],
        [
            "dive 1: 9 cells have other ids",
            "dive 1: the answer cell of 1.3 is known by its names alone: cell number 10",
        ],
    ),
    (
        "the answer in a cell of one's own",
        [*without("ex-1-3-answer"), code("mine", "def next_cron(expr, now_ms): return 1")],
        ["ex-1-2-answer", "mine"],
        ["dive 1: the answer cell of 1.3 is known by its names alone: cell mine"],
    ),
    (
        "an answer that is no Python, its cell renewed",
        [*without("ex-1-3-answer"), code("mine", "%time\ndef next_cron(expr, now_ms): return (")],
        ["ex-1-2-answer", "mine"],
        ["dive 1: the answer cell of 1.3 is known by its names alone: cell mine"],
    ),
    (
        "an answer bound again below",
        after("ex-1-3-check", code("mine", "next_cron = 5")),
        [*ANSWERS, "mine"],
        ["dive 1: what 1.3 asks for is bound again below its answer cell: mine"],
    ),
    (
        "an answer of another dive",
        after("late-run", code("ex-2-3-answer", "REGISTER_LUA = ''", "answer", "2.3")),
        [*ANSWERS, "ex-2-3-answer"],
        ["dive 1: of another dive, and not graded here: ex-2-3-answer"],
    ),
    (
        "tags that say another exercise",
        [replace(c, tags=frozenset(("answer", "1.2"))) if c.id == "ex-1-3-answer" else c for c in SHIPPED],
        ANSWERS,
        ["dive 1: cell ex-1-3-answer is tagged as answer 1.2: taken for what its id says"],
    ),
    (
        "a demonstration twice",
        after("late-run", code("late-run", "late = 1")),
        ANSWERS,
        ["dive 1: there more than once"],
    ),
    (
        "nothing",
        [],
        [],
        ["dive 1: the answer cell of 1.2 is missing", "dive 1: the answer cell of 1.3 is missing", "dive 1: "],
    ),
]


@pytest.mark.parametrize(("found", "run", "remarks"), [row[1:] for row in CASES], ids=[row[0] for row in CASES])
def test_what_is_run_and_what_is_remarked(found: list[Cell], run: list[str], remarks: list[str]) -> None:
    planned = plan(1, numbered(found))
    assert [label for label, _ in planned.cells] == run
    assert [told[: len(start)] for told, start in zip(planned.remarks, remarks, strict=True)] == remarks
    assert set(planned.answers.values()) <= set(run)
    assert len(set(run)) == len(run)


def test_the_last_of_several_answers_counts() -> None:
    planned = plan(1, numbered(after("ex-1-3-answer", code("copy", "next_cron = 5", "answer", "1.3"))))
    assert planned.answers == {"1.2": "ex-1-2-answer", "1.3": "copy"}


def test_a_comparison_is_left_out_and_the_rest_of_its_cell_runs() -> None:
    planned = plan(1, numbered(sources({"ex-1-3-answer": "next_cron = gap"})))
    assert dict(planned.cells)["ex-1-2-run"] == "gap = 5\n"


def test_what_is_answered_is_counted() -> None:
    assert cells.answered(1, numbered(list(SHIPPED))) == 0
    assert cells.answered(1, numbered(stripped())) == 1
    assert cells.answered(1, numbered(stripped(ids=True, tags=True))) == 1


# The notebooks that are handed out


@pytest.mark.parametrize("dive", DIVES)
def test_of_a_notebook_as_it_ships_only_the_stubs_are_run(monkeypatch: pytest.MonkeyPatch, dive: int) -> None:
    monkeypatch.undo()
    cells._names.cache_clear()
    planned = plan(dive, released(dive).cells)
    stubs = [cell.id for cell in released(dive).cells if role_of(cell)[0] == "answer"]
    assert [label for label, _ in planned.cells] == stubs
    assert list(planned.answers.values()) == stubs


# Names

NAMES: list[tuple[str, str, str]] = [
    ("x = y", "x", "y"),
    ("import a.b as c, d.e", "c d", ""),
    ("from m import n as o", "o", ""),
    ("def f(a, b=c):\n    return a + g(b)", "f", "c g"),
    ("class A(B):\n    x = y\n    def m(self): return z", "A", "B y z"),
    ("x += 1", "x", "x"),
    ("for i in r:\n    total = i", "i total", "r"),
    ("[i for i in r if i in s]", "", "r s"),
    ("for i in i:\n    pass", "i", "i"),
    ("with o() as f, p() as (g, h):\n    f(g)", "f g h", "o p"),
    ("(n := m)", "n", "m"),
    ("def f():\n    global k\n    k = j", "f k", "j"),
    ("try:\n    pass\nexcept E as e:\n    pass", "e", "E"),
    ("match v:\n    case [a, *b]:\n        pass", "a b", "v"),
    ("x: int = 5", "x", "int"),
    ("f = lambda a: a + b", "f", "b"),
    ("def f():\n    return h()\ndef h():\n    return 1", "f h", ""),
    ("a = 1\nb = a", "a b", ""),
    ("del q", "q", ""),
    ("@deco\ndef f(): pass", "f", "deco"),
    ("", "", ""),
]


@pytest.mark.parametrize(("source", "binds", "wanted"), NAMES)
def test_the_names_of_a_cell(source: str, binds: str, wanted: str) -> None:
    found = names(source)
    assert (found.binds, found.needs) == (set(binds.split()), set(wanted.split()))


HOSTILE: list[Callable[[], str]] = [
    lambda: "(" * 5_000,
    lambda: "-" * 50_000 + "1",
    lambda: "lambda:" * 20_000 + "1",
    lambda: "x=" * 20_000 + "1",
    lambda: "a." * 40_000 + "b",
    lambda: "f(\0)",
    lambda: "x = '\ud800'",
    lambda: "%matplotlib inline\nx = 1\n!ls",
    lambda: "x = 1\n" * 200_000,
]


@pytest.mark.parametrize("source", HOSTILE)
def test_no_source_is_too_odd_to_be_named(source: Callable[[], str]) -> None:
    text = source()
    names(text)
    needs.called(text[:90_000])
    needs.without_uses(text[:90_000], frozenset("x"))
