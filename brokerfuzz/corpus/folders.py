"""Folders that `--format files` wrote, and lists of shards, read back."""

import json
import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from brokerfuzz.corpus.confined_paths import Beside, Confined, ConfinedFiles
from brokerfuzz.corpus.destinations import LONGEST_SUM, MANIFEST, SUM, SUMS
from brokerfuzz.corpus.places import LocalPlace, Place
from brokerfuzz.errors import CorpusError, quoted

CASES = "cases.ndjson"
"""The file of a folder that has a record a case, and in place of its message the name of the file that has that."""
SHARDS = ".shards.json"
"""The end of the name of a list of shards."""


class CorpusFolder:
    """A folder with cases. Raises `CorpusError` where its manifest is not there, or says that it is something else."""

    def __init__(self, path: Path) -> None:
        self.path, self.files = path, Confined(path)
        if not os.path.lexists(path / MANIFEST):
            raise CorpusError(f"{path} cannot be read: Is a directory, and no corpus (it has no {MANIFEST}); name a corpus, or its files")
        form = _object(self.files, MANIFEST, str(path / MANIFEST)).get("format")
        if form != "files":
            found = f"{path} is a folder of the format {quoted(form)}, which is not read back"
            raise CorpusError(f"{found}: export with --format files, or as ndjson (`sha256sum --check {SUMS}` checks any folder's files)")

    def damage(self) -> Iterator[str]:
        """What the checksums say is wrong, a sentence each: files that were changed, are missing, or are there and not listed."""
        listed = {MANIFEST, SUMS}
        for number, name, digest in self._sums():
            if not name:
                yield f"{SUMS}, line {number}, is no checksum and name"
            elif name in listed:
                yield f"{SUMS}, line {number}, names {quoted(name)} again"
            else:
                listed.add(name)
                yield from (f"{SUMS}, line {number}, {problem}" for problem in _differing(self.files, name, digest))
        yield from (f"{name} is there, and {SUMS} does not list it" for name in self._names() if name not in listed)

    def _sums(self) -> Iterator[tuple[int, str, str]]:
        """(line, name, checksum), without name where a line has none."""
        try:
            stream = self.files.opened(SUMS)
        except CorpusError as problem:
            raise CorpusError(f"{self.path} {problem}: export the corpus again") from problem
        with stream:
            for number, line in enumerate(iter(lambda: stream.readline(LONGEST_SUM), b""), 1):
                entry = SUM.fullmatch(line)
                yield (number, entry[2].decode(errors="backslashreplace"), entry[1].decode()) if entry else (number, "", "")

    def _names(self) -> Iterator[str]:
        """The names of all that is in the folder and is no folder."""
        for place, folders, files in os.walk(self.path):
            links = [name for name in folders if (Path(place) / name).is_symlink()]
            folders.sort()
            for name in sorted([*files, *links]):
                yield (Path(place) / name).relative_to(self.path).as_posix()


class ShardList:
    """The list of a corpus' shards, which lie beside it. Raises `CorpusError` for what is none, and where not all of them were written."""

    def __init__(self, place: Place) -> None:
        self._place = place
        self._files: Confined | Beside = Confined(place.path.parent) if isinstance(place, LocalPlace) else Beside(place)
        said = _object(self._files, place.base, place.name)
        try:
            self._shards = [(_text(shard["name"]), _text(shard["sha256"])) for shard in said["shards"]]
            whole = said["whole"] is True and len({name for name, _ in self._shards}) == len(self._shards) == said["of"] > 0
        except (KeyError, TypeError, ValueError) as problem:
            raise CorpusError(f"{place.name} is no list of shards ({type(problem).__name__}: {problem}): export the corpus again") from problem
        if not whole:
            raise CorpusError(f"{place.name} lists {len(self._shards):,} shards of {quoted(said.get('of'))}: go on with the export with --resume")

    @property
    def places(self) -> list[Place]:
        """Where the shards lie, in order. Raises `CorpusError`."""
        try:
            return [self._at(name) for name, _ in self._shards]
        except CorpusError as problem:
            raise CorpusError(f"{self._place.name} {problem}: export the corpus again, with --resume") from problem

    def _at(self, name: str) -> Place:
        if isinstance(self._files, Beside):
            return self._files.place(name)
        found, folder = self._files.path(name, _is_file_or_folder), self._files.folder
        return LocalPlace(folder / found.relative_to(folder.resolve()))

    def damage(self) -> Iterator[str]:
        """What the checksums say is wrong, a sentence each. Those of shards that are folders are in their own lists."""
        for name, digest in self._shards:
            if not self._is_folder(name):
                yield from _differing(self._files, name, digest)

    def _is_folder(self, name: str) -> bool:
        try:
            return isinstance(self._files, Confined) and bool(self._files.path(name, stat.S_ISDIR))
        except CorpusError:
            return False


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{quoted(value)} is no text")
    return value


def _is_file_or_folder(mode: int) -> bool:
    return stat.S_ISREG(mode) or stat.S_ISDIR(mode)


def _differing(files: ConfinedFiles, name: str, digest: str) -> Iterator[str]:
    try:
        if files.sha256_of(name) != digest:
            yield f"names {quoted(name)}, which is not the file that was written: its checksum differs"
    except CorpusError as problem:
        yield str(problem)


def _object(files: ConfinedFiles, name: str, told: str) -> dict[str, Any]:
    """The JSON object of a file; `told` is what errors call it. Raises `CorpusError`."""
    try:
        found = json.loads(files.bytes_of(name))
    except (ValueError, RecursionError) as problem:
        raise CorpusError(f"{told} is no JSON ({problem}): export the corpus again") from problem
    except CorpusError as problem:
        said = str(problem).removeprefix(f"names {quoted(name)}, which ")
        raise CorpusError(f"{told} {said}; name what `brokerfuzz export` wrote") from problem
    if not isinstance(found, dict):
        raise CorpusError(f"{told} is no JSON object: export the corpus again")
    return found
