"""3.3 sweep: read what is due, enqueue each template under a fresh id, advance; answer how many fired.

What is expected is what the pump's own sweep does in the same case, ids aside.

Source: exercises, the table; wire contract, "The pump".
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from random import Random

from echomq_lab.checks import instants
from echomq_lab.checks.desk import QUEUE, Ran, told
from echomq_lab.checks.exercise import Exercise, Mistake, Name, Test, Wrong
from echomq_lab.checks.lua_runs import NAMES
from echomq_lab.checks.plain import Odd
from echomq_lab.checks.sweep_runs import Entry, Kills, SweepCase, ask, ask_killed, entry, expected, jobs, moved
from echomq_lab.clock import LAB_DAY_MS
from echomq_lab.keyspace import record_key
from echomq_lab.readout import holds

_PERIODS_MS = (60_000, 900_000, 3_600_000, 86_400_000)
_TEMPLATES = ('{"report": 7}', '{"shelf": 1, "day": "Mon"}', "plain text", '{"to": "été"}')
#: How late each run is, by drawing from a period.
Late = Callable[[Random, int], int]


def _within(rng: Random, every_ms: int) -> int:
    """Late by less than a period."""
    return rng.randrange(1, every_ms)


def _for_periods(rng: Random, every_ms: int) -> int:
    """Late by some periods and a bit."""
    return rng.randrange(3, 9) * every_ms + rng.randrange(1, every_ms)


def _drawn(rng: Random, count: int, late: Late = _within) -> SweepCase:
    """So many registrations that are due, the oldest first."""
    now_ms = instants.drawn(rng)
    entries = []
    for name in rng.sample(NAMES, count):
        every_ms = rng.choice(_PERIODS_MS)
        entries.append(Entry(name, now_ms - late(rng, every_ms), every_ms, rng.choice(_TEMPLATES)))
    return SweepCase(now_ms, tuple(sorted(entries, key=lambda each: each.due_ms)))


def _plain(count: int, late_ms: int = 1_000) -> SweepCase:
    """The same as plain as can be."""
    names = sorted(NAMES)[:count]
    entries = [Entry(name, LAB_DAY_MS - late_ms - number, 60_000, _TEMPLATES[0]) for number, name in enumerate(names)]
    return SweepCase(LAB_DAY_MS, tuple(reversed(entries)))


def _not_due(case: SweepCase, off_ms: int) -> SweepCase:
    """The last of the registrations due so long from now, and the one before it due now."""
    *earlier, now, last = case.entries
    return replace(
        case, entries=(*earlier, replace(now, due_ms=case.now_ms), replace(last, due_ms=case.now_ms + off_ms))
    )


def _dangling(case: SweepCase, which: int) -> SweepCase:
    """The same, and one of the registrations has lost its record."""
    entries = list(case.entries)
    entries[which] = replace(entries[which], record=False)
    return replace(case, entries=tuple(entries))


def _simplest(*plain: SweepCase) -> Callable[[SweepCase], Iterator[SweepCase]]:
    """The plainest cases before the one that is there."""

    def simpler(case: SweepCase) -> Iterator[SweepCase]:
        for each in plain:
            if each == case:
                return
            yield each

    return simpler


def given(case: SweepCase) -> str:
    """The case in words."""
    return case.told()


def _job(case: SweepCase, ran: Ran) -> Wrong | None:
    came, right = (list(jobs(each).values()) for each in (ran, expected(case)))
    return None if came == right else Wrong(given(case), _told_jobs(ran), _told_jobs(expected(case)))


def _told_jobs(ran: Ran) -> str:
    lines = []
    for row, place in jobs(ran).values():
        where = "not in pending" if place is None else f"in pending, score {place}"
        lines.append(f"a job {where}; its row holds {holds(row)}")
    return "\n".join(lines) or "no new job"


def _unread(case: SweepCase, ran: Ran) -> bool:
    """Whether there is the one job, with something else than the template in it."""
    came, right = (list(jobs(each).values()) for each in (ran, expected(case)))
    if len(came) != 1 or came[0][1] != right[0][1] or type(came[0][0]) is not dict:
        return False
    return bool(came[0][0] | {"payload": case.entries[0].template} == right[0][0])


def _no_job(_: SweepCase, ran: Ran) -> bool:
    return not jobs(ran)


def _ids(case: SweepCase, ran: Ran) -> Wrong | None:
    new, minted = set(jobs(ran)), set(ran.acts[-1].minted)
    if len(new) == len(case.entries) and new <= minted:
        return None
    came = f"{len(new)} new {'job' if len(new) == 1 else 'jobs'}: {', '.join(sorted(new)) or 'none'}"
    came += f"\nmint() answered: {', '.join(ran.acts[-1].minted) or 'it was not called'}"
    return Wrong(given(case), came, f"{len(case.entries)} new jobs, each under an id that mint() answered")


def _one_id(case: SweepCase, ran: Ran) -> bool:
    return len(jobs(ran)) == 1 < len(case.entries) and set(jobs(ran)) <= set(ran.acts[-1].minted)


def _name_as_id(case: SweepCase, ran: Ran) -> bool:
    return set(jobs(ran)) == {each.name for each in case.entries}


def _own_ids(case: SweepCase, ran: Ran) -> bool:
    return len(jobs(ran)) == len(case.entries) and not set(jobs(ran)) & set(ran.acts[-1].minted)


def _count(case: SweepCase, ran: Ran) -> Wrong | None:
    value, right = ran.acts[-1].heard.value, expected(case).acts[-1].heard.value
    if type(value) is int and value == right:
        return None
    return Wrong(given(case), ran.acts[-1].heard.told, told(right))


def _same_moved(case: SweepCase, ran: Ran) -> Wrong | None:
    came, right = moved(case, ran), moved(case, expected(case))
    tell = [f"advanced: {', '.join(names) or 'none'}" for names in (came, right)]
    return None if came == right else Wrong(given(case), tell[0], tell[1])


def _untouched(case: SweepCase, ran: Ran) -> Wrong | None:
    """Of a registration that is due: its next run and its record."""
    name, key = case.entries[0].name, record_key(QUEUE, case.entries[0].name)
    right = expected(case)
    came_ms, right_ms = (entry(each.acts[-1].after, name) for each in (ran, right))
    if came_ms != right_ms:
        return Wrong(given(case), _told_run(name, came_ms), _told_run(name, right_ms))
    came, held = (each.acts[-1].after.get(key) for each in (ran, right))
    return None if came == held else Wrong(given(case), f"{key} holds {holds(came)}", f"{key} holds {holds(held)}")


def _told_run(name: str, at_ms: int | float | None) -> str:
    return f"{name} is not in the registry" if at_ms is None else f"{name} next at {instants.say(at_ms)}"


def _next_is(at_ms: Callable[[Entry], int]) -> Callable[[SweepCase, Ran], bool]:
    """Whether the next run is what another rule gives."""
    return lambda case, ran: entry(ran.acts[-1].after, case.entries[0].name) == at_ms(case.entries[0])


def _once(case: SweepCase, ran: Ran) -> Wrong | None:
    came, right = len(jobs(ran)), len(jobs(expected(case)))
    return None if came == right else Wrong(given(case), f"new jobs: {came}", f"new jobs: {right}")


def _dangles(case: SweepCase, ran: Ran) -> Wrong | None:
    """Whether the others were swept, and what was counted."""
    right = expected(case)
    sound = [each.name for each in case.entries if each.record]
    swept = [name for name in moved(case, ran) if name in sound]
    value, counted = ran.acts[-1].heard.value, right.acts[-1].heard.value
    if swept == sound and value == counted:
        return None
    tell = [
        f"advanced: {', '.join(names) or 'none'}; answer: {n}" for names, n in ((swept, told(value)), (sound, counted))
    ]
    return Wrong(given(case), tell[0], tell[1])


def _counts_it(case: SweepCase, ran: Ran) -> bool:
    return bool(ran.acts[-1].heard.value == len(case.entries))


def _stops(case: SweepCase, ran: Ran) -> bool:
    """Whether nothing after the dangling name was advanced."""
    at = next(number for number, each in enumerate(case.entries) if not each.record)
    return not set(moved(case, ran)) & {each.name for each in case.entries[at + 1 :]}


def _lost(case: SweepCase, kills: Kills) -> Wrong | None:
    for number, ran in enumerate(kills.killed, 1):
        if not _pending(ran):
            name = case.entries[0].name
            between = _told_run(name, entry(ran.acts[0].after, name))
            came = f"killed before command {number} of {len(kills.killed)}: no job, {between}"
            came += f"\nthe next tick: no job, {_told_run(name, entry(ran.acts[-1].after, name))}"
            return Wrong(given(case), came, "the job, once or twice, wherever the sweep is killed")
        if rowless := _rowless(ran):
            came = f"killed before command {number} of {len(kills.killed)}; after the next tick there is in pending"
            return Wrong(given(case), f"{came}\n{', '.join(rowless)}, without a row", "a row of each id in pending")
    return None


def _pending(ran: Ran) -> list[str]:
    return [each for each, (row, place) in jobs(ran).items() if row is not None and place is not None]


def _rowless(ran: Ran) -> list[str]:
    """The ids in pending that have no job."""
    return [each for each, (row, place) in jobs(ran).items() if row is None and place is not None]


def _pending_first(_: SweepCase, kills: Kills) -> bool:
    """Whether every kill left the occurrence, and one of them an id alone."""
    return all(map(_pending, kills.killed)) and any(map(_rowless, kills.killed))


def _advanced_first(case: SweepCase, kills: Kills) -> bool:
    """Whether, wherever the job was lost, the entry had moved on."""
    lost = [ran for ran in kills.killed if not _pending(ran)]
    return bool(lost) and all(entry(ran.acts[0].after, case.entries[0].name) != case.entries[0].due_ms for ran in lost)


def _answered(*kinds: type) -> Callable[[SweepCase, Ran], bool]:
    return lambda _, ran: type(ran.acts[-1].heard.value) in kinds


def _cases_of_count(rng: Random) -> Sequence[SweepCase]:
    """None and some that are due, while other jobs wait."""
    return [replace(_drawn(rng, count), waiting=waiting) for count, waiting in ((0, 1), (rng.choice((2, 3)), 2))]


EXERCISE = Exercise(
    "3.3",
    "sweep",
    (Name("sweep", "a function", "(conn, queue, now_ms, mint, batch)"),),
    (
        Test(
            "the job",
            2,
            "A due registration must become one job in pending, with the template as its payload.",
            "Register one name, sweep once, and look at readout.pending(conn, queue).",
            (
                "What does a worker get to see of a registration?",
                "Look at the call that makes the job: under which id, with which payload?",
                "jobs.enqueue(conn, queue, mint(), template) makes a job; each of repeat.due's answers has a template.",
            ),
            lambda rng: [_drawn(rng, 1)],
            ask,
            _job,
            given,
            simpler=_simplest(_plain(1)),
            mistakes=(
                Mistake("no job", "The registration is due, and the sweep makes no job of it.", _no_job),
                Mistake(
                    "the template unread",
                    "There is a job, but its payload is not the registration's template. The template is what a job is "
                    "made from: read it with the period, and pass it on as it is.",
                    _unread,
                ),
            ),
            on_store=True,
        ),
        Test(
            "fresh ids",
            2,
            "Each occurrence must be a job of its own, under a fresh id that mint() answered.",
            "Register two names, sweep once, and look at the ids in readout.pending(conn, queue).",
            (
                "What happens to an enqueue whose id is there already?",
                "How often does your function call mint() in a sweep of two registrations?",
                "Call mint() where the job is enqueued, inside the loop: one call, one id, one job.",
            ),
            lambda rng: [_drawn(rng, 3)],
            ask,
            _ids,
            given,
            simpler=_simplest(_plain(2)),
            mistakes=(
                Mistake(
                    "one id for all",
                    "All occurrences of the sweep share one id. The first becomes a job; the others are duplicates "
                    "and are lost.",
                    _one_id,
                ),
                Mistake(
                    "the name as the id",
                    "The registration's name is taken for the job's id. It is the same at each release, so while one "
                    "job waits the next is a duplicate; and it is no id of a job.",
                    _name_as_id,
                ),
                Mistake(
                    "ids of its own",
                    "The ids did not come from mint(). A process has one mint, so that none of its ids repeats.",
                    _own_ids,
                ),
            ),
            on_store=True,
        ),
        Test(
            "count",
            2,
            "The answer must be how many occurrences this sweep fired, an int.",
            "Print what your sweep answers when nothing is due, and when two names are.",
            (
                "What does the caller of a sweep want to know?",
                "Look at the line with `return`: what does it count, and what if nothing was due?",
                "fired = 0 before the loop, fired += 1 after each advance, return fired at the end.",
            ),
            _cases_of_count,
            ask,
            _count,
            given,
            simpler=_simplest(replace(_plain(0), waiting=1), _plain(1), replace(_plain(1), waiting=1), _plain(2)),
            mistakes=(
                Mistake(
                    "nothing returned",
                    "The function returns nothing. The caller needs the number of occurrences that fired.",
                    _answered(type(None)),
                ),
                Mistake(
                    "the list for its length",
                    "The answer is a collection. How many fired is a number: its length.",
                    _answered(list, tuple, dict),
                ),
                Mistake("another type", "The answer is no int.", _answered(float, bool, str, bytes, Odd)),
            ),
            on_store=True,
        ),
        Test(
            "the next run",
            2,
            "After the release the entry must stand at now plus the period, and the record as it was.",
            "Sweep a second after a run was due, and look at the registry: how far is the next run from the sweep?",
            (
                "From where does start-to-start count the period: from when the run was due, or from its release?",
                "Which instant do you add the period to? Which one does repeat.advance add it to?",
                "repeat.advance(conn, queue, name, int(every_ms)) writes the clock's now plus the period.",
            ),
            lambda rng: [_drawn(rng, 1) for _ in range(2)],
            ask,
            _untouched,
            given,
            simpler=_simplest(_plain(1)),
            mistakes=(
                Mistake(
                    "from the score",
                    "You count from the old score, when the run was due. EchoMQ counts from the release: now plus the "
                    "period, however late the sweep came.",
                    _next_is(lambda each: each.due_ms + each.every_ms),
                ),
                Mistake(
                    "not advanced",
                    "The entry keeps its score, so the next tick finds it due and releases the same run again.",
                    _next_is(lambda each: each.due_ms),
                ),
                Mistake(
                    "not in the registry",
                    "The entry is gone from the registry, so this registration never runs again.",
                    lambda case, ran: entry(ran.acts[-1].after, case.entries[0].name) is None,
                ),
            ),
            on_store=True,
        ),
        Test(
            "due or not",
            1,
            "What is due is what has a score of now or before: that, and nothing else, is released.",
            "Register one name for now and one for a second later, sweep once, and look at the registry.",
            (
                "Which entries of the registry does a sweep look at?",
                "Look at the bounds of what you read: is now inside, is a millisecond later outside?",
                "ZRANGEBYSCORE key -inf now_ms reads the scores up to now, now included; so does repeat.due.",
            ),
            lambda rng: [_not_due(_drawn(rng, 3), rng.choice((1, rng.randrange(2, 10_000))))],
            ask,
            _same_moved,
            given,
            simpler=_simplest(_not_due(_plain(2), 1)),
            mistakes=(
                Mistake(
                    "what is not due",
                    "A registration whose next run is still to come was released. A sweep reads only scores up to now.",
                    lambda case, ran: case.entries[-1].name in moved(case, ran),
                ),
                Mistake(
                    "due now",
                    "A registration that is due at exactly now was left. Now is included.",
                    lambda case, ran: case.entries[-2].name not in moved(case, ran),
                ),
            ),
            on_store=True,
        ),
        Test(
            "an outage",
            1,
            "After a long outage a registration must fire once, however many periods have passed.",
            "Register a name for every minute, advance the clock by an hour, and sweep once.",
            (
                "How many entries does the registry hold for a registration that was due many times?",
                "Is there a loop over periods inside the loop over registrations?",
                "One due entry is one occurrence: one enqueue, one advance, and on to the next name.",
            ),
            lambda rng: [_drawn(rng, 1, _for_periods)],
            ask,
            _once,
            given,
            simpler=_simplest(_plain(1, 60_000), _plain(1, 120_000)),
            mistakes=(
                Mistake(
                    "once for each missed period",
                    "You fire once for each period that was missed. The registry holds one next run, and one due entry "
                    "is one occurrence, however old it is.",
                    lambda case, ran: len(jobs(ran)) > 1,
                ),
            ),
            on_store=True,
        ),
        Test(
            "batch",
            1,
            "A sweep must release at most `batch` registrations, the oldest due first.",
            "Register three names, sweep with a batch of 1, and look at the registry.",
            (
                "What if ten thousand registrations are due at once?",
                "Where does your function use `batch`?",
                "repeat.due takes the limit as its last argument; ZRANGEBYSCORE takes LIMIT 0 batch.",
            ),
            lambda rng: [replace(_drawn(rng, 3), batch=rng.choice((1, 2)))],
            ask,
            _same_moved,
            given,
            simpler=_simplest(replace(_plain(2), batch=1)),
            mistakes=(
                Mistake(
                    "the batch ignored",
                    "More than `batch` registrations were released in one sweep.",
                    lambda case, ran: len(moved(case, ran)) > case.batch,
                ),
            ),
            on_store=True,
        ),
        Test(
            "dangling",
            1,
            "A due name whose record is gone must neither stop the sweep nor be counted.",
            "Register two names, delete the record of the older one with DEL, and sweep.",
            (
                "What does repeat.due answer for a name that was cancelled by half?",
                "What does your loop do when every_ms and template are None?",
                "For such a name: `continue`, before anything is enqueued or counted. Removing it is welcome.",
            ),
            lambda rng: [_dangling(_drawn(rng, 3), rng.choice((0, 1)))],
            ask,
            _dangles,
            given,
            simpler=_simplest(_dangling(_plain(1), 0), _dangling(_plain(2), 0)),
            mistakes=(
                Mistake(
                    "the dangling name counted",
                    "The name without a record is counted as fired. There was no template, so there is no job of it.",
                    _counts_it,
                ),
                Mistake(
                    "stops at the dangling name",
                    "The sweep ends at the name without a record, and those after it wait: at this tick and, since the "
                    "name stays due, at every one to come.",
                    _stops,
                ),
            ),
            on_store=True,
        ),
        Test(
            "killed",
            2,
            "Wherever the sweep is killed, the occurrence must not be lost: the next tick has to find it.",
            "Ask at each line of your loop: if the process died here, what would the next sweep find?",
            (
                "Which of the two writes may be done twice, and which one hides the occurrence from the next tick?",
                "In which order does your loop enqueue and advance?",
                "First the job, then the entry: a kill between the two leaves the entry due.",
            ),
            lambda rng: [_drawn(rng, 1)],
            ask_killed,
            _lost,
            given,
            simpler=_simplest(_plain(1)),
            tries=1,
            mistakes=(
                Mistake(
                    "advance before enqueue",
                    "You advance before you enqueue. If the process dies between the two, what does the registry tell "
                    "the next tick?",
                    _advanced_first,
                ),
                Mistake(
                    "pending before the row",
                    "You write the id to pending before the job's row. Killed between the two, pending holds an id "
                    "without a job, and a worker that takes it finds nothing to do.",
                    _pending_first,
                ),
            ),
            on_store=True,
        ),
    ),
    hides=("sweep",),
)
