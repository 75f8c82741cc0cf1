"""Reads and writes files on this machine, and files at URLs that fsspec supports.

A file that is being written has a hidden temporary name (`.NAME.….part`). It gets its name when it is complete. Files
whose names end in `.gz` or `.zst` are compressed.
"""

import errno
import json
import os
import re
import sys
import zlib
from codecs import BOM_UTF8
from collections.abc import Iterator
from contextlib import contextmanager
from gzip import GzipFile
from io import BufferedReader, BytesIO, RawIOBase
from pathlib import Path
from secrets import token_hex
from tempfile import gettempdir
from typing import BinaryIO, cast
from urllib.parse import unquote, urlsplit

from brokerfuzz.errors import BrokerfuzzError, CorpusError, InputError, needs_extra, quoted
from brokerfuzz.file_contents import LARGEST_CONTENTS, ErrorKind, open_file, read_errors, write_errors

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

GZIP, ZSTANDARD = ".gz", ".zst"
LARGEST_FILE = 32 * 1024 * 1024
"""The maximum size of a file that `read_inside` reads, in bytes."""
_URL = re.compile(r"[A-Za-z][A-Za-z0-9+.:-]+://")
_DAMAGE = (EOFError, zlib.error, zstd.ZstdError)


def place_of(name: str | Path) -> Path:
    """Returns the path of a file or a folder. For a URL, returns an object of the package universal_pathlib, which has
    the same methods as a path.

    Raises `CorpusError` if the URL is invalid, or if a package for this kind of URL is missing.
    """
    url = str(name)
    if _URL.match(url) is None:
        return Path(url)
    if url.lower().startswith("file://"):
        parts = urlsplit(url)
        if parts.netloc not in ("", "localhost"):
            raise CorpusError(f"{url} is a file on another machine, {parts.netloc}: begin a local path with file:///")
        return Path(unquote(parts.path))
    try:
        from upath import UPath
    except ImportError as problem:
        raise CorpusError(needs_extra("a corpus at a URL", problem, "remote")) from problem
    try:
        place = UPath(url.rstrip("/"))
        place.fs  # noqa: B018 - fsspec now imports the package for this kind of URL
    except Exception as problem:
        raise CorpusError(f"{url} cannot be used ({_reason(problem)}): specify another URL or a file") from problem
    return cast("Path", place)


def is_url(place: Path) -> bool:
    return not isinstance(place, Path)


def folder_problem(place: Path) -> str | None:
    """Says why the folder of a new file cannot contain it, and what to do. Nothing is known about folders at URLs."""
    if is_url(place):
        return None
    if not place.parent.is_dir():
        return f"the folder {place.parent} does not exist; create it, or specify another path"
    if not os.access(place.parent, os.W_OK | os.X_OK):
        return f"you have no write permission in the folder {place.parent}; specify another path"
    return None


def suffix(name: str | Path) -> str:
    """Returns `.gz` or `.zst` if the file name has this suffix, otherwise an empty string."""
    return next((end for end in (GZIP, ZSTANDARD) if str(name).endswith(end)), "")


@contextmanager
def opened_file(place: Path, error: ErrorKind, remedy: str) -> Iterator[BinaryIO]:
    """Opens a file for reading, and decompresses it if its name ends in `.gz` or `.zst`. If the file cannot be read,
    raises `error` with the `remedy`.
    """
    with read_errors(place, error, remedy), _errors_of(place), _reading(place) as stream:
        end = suffix(place.name)
        if end == GZIP:
            yield cast("BinaryIO", GzipFile(fileobj=stream))
        elif end == ZSTANDARD:
            yield cast("BinaryIO", zstd.ZstdFile(stream))
        else:
            yield stream


