"""The command `echomq-lab`: open the notebooks, bring one back fresh, check it, hand it in, and more.

    echomq-lab open           copy what is missing to lab-work/, start JupyterLab on the hub notebook
    echomq-lab reset 01       a fresh copy of a notebook; the reader's moves to a dated name
    echomq-lab check 01       run a notebook in a fresh kernel, and say what its answers earn
    echomq-lab bundle         put the notebooks with the answers into one zip file to hand in
    echomq-lab doctor         what the lab needs, what is at fault, the command that mends it; with --queue Q,
                              the half states and orphans of a queue in a store, to which nothing is written
    echomq-lab grade F        marks for a folder of submissions, each in a sandbox
    echomq-lab report DIR     what a class made of the exercises, from the results of one run or several
    echomq-lab pump QUEUE     sweep a queue of a server tick after tick, until it is told to stop
    echomq-lab trace          what a cron rule and an interval name next, in text, as JSON, or as a picture
    echomq-lab solutions DIR  the notebooks with right answers in place, in a clone

Exits 0; 1 when the doctor finds that the lab cannot run, or a queue at fault, or a check that points are missing; 2 for
a mistake, told in one line; 130 after Ctrl-C, 0 when the pump was told to stop by SIGTERM.

Source: architecture, "Rooms": `cli`.
"""

from __future__ import annotations

import argparse
import errno
import io
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

