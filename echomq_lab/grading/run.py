"""What `echomq-lab grade` does: a whole class, a result for every submission, then the exports and pages.

The main process reads no submission and keeps no result: it lists the class, hands submissions to workers (`crew`),
and tells how far it is. Killed at any moment it leaves whole results and no process; `--resume` does the rest.

Source: grading, "Work on a class".
"""

from __future__ import annotations

import argparse
import os
import tempfile
from importlib.metadata import version
from pathlib import Path

from rich.console import Console

from echomq_lab.checks.exercises import IDS, exercise
from echomq_lab.checks.verdict import Failure, Status, Verdict
from echomq_lab.errors import LabError
from echomq_lab.grading import collect, exports, out, pages, released, roster
from echomq_lab.grading.collect import Submission
from echomq_lab.grading.crew import LONGEST_S, Crew, Done, Lost
from echomq_lab.grading.graded import Graded, fingerprint
from echomq_lab.grading.progress import Progressing
from echomq_lab.grading.room import IsolationError, missing, seen_inside
from echomq_lab.wording import visible

LOUD = (
    "NO ISOLATION: students' code runs with your rights on this machine, can read the seed and every file of yours, "
    "and can change its own marks. Every result says so."
)
_LEAST_OF_A_SEED, _MOST_OF_A_SEED = 16, 1_000


class SeedError(LabError, ValueError):
    """A seed file that holds no seed to grade with."""


class PlaceError(LabError, ValueError):
    """A file or folder that lies where it must not."""


def run(options: argparse.Namespace) -> int:
    """Grade the class that the options name, and answer the exit code: 0, every submission has a result.

    Raises a `LabError` before anything is written for options that cannot be followed, and later, with whole results
    kept, for a disk or a sandbox that is no more.
    """
    walls = not options.no_isolation
    folder, target = options.folder, options.out
    _places(options, walls=walls)
    seed = seed_of(options.seed_file)
    rows = roster.read(options.roster) if options.roster else None
    ours = [path for path in (options.seed_file, options.roster) if path]
    listed = collect.listing(folder, rows, leave=ours)
    for dive in released.DIVES:
        released.path_of(dive)
    out.refuse(target, resume=options.resume)
    if walls and (why := missing()):
        raise IsolationError(why)
    console = Console()
    for line in (*([] if walls else [LOUD]), *listed.told):
        _say(console, line)
    jobs = min(options.jobs or _cores(), len(listed.submissions))
    told = fingerprint(seed)
    with tempfile.TemporaryDirectory(prefix="grading-", ignore_cleanup_errors=True) as scratch:
        how = {"seed": seed, "walls": walls, "resume": options.resume, "scratch": scratch}
        how |= {"folder": str(folder.resolve()), "out": str(target.resolve())}
        with Crew(jobs, how) as crew, out.opened(target, told, version("echomq-lab"), isolated=walls):
            counts = _graded(crew, listed.submissions, console, target, told, walls=walls)
            aside = out.set_aside(target, (each.student for each in listed.submissions))
    for line in _summary(counts, aside, target):
        _say(console, line)
    exports.write(target)
    pages.write(target)
    return 0


def _cores() -> int:
    """How many cores are this process's."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def seed_of(path: Path) -> str:
    """The seed in a file: its text without blanks around it. Raises `SeedError`, and never shows the text."""
    where = visible(str(path), 400)
    try:
        with path.open("rb") as file:
            text = file.read(4 * _MOST_OF_A_SEED + 1).decode("utf-8-sig").strip()
    except OSError as error:
        raise SeedError(f"the seed file {where} cannot be read: {error.strerror or error}") from error
    except UnicodeDecodeError as error:
        raise SeedError(f"the seed file {where} is not UTF-8 text") from error
    if not _LEAST_OF_A_SEED <= len(text) <= _MOST_OF_A_SEED:
        hint = "try the output of `openssl rand -hex 16`"
        allowed = f"{_LEAST_OF_A_SEED} to {_MOST_OF_A_SEED:,} characters"
        raise SeedError(f"the seed file {where} holds {len(text):,} characters; a seed has {allowed}; {hint}")
    return text


def _places(options: argparse.Namespace, *, walls: bool) -> None:
    """See that no student's code can see the instructor's files, and that no grading is taken for a student."""
    folder, target = options.folder.resolve(), options.out.resolve()
    if target.is_relative_to(folder) or folder.is_relative_to(target):
        raise PlaceError(
            f"--out {visible(str(options.out), 400)} and the class lie in one another; choose another folder"
        )
    if not walls:
        return
    for what, path in (("the seed file", options.seed_file), ("the class", folder), ("--out", target)):
        if place := seen_inside(path):
            where = visible(str(path), 400)
            raise PlaceError(f"{what} {where} lies in {place}, which students' code can read; move it out of there")


def _graded(
    crew: Crew, submissions: tuple[Submission, ...], console: Console, target: Path, seed: str, *, walls: bool
) -> dict[str, int]:
    """Grade all; answer how many were graded, kept from an earlier run, and lost."""
    counts = {"graded": 0, "kept": 0, "lost": 0}
    with Progressing(len(submissions), console) as progress:
        for each in crew.grade(submissions):
            progress.busy_with(crew.busy_with)
            match each:
                case Done(submission, total, kept):
                    counts["kept" if kept else "graded"] += 1
                    progress.done(submission.student, f"{total} of 100{', as before' if kept else ''}")
                case Lost(submission, late):
                    counts["lost"] += 1
                    graded = _lost(submission, seed, late=late, walls=walls)
                    out.write(out.result(target, submission.student), graded.to_json())
                    progress.done(submission.student, graded.remarks[-1])
    return counts


def _lost(submission: Submission, seed: str, *, late: bool, walls: bool) -> Graded:
    """The result of a submission that no worker came to an end with. It has no content: the next run grades it anew."""
    why = f"The grader took more than {LONGEST_S:.0f} seconds for this submission, and was stopped."
    if not late:
        why = "The grader itself crashed on this submission, twice."
    failure = Failure("present", None, why, "", "", "", "Ask for it to be looked at by hand.")
    verdicts = []
    for asked in map(exercise, IDS):
        tests = tuple((test.id, test.points, False) for test in asked.tests)
        verdicts.append(Verdict(asked.id, asked.title, Status.UNGRADED, tests, failure))
    remarks = (*submission.remarks, f"{why} Look at it by hand, or grade it once more with --resume.")
    kit = version("echomq-lab")
    return Graded(submission.student, submission.name, "", tuple(verdicts), remarks, kit, seed, walls)


def _summary(counts: dict[str, int], aside: int, target: Path) -> list[str]:
    told = f"{counts['graded']} graded"
    told += f", {counts['kept']} kept from the earlier run" if counts["kept"] else ""
    told += f", {counts['lost']} could not be graded: look at them by hand" if counts["lost"] else ""
    lines = [f"{told}: {visible(str(target), 400)}"]
    if aside:
        lines.append(f"{aside} results of students who are not in the class any more are in {out.SET_ASIDE}/")
    return lines


def _say(console: Console, line: str) -> None:
    console.print(line, markup=False, highlight=False, soft_wrap=True)
