"""Defines the target for a Python function."""

import re
import shlex
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from brokerfuzz.errors import TargetError
from brokerfuzz.schemas.headers import Headers
from brokerfuzz.targets.answers import EXCERPT, AnswerKind
from brokerfuzz.targets.call_process import INPUT_FD, LENGTH, OUTPUT_FD
from brokerfuzz.targets.exit_reason import in_one_line
from brokerfuzz.targets.pool_target import PoolTarget
from brokerfuzz.targets.secret_masking import Secrets
from brokerfuzz.targets.shell import LONGEST_ARGUMENT, fed, program

if TYPE_CHECKING:
    from brokerfuzz.targets.process_pool import ProcessSettings, Reply

LONGEST = 1 << 16
"""The maximum number of bytes in a reply."""

CALL_IN_PYTHON = "call the function in Python to see why"
"""Advice for users if a function does not work."""

_CALLER = str(Path(__file__).with_name("call_process.py"))
_NAME = re.compile(r"[^\W\d]\w*(?:\.[^\W\d]\w*)*:[^\W\d]\w*(?:\.[^\W\d]\w*)*")
KINDS: dict[bytes, AnswerKind] = {b"A": "accepted", b"J": "rejected", b"C": "crashed"}


class CallTarget(PoolTarget):
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

    Up to `processes` separate processes call the function (default: one per core). A crash of the function does not
    stop the campaign. If a process ends during a call, the answer is `crashed` and contains the end of the process's
    standard error. If a call needs more than `timeout` seconds, the answer is `timeout`. After a crash or a timeout,
    the next message gets a new process. The standard output of the function is ignored. If a new process cannot import
    the function any more, brokerfuzz tries again for up to `patience` seconds.

    Raises `TargetError` if a name, `timeout` or `processes` is invalid.
    """

    def __init__(
        self,
        function: str,
        *,
        rejections: Iterable[str] = (),
        timeout: float = 10.0,
        processes: int | None = None,
        patience: float = 3.0,
        secrets: Mapping[str, str] | None = None,
    ) -> None:
        self.function = _checked(function, "a function, such as 'package.module:function'")
        self.rejections = tuple(
            _checked(name, "an exception class, such as 'package.module:Class'") for name in rejections
        )
        super().__init__(timeout=timeout, processes=processes, patience=patience)
        self.secrets = Secrets(more=(secrets or {}).items())

    @property
    def name(self) -> str:
        return self.function

    def reproduction(self, body: bytes, headers: Headers = ()) -> str:
        module, _, attributes = self.function.partition(":")
        short = len(code := repr(body)) < LONGEST_ARGUMENT
        call = f"print({module}.{attributes}({code if short else 'sys.stdin.buffer.read()'}))"
        line = shlex.join([sys.executable, "-c", f"import {module}{'' if short else ', sys'}; {call}"])
        return line if short else fed(body, line)

    def _settings(self) -> "ProcessSettings":
        where = program([sys.executable or "python"], self.name)
        from brokerfuzz.targets.process_pool import ProcessSettings

        here = str(Path.cwd())
        path = list(dict.fromkeys([here, *(str(Path(entry).absolute()) for entry in sys.path)]))
        return ProcessSettings(
            name=self.name,
            program=where,
            arguments=[
                where,
                "-P",
                "-X",
                "faulthandler",
                _CALLER,
                self.function,
                str(len(self.rejections)),
                *self.rejections,
                *path,
            ],
            wire=CallWire,
            input_fd=INPUT_FD,
            output_fd=OUTPUT_FD,
            announces_ready=True,
            secrets=self.secrets,
            remedy=CALL_IN_PYTHON,
            timeout_reason="the function did not return",
        )


class CallWire:
    """Converts messages to bytes, and bytes to replies, in the format that `call_process` describes."""

    def __init__(self) -> None:
        self.rest = b""
        self._incomplete = b""

    def encode(self, body: bytes) -> bytes:
        return LENGTH.pack(len(body)) + body

    def decode(self, data: bytes) -> "Reply | None":
        """Returns the next reply, or None if its last bytes have not arrived yet."""
        from brokerfuzz.targets.process_pool import Reply

        data = self._incomplete + data
        if len(data) < LENGTH.size:
            self._incomplete = data
            return None
        end = LENGTH.size + LENGTH.unpack_from(data)[0]
        if not LENGTH.size < end <= LONGEST:
            return Reply(
                "crashed", "wrote to file descriptor 4, which brokerfuzz uses for replies", data[:EXCERPT], broken=True
            )
        if len(data) < end:
            self._incomplete = data
            return None
        self._incomplete, self.rest = b"", data[end:]
        letter, text = data[4:5], data[5:end]
        if kind := KINDS.get(letter):
            return Reply(kind, in_one_line(text), text)
        if letter in {b"R", b"E"}:
            return Reply("ready" if letter == b"R" else "unusable", in_one_line(text, 1000), text)
        return Reply(
            "crashed", "wrote to file descriptor 4, which brokerfuzz uses for replies", data[:EXCERPT], broken=True
        )


def _checked(name: str, wanted: str) -> str:
    if ":" not in name:
        raise TargetError(f"{name!r} has no colon between the module and the function or class: write {wanted}")
    if not _NAME.fullmatch(name):
        raise TargetError(f"{name!r} is not a valid name: write {wanted}")
    return name
