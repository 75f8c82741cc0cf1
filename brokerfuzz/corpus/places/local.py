"""Files and folders of this machine."""

import os
import shutil
from collections.abc import Callable, Container, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from io import BufferedReader
from pathlib import Path
from typing import BinaryIO

from brokerfuzz.atomic_files import own_name, uninterrupted, whole
from brokerfuzz.corpus.places.place import Create, Place
from brokerfuzz.errors import CorpusError


@dataclass(frozen=True)
class LocalPlace:
    """A path. What is written has a name of its own beside it first, which begins with a dot and ends in `.part`."""

    path: Path

    @property
    def name(self) -> str:
        """The path."""
        return str(self.path)

    @property
    def base(self) -> str:
        """The last part of the path."""
        return self.path.name

    def beside(self, name: str) -> "LocalPlace":
        """The path of this name in the same folder. Raises `CorpusError`."""
        self._check_name()
        return LocalPlace(self.path.with_name(name))

    def check_file(self, *, force: bool) -> None:
        """Raises `CorpusError` where no file may be written."""
        self._check_around()
        if self.path.is_dir():
            raise CorpusError(f"{self.path} is a folder: name the file that the corpus is to be written to")
        if os.path.lexists(self.path):
            if not self.path.is_file():
                raise CorpusError(f"{self.path} is there and is no file: name one, or - for standard output")
            if not force:
                raise CorpusError(f"{self.path} is there already: add --force to replace it, or name another file")

    def check_folder(self, is_corpus: Callable[[Place], bool], *, force: bool) -> None:
        """Raises `CorpusError` where no folder may be written."""
        self._check_around()
        if os.path.lexists(self.path) and not self.path.is_dir():
            raise CorpusError(f"{self.path} is there and is no folder, which this format is: name another one")
        if self.path.is_dir() and any(self.path.iterdir()):
            if not is_corpus(self):
                raise CorpusError(f"{self.path} is a folder with other files than a corpus, or lacks its manifest: name another one, or remove it")
            if not force:
                raise CorpusError(f"{self.path} is there already: add --force to replace it, or name another folder")

    def _check_around(self) -> None:
        """So that it is not found out when all cases have been made."""
        self._check_name()
        if not self.path.parent.is_dir():
            raise CorpusError(f"{self.path} cannot be written: there is no folder {self.path.parent}; make it, or name another one")
        if not os.access(self.path.parent, os.W_OK | os.X_OK):
            raise CorpusError(f"{self.path} cannot be written: the folder {self.path.parent} is not yours to write to; choose another one")

    def _check_name(self) -> None:
        if self.path.name in ("", ".."):
            raise CorpusError(f"{self.path} has no name that something could be written under: name a file or a folder in it")

    @contextmanager
    def file(self) -> Iterator[BinaryIO]:
        """A stream to the file. Raises `CorpusError`."""
        with self._told(), whole(self.path) as stream:
            yield stream

    @contextmanager
    def folder(self, manifest: str, former: Container[str]) -> Iterator[Create]:
        """What creates files of the folder, which takes its name once all are written, and then what is not `former`. Raises `CorpusError`."""
        part, old = (self.path.with_name(own_name(self.path.name, end)) for end in ("part", "old"))

        @contextmanager
        def create(name: str) -> Iterator[BinaryIO]:
            path = part / name
            path.parent.mkdir(parents=True, exist_ok=True)
            with path.open("xb") as stream:
                yield stream

        with self._told():
            part.mkdir()
            try:
                yield create
                with uninterrupted():
                    self._replace_by(part, old, former)
            finally:
                with uninterrupted():
                    _forget(part)

    def _replace_by(self, part: Path, old: Path, former: Container[str]) -> None:
        """Puts a folder in the place of what is there, which is called `old` until what others have put into it has been moved."""
        with suppress(FileNotFoundError):
            self.path.replace(old)
        try:
            part.replace(self.path)
        except BaseException:
            with suppress(FileNotFoundError):
                old.replace(self.path)
            raise
        if old.is_dir() and not old.is_symlink():  # behind a link it stays where it is
            try:
                _carry(old, self.path, former)
            except OSError as problem:
                reason = problem.strerror or problem
                raise CorpusError(f"{self.path} is written, but what others had put into it could not be moved ({reason}): see {old}") from problem
        _forget(old)

    @contextmanager
    def opened(self, below: str = "") -> Iterator[BufferedReader]:
        """A stream from the file, or from one below the folder. Raises `FileNotFoundError`, `CorpusError`."""
        path = self.path / below if below else self.path
        try:
            if path.exists() and not path.is_file():
                raise CorpusError(f"{path} is no file, where one was expected: remove it, or name another corpus")
            with path.open("rb") as stream:
                yield stream
        except (FileNotFoundError, NotADirectoryError) as problem:
            raise FileNotFoundError(str(path)) from problem
        except OSError as problem:
            raise CorpusError(f"{path} cannot be read: {problem.strerror or problem}; remove it, or name another corpus") from problem

    def remove(self) -> None:
        """Takes it away. Raises `CorpusError`."""
        with self._told():
            _remove(self.path)

    @contextmanager
    def _told(self) -> Iterator[None]:
        try:
            yield
        except OSError as problem:
            reason = problem.strerror or problem
            raise CorpusError(f"{self.path} cannot be written: {reason}; choose a folder that is there and yours, with room in it") from problem


def _carry(old: Path, new: Path, former: Container[str], below: str = "") -> None:
    """Moves what is not `former`, and has no new one of its name, to the new folder."""
    for path in sorted(old.iterdir()):
        name, target = f"{below}{path.name}", new / path.name
        if path.is_dir() and not path.is_symlink() and (name in former or target.is_dir()):
            _carry(path, target, former, f"{name}/")
        elif name not in former and not os.path.lexists(target):
            new.mkdir(parents=True, exist_ok=True)
            path.rename(target)


def _forget(path: Path) -> None:
    with suppress(OSError):
        _remove(path)


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)
