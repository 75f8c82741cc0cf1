"""Files and folders of stores that fsspec knows, by URLs: `s3://bucket/corpus.ndjson`, `gs://…`, `memory://…`."""

import json
from collections.abc import Callable, Container, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from errno import ENOENT
from io import SEEK_SET, BufferedReader, RawIOBase
from os import strerror
from typing import TYPE_CHECKING, Any, BinaryIO, cast

from brokerfuzz.atomic_files import own_name
from brokerfuzz.corpus.places.place import Create, Place
from brokerfuzz.errors import BrokerfuzzError, CorpusError

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

_ATOMIC = frozenset({"s3", "s3a", "gs", "gcs", "memory"})
"""The protocols whose uploads show when they are committed. In other stores a file has a name of its own until it is whole."""
_BLOCK = 16 * 1024 * 1024
"""Bytes that are sent at a time."""
_READ = 128 * 1024
"""Bytes that are asked for at a time; the store's own package may read ahead."""
UNFINISHED = ".unfinished"
"""The file that a folder has as long as it is written to: so one that was left can be told from one that is no corpus, and what is to stay there."""
_SAID = b"being written, or left so: no whole corpus\n"
"""What it begins with. The names of the files that are to stay follow, as JSON."""


def remote_place(url: str) -> "RemotePlace":
    """The place of a URL. Raises `CorpusError`."""
    try:
        from fsspec.core import url_to_fs
    except ImportError as problem:
        raise CorpusError("a corpus at a URL needs fsspec: pip install 'brokerfuzz[remote]'") from problem
    with _told(url, "used"):
        try:
            system, key = url_to_fs(url)
        except ImportError as problem:
            raise CorpusError(f"{url} cannot be used: a package for such URLs is missing ({problem})") from problem
        return RemotePlace(system, key.rstrip("/"), url.rstrip("/"))


