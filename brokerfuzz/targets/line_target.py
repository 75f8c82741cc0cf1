"""A long-running program as a target. The program reads one message per line and writes one answer per line."""

import json
import os
import re
from base64 import b64encode
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

from brokerfuzz.errors import TargetError
from brokerfuzz.schemas.headers import Headers
from brokerfuzz.targets.answers import EXCERPT
from brokerfuzz.targets.exit_reason import in_one_line
from brokerfuzz.targets.pool_target import PoolTarget
from brokerfuzz.targets.shell import fed, program, secrets_of, shown_command, words_of

if TYPE_CHECKING:
    from brokerfuzz.targets.process_pool import ProcessSettings, Reply

LONGEST = 1 << 16
"""Maximum number of bytes in an answer line."""

Encoding = Literal["plain", "base64"]
_ENDS_A_LINE = re.compile(rb"[\n\r]|\xe2\x80[\xa8\xa9]")
_WORDS: dict[bytes, Literal["accepted", "rejected"]] = {b"accepted": "accepted", b"rejected": "rejected"}


class LineTarget(PoolTarget):
    """A program that reads one message per line from standard input. It writes one answer per line to standard output, in the order
    of the messages.

    An answer line is the word `accepted` or `rejected`, or a JSON object such as `{"accepted": false, "reason": "no number"}`. A
    space and a reason may follow the word. The answer is `crashed` if the program writes any other line, or more than one line for
    a message. The answer is also `crashed` if the program reads the message and ends without an answer. If the program ends before
    it reads the message, the message goes to another process. If no line arrives within `timeout` seconds, the answer is `timeout`.
    After a crash or timeout, the process is killed with its children. A new process is then started for the next message.

    The program must flush each answer at once, because a buffered answer arrives too late. brokerfuzz sets `PYTHONUNBUFFERED`
    unless the environment already sets it, so Python programs need not flush.

    If `encoding` is "plain", a line is the message itself. A message that contains a line break, U+2028 or U+2029 then cannot be
    sent, because some versions of Node's readline treat these two characters as line breaks. If `encoding` is "base64", every
    message can be sent. At most `processes` processes run at once (default: one per core), and each handles one message at a time.
    If the program answered before, but now ends immediately or can no longer be started, the target tries again for up to
    `patience` seconds.

    Raises `TargetError` for an invalid command or invalid limits.
    """

    def __init__(
        self,
        command: str | Sequence[str],
        *,
        encoding: Encoding = "plain",
        timeout: float = 10.0,
        processes: int | None = None,
        patience: float = 3.0,
    ) -> None:
        self.arguments = words_of(command)
        if encoding not in ("plain", "base64"):
            raise TargetError(f"encoding={encoding!r}, but it must be 'plain' or 'base64'")
        self.encoding: Encoding = encoding
        super().__init__(timeout=timeout, processes=processes, patience=patience)

    @property
    def name(self) -> str:
        """The command, with secrets replaced."""
        return shown_command(self.arguments)

    def can_send(self, body: bytes, headers: Headers = ()) -> bool:
        """Returns True for messages that fit on one line and have no headers."""
        return not headers and (self.encoding == "base64" or not _ENDS_A_LINE.search(body))

    def reproduction(self, body: bytes, headers: Headers = ()) -> str:
        """Returns a shell command that pipes the line for this message into the program."""
        return fed(_line(body, self.encoding), self.name)

    def _settings(self) -> "ProcessSettings":
        where = program(self.arguments, self.name)
        from brokerfuzz.targets.process_pool import ProcessSettings

        return ProcessSettings(
            name=self.name,
            program=where,
            arguments=self.arguments,
            wire=lambda: LineWire(self.encoding),
            environment={"PYTHONUNBUFFERED": "1", **os.environ},
            secrets=secrets_of(self.arguments),
            missing="no answer line",
        )


class LineWire:
    """Encodes messages and decodes answers as lines."""

    def __init__(self, encoding: Encoding) -> None:
        self.rest = b""
        self._encoding: Encoding = encoding
        self._pieces: list[bytes] = []
        self._length = 0

    def encode(self, body: bytes) -> bytes:
        """Returns the message as a line."""
        return _line(body, self._encoding)

    def decode(self, data: bytes) -> "Reply | None":
        """Returns the answer if its line is complete or too long; otherwise returns None."""
        end = data.find(b"\n")
        if end < 0:
            self._pieces.append(data)
            self._length += len(data)
            if self._length > LONGEST:
                return self._too_long(b"".join(self._pieces))
            if len(self._pieces) > 1000:  # many small pieces
                self._pieces = [b"".join(self._pieces)]
            return None
        self.rest = data[end + 1 :]
        line = data[:end]
        if self._pieces:
            line = b"".join([*self._pieces, line])
            self._pieces, self._length = [], 0
        return self._too_long(line) if len(line) > LONGEST else answer_of(line)

    def _too_long(self, line: bytes) -> "Reply":
        from brokerfuzz.targets.process_pool import Reply

        return Reply("crashed", f'answered with a line of more than {LONGEST} bytes: "{in_one_line(line, 60)}"', line[:EXCERPT], broken=True)


def answer_of(line: bytes) -> "Reply":
    """Returns the answer in a line."""
    from brokerfuzz.targets.process_pool import Reply

    line = line.removesuffix(b"\r")
    if kind := _WORDS.get(line):
        return Reply(kind, kind, line)
    word, _, reason = line.partition(b" ")
    if kind := _WORDS.get(word):
        return Reply(kind, in_one_line(reason) or kind, line)
    said = _of_json(line) if line.startswith(b"{") else None
    if said is not None and isinstance(accepted := said.get("accepted"), bool):
        kind = "accepted" if accepted else "rejected"
        return Reply(kind, in_one_line(str(said.get("reason") or kind).encode(errors="replace")), line)
    what = f'"{in_one_line(line)}"' if line else "an empty line"
    return Reply("crashed", f"answered with {what}", line, broken=True)


def _of_json(line: bytes) -> dict[str, Any] | None:
    try:
        said = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return said if isinstance(said, dict) else None


def _line(body: bytes, encoding: Encoding) -> bytes:
    return (b64encode(body) if encoding == "base64" else body) + b"\n"
