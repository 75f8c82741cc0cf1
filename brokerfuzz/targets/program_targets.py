"""Defines the targets that are programs: one that is started for each message, one that keeps running, and a Python
function in other processes.
"""

import asyncio
import re
import shlex
import struct
import sys
from abc import abstractmethod
from base64 import b64encode
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from time import monotonic, perf_counter
from typing import Literal, get_args

from brokerfuzz.errors import TargetError
from brokerfuzz.schemas.headers import Headers
from brokerfuzz.targets.answers import EXCERPT, Answer, AnswerKind
from brokerfuzz.targets.program import Excerpt, Program, cores, how_it_ended, in_one_line
from brokerfuzz.targets.reproduction import LONGEST_ARGUMENT, fed
from brokerfuzz.targets.secret_masking import Secrets
from brokerfuzz.targets.shell import path_of, secrets_of, shown_command, words_of
from brokerfuzz.targets.target import CALL_IN_PYTHON, RUN_IN_SHELL, Message, Target, checked_timeout

LONGEST_LINE = 1 << 16
"""The maximum number of bytes in an answer line."""
STARTING_SECONDS = 60.0
"""The maximum number of seconds until the process of a function is ready."""
ENDING_SECONDS = 0.5
"""The maximum number of seconds until a program ends after its input is closed. Then brokerfuzz kills the program."""

Encoding = Literal["plain", "base64", "frames"]
_ENDS_A_LINE = re.compile(rb"[\n\r]|\xe2\x80[\xa8\xa9]")
_KINDS: dict[bytes, AnswerKind] = {b"accepted": "accepted", b"rejected": "rejected", b"crashed": "crashed"}
_FUNCTION_NAME = re.compile(r"[^\W\d]\w*(?:\.[^\W\d]\w*)*:[^\W\d]\w*(?:\.[^\W\d]\w*)*")
_CALL_SERVER = str(Path(__file__).with_name("call_server.py"))


class StartError(Exception):
    """A program cannot be started. The text completes a sentence that begins with the name of the program."""


class ProgramTarget(Target):
    """The base of targets that run programs. Threads talk to at most `processes` programs at the same time (default:
    one per core). A program gets at most `timeout` seconds for a message; then brokerfuzz kills it with its child
    processes. `secrets` contains the values that no answer or report shows.

    If a program can no longer be started, the answer is `crashed` with `reached=False`. Raises `TargetError` if
    `timeout` or `processes` is invalid.
    """

    isolates_messages = True
    """A program handles one message at a time, so only this message can crash the program."""
    advice: str | None = RUN_IN_SHELL

    def __init__(self, words: Sequence[str], secrets: Secrets, *, timeout: float, processes: int | None) -> None:
        if processes is not None and processes < 1:
            raise TargetError(f"processes={processes} is too small: use 1 or more, or None for one process per core")
        self.name, self.secrets = shown_command(words, secrets), secrets
        self.timeout, self.processes = checked_timeout(timeout), processes
        self._words = words
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

    async def send(self, message: Message) -> Answer:
        """If this call is cancelled, its program is killed."""
        if self._threads is None:
            raise TargetError(f"{self.name} is not open: call open() before send(), and close() after all answers")
        if not self.can_send(message.body, message.headers):
            raise TargetError(f"{self.name} cannot receive this message: check can_send() before send()")
        mine: list[Program] = []
        loop = asyncio.get_running_loop()
        try:
            return await loop.run_in_executor(self._threads, self._answered, message.body, mine.append)
        except asyncio.CancelledError:
            for program in mine:
                program.kill()
            raise

    def _answered(self, body: bytes, uses: Callable[[Program], None]) -> Answer:
        started = perf_counter()
        try:
            return self._answer(body, uses)
        except StartError as problem:
            reason = self.secrets.hide(str(problem))
            if not self._was_started:
                raise TargetError(f"{self.name} {reason}") from problem
            return Answer("crashed", reason=reason, seconds=perf_counter() - started, reached=False)

    @abstractmethod
    def _answer(self, body: bytes, uses: Callable[[Program], None]) -> Answer:
        """Sends a message to a program. Runs in a thread. Passes the program to `uses`, so that it can be killed."""

    def _started(self) -> Program:
        try:
            program = Program(self._path, self._words, self.secrets)
        except OSError as problem:
            raise StartError(f"cannot be started ({problem.strerror}): {self.advice}") from problem
        self._running.add(program)
        if self._threads is None:  # the target was closed in the meantime
            program.kill()
        self._was_started = True
        return program

    def _end(self, program: Program) -> None:
        program.close()
        self._running.discard(program)


