"""Writes a corpus to a folder, and reads the manifest of a folder.

The manifest `manifest.json` contains the options of the export, and lists the files of the corpus. While the files are
written, it says that the corpus is not complete. Files that the manifest does not list belong to the user.
"""

import json
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, replace
from itertools import chain
from pathlib import Path
from typing import Any

from brokerfuzz.corpus.formats.format import CorpusInfo, File
from brokerfuzz.errors import CorpusError
from brokerfuzz.schemas.json_parser import parsed_document
from brokerfuzz.storage import complete_file, inside, is_url, read_inside
from brokerfuzz.version import __version__

MANIFEST = "manifest.json"
BEGUN = ".manifest-names"
"""While a folder is written, this file lists the files that the manifest does not list yet, so that the next export
removes them if this one is killed.
"""
ATTRIBUTES = File(".gitattributes", (b"* -text\n",))
"""This file prevents Git from changing line endings."""


@dataclass(frozen=True)
class Manifest:
    brokerfuzz: str
    format: str
    recipe: str
    complete: bool
    files: tuple[str, ...]


def has_manifest(folder: Path) -> bool:
    return (folder / MANIFEST).is_file()


def manifest_of(folder: Path) -> Manifest:
    if not has_manifest(folder):
        raise CorpusError(
            f"{folder} is a folder without {MANIFEST}, so it is not a corpus: specify a corpus, or another folder"
        )
    return read_manifest(folder / MANIFEST)


def read_manifest(path: Path) -> Manifest:
    try:
        return _manifest(parsed_document(read_inside(path.parent, path.name)))
    except (ValueError, TypeError) as problem:
        raise CorpusError(
            f"{path} is not the manifest of a corpus ({problem}): specify a corpus, or another folder"
        ) from problem


def _manifest(content: Any) -> Manifest:
    if not isinstance(content, dict):
        raise TypeError("it is not a JSON object")
    manifest = Manifest(**content)
    if not isinstance(manifest.files, list) or not all(isinstance(name, str) for name in manifest.files):
        raise TypeError("files is not a list of names")
    return manifest


def write_folder(folder: Path, name: str, files: Iterable[File], info: CorpusInfo) -> int:
    """Writes a corpus in the format `name` to a folder, and removes the files of the corpus that the folder contains so
    far. Files of the user stay. Returns the number of bytes.

    Raises `OSError` if a file cannot be written, and `CorpusError` if a file would be outside the folder.
    """
    rest = iter(files)
    first = next(rest)  # a format without cases raises an error before anything is written
    former = [*(manifest_of(folder).files if has_manifest(folder) else ()), *_begun(folder)]
    manifest = Manifest(__version__, name, info.recipe, complete=False, files=tuple(former))
    folder.mkdir(exist_ok=True)
    write_manifest(folder / MANIFEST, manifest)
    names, size = [], 0
    with _list_of_begun(folder) as begun:
        for file in chain((ATTRIBUTES, first), rest):
            if not file.is_template:
                names.append(file.name)
                begun(file.name)
            elif (folder / file.name).exists():
                if file.warnings is not None:
                    info.warnings.extend(file.warnings(folder / file.name, read_inside(folder, file.name)))
                continue
            size += _write(folder, file)
    for old in set(former) - set(names):
        _remove(folder, old)
    size += write_manifest(folder / MANIFEST, replace(manifest, complete=True, files=tuple(names)))
    _remove(folder, BEGUN)
    return size


def _begun(folder: Path) -> list[str]:
    path = folder / BEGUN
    return read_inside(folder, BEGUN).decode(errors="replace").splitlines() if path.is_file() else []


@contextmanager
def _list_of_begun(folder: Path) -> Iterator[Callable[[str], object]]:
    """Yields a function that adds a name to the list. At a URL, files cannot grow, so there is no list."""
    if is_url(folder):
        yield str
        return
    with _own_path(folder, BEGUN).open("ab", buffering=0) as stream:
        yield lambda name: stream.write(f"{name}\n".encode())


def _write(folder: Path, file: File) -> int:
    path = _own_path(folder, file.name)
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("wb") as stream:
        return sum(stream.write(piece) for piece in file.pieces)


def _own_path(folder: Path, name: str) -> Path:
    path = folder / name
    if not path.resolve().is_relative_to(folder.resolve()):
        raise CorpusError(f"{path} is a link to a place outside the folder: remove the link")
    return path


def write_manifest(path: Path, manifest: Manifest) -> int:
    with complete_file(path, CorpusError) as stream:  # a folder whose manifest is damaged could not be replaced
        return stream.write(json.dumps(asdict(manifest), indent=1).encode() + b"\n")


def remove_folder(folder: Path) -> None:
    """Removes the files of a corpus. Files of the user stay."""
    for name in (*manifest_of(folder).files, *_begun(folder), BEGUN, MANIFEST):
        _remove(folder, name)
    with suppress(OSError):
        folder.rmdir()


def _remove(folder: Path, name: str) -> None:
    """Removes a file, and the folders above it that are now empty."""
    with suppress(CorpusError, OSError):
        path = inside(folder, name)
        path.unlink()
        while (path := path.parent) != folder.resolve():
            path.rmdir()
