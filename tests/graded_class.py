"""Results of a class made by hand: plain ones, and one in which everything a student can name is hostile."""

from collections.abc import Iterable
from pathlib import Path

from echomq_lab.checks.exercise import Marks
from echomq_lab.checks.exercises import IDS
from echomq_lab.checks.verdict import Failure, Status, Verdict
from echomq_lab.grading.graded import Graded, fingerprint

SEED = "a seed that nobody may see"
NOW_MS = 1_767_603_000_000
TITLES = "runs next_interval next_cron earliest next_cron_tz entries register_order REGISTER_LUA BUG boot".split()
TITLES += "runs ADVANCE_LUA sweep crash_order drift_ms".split()
POINTS = (4, 4, 10, 6, 6, 4, 6, 12, 6, 6, 4, 10, 14, 4, 4)
CHECKS = {"1.3": "at a slot", "1.5": "zone", "2.3": "a second boot", "3.3": "plain"}
TAG = "</dd></main><script>alert(1)</script><img src=x onerror=alert(2)>\"' onmouseover='alert(3)' {{ 7*7 }} {% raw %}"

STRICTLY = Failure(
    "at a slot",
    "strictly after",
    "You skip the slot that is now and answer the one after it. The next run is the earliest slot at or after now, "
    "so at 09:00:00.000 it is 09:00.",
    "next_cron('* * * * *', 1767603000000), now is 1767603000000 (Monday 5 January 2026, 08:50 UTC)",
    "1767603060000 (Monday 5 January 2026, 08:51 UTC)",
    "1767603000000 (Monday 5 January 2026, 08:50 UTC)",
    "Call next_cron with a now that is a slot to the millisecond, and look at what comes.",
    marks=Marks(NOW_MS, (NOW_MS,), (NOW_MS + 60_000,)),
)
REWRITTEN = Failure(
    "a second boot",
    "the record is rewritten",
    "The score stays and the record is rewritten: a second boot's period and template win.",
    "a queue in which there is daily-report\nnow 1767603000000: REGISTER_LUA, every_ms 900000, template '{}'",
    "emq:{q}:repeat:daily-report holds every_ms = 900000, template = {}",
    'emq:{q}:repeat:daily-report holds every_ms = 60000, template = {"to": "ops"}',
    "Register a name twice with two periods, and compare the record before and after.",
    store="embedded://valkey",
)
RAISED = Failure(
    "plain",
    "raises",
    "Your answer stopped with an error.",
    "sweep(conn, queue, 1767603000000, mint, 10)",
    "it raised NameError: name 'jobz' is not defined, in: jobz.enqueue(conn, queue, mint(), template)",
    "an answer",
    "Look at the line that is named.",
)
LATE = Failure(
    "zone", "late", "Your answer was stopped: it took longer than 2.5 s", "next_cron_tz(...)", "", "", "Try."
)
ABSENT = Failure("present", None, "drift_ms is still as shipped: write your answer.", "", "", "", "Then run the cell.")
ENDED = Failure("present", "ended", "The answer cell was stopped: it ended the process.", "", "", "", "It must end.")
NO_STORE = Failure(
    "store", None, "No store could be had to try the answer on: none here", "", "", "", "Grade it again."
)


def verdict(
    exercise: str, status: Status = Status.RIGHT, failure: Failure | None = None, earned: int | None = None
) -> Verdict:
    points = POINTS[IDS.index(exercise)]
    part = points // 2
    passed = status is Status.RIGHT
    tests = (("type", part, passed or bool(earned)), (CHECKS.get(exercise, "value"), points - part, passed))
    return Verdict(exercise, TITLES[IDS.index(exercise)], status, tests, failure)


def graded(
    student: str = "ada",
    others: Iterable[Verdict] = (),
    *,
    remarks: tuple[str, ...] = (),
    isolated: bool = True,
    seed: str = SEED,
    submission: str = "ada.zip",
    kit: str = "0.1.0",
) -> Graded:
    """A result that is right but for some exercises."""
    by_id = {each.exercise: each for each in others}
    verdicts = tuple(by_id.get(each, verdict(each)) for each in IDS)
    return Graded(student, submission, "c0ffee" * 10, verdicts, remarks, kit, fingerprint(seed), isolated)


SOME_WRONG = (
    verdict("1.3", Status.WRONG, STRICTLY, earned=5),
    verdict("1.5", Status.TIMED_OUT, LATE),
    verdict("2.3", Status.WRONG, REWRITTEN, earned=6),
    verdict("3.1", Status.CRASHED, ENDED),
    verdict("3.3", Status.WRONG, RAISED),
    verdict("3.5", Status.NOT_ANSWERED, ABSENT),
)
REMARKS = (
    "01-cron-vs-interval.ipynb: the answer cell of 1.2 is there twice; the first one counts",
    "cell ex-3-3-answer raised NameError: name 'jobz' is not defined",
)
HOSTILE = graded(
    f"=HYPERLINK({TAG})\n\u202egrade\ud800",
    (
        verdict(
            "1.3",
            Status.WRONG,
            Failure(
                "at a slot", TAG, *[f"{TAG}\n{TAG * 100}\x00\x1b[31m\u202e\ud800"] * 5, f"on {TAG}", STRICTLY.marks
            ),
        ),
        verdict("1.2", Status.WRONG, Failure("late", None, "x" * 10**6, *["y\n" * 10**5] * 4)),
        verdict(
            "3.1",
            Status.WRONG,
            Failure("x", None, "s", "g", "c", "e", "n", "", Marks(0, (1, 2), tuple(range(NOW_MS, NOW_MS + 2_000)))),
        ),
        verdict(
            "1.5",
            Status.WRONG,
            Failure(
                "x",
                None,
                "s",
                "g",
                "c",
                "e",
                "n",
                "",
                Marks(NOW_MS, (-1,), (10**39, 253_402_300_799_999), "Asia/Tokyo"),
            ),
        ),
    ),
    remarks=tuple(f"cell {TAG} raised {number} {TAG * 50}" for number in range(1_000)),
    submission=f"../../{TAG}.zip",
    isolated=False,
)
CLASS = {
    "ada": graded("ada"),
    "ben": graded("ben", SOME_WRONG, remarks=REMARKS, submission="ben.zip"),
    "cem": graded("cem", SOME_WRONG[2:], remarks=REMARKS[1:], submission="cem"),
    "dot": graded("dot", [verdict("2.3", Status.UNGRADED, NO_STORE), verdict("1.2", Status.WRONG, RAISED)]),
    "eve": graded("eve", [verdict(each, Status.NOT_ANSWERED, ABSENT) for each in IDS], submission="eve.ipynb"),
}


def put(out: Path, results: dict[str, Graded]) -> Path:
    """Write results as a run does."""
    (out / "results").mkdir(parents=True)
    for name, each in results.items():
        (out / "results" / f"{name}.json").write_text(each.to_json(), "utf-8")
    return out
