"""What a program said on its way, and how it ended, in few words."""

import signal

from brokerfuzz.targets.answers import EXCERPT


class Excerpt:
    """The first and the last bytes of what a stream said, however much that was."""

    __slots__ = ("head", "tail")

    def __init__(self) -> None:
        self.head = self.tail = b""

    def add(self, data: bytes) -> None:
        """Takes in what came next."""
        if len(self.head) < EXCERPT:
            self.head += data[: EXCERPT - len(self.head)]
        self.tail = data[-EXCERPT:] if len(data) >= EXCERPT else (self.tail + data)[-EXCERPT:]

    @property
    def first_line(self) -> str:
        """The first line that is not blank; of a Python traceback the last, which says what is wrong."""
        line = next((line for line in self.head.splitlines() if line.strip()), b"")
        return self.last_line if line.startswith(b"Traceback (most recent") else in_one_line(line)

    @property
    def last_line(self) -> str:
        """The last line that is not blank."""
        return in_one_line(next((line for line in reversed(self.tail.splitlines()) if line.strip()), b""))


def in_one_line(data: bytes, most: int = 200) -> str:
    """The bytes as one line of text, of so many characters at the most."""
    text = data[: most * 4 + 4].decode(errors="replace").strip()
    text = "".join(char if char.isprintable() else "\N{REPLACEMENT CHARACTER}" for char in text)
    return text if len(text) <= most else f"{text[: most - 1]}…"


def how_it_ended(code: int) -> str:
    """In words: `exit status 3`, `killed by SIGSEGV`."""
    if code >= 0:
        return f"exit status {code}"
    try:
        return f"killed by {signal.Signals(-code).name}"
    except ValueError:
        return f"killed by signal {-code}"
