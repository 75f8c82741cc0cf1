"""Removes secrets from what Python code prints while hooks, applications and functions of the user run."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from io import BufferedWriter, RawIOBase, TextIOWrapper
from typing import TYPE_CHECKING, TextIO

from brokerfuzz.targets.secret_masking import Secrets

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer


@contextmanager
def output_without_secrets(secrets: Secrets) -> Iterator[None]:
    """In a `with` block, what Python code prints goes to standard error, without secrets."""
    hiding = _Hiding(sys.stderr, secrets)
    # The stream stays open, because an application may have passed it to a logger.
    stream = TextIOWrapper(BufferedWriter(hiding), sys.stderr.encoding, "backslashreplace", line_buffering=True)
    with redirect_stdout(stream), redirect_stderr(stream):
        try:
            yield
        finally:
            stream.flush()
            hiding.finish()


class _Hiding(RawIOBase):
    """Writes to a stream, without secrets. Holds back the last bytes if a secret may begin with them."""

    def __init__(self, stream: TextIO, secrets: Secrets) -> None:
        self._stream = stream
        self._secrets = secrets
        self._rest = b""

    def writable(self) -> bool:
        return True

    def isatty(self) -> bool:
        return self._stream.isatty()

    def fileno(self) -> int:
        return self._stream.fileno()

    def write(self, data: "ReadableBuffer", /) -> int:
        masks = self._secrets.masks
        text = masks.hidden(self._rest + bytes(data))
        complete = len(text) - masks.begun(text)
        self._rest = text[complete:]
        self._put(text[:complete])
        return memoryview(data).nbytes

    def finish(self) -> None:
        self._put(self._rest)
        self._rest = b""

    def _put(self, text: bytes) -> None:
        self._stream.buffer.write(text)
        self._stream.buffer.flush()