# ------------------------------------------------------------------------------------- a program for each message


class CommandTarget(ProgramTarget):
    """A program that reads one message from standard input, and answers with its exit status.

    `command` is a list of words, or a command line. Like a shell, brokerfuzz splits a command line into words. No shell
    is started, so variables, wildcards and pipes have no effect. Exit status 0 means `accepted`, and any other status
    means `rejected`. If `reject` lists statuses, only these statuses mean `rejected`, and every other status except 0
    means `crashed`. Use `reject` for Python programs, because an uncaught exception ends them with status 1. If a
    signal ends the program, the answer is `crashed`.

    The program does not have to read its input. The answer contains the beginning of the program's standard output and
    standard error. Raises `TargetError` if the command or a status in `reject` is invalid.
    """

    def __init__(
        self,
        command: str | Sequence[str],
        *,
        reject: Iterable[int] | None = None,
        timeout: float = 10.0,
        processes: int | None = None,
        secrets: Mapping[str, str] | None = None,
    ) -> None:
        words = words_of(command)
        super().__init__(words, secrets_of(words, secrets or {}), timeout=timeout, processes=processes)
        self.reject = None if reject is None else _statuses(reject)

    def reproduction(self, body: bytes, headers: Headers = ()) -> str:
        return fed(body, self.name)

    def _answer(self, body: bytes, uses: Callable[[Program], None]) -> Answer:
        program, output = self._started(), Excerpt(self.secrets)
        uses(program)
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
        rejects = code > 0 if self.reject is None else code in self.reject
        return ("accepted" if code == 0 else "rejected" if rejects else "crashed"), reason


def _statuses(given: Iterable[int]) -> frozenset[int]:
    statuses = frozenset(given)
    for status in statuses:
        if not 1 <= status <= 255:
            raise TargetError(f"{status} is not an exit status that can mean rejection: use a number from 1 to 255")
    return statuses


# ------------------------------------------------------------------------------------- a program that keeps running


@dataclass(frozen=True)
class Reply:
    """What a program answered to a message. After a reply that is not `valid`, the program gets no further message."""

    kind: AnswerKind
    reason: str
    body: bytes = b""
    valid: bool = False


