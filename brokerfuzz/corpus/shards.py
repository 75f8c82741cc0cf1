"""Writes a corpus in shards, which are files or folders with a part of the cases.

    load-00001-of-00020.ndjson.zst, load-00002-of-00020.ndjson.zst, …
    load.shards.json    with which options they were exported, and their names

A shard that exists is complete. Before the first shard of an export is written, the list gets the options of this
export, and the shards of an earlier export are removed. So all shards have the options in the list.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path, PurePosixPath

from brokerfuzz.cases.case import Case
from brokerfuzz.corpus.exporting import Export
from brokerfuzz.corpus.folders import Manifest, has_manifest, manifest_of, read_manifest, remove_folder, write_manifest
from brokerfuzz.corpus.formats import CorpusInfo, Format
from brokerfuzz.corpus.writing import Summary, check_name, check_place, write_place
from brokerfuzz.errors import CorpusError
from brokerfuzz.file_contents import write_errors
from brokerfuzz.storage import place_of, suffix
from brokerfuzz.version import __version__

_LIST = ".shards.json"
TOO_FEW = "brokerfuzz found too few new random cases that match the filters; use a smaller --random"


def write_shards(
    export: Export, form: Format, out: str, count: int, info: CorpusInfo, *, force: bool, resume: bool,
    counting: Callable[[Iterator[Case], int], Iterator[Case]],
) -> Summary:  # fmt: skip
    """With `resume`, keeps the existing shards, which must have the same options. With `force`, replaces shards with
    other options. `counting` gets the cases of a shard and their number, and shows the progress.

    Raises `CorpusError` if a shard cannot be written, or if there are more shards than cases.
    """
    listing, places = _paths(place_of(out), form, count)
    names = tuple(place.name for place in places)
    manifest = Manifest(__version__, form.name, f"{info.recipe} --shards={count}", complete=False, files=names)
    former = _listed(listing)
    existing = _kept(places, former, listing, manifest.recipe, force=force) if resume else []
    new_places = [place for place in places if place not in existing]
    for place in new_places:
        check_place(place, form, force=force, remedy="add --resume to keep the existing shards, or --force")
    total, summary = export.total, Summary(info)
    if count > total:
        raise CorpusError(f"{total:,} cases cannot fill {count:,} shards: use --shards {total} or fewer")
    bounds = [number * total // count for number in range(count + 1)]
    numbers = {place: range(*ends) for place, ends in zip(places, pairwise(bounds), strict=True)}
    summary.kept = sum(len(numbers[place]) for place in existing)
    with write_errors(listing, CorpusError):
        if not existing:
            _remove_shards([*former, *places])
        write_manifest(listing, manifest)
        for place in new_places:
            cases = export.cases(numbers[place].start, numbers[place].stop)
            counted_cases = summary.counted(cases, f"{place} cannot be filled: {TOO_FEW}")
            write_place(place, form, counting(counted_cases, len(numbers[place])), summary)
        write_manifest(listing, replace(manifest, complete=True))
    return summary


def _paths(out: Path, form: Format, count: int) -> tuple[Path, list[Path]]:
    """Returns the paths of the list and of the shards."""
    check_name(out)
    bare = out.name.removesuffix(suffix(out.name))
    stem = bare if form.is_folder else bare.removesuffix(PurePosixPath(bare).suffix)
    end = out.name.removeprefix(stem)
    shards = [out.with_name(f"{stem}-{number:05}-of-{count:05}{end}") for number in range(1, count + 1)]
    return out.with_name(f"{stem}{_LIST}"), shards


def _kept(shards: Sequence[Path], former: Sequence[Path], listing: Path, recipe: str, *, force: bool) -> list[Path]:
    """Returns the shards that an interrupted export with the same options has written."""
    complete = [shard for shard in shards if _is_complete(shard)]
    former_manifest = read_manifest(listing) if listing.is_file() else None
    if former_manifest is not None and (former_manifest.brokerfuzz, former_manifest.recipe) == (__version__, recipe):
        return complete
    if (complete or any(shard.exists() for shard in former)) and not force:
        options = "options that are not known"
        if former_manifest is not None:
            options = f"other options or another version: {former_manifest.recipe}"
        raise CorpusError(
            f"the existing shards were exported with {options}; use the same options to resume, or replace the shards "
            "with --force and without --resume"
        )
    return []


def _is_complete(place: Path) -> bool:
    return manifest_of(place).complete if has_manifest(place) else place.is_file()


def _listed(listing: Path) -> list[Path]:
    """Returns the shards of an earlier export. A name that is not the name of a shard is ignored."""
    if not listing.is_file():
        return []
    pattern = re.compile(re.escape(listing.name.removesuffix(_LIST)) + r"-\d{5}-of-\d{5}[^/\\]*")
    return [listing.with_name(name) for name in read_manifest(listing).files if pattern.fullmatch(name)]


def _remove_shards(shards: Sequence[Path]) -> None:
    for shard in shards:
        if has_manifest(shard):
            remove_folder(shard)
        elif shard.is_file():
            shard.unlink()
