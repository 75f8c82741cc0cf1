"""A Python callable as a target."""

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
from brokerfuzz.targets.process_limits import checked_processes, checked_timeout, untold
from brokerfuzz.targets.secret_masking import NOTHING_SECRET
from brokerfuzz.targets.shell import LONGEST_ARGUMENT, fed, program

if TYPE_CHECKING:
    from brokerfuzz.targets.process_pool import ProcessPool, Reply

LONGEST = 1 << 16
"""Bytes of the longest reply."""

_CALLER = str(Path(__file__).with_name("call_process.py"))
_INLET, _OUTLET = 3, 4
_LENGTH = struct.Struct(">I")
_NAME = re.compile(r"[^\W\d]\w*(?:\.[^\W\d]\w*)*:[^\W\d]\w*(?:\.[^\W\d]\w*)*")
_KINDS: dict[bytes, AnswerKind] = {b"A": "accepted", b"J": "rejected", b"C": "crashed"}


class CallTarget:
    """A function that gets the message as bytes: `package.module:function`, found from the current folder and by `sys.path`.

    Returning None or True accepts, and so does the text `accepted`; returning False rejects, and so does the text `rejected`; either
    text may go on with a blank and a reason. Raising `ValueError`, or an exception in whose class's name, or a base's, is
    the word *validation* (as pydantic's, jsonschema's, Django's `ValidationError`), rejects. With `rejections`, as `package.module:Class`, these
    classes reject instead. Any other exception is `crashed`, `AssertionError` too: that an assertion does not hold is no rejection. So is any
    other value that is returned: a list of errors, a parsed message, a number do not say by themselves what they mean. What can be awaited
    is awaited.

    It runs in a process of its own, `processes` of them at the most (by default one a core), so that whatever it does to that is an answer
    as well: its end is `crashed`, no return after `timeout` seconds is `timeout`, and another process starts with the next message. What it prints
    is lost; the last of what it says on standard error is kept where its process ends. Where it was called before and cannot be
    imported any more, it is given `patience` seconds to come back.

    Raises `TargetError` for names that are none, and for limits that leave nothing to do.
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
        self.rejections = tuple(_checked(name, "a class of exceptions, such as 'package.module:Class'") for name in rejections)
        self.timeout = checked_timeout(timeout)
        self.processes = checked_processes(processes)
        self.patience = patience
        self._pool: ProcessPool | None = None

    @property
    def name(self) -> str:
        """The function's name, with its module's."""
        return self.function

    def carries(self, body: bytes, headers: Headers = ()) -> bool:
        """All but headers."""
        return not headers

    def reproduction(self, body: bytes, headers: Headers = ()) -> str:
        """A Python line that calls the function and shows what it returns."""
        module, _, attributes = self.function.partition(":")
        short = len(code := repr(body)) < LONGEST_ARGUMENT
        call = f"print({module}.{attributes}({code if short else 'sys.stdin.buffer.read()'}))"
        line = shlex.join([sys.executable, "-c", f"import {module}{'' if short else ', sys'}; {call}"])
        return line if short else fed(body, line)

    async def open(self) -> None:
        """Imports the function, in the first process. Raises `TargetError` where that fails, with the error's own words."""
        where = program([sys.executable or "python"], self.name)
        from brokerfuzz.targets.process_pool import ProcessPool, Programme

        here = str(Path.cwd())
        path = list(dict.fromkeys([here, *(str(Path(entry).absolute()) for entry in sys.path)]))
        words = [where, "-P", "-X", "faulthandler", _CALLER, self.function, str(len(self.rejections)), *self.rejections, *path]
        programme = Programme(
            name=self.name,
            program=where,
            words=words,
            wire=CallWire,
            inlet=_INLET,
            outlet=_OUTLET,
            greets=True,
            secrets=NOTHING_SECRET,
            late="no return",
        )
        self._pool = ProcessPool(programme, timeout=self.timeout, processes=self.processes, patience=self.patience)
        await self._pool.open()

    async def close(self) -> None:
        """Ends its processes."""
        pool, self._pool = self._pool, None
        if pool is not None:
            await pool.close()

    async def send(self, body: bytes, headers: Headers = ()) -> Answer:
        """Calls the function with the message."""
        if self._pool is None:
            raise TargetError(f"{self.name} is not open: call open() before send()")
        if headers:
            raise untold(self.name)
        return await self._pool.ask(body)


class CallWire:
    """Messages and replies behind their lengths; see `call_process`."""

    def __init__(self) -> None:
        self.left = b""
        self._begun = b""

    def question(self, body: bytes) -> bytes:
        """The message behind its length."""
        return _LENGTH.pack(len(body)) + body

    def take(self, data: bytes) -> "Reply | None":
        """The reply, once it is whole."""
        from brokerfuzz.targets.process_pool import Reply

        data = self._begun + data
        if len(data) < _LENGTH.size:
            self._begun = data
            return None
        end = _LENGTH.size + _LENGTH.unpack_from(data)[0]
        if not _LENGTH.size < end <= LONGEST:
            return Reply("crashed", "wrote to the pipe of the answers itself", data[:EXCERPT], broken=True)
        if len(data) < end:
            self._begun = data
            return None
        self._begun, self.left = b"", data[end:]
        letter, text = data[4:5], data[5:end]
        if kind := _KINDS.get(letter):
            return Reply(kind, in_one_line(text), text)
        if letter in {b"R", b"E"}:
            return Reply("ready" if letter == b"R" else "unusable", in_one_line(text, 1000), text)
        return Reply("crashed", "wrote to the pipe of the answers itself", data[:EXCERPT], broken=True)


def _checked(name: str, wanted: str) -> str:
    if ":" not in name:
        raise TargetError(f"{name!r} lacks a colon between the module and what is in it: name {wanted}")
    if not _NAME.fullmatch(name):
        raise TargetError(f"{name!r} is no name of something in a module: name {wanted}")
    return name
