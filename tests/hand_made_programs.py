import asyncio
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
from waiting import happens

from brokerfuzz.targets import Answer, Target
from brokerfuzz.targets.target import opened

SECONDS = 30.0
"""The maximum number of seconds to wait for an event. Programs that imitate a hang sleep for a longer time."""


def python(code: str, *arguments: str) -> list[str]:
    """Returns the command for a Python program that starts fast."""
    return [sys.executable, "-ISc", code, *arguments]


def answers(target: Target, *bodies: bytes, at_once: bool = False) -> list[Answer]:
    async def ask() -> list[Answer]:
        async with opened(target):
            if at_once:
                return await asyncio.gather(*(target.send(body) for body in bodies))
            return [await target.send(body) for body in bodies]

    return asyncio.run(ask())


def answer(target: Target, body: bytes = b"{}") -> Answer:
    return answers(target, body)[0]


def cancelled_after(target: Target, files: int, folder: Path, *bodies: bytes) -> None:
    """Sends all `bodies`. When the programs have written `files` files to the folder, cancels the sending, as Ctrl-C
    does.
    """

    async def ask() -> None:
        async with opened(target):
            sent = asyncio.gather(*(target.send(body) for body in bodies))
            until = time.monotonic() + SECONDS
            while len(list(folder.iterdir())) < files and time.monotonic() < until:
                await asyncio.sleep(0.01)
            sent.cancel()
            with suppress(asyncio.CancelledError):
                await sent

    asyncio.run(ask())


def shown_on_a_terminal(
    command: list[str], environment: Mapping[str, str], stdout: int | None = None, until: str = "$^"
) -> str:
    """Runs a command, and returns what it shows on a terminal until it ends. Its output can go elsewhere. Interrupts the
    command when it has shown a text that matches the regular expression `until`.
    """
    pty = pytest.importorskip("pty", reason="this system has no pseudo-terminals")
    ours, theirs = pty.openpty()
    streams = {"stdout": theirs if stdout is None else stdout, "stderr": theirs}
    shown = b""
    is_interrupted = False
    with (
        os.fdopen(ours, "rb", buffering=0) as terminal,
        subprocess.Popen(command, **streams, env=environment) as process,
    ):
        os.close(theirs)
        with suppress(OSError):  # the terminal is closed
            while chunk := terminal.read(65536):
                shown += chunk
                if not is_interrupted and re.search(until.encode(), shown):
                    is_interrupted = True
                    process.send_signal(signal.SIGINT)
    return shown.decode()


def is_alive(pid: int) -> bool:
    """A zombie process is not alive."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except (FileNotFoundError, ProcessLookupError):
        return False


def dies(pid: int) -> bool:
    """Waits up to `SECONDS`."""
    return happens(lambda: not is_alive(pid), SECONDS)


@contextmanager
def nothing_left_behind() -> Iterator[None]:
    """Fails if the block leaves child processes (including zombies) or open files behind."""
    before = _children(), _descriptors()
    yield
    assert happens(lambda: _children() <= before[0], SECONDS), _children()
    assert _descriptors() == before[1]


def _children() -> set[str]:
    found = set[str]()
    for task in Path("/proc/self/task").iterdir():
        with suppress(FileNotFoundError, ProcessLookupError):  # the thread has ended in the meantime
            found.update((task / "children").read_text().split())
    return found


def _descriptors() -> int:
    return len(os.listdir("/proc/self/fd"))  # noqa: PTH208  (the descriptor of the listing itself always counts)
