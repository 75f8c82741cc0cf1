"""A corpus of a format at a place: one file, packed as its name says, or a folder with its checksums."""

import json
import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from itertools import chain
from typing import BinaryIO, cast

import orjson

from brokerfuzz.atomic_files import write_behind
from brokerfuzz.compression import packing
from brokerfuzz.corpus.confined_paths import is_name
from brokerfuzz.corpus.formats import About, File
from brokerfuzz.corpus.places import CountingStream, Place, Summed
from brokerfuzz.errors import CorpusError
from brokerfuzz.version import __version__

MANIFEST, SUMS = "manifest.json", "SHA256SUMS"
"""The two files that every folder has besides those of its format: what it is, and its files' checksums, as `sha256sum --check` reads them."""
SUM = re.compile(rb"([0-9a-f]{64})  ([^\r\n]{1,1000})\r?\n?")
LONGEST_SUM = 2000
"""A line of checksums, and how many bytes of one are read."""
ATTRIBUTES = File(".gitattributes", (b"* -text\n",))
"""The first file of every folder: Git is to leave ends of lines alone, or a checkout on Windows would have other bytes."""
_CHUNK = 1 << 20


@dataclass(frozen=True)
class Written:
    """What lies at a place: how many bytes, and their SHA-256, if it was asked for; that of its list of checksums, where it is a folder."""

    bytes: int
    sha256: str


def write_file(place: Place, pieces: Iterable[bytes], *, packed: bool = False, summed: bool = True) -> Written:
    """Writes the one file of a format. Its pieces are packed here, if its name says so and they are not `packed` already. Raises `CorpusError`."""
    with place.file() as stream:
        counted = Summed(stream) if summed else CountingStream(stream)
        if packed:
            write_behind(counted, pieces)
        else:
            with packing(cast(BinaryIO, counted), place.name) as packer:
                packer.writelines(pieces)
    return Written(counted.bytes, counted.sha256 if isinstance(counted, Summed) else "")


def write_folder(place: Place, files: Iterable[File], name: str, about: About) -> Written:
    """Writes the folder of a format; what others have put into it stays. Raises `CorpusError`."""
    count = 0
    with place.folder(MANIFEST, _listed(place)) as create:
        with create(SUMS) as stream:
            sums = Summed(stream)
            for file in chain((ATTRIBUTES,), files):
                with create(file.name) as below:
                    summed = Summed(below)
                    summed.writelines(_yours(place, file) if file.yours else file.pieces)
                count += summed.bytes
                if not file.yours:
                    sums.write(f"{summed.sha256}  {file.name}\n".encode())
        with create(MANIFEST) as stream:
            manifest = CountingStream(stream)
            manifest.write(_manifest(name, about))
    return Written(count + sums.bytes + manifest.bytes, sums.sha256)


def _manifest(name: str, about: About) -> bytes:
    return (json.dumps({"brokerfuzz": __version__, "format": name, "recipe": about.recipe}, indent=2) + "\n").encode()


def is_corpus(place: Place) -> bool:
    """Whether a folder is a corpus, which may be replaced: by what its manifest says, for others have files of that name too."""
    try:
        with place.opened(MANIFEST) as stream:
            said = orjson.loads(stream.read(_CHUNK))
    except (FileNotFoundError, CorpusError, ValueError):
        return False
    return isinstance(said, dict) and said.keys() >= {"brokerfuzz", "format", "recipe"}


def _listed(place: Place) -> set[str]:
    """The files and folders of the corpus that is there, by its checksums: what is replaced with it."""
    listed = {MANIFEST, SUMS}
    with suppress(FileNotFoundError, CorpusError), place.opened(SUMS) as lines:
        for entry in map(SUM.fullmatch, iter(lambda: lines.readline(LONGEST_SUM), b"")):
            name = entry[2].decode("ascii", "replace") if entry else ""
            while name and name not in listed:
                listed.add(name)
                name = name.rpartition("/")[0]
    return listed


def _yours(place: Place, file: File) -> Iterable[bytes]:
    """What a file holds that its users fill in: what is there, if it is there."""
    with suppress(FileNotFoundError), place.opened(file.name) as stream:
        return [stream.read()]
    return file.pieces


def found_file(place: Place) -> Written | None:
    """What lies where a file was written; None where nothing does. Raises `CorpusError`."""
    try:
        return _found(place)
    except FileNotFoundError:
        return None


def found_folder(place: Place, name: str, about: About) -> Written | None:
    """What lies where a folder of the format of this `name` was written; None where that is not what its manifest and its checksums say."""
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
    """The bytes of the file of a line of checksums; None where it is another file than was written, or the line leads elsewhere."""
    entry = SUM.fullmatch(line)
    if entry is None or not is_name(name := entry[2].decode("ascii", "replace")):
        return None
    found = _found(place, name)
    return found.bytes if found.sha256 == entry[1].decode() else None


def _found(place: Place, below: str = "") -> Written:
    with place.opened(below) as stream:
        summed = Summed(cast(BinaryIO, _Nowhere()))
        summed.writelines(_chunks(stream))
    return Written(summed.bytes, summed.sha256)


def _chunks(stream: BinaryIO) -> Iterator[bytes]:
    while chunk := stream.read(_CHUNK):
        yield chunk


class _Nowhere:
    """A stream that keeps nothing."""

    def write(self, data: bytes) -> int:
        """Takes bytes."""
        return len(data)
