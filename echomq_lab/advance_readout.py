"""Dive 3 told in words: the twins of its pictures.

    lanes(run)     when each way of writing the next run released its runs, and how far each is from whole periods
    drift(run)     the same in a sentence for each way
    steps(run)     a sweep and the next tick, step by step: what went out and what it changed
    fate(run)      what became of the occurrence, in sentences

Source: architecture, `readout`; widgets, 3 and 4.
"""

from __future__ import annotations

from collections.abc import Iterator

from echomq_lab.keyspace import queue_key
from echomq_lab.layout import KINDS
from echomq_lab.readout import Table
from echomq_lab.scenario.advance import AdvanceRun, ReleaseLane
from echomq_lab.scenario.sweep_steps import STEPS, Done, SweepRun
from echomq_lab.trace import Change, Held, Trace
from echomq_lab.wording import clock_time, day, in_calendar, span, visible

#: What a step is called, and what the store is asked.
STEP_NAMES = {
    "promote": "promote",
    "due": "due read",
    "record": "record",
    "mint": "mint",
    "enqueue": "enqueue",
    "advance": "advance",
    "count": "due count",
    "sweep": "one script",
}


def lanes(run: AdvanceRun) -> Table:
    """Each run of each lane: when it was released, and how much later than whole periods after the first."""
    rows = [
        (str(number), *(_released(lane, number, run.now_ms) for lane in run.lanes))
        for number in range(len(run.lanes[0].marks_ms))
    ]
    names = [_name(lane) for lane in run.lanes]
    beat = f"every {span(run.every_ms)}, runs of {_span(run.run_ms)}, a sweep every {span(run.tick_ms)}"
    stopped = run.stopped_ms
    notes = () if stopped is None else (f"The pump was stopped from {_at(run, stopped[0])} to {_at(run, stopped[1])}.",)
    return Table(
        f"Runs from {day(run.now_ms)}, {clock_time(run.now_ms)} UTC: {beat}", ("run", *names), tuple(rows), notes
    )


def drift(run: AdvanceRun) -> str:
    """What each lane wrote as its next run, in a sentence, and how far its last run is from whole periods."""
    lines = []
    for lane in run.lanes:
        times = " ".join(clock_time(at_ms, seen_from_ms=run.now_ms) for at_ms in lane.marks_ms)
        cycles = len(lane.marks_ms) - 1
        lines.append(f"{_name(lane)} ({lane.says}): {times}; after {_count(cycles, 'cycle')}: {lane.drift}.")
    if run.stopped_ms is not None:
        passed = len(run.passed_ms)
        lines.append(
            f"The pump was stopped for {span(run.stopped_ms[1] - run.stopped_ms[0])}: "
            f"{_count(passed, 'run')} due meanwhile, {1 if passed else 0} released."
        )
    return "\n".join(lines)


def steps(run: SweepRun, shown: int | None = None, *, ticked: bool = True) -> Table:
    """The steps of a sweep, the first `shown` of them, and those of the next tick if it has come."""
    first = run.steps if shown is None else run.steps[:shown]
    rows = [*_rows(run.queue, "", first), *(_rows(run.queue, "next tick, ", run.then) if ticked else ())]
    return Table(f"A sweep of queue {run.queue}: {run.way}", ("step", "sent", "changed"), tuple(rows))


def fate(run: SweepRun) -> str:
    """Where the sweep was killed, if it was, and what became of the occurrence."""
    if run.answer is None:
        reached = len(run.steps)
        planned = STEPS[run.way]
        where = f"before {STEP_NAMES[planned[reached]]}" if reached < len(planned) else "after its last step"
        told = f"The pump was killed {where}"
    elif any(done.by == "another" for done in run.steps):
        told = f"The sweep fired {run.answer.fired} while another connection was at work"
    else:
        told = f"The sweep fired {run.answer.fired}"
    became = {"lost": "the occurrence is lost", "not at all": "no job came of it"}.get(
        run.fate, f"the occurrence was enqueued {run.fate}"
    )
    return f"{told}; the next tick fired {run.then_answer.fired}: {became}."