class LineTarget(ProgramTarget):
    """A program that reads messages from standard input, and writes a line with an answer for each message, in the same
    order.

    An answer is the word `accepted`, `rejected` or `crashed`. The program can add a reason after a space or a colon.
    The reason becomes the `body` of the answer. The answer is also `crashed` if the program writes any other line, more
    than one line for a message, or ends without an answer. But if a program that has answered before ends with exit
    status 0, it may have ended because of the earlier message, so another process gets the message.

    After a crash or a timeout, the next message gets a new process. But if a valid line says `crashed`, the process
    keeps running. The program must flush its output after each answer, because an answer in a buffer arrives too late.
    Python programs do not have to flush, because brokerfuzz sets `PYTHONUNBUFFERED` (unless it is already set).

    - If `encoding` is "plain", each line of the input is a message. With "plain", brokerfuzz does not send messages
      that contain a line break, U+2028 or U+2029. Some programs, for example in Node, also end a line at U+2028 or
      U+2029.
    - If `encoding` is "base64", each line of the input is a message in base64.
    - If `encoding` is "frames", brokerfuzz sends the length of the message as an unsigned 32-bit integer (big-endian),
      and then the message.

    Raises `TargetError` if the command or `encoding` is invalid.
    """

    advice = "print and flush a line with accepted or rejected for each message"
    timeout_reason = "no answer line"

    def __init__(
        self,
        command: str | Sequence[str],
        *,
        encoding: Encoding = "plain",
        timeout: float = 10.0,
        processes: int | None = None,
        secrets: Mapping[str, str] | None = None,
    ) -> None:
        words = words_of(command)
        if encoding not in get_args(Encoding):
            raise TargetError(f"encoding={encoding!r} is not supported: use 'plain', 'base64' or 'frames'")
        super().__init__(words, secrets_of(words, secrets or {}), timeout=timeout, processes=processes)
        self.encoding: Encoding = encoding
        self._idle: deque[Program] = deque()

    def can_send(self, body: bytes, headers: Headers = ()) -> bool:
        """Returns False if the message has headers, or if the encoding is "plain" and the message contains a line
        break.
        """
        return not headers and (self.encoding != "plain" or not _ENDS_A_LINE.search(body))

    def reproduction(self, body: bytes, headers: Headers = ()) -> str:
        return fed(_encoded(body, self.encoding), self.name)

    async def open(self) -> None:
        """Also raises `TargetError` if the first process cannot be started."""
        await super().open()
        try:
            self._idle.append(await asyncio.get_running_loop().run_in_executor(self._threads, self._started))
        except StartError as problem:
            await self.close()
            raise TargetError(f"{self.name} {self.secrets.hide(str(problem))}") from problem

    async def close(self) -> None:
        """Lets idle programs end, and kills all other programs."""
        for program in self._idle:
            program.close_input()
        until = monotonic() + ENDING_SECONDS
        while self._idle:
            program = self._idle.pop()
            program.exit_code(max(until - monotonic(), 0.0))
            self._end(program)
        await super().close()

    def _answer(self, body: bytes, uses: Callable[[Program], None]) -> Answer:
        while True:
            program, is_new = self._next()
            uses(program)
            started = perf_counter()
            reply = self._reply(program, body)
            seconds = perf_counter() - started
            code = None if reply is not None else program.exit_code(ENDING_SECONDS)
            if reply is not None and reply.valid and program.can_continue:
                self._idle.append(program)
            else:
                self._end(program)
            if reply is None and code == 0 and not is_new:
                continue
            reply = reply or _without_answer(code, program.errors)
            return Answer(reply.kind, None, reply.body[:EXCERPT], reply.reason, seconds)

    def _next(self) -> tuple[Program, bool]:
        """Returns an idle program, or a new one, and whether it is new."""
        while self._idle:
            program = self._idle.pop()
            if program.can_continue:
                return program, False
            self._end(program)
        return self._started(), True

    def _reply(self, program: Program, body: bytes) -> Reply | None:
        """Returns None if the program ends without an answer."""
        if unrequested := program.unrequested_output():
            return _unrequested(self._masked(unrequested))
        try:
            line, rest = self._line(program, _encoded(body, self.encoding), self.timeout)
        except TimeoutError:
            reason = f"{self.timeout_reason} within {self.timeout:g} s: killed"
            return Reply("timeout", reason, program.errors.tail)
        except EOFError:
            return None
        return _unrequested(self._masked(rest)) if rest else _meaning(self._masked(line))

    def _masked(self, output: bytes) -> bytes:
        return self.secrets.excerpt(output, len(output))

    @staticmethod
    def _line(program: Program, data: bytes, seconds: float) -> tuple[bytes, bytes]:
        """Sends data, and returns the next line of the output, and the bytes after this line. Reads at most
        `LONGEST_LINE` bytes, and the chunk that exceeds this limit. Raises `EOFError` if the program ends before.
        """
        line = b""
        for chunk in program.talk(data, seconds):
            begun, end, rest = chunk.partition(b"\n")
            line += begun
            if end or len(line) > LONGEST_LINE:
                return line, rest
        raise EOFError


def _without_answer(code: int | None, errors: Excerpt) -> Reply:
    """`code` is the exit status of the program, or None if it still runs."""
    if code is None:
        return Reply("crashed", "closed its output without an answer")
    words = errors.last_line
    return Reply(
        "crashed", f"ended without an answer, {how_it_ended(code)}" + (f": {words}" if words else ""), errors.tail
    )


def _unrequested(output: bytes) -> Reply:
    return Reply("crashed", f'answered before it received a message: "{in_one_line(output)}"', output)


