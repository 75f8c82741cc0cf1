"""Defines the target for a program that is started once for each message."""

import asyncio
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from time import perf_counter
from typing import TYPE_CHECKING

from brokerfuzz.errors import TargetError
from brokerfuzz.schemas.headers import Headers
from brokerfuzz.targets.answers import EXCERPT, Answer, AnswerKind
from brokerfuzz.targets.exit_reason import Excerpt, how_it_ended
from brokerfuzz.targets.process_limits import RESOURCE_ERRORS, checked_processes, checked_timeout, unsendable
from brokerfuzz.targets.shell import RUN_IN_SHELL, fed, program, secrets_of, shown_command, words_of

if TYPE_CHECKING:
    from brokerfuzz.targets.processes import Process


class CommandTarget:
    """A program that reads one message from standard input, and answers with its exit status.

    `command` is a list of words, or a command line. Like a shell, brokerfuzz splits a command line into words. No shell
    is started, so variables, wildcards and pipes have no effect. Exit status 0 means `accepted`, and any other status
    means `rejected`. If `reject` lists statuses, only these statuses mean `rejected`, and every other status except 0
    means `crashed`. Use `reject` for Python programs, because an uncaught exception ends them with status 1. If a
    signal ends the program, the answer is `crashed`. If the program still runs after `timeout` seconds, brokerfuzz
    kills it with its child processes, and the answer is `timeout`. At most `processes` programs run at the same time
    (default: one per core).

    The program does not have to read its input. The answer contains the beginning of the program's standard output and
    standard error. If the program cannot be started any more, brokerfuzz tries again for up to `patience` seconds.
    `secrets` maps references such as `${TOKEN}` to secret values, which no answer or report contains.

    Raises `TargetError` if the command, a status in `reject`, `timeout` or `processes` is invalid.
    """

    isolates_messages = True
    """Each message has its own process, so only this message can crash the process."""

    def __init__(
        self,
        command: str | Sequence[str],
        *,
        reject: Iterable[int] | None = None,
        timeout: float = 10.0,
        processes: int | None = None,
        patience: float = 3.0,
        secrets: Mapping[str, str] | None = None,
    ) -> None:
        self.words = words_of(command)
        self.reject = None if reject is None else _statuses(reject)
        self.timeout = checked_timeout(timeout)
        self.processes = checked_processes(processes)
        self.patience = patience
        self.secrets = secrets_of(self.words, secrets or {})
        self._name = shown_command(self.words, secrets or {})
        self._program = ""
        self._semaphore: asyncio.Semaphore | None = None
        self._running: set[Process] = set()
        self._started = False

    @property
    def name(self) -> str:
        return self._name

    def can_send(self, body: bytes, headers: Headers = ()) -> bool:
        return not headers

    def reproduction(self, body: bytes, headers: Headers = ()) -> str:
        return fed(body, self.name)

    async def open(self) -> None:
        """Raises `TargetError` if the program does not exist or is not executable."""
        self._program = program(self.words, self.name)
        from brokerfuzz.targets.processes import cores

        self._semaphore = asyncio.Semaphore(self.processes or cores())

    async def close(self) -> None:
        """Kills all programs that still run."""
        running, self._semaphore = list(self._running), None
        for process in running:
            process.kill()
        await asyncio.gather(*(process.wait_for_end() for process in running))

    async def send(self, body: bytes, headers: Headers = ()) -> Answer:
        """Raises `TargetError` if the program cannot be started."""
        if headers:
            raise unsendable(self.name)
        async with self._free_place():
            started = perf_counter()
            output = Excerpt()
            try:
                process = await self._start(output)
            except OSError as problem:
                reason = f"the program can no longer be started: {problem.strerror}"
                return Answer("crashed", reason=reason, seconds=perf_counter() - started, reached=False)
            started = perf_counter()
            try:
                process.write(body)
                process.close_input()
                async with asyncio.timeout(self.timeout):
                    await process.finished.wait()
            except TimeoutError:
                return self._answer(
                    "timeout", f"still running after {self.timeout:g} s: killed", output, process.errors, started
                )
            finally:
                process.kill()
            assert process.code is not None
            return self._read(process.code, output, process.errors, started)

    @asynccontextmanager
    async def _free_place(self) -> AsyncIterator[None]:
        """Waits until fewer than `processes` programs run."""
        if (semaphore := self._semaphore) is not None:
            async with semaphore:
                if self._semaphore is not None:
                    yield
                    return
        raise TargetError(f"{self.name} is not open: call open() before send(), and close() after all answers")

    async def _start(self, output: Excerpt) -> "Process":
        """Starts the program. If the start fails for a temporary reason, tries again for up to `patience` seconds.

        If all attempts fail, raises `TargetError`. But if the program was started for an earlier message, raises
        `OSError`.
        """
        began, pause = perf_counter(), 0.05
        while True:
            try:
                process = self._launched(output)
            except OSError as problem:
                is_permanent = not self._started and problem.errno not in RESOURCE_ERRORS
                if is_permanent or perf_counter() - began > self.patience:
                    if self._started:
                        raise
                    raise TargetError(
                        f"{self.name} cannot be started ({problem.strerror}): {RUN_IN_SHELL}"
                    ) from problem
                await asyncio.sleep(pause)
                pause *= 2
            else:
                self._started = True
                return process

    def _launched(self, output: Excerpt) -> "Process":
        from brokerfuzz.targets.processes import Process

        process = Process(
            self._program, self.words, on_output=output.add, on_exit=lambda _: self._running.discard(process)
        )
        self._running.add(process)
        return process

    def _read(self, code: int, output: Excerpt, errors: Excerpt, started: float) -> Answer:
        words = errors.reason_line or output.reason_line
        reason = how_it_ended(code) + (f": {words}" if words and code else "")
        rejects = code > 0 if self.reject is None else code in self.reject
        return self._answer(
            "accepted" if code == 0 else "rejected" if rejects else "crashed", reason, output, errors, started
        )

    def _answer(self, kind: AnswerKind, reason: str, output: Excerpt, errors: Excerpt, started: float) -> Answer:
        first = self.secrets.excerpt(
            output.head, max(EXCERPT // 2, EXCERPT - len(errors.head)) if errors.head else EXCERPT
        )
        body = first + self.secrets.excerpt(errors.head, EXCERPT - len(first))
        return Answer(kind, None, body, self.secrets.hide(reason), perf_counter() - started)


def _statuses(given: Iterable[int]) -> frozenset[int]:
    statuses = frozenset(given)
    for status in statuses:
        if not 1 <= status <= 255:
            raise TargetError(f"{status} is not an exit status that can mean rejection: use a number from 1 to 255")
    return statuses
