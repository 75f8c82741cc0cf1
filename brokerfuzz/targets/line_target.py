"""A program as a target that lives on: a message a line in, an answer a line out."""

import json
import os
import re
from base64 import b64encode
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

from brokerfuzz.errors import TargetError
from brokerfuzz.schemas.headers import Headers
from brokerfuzz.targets.answers import EXCERPT, Answer
from brokerfuzz.targets.exit_reason import in_one_line
from brokerfuzz.targets.process_limits import checked_processes, checked_timeout, untold
from brokerfuzz.targets.shell import fed, program, secrets_of, shown_command, words_of

if TYPE_CHECKING:
    from brokerfuzz.targets.process_pool import ProcessPool, Reply

LONGEST = 1 << 16
"""Bytes of the longest line that is read as an answer."""

Encoding = Literal["plain", "base64"]
_ENDS_A_LINE = re.compile(rb"[\n\r]|\xe2\x80[\xa8\xa9]")
_SAID: dict[bytes, Literal["accepted", "rejected"]] = {b"accepted": "accepted", b"rejected": "rejected"}


class LineTarget:
    """A program that reads a message a line from its standard input, and writes an answer a line to its standard output, in order.

    An answer is `accepted` or `rejected`, with a blank and a reason behind it if you like, or a JSON object such as
    `{"accepted": false, "reason": "no number"}`. Anything else is `crashed`; so is more than one answer to a message, and an end without
    one, unless the message was not read at all: it goes to another process then. After `timeout` seconds without a line the
    answer is `timeout`. A process that was not at its best is killed, with all that it has started, and another starts with the next message.

    A program has to write out each answer at once: what it keeps in a buffer comes too late (Python's own buffer is turned off by
    `PYTHONUNBUFFERED`, which is set where the environment does not say otherwise).

    With the `encoding` "plain" a line is the message itself, so that one which holds a line break is not carried; nor one with U+2028
    or U+2029, where readline in some versions of Node ends a line too. With "base64" all are. `processes` is how many run at the most (by
    default one a core), each with a message at a time. Where a program that answered before ends as soon as it is started, or cannot be
    started, it is given `patience` seconds to come back.

    Raises `TargetError` for a command that is none, and for limits that leave nothing to do.
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
        self.words = words_of(command)
        if encoding not in ("plain", "base64"):
            raise TargetError(f"encoding={encoding!r}, but a line is 'plain' or 'base64'")
        self.encoding: Encoding = encoding
        self.timeout = checked_timeout(timeout)
        self.processes = checked_processes(processes)
        self.patience = patience
        self._pool: ProcessPool | None = None

    @property
    def name(self) -> str:
        """The command, without what may be a secret."""
        return shown_command(self.words)

    def carries(self, body: bytes, headers: Headers = ()) -> bool:
        """All that is one line; no headers."""
        return not headers and (self.encoding == "base64" or not _ENDS_A_LINE.search(body))

    def reproduction(self, body: bytes, headers: Headers = ()) -> str:
        """A `printf` that feeds the command with one line."""
        return fed(_line(body, self.encoding), self.name)

    async def open(self) -> None:
        """Starts the first process. Raises `TargetError` where the program is not there or cannot be started."""
        where = program(self.words, self.name)
        from brokerfuzz.targets.process_pool import ProcessPool, Programme

        programme = Programme(
            name=self.name,
            program=where,
            words=self.words,
            wire=lambda: LineWire(self.encoding),
            environment={"PYTHONUNBUFFERED": "1", **os.environ},
            secrets=secrets_of(self.words),
            late="no line",
        )
        self._pool = ProcessPool(programme, timeout=self.timeout, processes=self.processes, patience=self.patience)
        await self._pool.open()

    async def close(self) -> None:
        """Ends the input of idle processes, and kills those that do not end by that."""
        pool, self._pool = self._pool, None
        if pool is not None:
            await pool.close()

    async def send(self, body: bytes, headers: Headers = ()) -> Answer:
        """Gives the message to a process. Raises `TargetError` where none ever answered and they end before they have read anything."""
        if self._pool is None:
            raise TargetError(f"{self.name} is not open: call open() before send()")
        if not self.carries(body, headers):
            raise untold(self.name)
        return await self._pool.ask(body)


class LineWire:
    """Messages and answers as lines."""

    def __init__(self, encoding: Encoding) -> None:
        self.left = b""
        self._encoding: Encoding = encoding
        self._pieces: list[bytes] = []
        self._length = 0

    def question(self, body: bytes) -> bytes:
        """The message as a line."""
        return _line(body, self._encoding)

    def take(self, data: bytes) -> "Reply | None":
        """The answer that a line is, once it is whole or too long."""
        end = data.find(b"\n")
        if end < 0:
            self._pieces.append(data)
            self._length += len(data)
            if self._length > LONGEST:
                return self._too_long(b"".join(self._pieces))
            if len(self._pieces) > 1000:  # a trickle
                self._pieces = [b"".join(self._pieces)]
            return None
        self.left = data[end + 1 :]
        line = data[:end]
        if self._pieces:
            line = b"".join([*self._pieces, line])
            self._pieces, self._length = [], 0
        return self._too_long(line) if len(line) > LONGEST else answer_of(line)

    def _too_long(self, line: bytes) -> "Reply":
        from brokerfuzz.targets.process_pool import Reply

        return Reply("crashed", f'answered with a line of more than {LONGEST} bytes: "{in_one_line(line, 60)}"', line[:EXCERPT], broken=True)


def answer_of(line: bytes) -> "Reply":
    """What a line says."""
    from brokerfuzz.targets.process_pool import Reply

    line = line.removesuffix(b"\r")
    if kind := _SAID.get(line):
        return Reply(kind, kind, line)
    word, _, reason = line.partition(b" ")
    if kind := _SAID.get(word):
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
