"""Writes a corpus to a file, or to a folder with checksums. The suffix of a file name decides whether the file is
compressed.
"""

import json
import re
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from hashlib import file_digest
from itertools import chain
from typing import BinaryIO, cast

import orjson

from brokerfuzz.atomic_files import write_behind
from brokerfuzz.compression import compressing
from brokerfuzz.corpus.confined_paths import is_name
from brokerfuzz.corpus.formats import CorpusInfo, File
from brokerfuzz.corpus.places import CountingStream, Place, Summed
from brokerfuzz.errors import CorpusError
from brokerfuzz.version import __version__

MANIFEST, SUMS = "manifest.json", "SHA256SUMS"
"""If a corpus is a folder, it contains these two files: a description of the corpus, and checksums for `sha256sum
--check`.
"""
SUM = re.compile(rb"([0-9a-f]{64})  ([^\r\n]{1,1000})\r?\n?")
LONGEST_SUM = 2000
"""The maximum length of a line in the list of checksums, in bytes."""
ATTRIBUTES = File(".gitattributes", (b"* -text\n",))
"""If a corpus is a folder, it contains this file, which prevents Git from changing line endings."""
_CHUNK = 1 << 20


@dataclass(frozen=True)
class Written:
    """The size and the SHA-256 of a corpus.

    For a folder, `sha256` is the SHA-256 of the file `SHA256SUMS`. `sha256` is empty if the caller did not request a
    checksum.
    """

    bytes: int
    sha256: str


def write_file(place: Place, pieces: Iterable[bytes], *, compressed: bool = False, summed: bool = True) -> Written:
    """Writes a corpus to a file. The file is compressed if its name ends in `.gz` or `.zst`. If `compressed` is true,
    `pieces` are already compressed.

    Raises `CorpusError` if the file cannot be written.
    """
    with place.file() as stream:
        counted = Summed(stream) if summed else CountingStream(stream)
        if compressed:
            write_behind(counted, pieces)
        else:
            with compressing(cast(BinaryIO, counted), place.name) as packer:
                packer.writelines(pieces)
    return Written(counted.bytes, counted.sha256 if isinstance(counted, Summed) else "")


def write_folder(place: Place, files: Iterable[File], name: str, about: CorpusInfo) -> Written:
    """Writes a corpus to a folder. Files that users added stay in the folder. Raises `CorpusError` if the folder cannot
    be written.
    """
    count = 0
    with place.folder(MANIFEST, _listed(place)) as create:
        with create(SUMS) as stream:
            sums = Summed(stream)
            for file in chain((ATTRIBUTES,), files):
                with create(file.name) as below:
                    summed = Summed(below)
                    summed.writelines(_user_content(place, file) if file.user_owned else file.pieces)
                count += summed.bytes
                if not file.user_owned:
                    sums.write(f"{summed.sha256}  {file.name}\n".encode())
        with create(MANIFEST) as stream:
            manifest = CountingStream(stream)
            manifest.write(_manifest(name, about))
    return Written(count + sums.bytes + manifest.bytes, sums.sha256)


def _manifest(name: str, about: CorpusInfo) -> bytes:
    return (json.dumps({"brokerfuzz": __version__, "format": name, "recipe": about.recipe}, indent=2) + "\n").encode()


def is_corpus(place: Place) -> bool:
    """Returns whether a folder is a corpus, and so may be replaced by a new corpus. The function checks the contents of
    the manifest, because other programs also write files with the name `manifest.json`.
    """
    try:
        with place.opened(MANIFEST) as stream:
            said = orjson.loads(stream.read(_CHUNK))
    except (FileNotFoundError, CorpusError, ValueError):
        return False
    return isinstance(said, dict) and said.keys() >= {"brokerfuzz", "format", "recipe"}


def _listed(place: Place) -> set[str]:
    """Returns the files and folders that the existing corpus lists in its checksums. A new corpus replaces only these
    files and folders.
    """
    listed = {MANIFEST, SUMS}
    with suppress(FileNotFoundError, CorpusError), place.opened(SUMS) as lines:
        for entry in map(SUM.fullmatch, iter(lambda: lines.readline(LONGEST_SUM), b"")):
            name = entry[2].decode("ascii", "replace") if entry else ""
            while name and name not in listed:
                listed.add(name)
                name = name.rpartition("/")[0]
    return listed


def _user_content(place: Place, file: File) -> Iterable[bytes]:
    """Returns the bytes of the existing file, which the user may have edited. If the file does not exist yet, returns
    the template in `file.pieces`.

    Raises `CorpusError` if `file.check` rejects the existing file.
    """
    try:
        with place.opened(file.name) as stream:
            content = stream.read()
    except FileNotFoundError:
        return file.pieces
    if file.check is not None:
        file.check(content)
    return [content]


def found_file(place: Place) -> Written | None:
    """Returns the size and the SHA-256 of a file, or None if the file does not exist. Raises `CorpusError` if the file
    cannot be read.
    """
    try:
        return _found(place)
    except FileNotFoundError:
        return None


def found_folder(place: Place, name: str, about: CorpusInfo) -> Written | None:
    """Returns the size and the SHA-256 of a folder. Returns None if the folder belongs to another export, or if a file
    in the folder was changed or is missing.
    """
    try:
        with place.opened(MANIFEST) as stream:
            manifest = stream.read(_CHUNK)
        sums = _found(place, SUMS)
        with place.opened(SUMS) as lines:
            sizes = [_size(place, line) for line in iter(lambda: lines.readline(LONGEST_SUM), b"")]
    except (FileNotFoundError, CorpusError):
        return None
    whole = manifest == _manifest(name, about) and None not in sizes
    return Written(sum(filter(None, sizes)) + len(manifest) + sums.bytes, sums.sha256) if whole else None


def _size(place: Place, line: bytes) -> int | None:
    """Returns the size of the file that a line of `SHA256SUMS` lists. Returns None if this file was changed, or if its
    name is unsafe.
    """
    entry = SUM.fullmatch(line)
    if entry is None or not is_name(name := entry[2].decode("ascii", "replace")):
        return None
    found = _found(place, name)
    return found.bytes if found.sha256 == entry[1].decode() else None


def _found(place: Place, below: str = "") -> Written:
    with place.opened(below) as stream:
        digest = file_digest(stream, "sha256")
        return Written(stream.tell(), digest.hexdigest())
