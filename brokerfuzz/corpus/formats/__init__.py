"""What a corpus can be written as: a module a format, each with a `FORMAT` of its own.

A format is a function from cases to bytes: of one file (`OneFile`), or of the files of a folder (`Folder`). It takes the cases as they come, holds
no more of them than it must, and knows nothing of where the bytes go.
"""

from importlib import import_module

from brokerfuzz.corpus.formats.format import About, File, Folder, Format, LeftOut, OneFile
from brokerfuzz.errors import UnknownNameError
from brokerfuzz.format_names import FORMATS

__all__ = ["FORMATS", "About", "File", "Folder", "Format", "LeftOut", "OneFile", "format_named"]


def format_named(name: str) -> Format:
    """The format of this name. Raises `UnknownNameError`."""
    if name not in FORMATS:
        raise UnknownNameError("format", name, FORMATS, "`brokerfuzz export --help` lists them all")
    found: Format = import_module(f"{__name__}.{name.replace('-', '_')}").FORMAT
    return found
