"""Writes an export in several files or folders (shards). Each shard is a complete corpus.

A manifest lists the finished shards, so that an interrupted export can continue.
"""

import json
import time
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from datetime import datetime
from hashlib import sha256
from itertools import groupby
from pathlib import Path
from typing import Any

import orjson

from brokerfuzz.cases.case import clock
from brokerfuzz.compression import SUFFIXES, suffix
from brokerfuzz.corpus.confined_paths import LARGEST_FILE
from brokerfuzz.corpus.corpus_names import ShardNames
from brokerfuzz.corpus.destinations import Written, found_file, found_folder, write_file
from brokerfuzz.corpus.exporting.export import Export, ExportWriter, Outcome, check_place
from brokerfuzz.corpus.exporting.parts import EncodedCases, shard_sizes
from brokerfuzz.corpus.formats import Folder, Format
from brokerfuzz.corpus.places import Place
from brokerfuzz.errors import ClockError, CorpusError
from brokerfuzz.file_contents import read_file
from brokerfuzz.version import __version__

_WRITE_INTERVAL = 1.0
"""The minimum number of seconds between two writes of the manifest, so that many small shards do not slow down the
export.
"""


@dataclass(frozen=True)
class Shard:
    name: str
    cases: int
    bytes: int
    sha256: str


@dataclass
class _Manifest:
    """The contents of `NAME.shards.json`: the options of the export in `head`, and the finished shards."""

    place: Place
    head: dict[str, Any]
    shards: dict[str, Shard] = field(default_factory=dict)
    _written: float = 0.0

    def add(self, shard: Shard) -> None:
        """Adds a shard, and writes the manifest if it was not written recently."""
        self.shards[shard.name] = shard
        if time.monotonic() - self._written > _WRITE_INTERVAL:
            self.write()

    def write(self) -> None:
        """Raises `CorpusError` if the manifest cannot be written."""
        said = {
            **self.head,
            "whole": len(self.shards) == self.head["of"],
            "shards": [asdict(self.shards[name]) for name in sorted(self.shards)],
        }
        write_file(self.place, [(json.dumps(said, indent=2) + "\n").encode()], compressed=True)
        self._written = time.monotonic()


def write_shards(export: Export, place: Place, count: int, *, force: bool = False, resume: bool = False) -> Outcome:
    """Writes a corpus in shards. The shards are in the same folder as `place`, and their names begin with the name of
    `place` without its suffix. With `resume`, only missing or damaged shards are written.

    Raises `CorpusError` if a shard cannot be written, or if there are more shards than cases. Unless `force` is true,
    also raises `CorpusError` if another export has the same name.
    """
    names = ShardNames.of(place.base, export.form, count)
    known = _read(place.beside(names.manifest))
    head = _head(export, count)
    if known is not None and resume and not force and _of(known) != _of(head):
        differing = ", ".join(key for key in head if known.get(key) != head[key])
        raise CorpusError(
            f"{place.beside(names.manifest).name} belongs to another export (these settings differ: {differing}): use "
            "the same options as for "
            "that export, or add --force"
        )
    resuming = resume and known is not None and _of(known) == _of(head)
    if not resuming:
        _check_free(export, place, names, known, force=force)
    if count > export.total:
        raise CorpusError(f"{export.total:,} cases cannot fill {count:,} shards: use --shards {export.total} or fewer")
    sizes = shard_sizes(export.total, count)
    manifest = _Manifest(place.beside(names.manifest), {**head, "cases": export.total})
    if resuming and known is not None:
        manifest.shards = _whole(export, place, names, known, sizes)
        _check_missing(export, place, names, manifest)
    kept = sum(shard.cases for shard in manifest.shards.values())
    writing = ExportWriter(export, kept)
    manifest.write()
    try:
        _write_missing(export, place, names, sizes, manifest, writing)
    except BaseException:
        with suppress(CorpusError):
            manifest.write()
        raise
    manifest.write()
    for name in _former(names, known):
        place.beside(name).remove()
    return writing.outcome(sum(shard.bytes for shard in manifest.shards.values()), kept)


def _write_missing(
    export: Export, place: Place, names: ShardNames, sizes: list[int], manifest: _Manifest, writing: ExportWriter
) -> None:
    wanted = [number for number in range(len(sizes)) if names.shard(number) not in manifest.shards]
    if not wanted:
        return
    for number, pieces in groupby(
        export.pieces(place.base, sizes, frozenset(wanted)), key=lambda piece: piece.shard_range.shard
    ):
        before = writing.count
        written = writing.to(place.beside(names.shard(number)), _checked_size(number, sizes[number], pieces))
        manifest.add(Shard(names.shard(number), writing.count - before, written.bytes, written.sha256))
    if len(manifest.shards) < len(sizes):
        raise CorpusError(f"shard {len(manifest.shards) + 1} cannot be filled: {_TOO_FEW}")


_TOO_FEW = "brokerfuzz found too few new random cases that match the filters; use a smaller --count"