def state(trace: Trace, done: int) -> tuple[str, int]:
    """The first next-run time that the registry holds after the first `done` commands of a trace, and the pending jobs.

    What no command has changed yet is what the first change of it found.
    """
    registry = _held_after(trace, "repeat", done)
    pending = _held_after(trace, "pending", done)
    entries = registry if isinstance(registry, list) else []
    next_run = clock_time(int(entries[0][1])) if entries and in_calendar(entries[0][1]) else "none"
    return next_run, len(pending) if isinstance(pending, list) else 0


def _held_after(trace: Trace, kind: str, done: int) -> Held:
    key = queue_key(trace.queue, kind)
    changes = [
        (number, change) for number, step in enumerate(trace.steps) for change in step.changes if change.key == key
    ]
    before = [change.after for number, change in changes if number < done]
    if before:
        return before[-1]
    return changes[0][1].before if changes else None


def _rows(queue: str, when: str, steps: tuple[Done, ...]) -> Iterator[tuple[str, str, str]]:
    for number, done in enumerate(steps, 1):
        who = "" if done.by == "pump" else "another: "
        yield f"{when}{number} {who}{STEP_NAMES.get(done.name, done.name)}", _sent(done), _changed(queue, done)


def _sent(done: Done) -> str:
    if done.step is None:
        return "(nothing: the host makes an id)"
    if done.step.script is None:
        return visible(" ".join(done.step.command), 80)
    called = ", ".join(call[0] for call in done.step.calls)
    return f"{done.step.script}.lua: {called or 'no command'}"


def _changed(queue: str, done: Done) -> str:
    changes = () if done.step is None else done.step.changes
    prefix = queue_key(queue, "")
    return "\n".join(line for change in changes for line in _diff(change, prefix)) or "nothing"


def _diff(change: Change, prefix: str) -> Iterator[str]:
    key = visible(change.key.removeprefix(prefix), 60)
    before, after = _parts(change.before), _parts(change.after)
    if not before and isinstance(change.after, dict):
        yield f"{key} + {', '.join(f'{part} = {visible(value, 40)}' for part, value in after.items())}"
        return
    for part in [*before, *(part for part in after if part not in before)]:
        was, now = before.get(part), after.get(part)
        if was == now:
            continue
        if was is None:
            yield f"{key} + {visible(part, 40)} = {visible(str(now), 40)}"
        elif now is None:
            yield f"{key} - {visible(part, 40)}"
        else:
            yield f"{key}: {visible(part, 40)} {visible(was.partition(' (')[0], 40)} -> {visible(now, 40)}"


def _parts(held: Held) -> dict[str, str]:
    if isinstance(held, dict):
        return held
    if isinstance(held, list):
        return {str(each[0]): _score(each[1]) for each in held if isinstance(each, list)}
    return {} if held is None else {"value": held}


def _score(score: object) -> str:
    return f"{clock_time(score)} ({score})" if isinstance(score, int) and score and in_calendar(score) else str(score)


def _released(lane: ReleaseLane, number: int, seen_from_ms: int) -> str:
    late_ms, skipped = lane.late_ms(number), lane.skips[number]
    told = clock_time(lane.marks_ms[number], seen_from_ms=seen_from_ms)
    told += f", {span(late_ms)} late" if late_ms else ""
    return told + (f", {skipped} skipped" if skipped else "")


def _name(lane: ReleaseLane) -> str:
    return KINDS[lane.kind].name.removesuffix(":")


def _at(run: AdvanceRun, at_ms: int) -> str:
    return clock_time(at_ms, seen_from_ms=run.now_ms)


def _span(ms: int) -> str:
    return span(ms) if ms else "no length"


def _count(number: int, one: str) -> str:
    return f"{number} {one}{'' if number == 1 else 's'}"
