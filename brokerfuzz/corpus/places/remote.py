"""Reads and writes files and folders at URLs that fsspec supports: `s3://bucket/corpus.ndjson`, `gs://…`,
`memory://…`.
"""

import json
from collections.abc import Callable, Container, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from errno import ENOENT
from io import SEEK_SET, BufferedReader, RawIOBase
from os import strerror
from typing import TYPE_CHECKING, Any, BinaryIO, cast

from brokerfuzz.atomic_files import temporary_name
from brokerfuzz.corpus.places.place import Create, Place
from brokerfuzz.errors import BrokerfuzzError, CorpusError, needs_extra

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

_ATOMIC = frozenset({"s3", "s3a", "gs", "gcs", "memory"})
"""The kinds of URLs where a file appears only when it is complete. At other URLs, the file has a temporary name until
it is complete.
"""
_BLOCK = 16 * 1024 * 1024
"""The number of bytes that one request writes."""
_READ = 128 * 1024
"""The number of bytes that one request reads. The store may read more bytes in advance."""
UNFINISHED = ".unfinished"
"""The name of a file that exists while brokerfuzz writes a folder. The file lists the user's own files in this folder,
which must not be deleted.
"""
_FIRST_LINE = b"being written, or left so: no whole corpus\n"
"""The first line of the file `UNFINISHED`. After this line comes a JSON array with the names of the user's own
files.
"""


def remote_place(url: str) -> "RemotePlace":
    """Raises `CorpusError` if fsspec, or its package for this kind of URL, is missing."""
    try:
        from fsspec.core import url_to_fs
    except ImportError as problem:
        raise CorpusError(needs_extra("a corpus at a URL", problem, "remote")) from problem
    with _store_errors(url, "used"):
        try:
            system, key = url_to_fs(url)
        except ImportError as problem:
            raise CorpusError(
                f"{url} cannot be used, because a package for such URLs is missing ({problem}): install it"
            ) from problem
        return RemotePlace(system, key.rstrip("/"), url.rstrip("/"))