def _checked_size(number: int, size: int, pieces: Iterable[EncodedCases]) -> Iterator[EncodedCases]:
    """Yields all pieces of a shard. Raises `CorpusError` if they contain fewer than `size` cases in total."""
    for piece in pieces:
        yield piece
        size -= piece.counts.total()
    if size:
        raise CorpusError(f"shard {number + 1} cannot be filled: {_TOO_FEW}")


def _head(export: Export, count: int) -> dict[str, Any]:
    about = export.about
    now = export.plans[0].now
    head = {
        "brokerfuzz": __version__,
        "format": export.form.name,
        "recipe": about.recipe,
        "now": now and now.isoformat(),
        "of": count,
    }
    folder = export.plans[0].contract
    return head if folder is None else {**head, "contract": _fingerprint(Path(folder))}


def _fingerprint(folder: Path) -> str:
    """Returns a checksum of the contract in `folder`. The manifest contains this checksum. If the contract changes, the
    checksum differs, so brokerfuzz does not resume the export.
    """
    return sha256(
        b"".join(f"{path.name} ".encode() + read_file(path) for path in sorted(folder.glob("*.json")))
    ).hexdigest()


def _of(manifest: dict[str, Any]) -> list[Any]:
    return [manifest.get(key) for key in ("brokerfuzz", "format", "recipe", "now", "of", "contract")]


def recorded_now(place: Place, form: Format, count: int) -> datetime | None:
    """Returns the time for which the time-dependent cases in the existing shards were generated. If the shards contain
    no such cases, returns None.

    Raises `CorpusError` if the manifest is invalid.
    """
    listed = place.beside(ShardNames.of(place.base, form, count).manifest)
    known = _read(listed)
    if known is None or known.get("now") is None:
        return None
    try:
        return clock(datetime.fromisoformat(known["now"]))
    except (KeyError, TypeError, ValueError, ClockError) as problem:
        raise _no_manifest(listed) from problem


def _read(place: Place) -> dict[str, Any] | None:
    try:
        with place.opened() as stream:
            known = orjson.loads(stream.read(LARGEST_FILE))
    except FileNotFoundError:
        return None
    except ValueError:
        known = None
    if not (isinstance(known, dict) and {"brokerfuzz", "format", "recipe"} <= known.keys()):
        raise _no_manifest(place)
    return known


def _no_manifest(place: Place) -> CorpusError:
    return CorpusError(f"{place.name} is not a list of shards: remove this file, or specify another corpus name")


def _check_free(export: Export, place: Place, names: ShardNames, known: dict[str, Any] | None, *, force: bool) -> None:
    if known is not None and not force:
        raise CorpusError(
            f"{place.beside(names.manifest).name} already exists: add --resume to continue that export, or --force to "
            "replace it"
        )
    for name in (*map(names.shard, range(names.count)), *_former(names, known)):
        check_place(export.form, place.beside(name), force=force)


def _check_missing(export: Export, place: Place, names: ShardNames, manifest: _Manifest) -> None:
    """Raises `CorpusError` if a missing shard cannot be written."""
    for name in map(names.shard, range(names.count)):
        if name not in manifest.shards:
            check_place(export.form, place.beside(name), force=True)


def _whole(
    export: Export, place: Place, names: ShardNames, known: dict[str, Any], sizes: list[int]
) -> dict[str, Shard]:
    """Returns the existing shards that match their checksums."""
    try:
        sums = {shard["name"]: shard["sha256"] for shard in known["shards"]}
    except (KeyError, TypeError) as problem:
        raise _no_manifest(place.beside(names.manifest)) from problem
    found = {}
    for number, size in enumerate(sizes):
        name = names.shard(number)
        written = _found(export, place.beside(name)) if name in sums else None
        if written is not None and written.sha256 == sums[name]:
            found[name] = Shard(name, size, written.bytes, written.sha256)
    return found


def _found(export: Export, place: Place) -> Written | None:
    return found_folder(place, export.form.name, export.about) if isinstance(export.form, Folder) else found_file(place)


def _former(names: ShardNames, known: dict[str, Any] | None) -> Iterator[str]:
    """Yields the names of the shards to delete: the shards of an earlier export with another number of shards or
    another compression.
    """
    count = known.get("of") if known is not None else None
    if known is None or not isinstance(count, int) or not 0 < count < 100_000:
        return
    listed, bare = _listed(known), names.end.removesuffix(suffix(names.end))
    for end in ("", *SUFFIXES):
        former = ShardNames(names.stem, bare + end, count)
        if former.end != names.end:
            yield from (name for name in map(former.shard, range(count)) if name in listed)
        elif count != names.count:
            yield from map(former.shard, range(count))


def _listed(known: dict[str, Any]) -> set[str]:
    """Returns the names of the shards in a manifest. Invalid entries are ignored."""
    shards = known.get("shards")
    names = [shard.get("name") for shard in shards if isinstance(shard, dict)] if isinstance(shards, list) else []
    return {name for name in names if isinstance(name, str)}
