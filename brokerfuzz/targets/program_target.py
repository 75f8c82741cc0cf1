"""Defines the base of targets that are programs, and the target for a program that is started for each message.
`line_target` has the programs that keep running.
"""

import asyncio
from abc import abstractmethod
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from time import perf_counter

from brokerfuzz.errors import TargetError
from brokerfuzz.targets.answers import EXCERPT, Answer, AnswerKind
from brokerfuzz.targets.program import Excerpt, Program, cores, how_it_ended
from brokerfuzz.targets.reproduction import fed
from brokerfuzz.targets.secret_masking import Secret, Secrets
from brokerfuzz.targets.shell import path_of, secrets_in, shown_command, words_of
from brokerfuzz.targets.target import RUN_IN_SHELL, Target


class StartError(TargetError):
    """A program cannot be started."""


class ProgramTarget(Target):
    """The base of targets that run programs. `command` is a list of words, or a command line. Like a shell, brokerfuzz
    splits a command line into words. No shell is started, so variables, wildcards and pipes have no effect.

    Threads talk to at most `processes` programs at the same time (default: one per core). A program gets at most
    `timeout` seconds for a message; then brokerfuzz kills it with its child processes. No answer or report shows the
    `secrets`.

    If a program can no longer be started, the answer is `crashed` with `reached=False`. Raises `TargetError` if the
    command is invalid.
    """

    isolates_messages = True
    """A program handles one message at a time, so only this message can crash the program."""
    advice: str | None = RUN_IN_SHELL

    def __init__(
        self,
        command: str | Sequence[str],
        *,
        timeout: float = 10.0,
        processes: int | None = None,
        secrets: Iterable[Secret] = (),
    ) -> None:
        self._words: Sequence[str] = words_of(command)
        self.secrets = Secrets(more=[*secrets, *secrets_in(self._words)])
        self.name = shown_command(self._words, self.secrets)
        self.timeout, self.processes = timeout, processes
        self._path = ""
        self._threads: ThreadPoolExecutor | None = None
        self._running: set[Program] = set()
        self._was_started = False

    async def open(self) -> None:
        """Raises `TargetError` if the program does not exist or is not executable."""
        self._path = path_of(self._words, self.name)
        self._threads = ThreadPoolExecutor(self.processes or cores(), "brokerfuzz")

    async def close(self) -> None:
        """Kills all programs."""
        threads, self._threads = self._threads, None
        for program in list(self._running):
            program.kill()
        if threads is not None:
            threads.shutdown(cancel_futures=True)

    async def send(self, body: bytes, case_id: str = "") -> Answer:
        """If this call is cancelled, its program is killed."""
        assert self._threads is not None, "the target is open"
        mine: list[Program] = []
        loop = asyncio.get_running_loop()
        try:
            return await loop.run_in_executor(self._threads, self._answered, body, mine)
        except asyncio.CancelledError:
            for program in mine:
                program.kill()
            raise

    def _answered(self, body: bytes, mine: list[Program]) -> Answer:
        started = perf_counter()
        try:
            return self._answer(body, mine)
        except StartError as problem:
            if not self._was_started:
                raise
            return Answer("crashed", reason=str(problem), seconds=perf_counter() - started, reached=False)

    @abstractmethod
    def _answer(self, body: bytes, mine: list[Program]) -> Answer:
        """Sends a message to a program. Runs in a thread. Adds the program to `mine`, so that it can be killed."""

    def _started(self) -> Program:
        try:
            program = Program(self._path, self._words, self.secrets)
        except OSError as problem:
            raise StartError(f"{self.name} cannot be started ({problem.strerror}): {self.advice}") from problem
        self._running.add(program)
        if self._threads is None:  # the target was closed in the meantime
            program.kill()
        self._was_started = True
        return program

    def _end(self, program: Program) -> None:
        program.close()
        self._running.discard(program)


class CommandTarget(ProgramTarget):
    """A program that reads one message from standard input, and answers with its exit status.

    Exit status 0 means `accepted`, and any other status means `rejected`. If a signal ends the program, the answer is
    `crashed`. The program does not have to read its input. The answer contains the beginning of the program's standard
    output and standard error.
    """

    def reproduction(self, body: bytes) -> str:
        return fed(body, self.name)

    def _answer(self, body: bytes, mine: list[Program]) -> Answer:
        program, output = self._started(), Excerpt(self.secrets)
        mine.append(program)
        started, code = perf_counter(), None
        try:
            for chunk in program.talk(body, self.timeout, closes_input=True):
                output.add(chunk)
            code = program.exit_code(max(started + self.timeout - perf_counter(), 0.0))
        except TimeoutError:
            pass
        finally:
            self._end(program)
        kind, reason = self._meaning(code, program.errors.reason_line or output.reason_line)
        seconds = perf_counter() - started
        head, errors = output.head, program.errors.head
        first = head[: max(EXCERPT // 2, EXCERPT - len(errors))]
        return Answer(kind, None, first + errors[: EXCERPT - len(first)], reason, seconds)

    def _meaning(self, code: int | None, words: str) -> tuple[AnswerKind, str]:
        if code is None:
            return "timeout", f"still running after {self.timeout:g} s: killed"
        reason = how_it_ended(code) + (f": {words}" if words and code else "")
        return ("accepted" if code == 0 else "rejected" if code > 0 else "crashed"), reason
