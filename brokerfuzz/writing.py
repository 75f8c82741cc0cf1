"""Files that are whole or not there, and bytes that are written while the next ones are made."""

import os
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO, Protocol


@contextmanager
def whole(path: Path) -> Iterator[BinaryIO]:
    """A stream to a file of a name of its own beside `path`, which takes the name `path` once all is written and on the disk.

    An existing file is replaced. Whatever is raised, nothing is left behind.
    """
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        with part.open("xb") as stream:
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
        part.replace(path)
    finally:
        with suppress(OSError):
            part.unlink(missing_ok=True)


class _Writable(Protocol):
    def write(self, data: bytes, /) -> int: ...


def write_behind(stream: _Writable, pieces: Iterable[bytes]) -> None:
    """Writes pieces, each while the next one is made: the system that writes, and a checksum, leave the interpreter to others meanwhile."""
    with ThreadPoolExecutor(1) as writer:
        last: Future[int] | None = None
        for piece in pieces:
            if last is not None:
                last.result()
            last = writer.submit(stream.write, piece)
        if last is not None:
            last.result()
