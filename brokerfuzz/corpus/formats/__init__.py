"""Defines the formats of corpora, one module per format, each with a constant `FORMAT`.

A format converts cases to the bytes of a file (`OneFile`) or of the files in a folder (`Folder`). A format receives the
cases in order, and most formats keep only a few cases in memory.
"""

from importlib import import_module

from brokerfuzz.corpus.formats.format import CorpusInfo, File, Folder, Format, LeftOut, OneFile
from brokerfuzz.errors import UnknownNameError
from brokerfuzz.format_names import BASE64, FORMATS

__all__ = ["FORMATS", "CorpusInfo", "File", "Folder", "Format", "LeftOut", "OneFile", "format_named"]


def format_named(name: str) -> Format:
    """Raises `UnknownNameError` if there is no format with this name."""
    if name not in (*FORMATS, BASE64):
        raise UnknownNameError("format", name, FORMATS, "`brokerfuzz export --help` lists all formats")
    found: Format = import_module(f"{__name__}.{name.replace('-', '_')}").FORMAT
    return found
