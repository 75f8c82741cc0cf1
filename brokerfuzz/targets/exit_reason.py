"""Describes in a few words how a program ended, and keeps excerpts of its output."""

import signal

from brokerfuzz.targets.answers import EXCERPT


class Excerpt:
    """Keeps a limited number of bytes from the beginning and from the end of a program's output."""

    __slots__ = ("_end", "head", "size")

    def __init__(self) -> None:
        self.head = self._end = b""
        self.size = 0

    def add(self, data: bytes) -> None:
        self.size += len(data)
        if len(self.head) < EXCERPT:
            self.head += data[: EXCERPT - len(self.head)]
        self._end = data[-EXCERPT:] if len(data) >= EXCERPT else (self._end + data)[-EXCERPT:]

    @property
    def tail(self) -> bytes:
        """The end of the output, without an incomplete first line. brokerfuzz would not recognize a secret whose
        beginning is missing.
        """
        return self._end if self.size <= EXCERPT else self._end.partition(b"\n")[2]

    @property
    def reason_line(self) -> str:
        """The last line of a Python traceback, which contains the error. For any other output, the first line that is
        not empty.
        """
        line = next((line for line in self.head.splitlines() if line.strip()), b"")
        return self.last_line if line.startswith(b"Traceback (most recent") else in_one_line(line)

    @property
    def last_line(self) -> str:
        return in_one_line(next((line for line in reversed(self.tail.splitlines()) if line.strip()), b""))


def in_one_line(data: bytes, limit: int = 200) -> str:
    text = data.strip()[: limit * 4 + 4].decode(errors="replace")
    text = "".join(char if char.isprintable() else "\N{REPLACEMENT CHARACTER}" for char in text)
    return text if len(text) <= limit else f"{text[: limit - 1]}…"


def how_it_ended(code: int) -> str:
    """Describes an exit code: `exit status 3`, `killed by SIGSEGV`."""
    if code >= 0:
        return f"exit status {code}"
    try:
        return f"killed by {signal.Signals(-code).name}"
    except ValueError:
        return f"killed by signal {-code}"