def _meaning(line: bytes) -> Reply:
    """The first word of the line, up to a space or a colon, is the answer. The rest of the line is the reason."""
    if len(line) > LONGEST_LINE:
        reason = f'answered with a line of more than {LONGEST_LINE} bytes: "{in_one_line(line, 60)}"'
        return Reply("crashed", reason, line)
    word, *rest = re.split(rb"[ :]", line.rstrip(b"\r"), maxsplit=1)
    if kind := _KINDS.get(word):
        text = b"".join(rest).strip()
        return Reply(kind, in_one_line(text) or kind, text, valid=True)
    what = f'"{in_one_line(line)}"' if line else "an empty line"
    return Reply("crashed", f"answered with {what}", line)


def _encoded(body: bytes, encoding: Encoding) -> bytes:
    if encoding == "frames":
        return struct.pack(">I", len(body)) + body
    return (b64encode(body) if encoding == "base64" else body) + b"\n"


# ------------------------------------------------------------------------------------- a function in other processes


class CallTarget(LineTarget):
    """A Python function that receives messages as bytes. `function` is the name of the function, such as
    `package.module:function`. Python imports the module from the current folder or from `sys.path`.

    To accept a message, the function returns None, True or the string `accepted`. To reject a message, the function
    returns False or the string `rejected`, or raises an exception that means `rejected`. A returned string can also
    contain a reason, such as `rejected: no products`. By default, a `ValueError` means `rejected`, and so does an
    exception whose class (or base class) has `validation` in its name. Examples are the classes `ValidationError` of
    pydantic, jsonschema and Django. If `rejections` contains the names of exception classes (`package.module:Class`),
    only these exceptions mean `rejected`. Any other exception, such as `AssertionError`, means `crashed`. The string
    `crashed` and any other returned value, such as a list of errors, also mean `crashed`. If the function returns an
    awaitable, brokerfuzz waits for the result.

    The script `call_server` calls the function in separate processes, so a crash of the function does not stop the
    campaign. The standard output of the function is ignored. Raises `TargetError` if a name is invalid.
    """

    advice = CALL_IN_PYTHON
    timeout_reason = "the function did not return"

    def __init__(
        self,
        function: str,
        *,
        rejections: Iterable[str] = (),
        timeout: float = 10.0,
        processes: int | None = None,
        secrets: Mapping[str, str] | None = None,
    ) -> None:
        _check_name(function, "a function, such as 'package.module:function'")
        self.rejections = tuple(rejections)
        for name in self.rejections:
            _check_name(name, "an exception class, such as 'package.module:Class'")
        super().__init__([sys.executable or "python"], encoding="frames", timeout=timeout, processes=processes)
        self.name, self.secrets = function, Secrets(more=(secrets or {}).items())

    async def open(self) -> None:
        folders = dict.fromkeys([str(Path.cwd()), *(str(Path(entry).absolute()) for entry in sys.path)])
        options = ["-P", "-X", "faulthandler"]
        rejections = [str(len(self.rejections)), *self.rejections]
        self._words = [sys.executable or "python", *options, _CALL_SERVER, self.name, *rejections, *folders]
        await super().open()

    def reproduction(self, body: bytes, headers: Headers = ()) -> str:
        module, _, attributes = self.name.partition(":")
        short = len(code := repr(body)) < LONGEST_ARGUMENT
        call = f"print({module}.{attributes}({code if short else 'sys.stdin.buffer.read()'}))"
        line = shlex.join([sys.executable, "-c", f"import {module}{'' if short else ', sys'}; {call}"])
        return line if short else fed(body, line)

    def _started(self) -> Program:
        """Waits until the function is imported."""
        program = super()._started()
        try:
            word, _, reason = self._line(program, b"", STARTING_SECONDS)[0].partition(b" ")
        except TimeoutError:
            word, reason = b"", f"the process is not ready after {STARTING_SECONDS:g} s; {self.advice}".encode()
        except EOFError:
            word, reason = (
                b"",
                f"{_without_answer(program.exit_code(ENDING_SECONDS), program.errors).reason}; {self.advice}".encode(),
            )
        if word == b"ready":
            return program
        self._end(program)
        raise StartError(f"cannot be called: {in_one_line(reason, 1000)}")


def _check_name(name: str, wanted: str) -> None:
    if ":" not in name:
        raise TargetError(f"{name!r} has no colon between the module and the function or class: write {wanted}")
    if not _FUNCTION_NAME.fullmatch(name):
        raise TargetError(f"{name!r} is not a valid name: write {wanted}")
