"""Where a corpus is written to: a file, or a folder, whole or not there."""

import json
import os
import shutil
from collections.abc import Iterable
from contextlib import suppress
from hashlib import sha256
from pathlib import Path

from brokerfuzz.corpus.formats import About, File
from brokerfuzz.errors import CorpusError
from brokerfuzz.version import __version__
from brokerfuzz.writing import whole

MANIFEST, SUMS = "manifest.json", "SHA256SUMS"
"""The two files that every folder has besides those of its format: what it is, and its files' checksums, as `sha256sum --check` reads them."""


def write_file(out: Path, pieces: Iterable[bytes]) -> None:
    """Writes the one file of a format. Raises `OSError`."""
    with whole(out) as stream:
        stream.writelines(pieces)


def write_folder(out: Path, files: Iterable[File], name: str, about: About) -> None:
    """Writes the folder of a format: under another name first. A folder that is there and has a manifest is replaced.

    Raises `OSError`, and `CorpusError` where there is a folder that is no corpus.
    """
    if out.is_dir() and any(out.iterdir()) and not (out / MANIFEST).is_file():
        raise CorpusError(f"{out} is a folder with other files than a corpus: name another one")
    part = out.with_name(f".{out.name}.{os.getpid()}.part")
    part.mkdir(parents=True)
    try:
        with (part / SUMS).open("w", encoding="ascii", newline="\n") as sums:
            for file in files:
                kept = out / file.name if file.yours else None
                digest = _write(part / file.name, [kept.read_bytes()] if kept and kept.is_file() else file.pieces)
                if not file.yours:
                    sums.write(f"{digest}  {file.name}\n")
        manifest = {"brokerfuzz": __version__, "format": name, "recipe": about.recipe}
        (part / MANIFEST).write_text(json.dumps(manifest, indent=2) + "\n", encoding="ascii")
        with suppress(FileNotFoundError):
            out.replace(out.with_name(f".{out.name}.{os.getpid()}.old"))
        part.replace(out)
    finally:
        shutil.rmtree(part, ignore_errors=True)
        shutil.rmtree(out.with_name(f".{out.name}.{os.getpid()}.old"), ignore_errors=True)


def _write(path: Path, pieces: Iterable[bytes]) -> str:
    digest = sha256()
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("xb") as stream:
        for piece in pieces:
            digest.update(piece)
            stream.write(piece)
    return digest.hexdigest()
