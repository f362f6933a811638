"""A gate before each command of one connection: it counts, kills the caller, or lets another process go first.

A pipeline passes as what it is: in a transaction its commands are done as one, else they are so many. What a killed
process had sent before stays done.

Source: exercises, "Store exercises"; wire contract, "The pump".
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from echomq_lab.store import Connection


class Killed(BaseException):
    """The process dies here. No error that a program could catch and go on from, so no `Exception`."""


class Gate:
    """Counts what is `sent`, and the ids that are `minted`.

    `kill` is the number of the command before which the caller dies, `meanwhile` that of the command before which `act`
    is called; None means never. `piped` holds the commands of each pipeline, with the number of commands that were sent
    by themselves before it.
    """

    def __init__(self, kill: int | None, meanwhile: int | None, act: Callable[[], None]) -> None:
        self._kill, self._meanwhile, self._act = kill, meanwhile, act
        self.sent, self._dead = 0, False
        self.minted: list[str] = []
        self.piped: list[tuple[int, list[str]]] = []
        self._single = 0

    @contextmanager
    def on(self, conn: Connection) -> Iterator[None]:
        """Stand before the commands of a connection while the block runs."""
        client, mint = conn.client, conn.mint
        execute: Callable[..., Any] = client.execute_command
        pipeline: Callable[..., Any] = client.pipeline

        def executing(*words: Any, **options: Any) -> Any:
            self._pass()
            self._single += 1
            return execute(*words, **options)

        def minting(namespace: str = "JOB") -> str:
            self.minted.append(mint(namespace))
            return self.minted[-1]

        client.execute_command = executing  # type: ignore[method-assign]
        client.pipeline = lambda *args, **options: self._gated(pipeline(*args, **options))  # type: ignore[method-assign]
        conn.mint = minting  # type: ignore[method-assign]
        try:
            yield
        finally:
            client.execute_command = execute  # type: ignore[method-assign]
            del client.pipeline, conn.mint

    def _pass(self) -> None:
        number = self.sent + 1
        if self._dead or number == self._kill:
            self._dead = True
            raise Killed("the process was killed here")
        if number == self._meanwhile:
            self._act()
        self.sent = number

    def _gated(self, pipe: Any) -> Any:
        """A pipeline whose commands pass the gate when they are sent."""
        run: Callable[..., Any] = pipe.execute
        at_once: Callable[..., Any] = pipe.immediate_execute_command

        def execute(raise_on_error: bool = True) -> Any:
            if pipe.transaction or pipe.explicit_transaction:
                if pipe.command_stack:
                    self._pass()
                    self._note(pipe.command_stack)
                return run(raise_on_error)
            # One command after the other, as they arrive; the caller may die in between.
            stack, answers = list(pipe.command_stack), []
            for command in stack:
                self._pass()
                self._note([command])
                pipe.command_stack = [command]
                answers += run(raise_on_error)
            return answers

        def execute_at_once(*words: Any, **options: Any) -> Any:
            self._pass()
            self._note([(words, options)])
            return at_once(*words, **options)

        pipe.execute, pipe.immediate_execute_command = execute, execute_at_once
        return pipe

    def _note(self, commands: list[Any]) -> None:
        for words, *_ in commands:
            told = [word.decode("utf-8", "surrogateescape") if isinstance(word, bytes) else str(word) for word in words]
            self.piped.append((self._single, told))
