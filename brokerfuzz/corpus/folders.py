"""Folders that `--format files` wrote, and lists of shards, read back."""

import json
import os
import re
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from brokerfuzz.corpus.confined import Confined
from brokerfuzz.corpus.destinations import MANIFEST, SUMS
from brokerfuzz.errors import CorpusError

CASES = "cases.ndjson"
"""The file of a folder that has a record a case, and in place of its message the name of the file that has that."""
SHARDS = ".shards.json"
"""The end of the name of a list of shards."""

_SUM = re.compile(rb"([0-9a-f]{64})  ([^\r\n]{1,1000})\r?\n?")


class CorpusFolder:
    """A folder with cases. Raises `CorpusError` where its manifest is not there, or says that it is something else."""

    def __init__(self, path: Path) -> None:
        self.path, self.files = path, Confined(path)
        if not os.path.lexists(path / MANIFEST):
            raise CorpusError(f"{path} cannot be read: Is a directory, and no corpus (it has no {MANIFEST}); name a corpus, or its files")
        form = _object(self.files, MANIFEST).get("format")
        if form != "files":
            found = f"{path} is a folder of the format {form!r:.40}, which is not read back"
            raise CorpusError(f"{found}: export with --format files, or as ndjson (`sha256sum --check {SUMS}` checks any folder's files)")

    def damage(self) -> Iterator[str]:
        """What the checksums say is wrong, a sentence each: files that were changed, are missing, or are there and not listed."""
        listed = {MANIFEST, SUMS}
        for number, name, digest in self._sums():
            if not name:
                yield f"{SUMS}, line {number}, is no checksum and name"
            elif name in listed:
                yield f"{SUMS}, line {number}, names {name!r} again"
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
            for number, line in enumerate(iter(lambda: stream.readline(2000), b""), 1):
                entry = _SUM.fullmatch(line)
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

    def __init__(self, path: Path) -> None:
        self.path, self.files = path, Confined(path.parent)
        said = _object(self.files, path.name)
        try:
            self.shards = [(str(shard["name"]), str(shard["sha256"])) for shard in said["shards"]]
            whole = said["whole"] is True and len({name for name, _ in self.shards}) == len(self.shards) == said["of"] > 0
        except (KeyError, TypeError, ValueError) as problem:
            raise CorpusError(f"{path} is no list of shards ({type(problem).__name__}: {problem}): export the corpus again") from problem
        if not whole:
            raise CorpusError(f"{path} lists {len(self.shards):,} shards of {said['of']!r:.20}: go on with the export with --resume")

    @property
    def paths(self) -> list[Path]:
        """Where the shards lie, in order. Raises `CorpusError`."""
        try:
            return [self.path.parent / self.files.path(name, _is_file_or_folder).relative_to(self.path.parent.resolve()) for name, _ in self.shards]
        except CorpusError as problem:
            raise CorpusError(f"{self.path} {problem}: export the corpus again, with --resume") from problem

    def damage(self) -> Iterator[str]:
        """What the checksums say is wrong, a sentence each. Those of shards that are folders are in their own lists."""
        for name, digest in self.shards:
            if not (self.path.parent / name).is_dir():
                yield from _differing(self.files, name, digest)


def _is_file_or_folder(mode: int) -> bool:
    return stat.S_ISREG(mode) or stat.S_ISDIR(mode)


def _differing(files: Confined, name: str, digest: str) -> Iterator[str]:
    try:
        if files.sha256_of(name) != digest:
            yield f"names {name!r}, which is not the file that was written: its checksum differs"
    except CorpusError as problem:
        yield str(problem)


def _object(files: Confined, name: str) -> dict[str, Any]:
    """The JSON object of a file. Raises `CorpusError`."""
    try:
        found = json.loads(files.bytes_of(name))
    except (ValueError, RecursionError) as problem:
        raise CorpusError(f"{files.folder / name} is no JSON ({problem}): export the corpus again") from problem
    except CorpusError as problem:
        raise CorpusError(f"{files.folder} {problem}") from problem
    if not isinstance(found, dict):
        raise CorpusError(f"{files.folder / name} is no JSON object: export the corpus again")
    return found
