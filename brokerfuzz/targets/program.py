"""Runs a program in its own process group, and talks to it through pipes.

The methods of `Program` block, so targets call them in threads. asyncio's subprocesses need more than twice the
processor time, and uvloop connects programs to sockets, which they cannot open as `/dev/stdin`.
"""

import os
import signal
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import suppress
from selectors import EVENT_READ, EVENT_WRITE, DefaultSelector
from time import monotonic
from typing import IO, Any, cast

from brokerfuzz.targets.answers import EXCERPT
from brokerfuzz.targets.secret_masking import Secrets

_CHUNK = 65536
_KEPT = 4 * EXCERPT
"""The number of bytes in which secrets are replaced. The rest would not fit into an excerpt."""
_POLLING = 0.05
"""The number of seconds after which brokerfuzz checks whether a program has ended, if a child process of the program
still holds its pipes.
"""


def cores() -> int:
    affinity = getattr(os, "sched_getaffinity", None)  # macOS lacks this function
    return len(affinity(0)) if affinity else os.cpu_count() or 1


class Excerpt:
    """Keeps a limited number of bytes from the beginning and from the end of a program's output, without `secrets`."""

    def __init__(self, secrets: Secrets) -> None:
        self._secrets = secrets
        self._beginning = self._end = b""
        self._size = 0

    def add(self, data: bytes) -> None:
        self._size += len(data)
        self._beginning = (self._beginning + data[:_KEPT])[:_KEPT]
        self._end = (self._end + data)[-_KEPT:]

    @property
    def head(self) -> bytes:
        return self._secrets.excerpt(self._beginning, EXCERPT)

    @property
    def tail(self) -> bytes:
        """The end of the output. brokerfuzz would not recognize a secret whose
        beginning is missing.
        """
        return self._ending[-EXCERPT:]

    @property
    def _ending(self) -> bytes:
        end = self._end if self._size <= _KEPT else self._end.partition(b"\n")[2]
        return self._secrets.excerpt(end, _KEPT)

    @property
    def reason_line(self) -> str:
        """The last line of a Python traceback, which contains the error. For any other output, the first line that is
        not empty.
        """
        line = next((line for line in self.head.splitlines() if line.strip()), b"")
        return self.last_line if line.startswith(b"Traceback (most recent") else in_one_line(line)

    @property
    def last_line(self) -> str:
        return in_one_line(next((line for line in reversed(self._ending.splitlines()) if line.strip()), b""))


class Program:
    """A program that runs or has ended. `errors` contains an excerpt of its standard error, without `secrets`.

    Only one thread at a time may talk to the program, but any thread may kill it. Raises `OSError` if the program
    cannot be started.
    """

    def __init__(self, path: str, words: Sequence[str], secrets: Secrets) -> None:
        self.errors = Excerpt(secrets)
        self._process = subprocess.Popen(
            words,
            executable=path,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            bufsize=0,
            env={"PYTHONUNBUFFERED": "1", **os.environ},
            start_new_session=True,
        )
        pipes = self._process.stdin, self._process.stdout, self._process.stderr
        self._input, self._output, self._errors = (cast("IO[bytes]", pipe) for pipe in pipes)
        os.set_blocking(self._input.fileno(), False)
        self._unwritten, self._closes_input = memoryview(b""), False
        self._selector = DefaultSelector()
        self._selector.register(self._output, EVENT_READ)
        self._selector.register(self._errors, EVENT_READ)

    def talk(self, data: bytes, seconds: float, *, closes_input: bool = False) -> Iterator[bytes]:
        """Writes `data` to the program, and yields its output until the program ends, or closes standard output and
        standard error. Raises `TimeoutError` if this takes longer than `seconds`.
        """
        self._unwritten, self._closes_input = memoryview(data), closes_input
        self._selector.register(self._input, EVENT_WRITE)
        try:
            yield from self._output_until(monotonic() + seconds)
        finally:  # the caller may have its answer before anything was written
            self._stop_writing()

    def _output_until(self, until: float) -> Iterator[bytes]:
        while any(key.events == EVENT_READ for key in self._selector.get_map().values()):
            has_ended = self.has_ended
            remaining = until - monotonic()
            for key, _ in self._selector.select(0 if has_ended else max(min(remaining, _POLLING), 0)):
                if key.fileobj is self._input:
                    self._write()
                else:
                    yield from self._read(key.fileobj)
            if has_ended:
                break
            if remaining <= 0:
                raise TimeoutError

    @property
    def has_ended(self) -> bool:
        return self._process.poll() is not None

    @property
    def can_continue(self) -> bool:
        """Returns whether the program can receive a further message: it still runs, and has read the last message."""
        return not self._unwritten and not self._input.closed and not self.has_ended

    def exit_code(self, seconds: float) -> int | None:
        """Waits for the end of the program, and returns its exit status, or the negative number of the signal that
        ended it. Returns None if the program still runs after this time.
        """
        try:
            return self._process.wait(seconds)
        except subprocess.TimeoutExpired:
            return None

    def unrequested_output(self) -> bytes:
        """Returns what the program has written since its last answer."""
        return b"".join(chunk for key, _ in self._selector.select(0) for chunk in self._read(key.fileobj))

    def close_input(self) -> None:
        self._input.close()

    def kill(self) -> None:
        """Kills the program with its child processes."""
        with suppress(ProcessLookupError, PermissionError):  # macOS raises PermissionError for a group that has ended
            os.killpg(self._process.pid, signal.SIGKILL)

    def close(self) -> None:
        """Kills the program with its child processes, and closes the pipes."""
        self.kill()
        self._process.wait()
        self._selector.close()
        for pipe in (self._input, self._output, self._errors):
            pipe.close()

    def _read(self, pipe: Any) -> Iterator[bytes]:
        """Reads from an output pipe, and yields the bytes if they are standard output."""
        data = os.read(pipe.fileno(), _CHUNK)
        if not data:
            self._selector.unregister(pipe)
        elif pipe is self._output:
            yield data
        else:
            self.errors.add(data)

    def _write(self) -> None:
        """Writes as many bytes as the pipe accepts."""
        try:
            self._unwritten = self._unwritten[os.write(self._input.fileno(), self._unwritten) :]
        except BlockingIOError:
            return
        except BrokenPipeError:  # the program has closed its input
            self._unwritten, self._closes_input = memoryview(b""), True
        if not self._unwritten:
            self._stop_writing()
            if self._closes_input:
                self._input.close()

    def _stop_writing(self) -> None:
        with suppress(KeyError, ValueError):  # everything is written, or the input is closed
            self._selector.unregister(self._input)


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
