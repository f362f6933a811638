"""3.4 crash_order: what a crash between the two writes of a sweep costs, in each order of them.

What is expected is what became of an occurrence whose sweep was killed at each point, in each order.

Source: exercises, the table; wire contract, "The pump".
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

from echomq_lab import repeat
from echomq_lab.checks.desk import QUEUE, Desk, Heard
from echomq_lab.checks.exercise import Exercise, Mistake, Name, Test, Wrong
from echomq_lab.clock import FixedClock
from echomq_lab.scenario import fresh_queue, sweep_steps
from echomq_lab.scenario.sweep_steps import ADVANCE_FIRST, ENQUEUE_FIRST, STEPS
from echomq_lab.store import FAKEREDIS, connect

ORDERS = (ENQUEUE_FIRST, ADVANCE_FIRST)
#: What is asked for, and the word that a run has for it.
WORDS = {"loses": "lost", "repeats": "twice"}
_ONCE = ("once", "exactly once", "exactly-once", "neither", "nothing", "none", "safe")


@cache
def fates(order: str) -> tuple[str, ...]:
    """What became of an occurrence, for each point at which the sweep was killed."""
    found = []
    with connect(FAKEREDIS, clock=FixedClock("09:00")) as conn:
        for point in range(1, len(STEPS[order]) + 2):
            conn.clock.set("09:00", back=True)  # type: ignore[attr-defined]
            queue = fresh_queue(conn, QUEUE)
            repeat.register(conn, queue, "visits", 900_000, "{}")
            found.append(sweep_steps(conn, queue, kill_before=point, way=order).fate)
    return tuple(found)


def expected(order: str) -> str:
    """Whether an order ever loses an occurrence, or repeats one."""
    (word,) = [word for word, fate in WORDS.items() if fate in fates(order)]
    return word


def _said(heard: Heard, order: str) -> Any:
    """What a dict says of an order; the words of the runs are taken for those asked for."""
    said = heard.value.get(order) if type(heard.value) is dict else None
    return next((word for word, fate in WORDS.items() if _text(said).lower() in (word, fate)), said)


def _text(value: Any) -> str:
    return value if type(value) is str else ""


def _ask(desk: Desk, _: str) -> Heard:
    return desk.value("crash_order")


def _given(_: str) -> str:
    return f"the orders {ORDERS[0]!r} and {ORDERS[1]!r}"


def _words(_: str, heard: Heard) -> Wrong | None:
    value = heard.value
    if type(value) is dict and set(value) == set(ORDERS) and all(each in WORDS for each in map(_text, value.values())):
        return None
    return Wrong(_given(""), heard.told, "a dict from each of the two orders to 'loses' or 'repeats'")


def _judge(order: str, heard: Heard) -> Wrong | None:
    if _said(heard, order) == expected(order):
        return None
    given = f"{order}, killed before each of its steps and after the last one; then the next tick"
    came = f"{order!r}: {_said(heard, order)!r}" if type(heard.value) is dict else heard.told
    return Wrong(given, came, f"what the stepper shows when you do that in the order {order!r}")


def _swapped(_: str, heard: Heard) -> bool:
    return [_said(heard, order) for order in ORDERS] == [expected(order) for order in reversed(ORDERS)]


def _same(_: str, heard: Heard) -> bool:
    first, second = (_said(heard, order) for order in ORDERS)
    return bool(_text(first)) and first == second


def _claims_once(_: str, heard: Heard) -> bool:
    said = heard.value.values() if type(heard.value) is dict else ()
    return any(_text(each).lower() in _ONCE for each in said)


def _has(what: Callable[[dict[Any, Any]], bool]) -> Callable[[str, Heard], bool]:
    return lambda _, heard: type(heard.value) is dict and what(heard.value)


EXERCISE = Exercise(
    "3.4",
    "crash_order",
    (Name("crash_order", "a dict of two orders"),),
    (
        Test(
            "words",
            1,
            "crash_order must be a dict with the two orders as keys, and for each 'loses' or 'repeats'.",
            "Copy the two orders as they stand in the exercise, and write one of the two words after each.",
            (
                "Which two orders can a sweep do its two writes in?",
                "Look at the keys and at the values of your dict: are they the texts that the exercise names?",
                "A dict begins {'enqueue, then advance': and then stands one of the two words, in quotes.",
            ),
            lambda _: [""],
            _ask,
            _words,
            _given,
            mistakes=(
                Mistake(
                    "exactly once claimed",
                    "You say that an order does neither. Two writes that are two commands have a point between them, "
                    "and a kill at that point costs something in either order: what?",
                    _claims_once,
                ),
                Mistake(
                    "the words of the runs",
                    "'lost' and 'twice' are what became of one occurrence. Of an order say what it does: 'loses' or "
                    "'repeats'.",
                    _has(
                        lambda said: (
                            bool(said) and all(type(each) is str and each in WORDS.values() for each in said.values())
                        )
                    ),
                ),
            ),
        ),
        Test(
            "enqueue first",
            1,
            "That is not what a crash does to a sweep that enqueues, then advances.",
            "In the stepper take EchoMQ's order, go back to step 5, press Kill the pump here, then Next tick.",
            (
                "After the enqueue and before the advance: is the job there? Is the entry still due?",
                "Look at the registry's next run at the point of the kill, and ask what the next tick finds due.",
                "The next tick works from the registry alone: what is still due, it enqueues under a fresh id.",
            ),
            lambda _: [ENQUEUE_FIRST],
            _ask,
            _judge,
            _given,
            mistakes=(
                Mistake(
                    "orders swapped",
                    "You have each order do what the other one does. Ask of each what the store holds between its two "
                    "writes.",
                    _swapped,
                ),
                Mistake(
                    "both lose",
                    "You have both orders do the same. Kill this one between its writes: what does the tick find due?",
                    _same,
                ),
            ),
        ),
        Test(
            "advance first",
            2,
            "That is not what a crash does to a sweep that advances, then enqueues.",
            "In the stepper take the other order, step to its advance, press Kill the pump here, then Next tick.",
            (
                "After the advance and before the enqueue: where is the occurrence that was due?",
                "Look at the number of pending jobs at the point of the kill, and at what the next tick finds due.",
                "Kill at step 4 of that order and press Next tick: how many jobs has the stepper in the last box?",
            ),
            lambda _: [ADVANCE_FIRST],
            _ask,
            _judge,
            _given,
            mistakes=(
                Mistake(
                    "both repeat",
                    "You say one thing of both orders. Kill this one between its writes, and count the jobs then.",
                    _same,
                ),
            ),
        ),
    ),
)
