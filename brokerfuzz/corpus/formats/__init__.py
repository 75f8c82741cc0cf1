"""Defines the formats of corpora: those that brokerfuzz can read again, test suites, and a module with a constant
`FORMAT` for every other format.
"""

from importlib import import_module
from pathlib import PurePosixPath

from brokerfuzz.corpus.formats.format import CorpusInfo, File, Format
from brokerfuzz.corpus.formats.readable_formats import READABLE
from brokerfuzz.corpus.formats.suite_folder import SUITES
from brokerfuzz.errors import CorpusError, UnknownNameError
from brokerfuzz.format_names import FORMATS
from brokerfuzz.storage import suffix

__all__ = ["FORMATS", "CorpusInfo", "File", "Format", "default_format", "format_named"]

_NDJSON = ("", ".ndjson", ".jsonl")
"""The suffixes of files with one case per line."""


def format_named(name: str) -> Format:
    if name not in FORMATS:
        raise UnknownNameError("format", name, FORMATS, "`brokerfuzz export --help` lists all formats")
    if name in READABLE | SUITES:
        return (READABLE | SUITES)[name]
    found: Format = import_module(f"{__name__}.{name.replace('-', '_')}").FORMAT
    return found


def default_format(out: str) -> Format:
    """Returns the format `ndjson`. Raises `CorpusError` if the file name has the suffix of something else."""
    end = PurePosixPath(out.removesuffix(suffix(out))).suffix
    if end not in _NDJSON:
        raise CorpusError(f"{out} ends in {end}: use a name that ends in .ndjson, or add --format")
    return format_named("ndjson")