@dataclass(frozen=True)
class RemotePlace:
    """A file or a folder in a store. `key` is the path of the place in the store."""

    system: Any
    key: str
    name: str

    @property
    def base(self) -> str:
        return self.name.rpartition("/")[2]

    def beside(self, name: str) -> "RemotePlace":
        return RemotePlace(
            self.system, f"{self.key.rpartition('/')[0]}/{name}", f"{self.name.rpartition('/')[0]}/{name}"
        )

    def check_file(self, *, force: bool) -> None:
        with _store_errors(self.name, "used"):
            if self.system.isdir(self.key):
                raise CorpusError(f"{self.name} is a folder: specify a file to write the corpus to")
            if not force and self.system.exists(self.key):
                raise CorpusError(f"{self.name} already exists: add --force to replace it, or specify another file")

    def check_folder(self, is_corpus: Callable[[Place], bool], *, force: bool) -> None:
        with _store_errors(self.name, "used"):
            if self.system.isfile(self.key):
                raise CorpusError(
                    f"{self.name} exists but is not a folder, and this format writes a folder: specify another name"
                )
            if self.system.exists(self.key) and self.system.ls(self.key, detail=False):
                if not (is_corpus(self) or self._is_unfinished()):
                    raise CorpusError(
                        f"{self.name} is a folder that is not a corpus, or its manifest is missing: specify another "
                        "folder, or delete this one"
                    )
                if not force:
                    raise CorpusError(
                        f"{self.name} already exists: add --force to replace it, or specify another folder"
                    )

    @contextmanager
    def file(self) -> Iterator[BinaryIO]:
        protocols = self.system.protocol if isinstance(self.system.protocol, tuple | list) else (self.system.protocol,)
        with self._committed() if _ATOMIC & set(protocols) else self._renamed() as stream:
            yield cast(BinaryIO, stream)

    @contextmanager
    def _committed(self) -> Iterator["_RemoteStream"]:
        with _store_errors(self.name):
            stream = self.system.open(self.key, "wb", autocommit=False, block_size=_BLOCK)
        try:
            yield _RemoteStream(self.name, stream)
            with _store_errors(self.name):
                stream.close()
                stream.commit()
        except BaseException:
            with _store_errors(self.name):
                stream.discard()
            raise

    @contextmanager
    def _renamed(self) -> Iterator["_RemoteStream"]:
        folder, _, name = self.key.rpartition("/")
        part = f"{folder}/{temporary_name(name, 'part')}"
        with _store_errors(self.name):
            stream = self.system.open(part, "wb", block_size=_BLOCK)
        try:
            yield _RemoteStream(self.name, stream)
            with _store_errors(self.name):
                stream.close()
                self.system.mv(part, self.key)
        except BaseException:
            with _store_errors(self.name):
                stream.close()
                self.system.rm_file(part)
            raise

    @contextmanager
    def folder(self, manifest: str, former: Container[str]) -> Iterator[Create]:
        marker, created = self._below(UNFINISHED), {UNFINISHED}
        before = self._names()
        staying = self._files_to_keep() if UNFINISHED in before else {name for name in before if name not in former}
        with marker.file() as stream:
            stream.write(_FIRST_LINE + json.dumps(sorted(staying)).encode())
        self._below(manifest).remove()

        def create(name: str) -> AbstractContextManager[BinaryIO]:
            created.add(name)
            return self._below(name).file()

        yield create
        with _store_errors(self.name):
            for name in before - staying - created:
                self.system.rm_file(self._below(name).key)
        marker.remove()

    def _names(self) -> set[str]:
        key = self.key.strip("/")
        with _store_errors(self.name, "used"):
            return {found.strip("/").removeprefix(f"{key}/") for found in self.system.find(self.key)}

    def _is_unfinished(self) -> bool:
        try:
            with self.opened(UNFINISHED) as stream:
                return stream.read(len(_FIRST_LINE)) == _FIRST_LINE
        except FileNotFoundError:
            return False

    def _files_to_keep(self) -> set[str]:
        with self.opened(UNFINISHED) as stream:
            said = stream.read(_BLOCK)
        try:
            return set(map(str, json.loads(said.removeprefix(_FIRST_LINE))))
        except (ValueError, TypeError) as problem:
            raise CorpusError(
                f"{self.name}/{UNFINISHED} is damaged, so brokerfuzz does not know which files in this folder it must "
                "not delete: remove the folder, "
                "or specify another folder"
            ) from problem

    def _below(self, name: str) -> "RemotePlace":
        return RemotePlace(self.system, f"{self.key}/{name}", f"{self.name}/{name}")

    @contextmanager
    def opened(self, below: str = "") -> Iterator[BufferedReader]:
        try:
            with _store_errors(self.name, "read", FileNotFoundError):
                key = f"{self.key}/{below}" if below else self.key
                if self.system.info(key)["type"] == "directory":
                    raise CorpusError(
                        f"{self.name} is a folder, and brokerfuzz reads only files from URLs: copy the folder to this "
                        "machine first"
                    )
                stream = self.system.open(key, "rb")
        except FileNotFoundError as problem:
            raise FileNotFoundError(ENOENT, strerror(ENOENT), self.name) from problem
        with stream, cast("BufferedReader", BufferedReader(_RemoteSource(self.name, stream), _READ)) as buffered:
            yield buffered

    def remove(self) -> None:
        with _store_errors(self.name):
            if self.system.exists(self.key):
                self.system.rm(self.key, recursive=True)


class _RemoteStream:
    """An output stream whose errors contain the URL of the file."""

    def __init__(self, name: str, stream: Any) -> None:
        self._name, self._stream = name, stream

    def write(self, data: bytes) -> int:
        with _store_errors(self._name):
            self._stream.write(data)
            return len(data)

    def flush(self) -> None:
        """Does nothing, because the store decides when to send the bytes."""


class _RemoteSource(RawIOBase):
    """An input stream whose errors contain the URL of the file."""

    def __init__(self, name: str, stream: Any) -> None:
        self._name, self._stream = name, stream

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = SEEK_SET, /) -> int:
        with _store_errors(self._name, "read"):
            return int(self._stream.seek(offset, whence))

    def readinto(self, buffer: "WriteableBuffer") -> int:
        view = memoryview(buffer)
        with _store_errors(self._name, "read"):
            data = self._stream.read(len(view))
        view[: len(data)] = data
        return len(data)


@contextmanager
def _store_errors(url: str, what: str = "written", *passed: type[Exception]) -> Iterator[None]:
    """Converts any error of a store to a `CorpusError`, because the types of the errors differ between stores."""
    known: tuple[type[Exception], ...] = (BrokerfuzzError, *passed)
    try:
        yield
    except known:
        raise
    except Exception as problem:
        if isinstance(problem, NotImplementedError):
            raise CorpusError(
                f"{url} cannot be {what}: fsspec does not support this operation for this kind of URL; specify "
                "another URL or a file"
            ) from problem
        said = " ".join(str(problem).split()) or "the store gives no reason"
        raise CorpusError(f"{url} cannot be {what}: {said}; check the URL and your permissions") from problem
