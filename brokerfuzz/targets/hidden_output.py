"""Removes secrets from what Python code prints while hooks, applications and functions of the user run."""

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from io import BufferedWriter, RawIOBase, TextIOWrapper
from typing import TYPE_CHECKING, TextIO

from brokerfuzz.targets.masks import Masks

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer


@contextmanager
def output_without_secrets(secrets: Sequence[Callable[[], Masks]]) -> Iterator[None]:
    """In a `with` block, what Python code prints goes to standard error, without secrets. The functions are called for
    each text, because hooks may return more secrets later.
    """
    raw = _WithoutSecrets(sys.stderr, secrets)
    # The stream stays open, because an application may have passed it to a logger.
    stream = TextIOWrapper(BufferedWriter(raw), sys.stderr.encoding, "backslashreplace", line_buffering=True)
    with redirect_stdout(stream), redirect_stderr(stream):
        try:
            yield
        finally:
            stream.flush()


class _WithoutSecrets(RawIOBase):
    """Removes secrets from each text, usually a line, and writes it to another stream."""

    def __init__(self, stream: TextIO, secrets: Sequence[Callable[[], Masks]]) -> None:
        self._stream = stream
        self._secrets = secrets

    def writable(self) -> bool:
        return True

    def isatty(self) -> bool:
        return self._stream.isatty()

    def fileno(self) -> int:
        return self._stream.fileno()

    def write(self, data: "ReadableBuffer", /) -> int:
        text = bytes(data)
        for masks in self._secrets:
            text = masks().hidden(text)
        self._stream.buffer.write(text)
        self._stream.buffer.flush()
        return memoryview(data).nbytes