def without_mark(first: bytes, stream: BinaryIO, name: str) -> tuple[bytes, BinaryIO]:
    """Returns the first line of a file, and the stream with the others, in UTF-8 and without a byte order mark.
    PowerShell, for example, writes UTF-16, in which a byte with the value of a line break can be half of a character.
    """
    encoding = json.detect_encoding(first)
    if encoding == "utf-8-sig":
        return first.removeprefix(BOM_UTF8), stream
    if encoding not in ("utf-16", "utf-32"):  # without a mark, the encoding is a guess
        return first, stream
    contents = first + stream.read(LARGEST_CONTENTS)
    if stream.read(1):
        raise InputError(
            f"{name} has more than {LARGEST_CONTENTS // 1024**2} MiB in {encoding.upper()}: save the file as UTF-8"
        )
    try:
        lines = BytesIO(contents.decode(encoding).encode())
    except UnicodeDecodeError as problem:
        raise InputError(f"{name} is not valid {encoding.upper()}: save the file as UTF-8") from problem
    return lines.readline(), lines


def _reading(place: Path) -> BinaryIO:
    if not is_url(place):
        return open_file(place)
    # the method `readline` of some files at URLs takes no limit
    return BufferedReader(cast("RawIOBase", place.open("rb")))


@contextmanager
def complete_file(place: Path, error: ErrorKind) -> Iterator[BinaryIO]:
    """Opens a file for writing, and compresses it if its name ends in `.gz` or `.zst`. The file appears, or replaces
    the existing file, when the `with` block ends without an error. If the file cannot be written, raises `error`.
    """
    with write_errors(place, error), _replacing(place) as stream:
        yield stream


@contextmanager
def _replacing(place: Path) -> Iterator[BinaryIO]:
    folder = Path(gettempdir()) if is_url(place) else place.parent
    part = folder / f".{place.name}.{token_hex(4)}.part"
    try:
        with part.open("xb") as stream:
            with _compressor(cast("BinaryIO", stream), suffix(place.name)) as compressor:
                yield compressor
            stream.flush()
            os.fsync(stream.fileno())
        if is_url(place):
            with _errors_of(place):
                place.fs.put_file(str(part), place.path)  # type: ignore[attr-defined]
        else:
            part.replace(place)
    finally:
        part.unlink(missing_ok=True)


@contextmanager
def _compressor(stream: BinaryIO, end: str) -> Iterator[BinaryIO]:
    """The compressed bytes may depend on the version of the library, but not on the time or the machine."""
    if end == GZIP:
        with GzipFile(filename="", mode="wb", fileobj=stream, compresslevel=6, mtime=0) as compressor:
            yield cast("BinaryIO", compressor)
    elif end == ZSTANDARD:
        options: dict[int, int] = {zstd.CompressionParameter.checksum_flag: 1}
        with zstd.ZstdFile(stream, mode="w", options=options) as compressor:
            yield cast("BinaryIO", compressor)
    else:
        yield stream


@contextmanager
def _errors_of(place: Path) -> Iterator[None]:
    """Raises `OSError` for damaged files, and for every error of a store, because their types differ."""
    try:
        yield
    except _DAMAGE as problem:
        raise OSError(errno.EIO, f"the file is damaged or truncated ({problem})", str(place)) from problem
    except (FileNotFoundError, BrokerfuzzError):
        raise
    except Exception as problem:
        if not is_url(place):
            raise
        raise OSError(errno.EIO, _reason(problem), str(place)) from problem


def _reason(problem: Exception) -> str:
    return " ".join(str(problem).split()) or "the store gives no reason"


def inside(folder: Path, name: str) -> Path:
    """Returns the path of an existing file in a folder. `name` may come from a person whom the user does not trust.

    Raises `CorpusError` if the name leads out of the folder, or if there is no such file.
    """
    try:
        path = (folder / name).resolve()
        if path.is_relative_to(folder.resolve()) and path.is_file():
            return path
    except (OSError, ValueError, RuntimeError):  # for example, the name contains NUL, or a link leads to itself
        pass
    raise CorpusError(f"{quoted(name)} is not a file inside the folder")


def read_inside(folder: Path, name: str, limit: int = LARGEST_FILE) -> bytes:
    """Returns the contents of a file in a folder. Raises `CorpusError` as `inside` does, and if the file cannot be read
    or has more than `limit` bytes.
    """
    with opened_file(inside(folder, name), CorpusError, "specify another folder") as stream:
        contents = stream.read(limit + 1)
    if len(contents) > limit:
        raise CorpusError(f"the file {quoted(name)} is larger than {limit:,} bytes")
    return contents
