"""Defines the target for a program that keeps running: it reads one message after another, and writes one answer per
line.
"""

import os
import re
import struct
from base64 import b64encode
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Literal, get_args

from brokerfuzz.errors import TargetError
from brokerfuzz.schemas.headers import Headers
from brokerfuzz.targets.answers import EXCERPT
from brokerfuzz.targets.exit_reason import in_one_line
from brokerfuzz.targets.pool_target import PoolTarget
from brokerfuzz.targets.shell import fed, program, secrets_of, shown_command, words_of

if TYPE_CHECKING:
    from brokerfuzz.targets.process_pool import ProcessSettings, Reply

LONGEST = 1 << 16
"""The maximum number of bytes in an answer."""

Encoding = Literal["plain", "base64", "frames"]
_ENDS_A_LINE = re.compile(rb"[\n\r]|\xe2\x80[\xa8\xa9]")
_KINDS: dict[bytes, Literal["accepted", "rejected", "crashed"]] = {
    b"accepted": "accepted",
    b"rejected": "rejected",
    b"crashed": "crashed",
}


class LineTarget(PoolTarget):
    """A program that reads messages from standard input, and writes a line with an answer for each message, in the same
    order.

    An answer is the word `accepted`, `rejected` or `crashed`. The program can add a reason after a space or a colon.
    The reason becomes the `body` of the answer. The answer is also `crashed` if the program writes any other line, or
    more than one line for a message. The answer is also `crashed` if the program reads the message and ends without an
    answer. If the program ends before it reads the message, another process gets the message. If the program writes no
    line within `timeout` seconds, the answer is `timeout`.

    If the program writes a valid line, the process keeps running, even if the line says `crashed`. After any other
    crash, and after a timeout, brokerfuzz kills the process with its child processes, and the next message gets a new
    process. The program must flush its output after each answer, because an answer in a buffer arrives too late. Python
    programs do not have to flush, because brokerfuzz sets `PYTHONUNBUFFERED` (unless it is already set).

    - If `encoding` is "plain", each line of the input is a message. With "plain", brokerfuzz does not send messages
      that contain a line break, U+2028 or U+2029. Some programs, for example in Node, also end a line at U+2028 or
      U+2029.
    - If `encoding` is "base64", each line of the input is a message in base64.
    - If `encoding` is "frames", brokerfuzz sends the length of the message as an unsigned 32-bit integer (big-endian),
      and then the message.

    At most `processes` processes run at the same time (default: one per core). Each process handles one message at a
    time. If the program cannot be started any more, or ends immediately, brokerfuzz tries again for up to `patience`
    seconds. Raises `TargetError` if the command, `encoding`, `timeout` or `processes` is invalid.
    """

    def __init__(
        self,
        command: str | Sequence[str],
        *,
        encoding: Encoding = "plain",
        timeout: float = 10.0,
        processes: int | None = None,
        patience: float = 3.0,
        secrets: Mapping[str, str] | None = None,
    ) -> None:
        self.arguments = words_of(command)
        if encoding not in get_args(Encoding):
            raise TargetError(f"encoding={encoding!r} is not supported: use 'plain', 'base64' or 'frames'")
        self.encoding: Encoding = encoding
        super().__init__(timeout=timeout, processes=processes, patience=patience)
        self.secrets = secrets_of(self.arguments, secrets or {})
        self._name = shown_command(self.arguments, secrets or {})

    @property
    def name(self) -> str:
        return self._name

    def can_send(self, body: bytes, headers: Headers = ()) -> bool:
        """Returns False if the message has headers, or if the encoding is "plain" and the message contains a line
        break.
        """
        return not headers and (self.encoding != "plain" or not _ENDS_A_LINE.search(body))

    def reproduction(self, body: bytes, headers: Headers = ()) -> str:
        return fed(_encoded(body, self.encoding), self.name)

    def _settings(self) -> "ProcessSettings":
        where = program(self.arguments, self.name)
        from brokerfuzz.targets.process_pool import ProcessSettings

        return ProcessSettings(
            name=self.name,
            program=where,
            arguments=self.arguments,
            wire=lambda: LineWire(self.encoding),
            environment={"PYTHONUNBUFFERED": "1", **os.environ},
            secrets=self.secrets,
            timeout_reason="no answer line",
        )


class LineWire:
    def __init__(self, encoding: Encoding) -> None:
        self.rest = b""
        self._encoding: Encoding = encoding
        self._begun = bytearray()

    def encode(self, body: bytes) -> bytes:
        return _encoded(body, self._encoding)

    def decode(self, data: bytes) -> "Reply | None":
        """Returns None until the line with the answer is complete. A line of more than `LONGEST` bytes is a crash."""
        piece, end, self.rest = data.partition(b"\n")
        self._begun += piece
        if not end and len(self._begun) <= LONGEST:
            return None
        line = bytes(self._begun)
        self._begun.clear()
        return self._too_long(line) if len(line) > LONGEST else answer_of(line)

    def _too_long(self, line: bytes) -> "Reply":
        from brokerfuzz.targets.process_pool import Reply

        return Reply(
            "crashed",
            f'answered with a line of more than {LONGEST} bytes: "{in_one_line(line, 60)}"',
            line[:EXCERPT],
            broken=True,
        )


def answer_of(line: bytes) -> "Reply":
    """Parses a line. The first word, up to a space or a colon, is the answer. The rest of the line is the reason."""
    from brokerfuzz.targets.process_pool import Reply

    word, *rest = re.split(rb"[ :]", line.rstrip(b"\r"), maxsplit=1)
    if kind := _KINDS.get(word):
        reason = b"".join(rest).strip()
        return Reply(kind, in_one_line(reason) or kind, reason)
    what = f'"{in_one_line(line)}"' if line else "an empty line"
    return Reply("crashed", f"answered with {what}", line, broken=True)


def _encoded(body: bytes, encoding: Encoding) -> bytes:
    if encoding == "frames":
        return struct.pack(">I", len(body)) + body
    return (b64encode(body) if encoding == "base64" else body) + b"\n"
