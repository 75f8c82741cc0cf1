"""Writes files and folders on this machine."""

import os
import shutil
from collections.abc import Callable, Container, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from io import BufferedReader
from pathlib import Path
from typing import BinaryIO

from brokerfuzz.atomic_files import atomic_file, held, remove_leftovers, temporary_name, uninterrupted
from brokerfuzz.corpus.places.folder_swap import keep_user_files, replace_folder
from brokerfuzz.corpus.places.place import Create, Place
from brokerfuzz.errors import CorpusError


@dataclass(frozen=True)
class LocalPlace:
    """A file or a folder at a path. Until the file or folder is complete, it has a temporary name that begins with a
    dot and ends in `.part`.
    """

    path: Path

    @property
    def name(self) -> str:
        return str(self.path)

    @property
    def base(self) -> str:
        return self.path.name

    def beside(self, name: str) -> "LocalPlace":
        """Raises `CorpusError` if `path` does not end in the name of a file or folder: for example, if it ends in
        `..`.
        """
        self._check_name()
        return LocalPlace(self.path.with_name(name))

    def check_file(self, *, force: bool) -> None:
        self._check_folder_exists()
        if self.path.is_dir():
            raise CorpusError(f"{self.path} is a folder: specify a file to write the corpus to")
        if os.path.lexists(self.path):
            if not self.path.is_file():
                raise CorpusError(f"{self.path} exists but is not a file: specify a file, or - for standard output")
            if not force:
                raise CorpusError(f"{self.path} already exists: add --force to replace it, or specify another file")

    def check_folder(self, is_corpus: Callable[[Place], bool], *, force: bool) -> None:
        self._check_folder_exists()
        if os.path.lexists(self.path) and not self.path.is_dir():
            raise CorpusError(
                f"{self.path} exists but is not a folder, and this format writes a folder: specify another name"
            )
        if self.path.is_dir() and any(self.path.iterdir()):
            if not is_corpus(self):
                raise CorpusError(
                    f"{self.path} is a folder that is not a corpus, or its manifest is missing: specify another "
                    "folder, or delete this one"
                )
            if not force:
                raise CorpusError(f"{self.path} already exists: add --force to replace it, or specify another folder")

    def _check_folder_exists(self) -> None:
        """Raises `CorpusError` if the parent folder does not exist or is not writable."""
        self._check_name()
        if not self.path.parent.is_dir():
            raise CorpusError(
                f"{self.path} cannot be written: the folder {self.path.parent} does not exist; create it, or specify "
                "another path"
            )
        if not os.access(self.path.parent, os.W_OK | os.X_OK):
            raise CorpusError(
                f"{self.path} cannot be written: you have no write permission for the folder {self.path.parent}; "
                "specify another path"
            )

    def _check_name(self) -> None:
        if self.path.name in ("", ".."):
            raise CorpusError(f"{self.path} does not end in the name of a file or folder: add the name of the corpus")

    @contextmanager
    def file(self) -> Iterator[BinaryIO]:
        with self._write_errors(), atomic_file(self.path) as stream:
            yield stream

    @contextmanager
    def folder(self, manifest: str, former: Container[str]) -> Iterator[Create]:
        part, old = (self.path.with_name(temporary_name(self.path.name, end)) for end in ("part", "old"))

        @contextmanager
        def create(name: str) -> Iterator[BinaryIO]:
            path = part / name
            path.parent.mkdir(parents=True, exist_ok=True)
            with path.open("xb") as stream:
                yield stream

        with self._write_errors():
            remove_leftovers(self.path)
            part.mkdir()
            try:
                with held(part):
                    yield create
                with uninterrupted():
                    self._replace_by(part, old, former)
            finally:
                with uninterrupted():
                    _remove_quietly(part)

    def _replace_by(self, part: Path, old: Path, former: Container[str]) -> None:
        """Replaces the existing folder with the new folder `part`, which first gets the files that the user added."""
        if (
            self.path.is_dir() and not self.path.is_symlink()
        ):  # if the path is a link, its target folder does not change
            keep_user_files(self.path, part, former)
        replace_folder(part, self.path, old)
        _remove_quietly(old)

    @contextmanager
    def opened(self, below: str = "") -> Iterator[BufferedReader]:
        path = self.path / below if below else self.path
        try:
            if path.exists() and not path.is_file():
                raise CorpusError(f"{path} should be a file, but is not: remove it, or specify another corpus")
            with path.open("rb") as stream:
                yield stream
        except (FileNotFoundError, NotADirectoryError) as problem:
            raise FileNotFoundError(str(path)) from problem
        except OSError as problem:
            raise CorpusError(
                f"{path} cannot be read: {problem.strerror or problem}; remove it, or specify another corpus"
            ) from problem

    def remove(self) -> None:
        with self._write_errors():
            _remove(self.path)

    @contextmanager
    def _write_errors(self) -> Iterator[None]:
        try:
            yield
        except OSError as problem:
            reason = problem.strerror or problem
            raise CorpusError(
                f"{self.path} cannot be written: {reason}; choose an existing folder with write permission and free "
                "space"
            ) from problem


def _remove_quietly(path: Path) -> None:
    with suppress(OSError):
        _remove(path)


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)
