"""Derives the format of a corpus from its file name, checks the suffix, and creates the names of shards."""

import re
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import PurePosixPath

from brokerfuzz.compression import SUFFIXES, suffix
from brokerfuzz.corpus.formats import FORMATS, Folder, Format, OneFile, format_named
from brokerfuzz.errors import CorpusError

_OTHERS = (
    ".7z",
    ".br",
    ".bz2",
    ".lz",
    ".lz4",
    ".lzma",
    ".lzo",
    ".rar",
    ".snappy",
    ".sz",
    ".tar",
    ".tbz2",
    ".tgz",
    ".txz",
    ".xz",
    ".z",
    ".zip",
)
"""The suffixes of compressed files and archives that brokerfuzz does not support."""


def format_from_name(out: str) -> Format:
    """Returns the format for the suffix of a file name (`ndjson` if there is no suffix). Raises `CorpusError` if no
    format, or more than one format, has this suffix.
    """
    _check_lower_case(out, SUFFIXES)
    bare = out.removesuffix(suffix(out))
    forms = [form for form in map(format_named, FORMATS) if isinstance(form, OneFile)]
    _check_lower_case(bare, [form.suffix for form in forms])
    fits = [form for form in forms if bare.endswith(form.suffix)]
    longest = [form for form in fits if len(form.suffix) == max(len(fit.suffix) for fit in fits)]
    if len(longest) > 1:
        names = ", ".join(form.name for form in longest)
        raise CorpusError(f"{out} matches several formats: specify one of them with --format ({names})")
    if not longest and (end := PurePosixPath(bare).suffix.lower()) not in ("", ".jsonl", *_OTHERS):
        raise CorpusError(
            f"{out} ends in {end}, which is not the suffix of any format: use a name that ends in .ndjson, or add "
            "--format"
        )
    return longest[0] if longest else format_named("ndjson")


def check_suffix(out: str, form: Format) -> None:
    """Raises `CorpusError` if the suffix of `out` stands for a compression that brokerfuzz or the format does not
    support.
    """
    _check_lower_case(out, SUFFIXES)
    end = PurePosixPath(out).suffix.lower()
    if end in _OTHERS:
        raise CorpusError(
            f"{out} cannot be compressed as {end}: use {' or '.join(SUFFIXES)}, or a name without this suffix"
        )
    if isinstance(form, Folder) and suffix(out):
        raise CorpusError(
            f"{out} cannot be compressed, because the format `{form.name}` writes a folder: use a name without "
            f"{suffix(out)}"
        )


def _check_lower_case(out: str, ends: Collection[str]) -> None:
    """Raises `CorpusError` if the suffix of `out` is one of the suffixes `ends`, but contains upper-case letters."""
    end = PurePosixPath(out).suffix
    if end not in ends and end.lower() in ends:
        raise CorpusError(f"{out} ends in {end}, but suffixes must be in lower case: use {end.lower()}")


def check_ndjson(out: str) -> None:
    """Raises `CorpusError` if the suffix of `out` stands for a format other than ndjson, or for an unsupported
    compression.
    """
    check_suffix(out, format_named("ndjson"))
    end = PurePosixPath(out.removesuffix(suffix(out))).suffix
    if end not in ("", ".ndjson", ".jsonl"):
        raise CorpusError(
            f"{out} ends in {end}, but the format of this corpus is `ndjson`: use a name that ends in .ndjson"
        )


_SHARD = re.compile(r"-\d{5}-of-\d{5}(?=\.|$)")


def is_shard(name: str) -> bool:
    """Returns whether this is the name of a shard (a file or folder with some of the cases of a corpus)."""
    return _SHARD.search(PurePosixPath(name).name) is not None


@dataclass(frozen=True)
class ShardNames:
    """The names of the shards of a corpus (`NAME-00001-of-00004.ndjson.gz`) and of their list (`NAME.shards.json`)."""

    stem: str
    end: str
    count: int

    @classmethod
    def of(cls, name: str, form: Format, count: int) -> "ShardNames":
        bare = name.removesuffix(suffix(name))
        stem = bare if isinstance(form, Folder) else bare.removesuffix(PurePosixPath(bare).suffix)
        return cls(stem, name.removeprefix(stem), count)

    def shard(self, number: int) -> str:
        """Returns the name of a shard. The number of the first shard is 0, but its name contains `00001`."""
        return f"{self.stem}-{number + 1:05}-of-{self.count:05}{self.end}"

    @property
    def manifest(self) -> str:
        """The name of the file that lists the shards."""
        return f"{self.stem}.shards.json"
