"""Folders that `--format files` wrote, read without leaving them: whatever their lists name, no file outside is opened, and nothing but files."""

import json
import os
import re
import stat
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import BinaryIO

from brokerfuzz.corpus.destinations import MANIFEST, SUMS
from brokerfuzz.errors import CorpusError

CASES = "cases.ndjson"
"""The file of a folder that has a record a case, and in place of its message the name of the file that has that."""
LARGEST_FILE = 64 * 1024 * 1024
"""Bytes of a file with one message, or of a manifest, that are read at the most."""

_PART = r"[A-Za-z0-9_-](?:[A-Za-z0-9._-]{0,98}[A-Za-z0-9_-])?"
_NAME = re.compile(rf"{_PART}(?:/{_PART})*")
_SUM = re.compile(rb"([0-9a-f]{64})  ([^\r\n]{1,1000})\r?\n?")
_CHUNK = 1 << 20


class CorpusFolder:
    """A folder with cases. Raises `CorpusError` where its manifest says something else, or is not there."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._home = path.resolve()
        if not os.path.lexists(path / MANIFEST):
            raise CorpusError(f"{path} cannot be read: Is a directory, and no corpus (it has no {MANIFEST}); name a corpus, or its files")
        form = self._format()
        if form != "files":
            raise CorpusError(f"{path} is a folder of the format {form!r:.40}, which is not read back: export with --format files, or as ndjson")

    def _format(self) -> object:
        try:
            manifest = json.loads(self.bytes_of(MANIFEST))
        except (ValueError, RecursionError) as problem:
            raise CorpusError(f"{self.path / MANIFEST} is no JSON ({problem}): export the corpus again") from problem
        except CorpusError as problem:
            raise CorpusError(f"{self.path}: {problem}") from problem
        return manifest.get("format") if isinstance(manifest, dict) else None

    def opened(self, name: str) -> BinaryIO:
        """A file of the folder. Raises `CorpusError` (without the folder's name) for a name that leads elsewhere, and for what is no file."""
        if not _NAME.fullmatch(name):
            raise CorpusError(f"names {name!r:.120}, which is no name within the folder")
        try:
            found = (self.path / name).resolve(strict=True)
            if not found.is_relative_to(self._home):
                raise CorpusError(f"names {name!r:.120}, which is a link that leads out of the folder")
            if not stat.S_ISREG(found.stat().st_mode):
                raise CorpusError(f"names {name!r:.120}, which is no file")
            return found.open("rb")
        except (OSError, RuntimeError) as problem:
            reason = getattr(problem, "strerror", None) or problem
            raise CorpusError(f"names {name!r:.120}, which cannot be read: {reason}") from problem

    def bytes_of(self, name: str) -> bytes:
        """What is in a file of the folder. Raises `CorpusError` as `opened`, and for a file that is too large."""
        with self.opened(name) as stream:
            found = stream.read(LARGEST_FILE + 1)
        if len(found) > LARGEST_FILE:
            raise CorpusError(f"names {name!r:.120}, which has more than {LARGEST_FILE:,} bytes")
        return found

    def damage(self) -> Iterator[str]:
        """What the checksums say is wrong, a sentence each: files that were changed, are missing, or are there and not listed."""
        listed: set[str] = {MANIFEST, SUMS}
        with self.opened(SUMS) as sums:
            for number, line in enumerate(iter(lambda: sums.readline(2000), b""), 1):
                entry = _SUM.fullmatch(line)
                if entry is None:
                    yield f"{SUMS}, line {number}, is no checksum and name"
                    continue
                name = entry[2].decode(errors="backslashreplace")
                if name in listed:
                    yield f"{SUMS}, line {number}, names {name!r} again"
                    continue
                listed.add(name)
                try:
                    if self._sum(name) != entry[1].decode():
                        yield f"{name} is not the file that was written: its checksum differs"
                except CorpusError as problem:
                    yield f"{SUMS}, line {number}, {problem}"
        yield from (f"{name} is there, and {SUMS} does not list it" for name in self._names() if name not in listed)

    def _sum(self, name: str) -> str:
        digest = sha256()
        with self.opened(name) as stream:
            while chunk := stream.read(_CHUNK):
                digest.update(chunk)
        return digest.hexdigest()

    def _names(self) -> Iterator[str]:
        """The names of all that is in the folder and is no folder."""
        for place, folders, files in os.walk(self.path):
            links = [name for name in folders if (Path(place) / name).is_symlink()]
            folders.sort()
            for name in sorted([*files, *links]):
                yield (Path(place) / name).relative_to(self.path).as_posix()
