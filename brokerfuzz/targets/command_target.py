"""A program as a target that is started for each message."""

import asyncio
from collections.abc import AsyncIterator, Iterable, Sequence
from contextlib import asynccontextmanager
from time import perf_counter
from typing import TYPE_CHECKING

from brokerfuzz.errors import TargetError
from brokerfuzz.schemas.headers import Headers
from brokerfuzz.targets.answers import EXCERPT, Answer, AnswerKind
from brokerfuzz.targets.exit_reason import Excerpt, how_it_ended
from brokerfuzz.targets.process_limits import LACKING, checked_processes, checked_timeout, untold
from brokerfuzz.targets.shell import fed, program, secrets_of, shown_command, words_of

if TYPE_CHECKING:
    from brokerfuzz.targets.processes import Process


class CommandTarget:
    """A program that takes one message on its standard input and says by its exit status what it thinks of it.

    `command` is a line, read as a shell would read it but for variables, wildcards and pipes, or a list of words; no shell is started. Status 0
    accepts, any other rejects: where `reject` names statuses, those reject, and others are `crashed` (Python itself exits with 1 when
    an exception is not caught). An end by a signal is `crashed`. What has not ended after `timeout` seconds is `timeout`, and killed with all the
    processes that it has started. `processes` is how many run at once (by default one a core): those that wait are not yet timed.

    A program that leaves its input unread is as good as any. What is said on standard output and standard error is kept as far
    as an answer goes. Where a program that could be started before cannot be any more, it is given `patience` seconds to come back.

    Raises `TargetError` for a command that is none, and for limits that leave nothing to do.
    """

    def __init__(
        self,
        command: str | Sequence[str],
        *,
        reject: Iterable[int] | None = None,
        timeout: float = 10.0,
        processes: int | None = None,
        patience: float = 3.0,
    ) -> None:
        self.words = words_of(command)
        self.reject = None if reject is None else _statuses(reject)
        self.timeout = checked_timeout(timeout)
        self.processes = checked_processes(processes)
        self.patience = patience
        self._secrets = secrets_of(self.words)
        self._program = ""
        self._places: asyncio.Semaphore | None = None
        self._running: set[Process] = set()
        self._started = False

    @property
    def name(self) -> str:
        """The command, without what may be a secret."""
        return shown_command(self.words)

    def carries(self, body: bytes, headers: Headers = ()) -> bool:
        """All but headers."""
        return not headers

    def reproduction(self, body: bytes, headers: Headers = ()) -> str:
        """A `printf` that feeds the command."""
        return fed(body, self.name)

    async def open(self) -> None:
        """Looks for the program. Raises `TargetError` where there is none that may be executed."""
        self._program = program(self.words, self.name)
        from brokerfuzz.targets.processes import cores

        self._places = asyncio.Semaphore(self.processes or cores())

    async def close(self) -> None:
        """Kills what still runs."""
        running, self._places = list(self._running), None
        for process in running:
            process.kill()
        await asyncio.gather(*(process.bury() for process in running))

    async def send(self, body: bytes, headers: Headers = ()) -> Answer:
        """Starts the program with the message and waits for its end. Raises `TargetError` where it cannot be started at all."""
        if headers:
            raise untold(self.name)
        async with self._place():
            started = perf_counter()
            said = Excerpt()
            try:
                process = await self._start(said)
            except OSError as problem:
                reason = f"it cannot be started any more: {problem.strerror}"
                return Answer("crashed", reason=reason, seconds=perf_counter() - started, reached=False)
            started = perf_counter()
            try:
                process.write(body)
                process.no_more()
                async with asyncio.timeout(self.timeout):
                    await process.gone.wait()
            except TimeoutError:
                return self._answer("timeout", f"no end within {self.timeout:g} s: killed", said, process.errors, started)
            finally:
                process.kill()
            assert process.code is not None
            return self._read(process.code, said, process.errors, started)

    @asynccontextmanager
    async def _place(self) -> AsyncIterator[None]:
        """Room for one more process."""
        if (places := self._places) is not None:
            async with places:
                if self._places is not None:
                    yield
                    return
        raise TargetError(f"{self.name} is not open: call open() before send(), and close() when all is answered")

    async def _start(self, said: Excerpt) -> "Process":
        """Raises `OSError` where it could be started before, and cannot be any more."""
        began, pause = perf_counter(), 0.05
        while True:
            try:
                process = self._launched(said)
            except OSError as problem:
                lasting = not self._started and problem.errno not in LACKING
                if lasting or perf_counter() - began > self.patience:
                    if self._started:
                        raise
                    raise TargetError(f"{self.name} cannot be started ({problem.strerror}): try it in a shell") from problem
                await asyncio.sleep(pause)
                pause *= 2
            else:
                self._started = True
                return process

    def _launched(self, said: Excerpt) -> "Process":
        from brokerfuzz.targets.processes import Process

        process = Process(self._program, self.words, heard=said.add, ended=lambda _: self._running.discard(process))
        self._running.add(process)
        return process

    def _read(self, code: int, said: Excerpt, errors: Excerpt, started: float) -> Answer:
        words = errors.first_line or said.first_line
        reason = how_it_ended(code) + (f": {words}" if words and code else "")
        rejects = code > 0 if self.reject is None else code in self.reject
        return self._answer("accepted" if code == 0 else "rejected" if rejects else "crashed", reason, said, errors, started)

    def _answer(self, kind: AnswerKind, reason: str, said: Excerpt, errors: Excerpt, started: float) -> Answer:
        body = said.head or errors.head
        if said.head and errors.head:  # room for both
            body = said.head[: max(EXCERPT // 2, EXCERPT - len(errors.head))] + errors.head
        return Answer(kind, None, self._secrets.excerpt(body, EXCERPT), self._secrets.hide(reason), perf_counter() - started)


def _statuses(given: Iterable[int]) -> frozenset[int]:
    statuses = frozenset(given)
    for status in statuses:
        if not 1 <= status <= 255:
            raise TargetError(f"{status} is no exit status that can reject: give numbers from 1 to 255")
    return statuses
