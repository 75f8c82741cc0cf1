"""Defines the places for corpora: files and folders on this machine, or in a store that fsspec supports, such as S3."""

import re
from pathlib import Path
from urllib.parse import unquote, urlsplit

from brokerfuzz.corpus.places.local import LocalPlace
from brokerfuzz.corpus.places.place import CountingStream, Place, Summed
from brokerfuzz.errors import CorpusError

__all__ = ["CountingStream", "LocalPlace", "Place", "Summed", "place_of"]

_URL = re.compile(r"[A-Za-z][A-Za-z0-9+.:-]+://")


def place_of(out: str) -> Place:
    """Raises `CorpusError` if the path or the URL is invalid, or if a package for this kind of URL is missing."""
    if _URL.match(out) is None:
        return LocalPlace(Path(out))
    if out.lower().startswith("file://"):
        return LocalPlace(_path_of(out))
    from brokerfuzz.corpus.places.remote import remote_place

    return remote_place(out)


def _path_of(url: str) -> Path:
    parts = urlsplit(url)
    if parts.netloc not in ("", "localhost"):
        raise CorpusError(
            f"{url} is a file on another machine, {parts.netloc}: begin a local path with file:///, or write only the "
            "path"
        )
    if "\0" in (path := unquote(parts.path)):
        raise CorpusError(f"{path!r} is not a path: remove the NUL character (%00)")
    return Path(path)