import echomq_lab
from echomq_lab.errors import LabError


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command that `argv` tells (unless given, the process's) and answer the exit code."""
    _open_output()
    try:
        options = _parser().parse_args(argv)
        code: int = options.run(options)
        sys.stdout.flush()
    except LabError as error:
        print(f"echomq-lab: {_line(str(error))}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        # The reader of a pipe left; Python would complain again when it flushes at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except OSError as error:
        if error.errno != errno.ENOSPC:
            raise
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        print(f"echomq-lab: cannot write: {error.strerror}", file=sys.stderr)
        return 1
    return code


def _open_output() -> None:
    """A closed output takes what is printed, and one of few letters takes all of them, by their numbers."""
    if sys.stdout is None:
        sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115  for as long as the process lives
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        """Tell a mistake in one line, without the usage, and leave."""
        # A line break can only be the reader's own: argparse writes none.
        told = message.replace("\n", r"\n")
        self.exit(2, f"{self.prog}: {_line(told)}\n")


def _line(message: str) -> str:
    """A message as one printable line, without the carets that point into the line above them."""
    line = "; ".join(part for part in message.split("\n") if part.strip(" ^"))
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in line)


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(prog="echomq-lab", description="Learn how recurring jobs work, in notebooks.", allow_abbrev=False)
    parser.add_argument("--version", action="version", version=f"%(prog)s {echomq_lab.__version__}")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    opening = commands.add_parser("open", help="open the notebooks in JupyterLab", allow_abbrev=False)
    opening.add_argument("--no-browser", action="store_true", help="print the URL and open no browser")
    opening.add_argument("--port", type=_port, default=8888, help="the port to try first (8888)")
    opening.set_defaults(run=_open)

    resetting = commands.add_parser("reset", help="bring a fresh copy of a notebook", allow_abbrev=False)
    resetting.add_argument("which", metavar="NN", help="the notebook's number or name, such as 01")
    resetting.set_defaults(run=_reset)

    checking = commands.add_parser(
        "check",
        help="run notebooks in a fresh kernel and check their answers",
        description="Run each notebook top to bottom in a fresh kernel, and say what its answers earn.",
        allow_abbrev=False,
    )
    which = "the notebook's number or name, such as 01, or a path"
    checking.add_argument("notebooks", metavar="NOTEBOOK", nargs="+", help=which)
    limit = "how long a cell may run before it is interrupted, in seconds (%(default)s)"
    checking.add_argument("--timeout", metavar="S", type=_seconds, default=60, help=limit)
    checking.add_argument("--json", action="store_true", help="print one JSON object")
    checking.set_defaults(run=_check)

    bundling = commands.add_parser(
        "bundle",
        help="make the zip file to hand in",
        description="Put the notebooks with the answers, as they were last saved, into one zip file to hand in.",
        allow_abbrev=False,
    )
    bundling.add_argument("--out", metavar="F", help="the file to write (echomq-lab-<hash>.zip, in this folder)")
    bundling.set_defaults(run=_bundle)

    for command in (opening, resetting, checking, bundling):
        command.add_argument("--dir", type=Path, help="the folder for your copies (lab-work in the clone)")

    solving = commands.add_parser(
        "solutions",
        help="write the notebooks with right answers in place",
        description="Write each notebook that has exercises with right answers in place; in a clone only.",
        allow_abbrev=False,
    )
    solving.add_argument("folder", metavar="DIR", type=Path, help="the folder to write to")
    solving.add_argument("--force", action="store_true", help="replace files that are something else")
    solving.set_defaults(run=_solutions)

    doctoring = commands.add_parser(
        "doctor",
        help="look for faults",
        description="Look at what the lab needs on this machine; with --queue, at a queue in a store.",
        allow_abbrev=False,
    )
    doctoring.add_argument("--queue", metavar="Q", help="look at this queue, and write nothing")
    doctoring.add_argument("--url", help="where the store is, such as redis://localhost:6379/0 (ECHOMQ_LAB_URL)")
    doctoring.add_argument("--json", action="store_true", help="print one JSON object about the queue")
    doctoring.set_defaults(run=_doctor)

    grading = commands.add_parser(
        "grade",
        help="grade the submissions of a class",
        description="Grade a class: each child of FOLDER is one student's notebook, zip file or folder of notebooks.",
        allow_abbrev=False,
    )
    grading.add_argument("folder", metavar="FOLDER", type=Path, help="the folder with the submissions")
    grading.add_argument("--out", metavar="DIR", type=Path, required=True, help="the folder to write to, empty or new")
    seed = "a file with the secret that the cases are drawn from, 16 characters or more"
    grading.add_argument("--seed-file", metavar="F", type=Path, required=True, help=seed)
    roster = "a CSV file that tells whose a file is: columns student and file (or pattern)"
    grading.add_argument("--roster", metavar="CSV", type=Path, help=roster)
    grading.add_argument("--resume", action="store_true", help="keep the results in DIR whose submission is unchanged")
    grading.add_argument("--jobs", metavar="N", type=_jobs, help="how many to grade at a time (one for each core)")
    walls = "run students' code with your rights and no sandbox; every result says so"
    grading.add_argument("--no-isolation", action="store_true", help=walls)
    grading.set_defaults(run=_grade)

    pumping = commands.add_parser(
        "pump",
        help="sweep a queue of a server, tick after tick",
        description="Sweep a queue of a server tick after tick, until SIGTERM or Ctrl-C, which let it finish a sweep.",
        epilog="The log goes to standard error, one JSON object a line; on a terminal a live line tells the rest.",
        allow_abbrev=False,
    )
    pumping.add_argument("queue", metavar="QUEUE", help="the queue's name, such as reports")
    pumping.add_argument("--url", metavar="URL", help="the server, such as redis://localhost:6379/0 (ECHOMQ_LAB_URL)")
    pumping.add_argument("--tick-ms", metavar="MS", type=_whole, default=1000, help="the pause after a sweep (1000)")
    pumping.add_argument("--batch", metavar="N", type=_whole, default=100, help="how many a sweep releases (100)")
    pumping.add_argument("--atomic", action="store_true", help="sweep by one script: nothing is released twice")
    pumping.set_defaults(run=_pump)

    tracing = commands.add_parser(
        "trace",
        help="tell what two rules name next",
        description="Tell what a cron rule and an interval name next, over a clock that stands still.",
        allow_abbrev=False,
    )
    for flag, metavar, default, what in (
        ("--cron", "EXPR", "0 9 * * *", "five fields, or an alias such as @daily"),
        ("--every", "MS", "900000", "the interval's gap in ms, or a span such as 15m"),
        ("--now", "T", "08:50", "a time of the lab's day, an ISO instant or Unix ms"),
        ("--tz", "ZONE", "UTC", "the zone of the cron rule, such as Europe/Berlin"),
        ("-n", "N", "5", "how many next runs of each rule, 1 to 20"),
    ):
        tracing.add_argument(flag, metavar=metavar, default=default, help=f"{what} (%(default)s)")
    shape = tracing.add_mutually_exclusive_group()
    shape.add_argument("--json", action="store_true", help="print one JSON object")
    shape.add_argument("--png", metavar="F", help="draw the rail into a file that ends in .png")
    shape.add_argument("--svg", metavar="F", help="draw the rail into a file that ends in .svg")
    tracing.set_defaults(run=_trace)

    reporting = commands.add_parser(
        "report",
        help="report on a class that was graded",
        description="Report on a class that was graded; results of several runs are joined.",
        allow_abbrev=False,
    )
    reporting.add_argument("runs", metavar="DIR", nargs="+", type=Path, help="what a run of grade wrote to")
    reporting.add_argument("--out", metavar="DIR", type=Path, help="where the report goes (the first DIR)")
    reporting.set_defaults(run=_report)
    return parser


def _port(text: str) -> int:
    if not text.isascii() or not text.isdigit() or not 1 <= int(text) <= 65_535:
        raise argparse.ArgumentTypeError(f"a port is a number from 1 to 65535, not {text!r}")
    return int(text)


def _seconds(text: str) -> int:
    if not text.isascii() or not text.isdigit() or not 1 <= int(text) <= 3_600:
        raise argparse.ArgumentTypeError(f"a number of seconds is from 1 to 3600, not {text!r}")
    return int(text)


def _whole(text: str) -> int:
    if not text.isascii() or not text.isdigit() or not 1 <= len(text) <= 19:
        raise argparse.ArgumentTypeError(f"a whole number of 1 or more is wanted, not {text!r}")
    return int(text)


def _jobs(text: str) -> int:
    if not text.isascii() or not text.isdigit() or not 1 <= int(text) <= 256:
        raise argparse.ArgumentTypeError(f"a number of jobs is from 1 to 256, not {text!r}")
    return int(text)


def _open(options: argparse.Namespace) -> int:
    import echomq_lab.workdir as workdir
    from echomq_lab.serve import serve

    work = options.dir or workdir.WORK
    for line in workdir.open_copies(work, workdir.NOTEBOOKS):
        print(line, flush=True)
    serve(work, port=options.port, browser=not options.no_browser)
    return 0


def _reset(options: argparse.Namespace) -> int:
    from datetime import datetime

    import echomq_lab.workdir as workdir

    print(workdir.reset(options.which, datetime.now(), options.dir or workdir.WORK, workdir.NOTEBOOKS))
    return 0


def _doctor(options: argparse.Namespace) -> int:
    if options.queue is not None:
        from echomq_lab.queue_doctor_command import answer

        return 0 if answer(options) else 1
    if options.url is not None or options.json:
        raise LabError("doctor takes --url and --json together with --queue alone; try doctor --queue reports")
    from echomq_lab.doctor import checks, runs, show

    found = checks()
    show(found)
    return 0 if runs(found) else 1


def _check(options: argparse.Namespace) -> int:
    from echomq_lab.check_command import answer

    told, right = answer(options)
    print(told)
    return 0 if right else 1


def _bundle(options: argparse.Namespace) -> int:
    from echomq_lab.bundle_command import answer

    print(answer(options))
    return 0


def _solutions(options: argparse.Namespace) -> int:
    from echomq_lab.solutions_command import answer

    print(answer(options))
    return 0


def _grade(options: argparse.Namespace) -> int:
    from echomq_lab.grading.run import run

    return run(options)


def _pump(options: argparse.Namespace) -> int:
    from echomq_lab.pump_command import run

    return run(options)


def _trace(options: argparse.Namespace) -> int:
    from echomq_lab.trace_command import answer

    print(answer(options))
    return 0


def _report(options: argparse.Namespace) -> int:
    from echomq_lab.grading.report import answer

    print(answer(options))
    return 0