@dataclass(frozen=True)
class RemotePlace:
    """A key of a store."""

    system: Any
    key: str
    name: str

    @property
    def base(self) -> str:
        """The last part of the URL."""
        return self.name.rpartition("/")[2]

    def beside(self, name: str) -> "RemotePlace":
        """The key of this name in the same folder."""
        return RemotePlace(self.system, f"{self.key.rpartition('/')[0]}/{name}", f"{self.name.rpartition('/')[0]}/{name}")

    def check_file(self, *, force: bool) -> None:
        """Raises `CorpusError` where there is something that is not to be replaced."""
        with self._told("used"):
            if self.system.isdir(self.key):
                raise CorpusError(f"{self.name} is a folder: name the file that the corpus is to be written to")
            if not force and self.system.exists(self.key):
                raise CorpusError(f"{self.name} is there already: add --force to replace it, or name another file")

    def check_folder(self, is_corpus: Callable[[Place], bool], *, force: bool) -> None:
        """Raises `CorpusError` where there is something that is no corpus, or is not to be replaced."""
        with self._told("used"):
            if self.system.isfile(self.key):
                raise CorpusError(f"{self.name} is there and is no folder, which this format is: name another one")
            if self.system.exists(self.key) and self.system.ls(self.key, detail=False):
                if not (is_corpus(self) or self._is_unfinished()):
                    raise CorpusError(
                        f"{self.name} is a folder with other files than a corpus, or lacks its manifest: name another one, or remove it"
                    )
                if not force:
                    raise CorpusError(f"{self.name} is there already: add --force to replace it, or name another folder")

    @contextmanager
    def file(self) -> Iterator[BinaryIO]:
        """A stream to the file. Raises `CorpusError`."""
        protocols = self.system.protocol if isinstance(self.system.protocol, tuple | list) else (self.system.protocol,)
        with self._committed() if _ATOMIC & set(protocols) else self._renamed() as stream:
            yield cast(BinaryIO, stream)

    @contextmanager
    def _committed(self) -> Iterator["_RemoteStream"]:
        with self._told():
            stream = self.system.open(self.key, "wb", autocommit=False, block_size=_BLOCK)
        try:
            yield _RemoteStream(self.name, stream)
            with self._told():
                stream.close()
                stream.commit()
        except BaseException:
            with self._told():
                stream.discard()
            raise

    @contextmanager
    def _renamed(self) -> Iterator["_RemoteStream"]:
        folder, _, name = self.key.rpartition("/")
        part = f"{folder}/{own_name(name, 'part')}"
        with self._told():
            stream = self.system.open(part, "wb", block_size=_BLOCK)
        try:
            yield _RemoteStream(self.name, stream)
            with self._told():
                stream.close()
                self.system.mv(part, self.key)
        except BaseException:
            with self._told():
                stream.close()
                self.system.rm_file(part)
            raise

    @contextmanager
    def folder(self, manifest: str, former: Container[str]) -> Iterator[Create]:
        """What creates the files of the folder under their names; its manifest, which tells that it is whole, is the last. Raises `CorpusError`."""
        marker, created = self._below(UNFINISHED), {UNFINISHED}
        before = self._names()
        staying = self._left_staying() if UNFINISHED in before else {name for name in before if name not in former}
        with marker.file() as stream:
            stream.write(_SAID + json.dumps(sorted(staying)).encode())
        self._below(manifest).remove()

        def create(name: str) -> AbstractContextManager[BinaryIO]:
            created.add(name)
            return self._below(name).file()

        yield create
        with self._told():
            for name in before - staying - created:
                self.system.rm_file(self._below(name).key)
        marker.remove()

    def _names(self) -> set[str]:
        """Of the files of the folder."""
        key = self.key.strip("/")
        with self._told("used"):
            return {found.strip("/").removeprefix(f"{key}/") for found in self.system.find(self.key)}

    def _is_unfinished(self) -> bool:
        try:
            with self.opened(UNFINISHED) as stream:
                return stream.read(len(_SAID)) == _SAID
        except FileNotFoundError:
            return False

    def _left_staying(self) -> set[str]:
        """The files that were to stay in a folder that was left unfinished."""
        with self.opened(UNFINISHED) as stream:
            said = stream.read(_BLOCK)
        try:
            return set(map(str, json.loads(said.removeprefix(_SAID))))
        except (ValueError, TypeError) as problem:
            raise CorpusError(f"{self.name}/{UNFINISHED} does not say what is to stay: remove the folder, or name another one") from problem

    def _below(self, name: str) -> "RemotePlace":
        return RemotePlace(self.system, f"{self.key}/{name}", f"{self.name}/{name}")

    @contextmanager
    def opened(self, below: str = "") -> Iterator[BufferedReader]:
        """A stream from the file, or from one below the folder. Raises `FileNotFoundError`, `CorpusError`."""
        try:
            with _told(self.name, "read", FileNotFoundError):
                key = f"{self.key}/{below}" if below else self.key
                if self.system.info(key)["type"] == "directory":
                    raise CorpusError(f"{self.name} is a folder, and at a URL only files are read: copy it here first")
                stream = self.system.open(key, "rb")
        except FileNotFoundError as problem:
            raise FileNotFoundError(ENOENT, strerror(ENOENT), self.name) from problem
        with stream, cast("BufferedReader", BufferedReader(_Source(self.name, stream), _READ)) as buffered:
            yield buffered

    def remove(self) -> None:
        """Takes it away. Raises `CorpusError`."""
        with self._told():
            if self.system.exists(self.key):
                self.system.rm(self.key, recursive=True)

    @contextmanager
    def _told(self, what: str = "written") -> Iterator[None]:
        with _told(self.name, what):
            yield


class _RemoteStream:
    """A stream to a store, whose errors say where it is."""

    def __init__(self, name: str, stream: Any) -> None:
        self._name, self._stream = name, stream

    def write(self, data: bytes) -> int:
        """Writes bytes. Raises `CorpusError`."""
        with _told(self._name, "written"):
            self._stream.write(data)
            return len(data)

    def flush(self) -> None:
        """A store takes what it has when it has enough."""


class _Source(RawIOBase):
    """A stream from a store, whose errors say where it is."""

    def __init__(self, name: str, stream: Any) -> None:
        self._name, self._stream = name, stream

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = SEEK_SET, /) -> int:
        """Goes to another place. Raises `CorpusError`."""
        with _told(self._name, "read"):
            return int(self._stream.seek(offset, whence))

    def readinto(self, buffer: "WriteableBuffer") -> int:
        """Reads the next bytes. Raises `CorpusError`."""
        view = memoryview(buffer)
        with _told(self._name, "read"):
            data = self._stream.read(len(view))
        view[: len(data)] = data
        return len(data)


@contextmanager
def _told(url: str, what: str, *passed: type[Exception]) -> Iterator[None]:
    """What goes wrong in a store is an error of the user's: each kind of store raises errors of its own kind."""
    known: tuple[type[Exception], ...] = (BrokerfuzzError, *passed)
    try:
        yield
    except known:
        raise
    except Exception as problem:
        if isinstance(problem, NotImplementedError):
            raise CorpusError(f"{url} cannot be {what}: such URLs do not allow it; name another place") from problem
        said = " ".join(str(problem).split()) or type(problem).__name__
        raise CorpusError(f"{url} cannot be {what}: {said}; see that the URL is right, and what lies there yours") from problem
