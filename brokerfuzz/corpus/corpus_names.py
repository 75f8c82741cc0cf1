"""What the names of corpora tell: their format, how they are packed, which shard they are."""

from collections.abc import Collection
from dataclasses import dataclass
from pathlib import PurePosixPath

from brokerfuzz.compression import SUFFIXES, suffix
from brokerfuzz.corpus.formats import FORMATS, Folder, Format, OneFile, format_named
from brokerfuzz.errors import CorpusError

_OTHERS = (".7z", ".br", ".bz2", ".lz", ".lz4", ".lzma", ".lzo", ".rar", ".snappy", ".sz", ".tar", ".tbz2", ".tgz", ".txz", ".xz", ".z", ".zip")
"""The ends of names of files packed in other ways."""


def format_told(out: str) -> Format:
    """The format that the end of a name tells; `ndjson` for a name without one. Raises `CorpusError` where several formats have that end, or none."""
    _check_letters(out, SUFFIXES)
    bare = out.removesuffix(suffix(out))
    forms = [form for form in map(format_named, FORMATS) if isinstance(form, OneFile)]
    _check_letters(bare, [form.suffix for form in forms])
    fits = [form for form in forms if bare.endswith(form.suffix)]
    longest = [form for form in fits if len(form.suffix) == max(len(fit.suffix) for fit in fits)]
    if len(longest) > 1:
        names = ", ".join(form.name for form in longest)
        raise CorpusError(f"{out} could be of several formats: say with --format which of {names}")
    if not longest and (end := PurePosixPath(bare).suffix.lower()) not in ("", ".jsonl", *_OTHERS):
        raise CorpusError(f"{out} ends in {end}, as no format does: name it .ndjson, or say with --format what it is to be")
    return longest[0] if longest else format_named("ndjson")


def check_end(out: str, form: Format) -> None:
    """Raises `CorpusError` where the end of the name promises what there is not."""
    _check_letters(out, SUFFIXES)
    end = PurePosixPath(out).suffix.lower()
    if end in _OTHERS:
        raise CorpusError(f"{out} cannot be packed as {end}: {' and '.join(SUFFIXES)} can be, or leave that out")
    if isinstance(form, Folder) and suffix(out):
        raise CorpusError(f"{out} is a folder, as the format {form.name} is, and only a file can be packed: name it without {suffix(out)}")


def _check_letters(out: str, ends: Collection[str]) -> None:
    """Raises `CorpusError` where the end of a name would be one of these in small letters."""
    end = PurePosixPath(out).suffix
    if end not in ends and end.lower() in ends:
        raise CorpusError(f"{out} ends in {end}, and only ends in small letters tell what a file is: name it {end.lower()}")


def check_ndjson(out: str) -> None:
    """Raises `CorpusError` where the end of the name tells another format than ndjson, or promises what there is not."""
    check_end(out, format_named("ndjson"))
    end = PurePosixPath(out.removesuffix(suffix(out))).suffix
    if end not in ("", ".ndjson", ".jsonl"):
        raise CorpusError(f"{out} ends in {end}, and this corpus is ndjson: name it .ndjson")


@dataclass(frozen=True)
class ShardNames:
    """The names of the shards of a corpus: `NAME-00001-of-00004.ndjson.gz`, and that of their manifest, `NAME.shards.json`."""

    stem: str
    end: str
    count: int

    @classmethod
    def of(cls, name: str, form: Format, count: int) -> "ShardNames":
        """Those of a corpus of this name. A folder's name has no end."""
        bare = name.removesuffix(suffix(name))
        stem = bare if isinstance(form, Folder) else bare.removesuffix(PurePosixPath(bare).suffix)
        return cls(stem, name.removeprefix(stem), count)

    def shard(self, number: int) -> str:
        """The name of a shard, of which the first is 0."""
        return f"{self.stem}-{number + 1:05}-of-{self.count:05}{self.end}"

    @property
    def manifest(self) -> str:
        """The name of the manifest."""
        return f"{self.stem}.shards.json"
