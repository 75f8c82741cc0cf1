"""A Python function as a target."""

import re
import shlex
import struct
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from brokerfuzz.errors import TargetError
from brokerfuzz.schemas.headers import Headers
from brokerfuzz.targets.answers import EXCERPT, Answer, AnswerKind
from brokerfuzz.targets.exit_reason import in_one_line
from brokerfuzz.targets.process_limits import checked_processes, checked_timeout, unsendable
from brokerfuzz.targets.secret_masking import NOTHING_SECRET
from brokerfuzz.targets.shell import LONGEST_ARGUMENT, fed, program

if TYPE_CHECKING:
    from brokerfuzz.targets.process_pool import ProcessPool, Reply

LONGEST = 1 << 16
"""Maximum number of bytes in a reply."""

_CALLER = str(Path(__file__).with_name("call_process.py"))
_INPUT_FD, _OUTPUT_FD = 3, 4
_LENGTH = struct.Struct(">I")
_NAME = re.compile(r"[^\W\d]\w*(?:\.[^\W\d]\w*)*:[^\W\d]\w*(?:\.[^\W\d]\w*)*")
_KINDS: dict[bytes, AnswerKind] = {b"A": "accepted", b"J": "rejected", b"C": "crashed"}


class CallTarget:
    """A function that receives the message as bytes: `package.module:function`, imported from the current folder or `sys.path`.

    The function accepts a message by returning None, True or the string `accepted`. It rejects a message by returning False or
    the string `rejected`. Either string may be followed by a space and a reason. It also rejects by raising `ValueError`, or an
    exception whose class name (or that of a base class) contains `validation`, such as the `ValidationError` of pydantic,
    jsonschema or Django. If `rejections` names exception classes, as `package.module:Class`, only these reject. Any other
    exception is `crashed`, including `AssertionError`. Any other return value is `crashed` too: a list of errors, a parsed
    message or a number has no defined meaning. Awaitables are awaited.

    The function runs in separate processes, at most `processes` (default: one per core). So it cannot harm the campaign: if its
    process ends, the answer is `crashed`; if it does not return within `timeout` seconds, the answer is `timeout`. A new process
    then starts with the next message. The function's standard output is discarded; the last part of its standard error is kept if
    its process ends. If the function was called before but can no longer be imported, the target waits up to `patience` seconds.

    Raises `TargetError` for invalid names and limits.
    """

    def __init__(
        self,
        function: str,
        *,
        rejections: Iterable[str] = (),
        timeout: float = 10.0,
        processes: int | None = None,
        patience: float = 3.0,
    ) -> None:
        self.function = _checked(function, "a function, such as 'package.module:function'")
        self.rejections = tuple(_checked(name, "an exception class, such as 'package.module:Class'") for name in rejections)
        self.timeout = checked_timeout(timeout)
        self.processes = checked_processes(processes)
        self.patience = patience
        self._pool: ProcessPool | None = None

    @property
    def name(self) -> str:
        """The function's name, with its module."""
        return self.function

    def can_send(self, body: bytes, headers: Headers = ()) -> bool:
        """Accepts any message without headers."""
        return not headers

    def reproduction(self, body: bytes, headers: Headers = ()) -> str:
        """Returns a Python command that calls the function and prints what it returns."""
        module, _, attributes = self.function.partition(":")
        short = len(code := repr(body)) < LONGEST_ARGUMENT
        call = f"print({module}.{attributes}({code if short else 'sys.stdin.buffer.read()'}))"
        line = shlex.join([sys.executable, "-c", f"import {module}{'' if short else ', sys'}; {call}"])
        return line if short else fed(body, line)

    async def open(self) -> None:
        """Imports the function in the first process. Raises `TargetError` with the original error if that fails."""
        where = program([sys.executable or "python"], self.name)
        from brokerfuzz.targets.process_pool import ProcessPool, ProcessSettings

        here = str(Path.cwd())
        path = list(dict.fromkeys([here, *(str(Path(entry).absolute()) for entry in sys.path)]))
        arguments = [where, "-P", "-X", "faulthandler", _CALLER, self.function, str(len(self.rejections)), *self.rejections, *path]
        settings = ProcessSettings(
            name=self.name,
            program=where,
            arguments=arguments,
            wire=CallWire,
            input_fd=_INPUT_FD,
            output_fd=_OUTPUT_FD,
            announces_ready=True,
            secrets=NOTHING_SECRET,
            missing="no return",
        )
        self._pool = ProcessPool(settings, timeout=self.timeout, processes=self.processes, patience=self.patience)
        await self._pool.open()

    async def close(self) -> None:
        """Ends the processes."""
        pool, self._pool = self._pool, None
        if pool is not None:
            await pool.close()

    async def send(self, body: bytes, headers: Headers = ()) -> Answer:
        """Calls the function with the message."""
        if self._pool is None:
            raise TargetError(f"{self.name} is not open: call open() before send()")
        if headers:
            raise unsendable(self.name)
        return await self._pool.send(body)


class CallWire:
    """Encodes messages and decodes replies, each with its length before it; see `call_process`."""

    def __init__(self) -> None:
        self.rest = b""
        self._incomplete = b""

    def encode(self, body: bytes) -> bytes:
        """Returns the message with its length before it."""
        return _LENGTH.pack(len(body)) + body

    def decode(self, data: bytes) -> "Reply | None":
        """Returns the reply once it is complete."""
        from brokerfuzz.targets.process_pool import Reply

        data = self._incomplete + data
        if len(data) < _LENGTH.size:
            self._incomplete = data
            return None
        end = _LENGTH.size + _LENGTH.unpack_from(data)[0]
        if not _LENGTH.size < end <= LONGEST:
            return Reply("crashed", "wrote to the reply pipe of brokerfuzz", data[:EXCERPT], broken=True)
        if len(data) < end:
            self._incomplete = data
            return None
        self._incomplete, self.rest = b"", data[end:]
        letter, text = data[4:5], data[5:end]
        if kind := _KINDS.get(letter):
            return Reply(kind, in_one_line(text), text)
        if letter in {b"R", b"E"}:
            return Reply("ready" if letter == b"R" else "unusable", in_one_line(text, 1000), text)
        return Reply("crashed", "wrote to the reply pipe of brokerfuzz", data[:EXCERPT], broken=True)


def _checked(name: str, wanted: str) -> str:
    if ":" not in name:
        raise TargetError(f"{name!r} has no colon between the module and the function or class: write {wanted}")
    if not _NAME.fullmatch(name):
        raise TargetError(f"{name!r} is not a valid name: write {wanted}")
    return name
