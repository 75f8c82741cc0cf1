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

__all__ = ["FORMATS", "CorpusInfo", "File", "Format", "format_named", "format_of"]

LINES = ("", ".ndjson", ".jsonl")
"""The suffixes of files with one case per line."""


def format_named(name: str) -> Format:
    if name not in FORMATS:
        raise UnknownNameError("format", name, FORMATS, "`brokerfuzz export --help` lists all formats")
    if name in READABLE | SUITES:
        return (READABLE | SUITES)[name]
    found: Format = import_module(f"{__name__}.{name.replace('-', '_')}").FORMAT
    return found


def format_of(out: str) -> Format:
    """Returns the format for the suffix of a file name (`ndjson` if there is no suffix). Raises `CorpusError` if no
    format, or more than one format, has this suffix.
    """
    end = PurePosixPath(out.removesuffix(suffix(out))).suffix
    if end in LINES:
        return format_named("ndjson")
    fits = [form for form in map(format_named, FORMATS) if form.suffix == end]
    if len(fits) > 1:
        names = ", ".join(form.name for form in fits)
        raise CorpusError(f"{out} matches several formats: specify one of them with --format ({names})")
    if not fits:
        raise CorpusError(
            f"{out} ends in {end}, which is not the suffix of any format: use a name that ends in .ndjson, or add "
            "--format"
        )
    return fits[0]
