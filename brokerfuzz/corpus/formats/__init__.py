"""Defines the formats of corpora: those that brokerfuzz can read again, test suites, and a module with a constant
`FORMAT` for every other format.
"""

from importlib import import_module

from brokerfuzz.corpus.formats.format import CorpusInfo, File, Format
from brokerfuzz.corpus.formats.readable_formats import READABLE
from brokerfuzz.corpus.formats.suite_folder import SUITES
from brokerfuzz.errors import UnknownNameError
from brokerfuzz.format_names import FORMATS

__all__ = ["FORMATS", "CorpusInfo", "File", "Format", "format_named"]


def format_named(name: str) -> Format:
    if not isinstance(name, str) or name not in FORMATS:
        raise UnknownNameError("fmt", str(name), FORMATS, "`brokerfuzz export --help` lists all formats")
    if name in READABLE | SUITES:
        return (READABLE | SUITES)[name]
    form: Format = import_module(f"{__name__}.{name.replace('-', '_')}").FORMAT
    return form
