"""Defines the target for a program that keeps running and answers each message with a line, and the target for a Python
function, which such programs of brokerfuzz call.
"""

import asyncio
import re
import shlex
import struct
import sys
from base64 import b64encode
from codecs import BOM_UTF8
from collections import deque
from collections.abc import Sequence
from pathlib import Path
from time import monotonic, perf_counter
from typing import Any, Literal

from brokerfuzz.errors import TargetError
from brokerfuzz.targets.answers import EXCERPT, Answer, AnswerKind
from brokerfuzz.targets.program import Excerpt, Program, how_it_ended, in_one_line
from brokerfuzz.targets.program_target import ProgramTarget, StartError
from brokerfuzz.targets.reproduction import LONGEST_ARGUMENT, fed
from brokerfuzz.targets.target import CALL_IN_PYTHON

LONGEST_ANSWER = 1 << 16
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
    """

    advice = "print and flush a line with accepted or rejected for each message"
    timeout_reason = "no answer line"

    def __init__(self, command: str | Sequence[str], *, encoding: Encoding = "plain", **options: Any) -> None:
        super().__init__(command, **options)
        self.encoding: Encoding = encoding
        self._idle: deque[Program] = deque()

    def can_send(self, body: bytes) -> bool:
        """Returns False if the encoding is "plain" and the message contains a line break."""
        return self.encoding != "plain" or not _ENDS_A_LINE.search(body)

    def reproduction(self, body: bytes) -> str:
        return fed(_encoded(body, self.encoding), self.name)

    async def open(self) -> None:
        """Also raises `TargetError` if the first process cannot be started."""
        await super().open()
        self._idle.append(await asyncio.get_running_loop().run_in_executor(self._threads, self._started))

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

    def _answer(self, body: bytes, mine: list[Program]) -> Answer:
        program, is_new = self._next()
        mine.append(program)
        started, is_valid = perf_counter(), False
        try:
            answer, is_valid = self._reply(program, body)
        except TimeoutError:
            reason = f"{self.timeout_reason} within {self.timeout:g} s: killed"
            answer = Answer("timeout", None, program.errors.tail, reason)
        except EOFError:
            code = program.exit_code(ENDING_SECONDS)
            if code == 0 and not is_new:
                self._end(program)
                return self._answer(body, mine)
            answer = Answer("crashed", None, program.errors.tail, _ending(code, program.errors))
        seconds = perf_counter() - started
        if is_valid and program.can_continue:
            self._idle.append(program)
        else:
            self._end(program)
        return answer._replace(seconds=seconds)

    def _next(self) -> tuple[Program, bool]:
        """Returns an idle program, or a new one, and whether it is new."""
        while self._idle:
            program = self._idle.pop()
            if program.can_continue:
                return program, False
            self._end(program)
        return self._started(), True

    def _reply(self, program: Program, body: bytes) -> tuple[Answer, bool]:
        """Returns the answer, and whether it is a valid line: after any other answer, the program gets no further
        message. Raises `TimeoutError` or, if the program ends without an answer, `EOFError`.
        """
        line, unrequested = b"", program.unrequested_output()
        if not unrequested:
            line, unrequested = self._line(program, _encoded(body, self.encoding), self.timeout)
        if not unrequested:
            return _meaning(self.secrets.masks.hidden(line))
        output = self.secrets.masks.hidden(unrequested)
        reason = f'answered before it received a message: "{in_one_line(output)}"'
        return Answer("crashed", None, output[:EXCERPT], reason), False

    @staticmethod
    def _line(program: Program, data: bytes, seconds: float) -> tuple[bytes, bytes]:
        """Sends data, and returns the next line of the output, and the bytes after this line. Reads at most
        `LONGEST_ANSWER` bytes, and the chunk that exceeds this limit. Raises `EOFError` if the program ends before.
        """
        line = b""
        for chunk in program.talk(data, seconds):
            begun, end, rest = chunk.partition(b"\n")
            line += begun
            if end or len(line) > LONGEST_ANSWER:
                return line, rest
        raise EOFError


def _ending(code: int | None, errors: Excerpt) -> str:
    """Says how a program ended without an answer. `code` is its exit status, or None if it still runs."""
    if code is None:
        return "closed its output without an answer"
    return f"ended without an answer, {how_it_ended(code)}" + (f": {errors.last_line}" if errors.last_line else "")


def _meaning(line: bytes) -> tuple[Answer, bool]:
    """The first word of the line, up to a space or a colon, is the answer. The rest of the line is the reason. Programs
    for .NET begin their output with a byte order mark.
    """
    word, *rest = re.split(rb"[ :]", line.removeprefix(BOM_UTF8).rstrip(b"\r"), maxsplit=1)
    kind, is_too_long = _KINDS.get(word), len(line) > LONGEST_ANSWER
    if kind is not None and not is_too_long:
        text = b"".join(rest).strip()
        return Answer(kind, None, text[:EXCERPT], in_one_line(text) or kind), True
    what = f'"{in_one_line(line)}"' if line else "an empty line"
    if is_too_long:
        what = f'a line of more than {LONGEST_ANSWER} bytes: "{in_one_line(line, 60)}"'
    return Answer("crashed", None, line[:EXCERPT], f"answered with {what}"), False


def _encoded(body: bytes, encoding: Encoding) -> bytes:
    if encoding == "frames":
        return struct.pack(">I", len(body)) + body
    return (b64encode(body) if encoding == "base64" else body) + b"\n"


class CallTarget(LineTarget):
    """A Python function that receives messages as bytes. `function` is the name of the function, such as
    `package.module:function`. Python imports the module from the current folder or from `sys.path`.

    To accept a message, the function returns None, True or the string `accepted`. To reject a message, the function
    returns False or the string `rejected`, or raises an exception that means `rejected`. A returned string can also
    contain a reason, such as `rejected: no products`. A `ValueError` means `rejected`, and so does an exception whose
    class (or base class) has `validation` in its name. Examples are the classes `ValidationError` of pydantic,
    jsonschema and Django. Any other exception, such as `AssertionError`, means `crashed`. The string `crashed` and any
    other returned value, such as a list of errors, also mean `crashed`. If the function returns an awaitable,
    brokerfuzz waits for the result.

    The script `call_server` calls the function in separate processes, so a crash of the function does not stop the
    campaign. The standard output of the function is ignored. Raises `TargetError` if the name is invalid.
    """

    advice = CALL_IN_PYTHON
    timeout_reason = "the function did not return"

    def __init__(self, function: str, **options: Any) -> None:
        if not _FUNCTION_NAME.fullmatch(function):
            remedy = "write a module, a colon and a function, such as 'package.module:function'"
            raise TargetError(f"{function!r} is not the name of a function: {remedy}")
        super().__init__([sys.executable or "python"], encoding="frames", **options)
        self.name = function

    async def open(self) -> None:
        folders = dict.fromkeys([str(Path.cwd()), *(str(Path(entry).absolute()) for entry in sys.path)])
        self._words = [sys.executable or "python", "-P", "-X", "faulthandler", _CALL_SERVER, self.name, *folders]
        await super().open()

    def reproduction(self, body: bytes) -> str:
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
            if word == b"ready":
                return program
            why = in_one_line(reason, 1000)
        except TimeoutError:
            why = f"the process is not ready after {STARTING_SECONDS:g} s; {self.advice}"
        except EOFError:
            why = f"{_ending(program.exit_code(ENDING_SECONDS), program.errors)}; {self.advice}"
        self._end(program)
        raise StartError(f"{self.name} cannot be called: {self.secrets.hide(why)}")
