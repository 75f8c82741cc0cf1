"""Reads lists of shards, and corpora that are folders."""

import json
import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

from brokerfuzz.cases.record_reader import text_of
from brokerfuzz.corpus.confined_paths import ConfinedFiles, FolderFiles, SiblingFiles
from brokerfuzz.corpus.destinations import LONGEST_SUM, MANIFEST, SUM, SUMS
from brokerfuzz.corpus.places import LocalPlace, Place
from brokerfuzz.errors import CorpusError, problem_of, quoted

CASES = "cases.ndjson"
"""The name of the file with one record per case. In the format `files`, each record contains the name of
the file with the message.
"""
SHARDS = ".shards.json"
"""The suffix of a list of shards."""


class CorpusFolder:
    """A corpus that is a folder. Raises `CorpusError` if the manifest is missing, or if brokerfuzz cannot read the
    format of the folder.
    """

    def __init__(self, path: Path) -> None:
        self.path, self.files = path, FolderFiles(path)
        if not os.path.lexists(path / MANIFEST):
            raise CorpusError(
                f"{path} is a folder without {MANIFEST}, so it is not a corpus: specify a corpus, or the files in the "
                "folder"
            )
        form = _object(self.files, MANIFEST, str(path / MANIFEST)).get("format")
        self._all_listed = form != "pytest"
        if form not in ("files", "pytest"):
            found = f"{path} is a folder in the format {quoted(form)}, which brokerfuzz cannot read"
            raise CorpusError(
                f"{found}: export the corpus again with --format files or --format ndjson, or check the files in this "
                "folder with "
                f"`sha256sum --check {SUMS}`"
            )

    def opened(self, name: str) -> BinaryIO:
        try:
            return self.files.opened(name)
        except CorpusError as problem:
            raise CorpusError(f"{self.path}: {problem}; export the corpus again") from problem

    def damage(self) -> Iterator[str]:
        """Yields a sentence for each file that was changed, is missing, or has no checksum, and for each wrong line of
        `SHA256SUMS`.
        """
        listed = {MANIFEST, SUMS}
        for number, name, digest in self._sums():
            if not name:
                yield f"{SUMS}, line {number}: the line is not a checksum followed by a name"
            elif name in listed:
                yield f"{SUMS}, line {number}: the line lists {quoted(name)} again"
            else:
                listed.add(name)
                yield from (f"{SUMS}, line {number}: {problem}" for problem in _differing(self.files, name, digest))
        if self._all_listed:  # a folder of tests also contains files of the user
            yield from (
                f"{name} is in the folder but not listed in {SUMS}" for name in self._names() if name not in listed
            )

    def _sums(self) -> Iterator[tuple[int, str, str]]:
        """Yields the number, the file name and the checksum of each line of `SHA256SUMS`. The file name is empty if the
        line is invalid.
        """
        with self.opened(SUMS) as stream:
            for number, line in enumerate(iter(lambda: stream.readline(LONGEST_SUM), b""), 1):
                entry = SUM.fullmatch(line)
                yield (
                    (number, entry[2].decode(errors="backslashreplace"), entry[1].decode())
                    if entry
                    else (number, "", "")
                )

    def _names(self) -> Iterator[str]:
        for place, folders, files in os.walk(self.path):
            links = [name for name in folders if (Path(place) / name).is_symlink()]
            folders.sort()
            for name in sorted([*files, *links]):
                yield (Path(place) / name).relative_to(self.path).as_posix()


class ShardList:
    """The list of the shards of a corpus. The shards are in the same folder as the list.

    Raises `CorpusError` if the file is not a list of shards, or if a shard is missing from the list.
    """

    def __init__(self, place: Place) -> None:
        self._place = place
        self._files: FolderFiles | SiblingFiles = (
            FolderFiles(place.path.parent) if isinstance(place, LocalPlace) else SiblingFiles(place)
        )
        said = _object(self._files, place.base, place.name)
        try:
            self._shards = [(text_of(shard["name"]), text_of(shard["sha256"])) for shard in said["shards"]]
            whole = (
                said["whole"] is True and len({name for name, _ in self._shards}) == len(self._shards) == said["of"] > 0
            )
        except (KeyError, TypeError, ValueError) as problem:
            raise CorpusError(
                f"{place.name} is not a list of shards ({problem_of(problem)}): export the corpus again"
            ) from problem
        if not whole:
            raise CorpusError(
                f"{place.name} lists only {len(self._shards):,} of {quoted(said.get('of'))} shards: resume the export "
                "with --resume"
            )

    @property
    def places(self) -> list[Place]:
        """The shards in order. Raises `CorpusError` if the name of a shard is invalid."""
        try:
            return [self._at(name) for name, _ in self._shards]
        except CorpusError as problem:
            raise CorpusError(f"{self._place.name}: {problem}; export the corpus again, with --resume") from problem

    def _at(self, name: str) -> Place:
        if isinstance(self._files, SiblingFiles):
            return self._files.place(name)
        found, folder = self._files.path(name, _is_file_or_folder), self._files.folder
        return LocalPlace(folder / found.relative_to(folder.resolve()))

    def damage(self) -> Iterator[str]:
        """Yields a sentence for each shard whose checksum is wrong. Shards that are folders are skipped, because
        `CorpusFolder.damage` checks them.
        """
        for name, digest in self._shards:
            if not self._is_folder(name):
                yield from _differing(self._files, name, digest)

    def _is_folder(self, name: str) -> bool:
        try:
            return isinstance(self._files, FolderFiles) and bool(self._files.path(name, stat.S_ISDIR))
        except CorpusError:
            return False


def _is_file_or_folder(mode: int) -> bool:
    return stat.S_ISREG(mode) or stat.S_ISDIR(mode)


def _differing(files: ConfinedFiles, name: str, digest: str) -> Iterator[str]:
    try:
        if files.sha256_of(name) != digest:
            yield f"the file {quoted(name)} was changed: its checksum differs"
    except CorpusError as problem:
        yield str(problem)


def _object(files: ConfinedFiles, name: str, shown_name: str) -> dict[str, Any]:
    """Reads a JSON object from a file. `shown_name` is the name of the file in errors.

    Raises `CorpusError` if the file does not contain a JSON object.
    """
    try:
        found = json.loads(files.bytes_of(name))
    except (ValueError, RecursionError) as problem:
        raise CorpusError(f"{shown_name} is not JSON ({problem}): export the corpus again") from problem
    except CorpusError as problem:
        said = str(problem).removeprefix("the file ").removeprefix(f"{quoted(name)} ")
        raise CorpusError(f"{shown_name} {said}; specify a corpus written by `brokerfuzz export`") from problem
    if not isinstance(found, dict):
        raise CorpusError(f"{shown_name} is not a JSON object: export the corpus again")
    return found
