"""Where corpora go: files and folders of this machine, or of a store that fsspec knows. Each appears whole, or not at all."""

import re
from pathlib import Path
from urllib.parse import unquote, urlsplit

from brokerfuzz.corpus.places.local import LocalPlace
from brokerfuzz.corpus.places.place import CountingStream, Place, Summed
from brokerfuzz.errors import CorpusError

__all__ = ["CountingStream", "LocalPlace", "Place", "Summed", "place_of"]

_URL = re.compile(r"[A-Za-z][A-Za-z0-9+.:-]+://")


def place_of(out: str) -> Place:
    """The place that a path or a URL names. Raises `CorpusError` for one that cannot be, of an unknown kind, or whose package is not there."""
    if _URL.match(out) is None:
        return LocalPlace(Path(out))
    if out.lower().startswith("file://"):
        return LocalPlace(_path_of(out))
    from brokerfuzz.corpus.places.remote import remote_place

    return remote_place(out)


def _path_of(url: str) -> Path:
    parts = urlsplit(url)
    if parts.netloc not in ("", "localhost"):
        raise CorpusError(f"{url} is a file of another machine, {parts.netloc}: begin a path of this one with file:///, or name it without")
    if "\0" in (path := unquote(parts.path)):
        raise CorpusError(f"{path!r} is no path: give one without %00")
    return Path(path)
