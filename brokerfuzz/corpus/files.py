"""Corpora written as files, whole or not there."""

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import BinaryIO

from brokerfuzz.cases.case import Case, clock
from brokerfuzz.corpus.counting import CountedCases, Summary
from brokerfuzz.corpus.destinations import is_corpus, write_file, write_folder
from brokerfuzz.corpus.formats import About, OneFile, format_named
from brokerfuzz.corpus.places import place_of
from brokerfuzz.errors import CorpusError
from brokerfuzz.schemas import MESSAGE_TYPES, load_contract


def write(
    path: str | Path,
    cases: Iterable[Case],
    *,
    progress: Callable[[int], None] | None = None,
    fmt: str = "ndjson",
    about: About | None = None,
) -> Summary:
    """Writes a corpus in a format to a path, or to a URL that fsspec knows, where it appears once all is written.

    A file is packed where its name ends in `.gz` or `.zst`. What is there is replaced.
    `progress` is called with the number of cases written so far. `about` is what formats besides `ndjson` have to know.
    Raises `CorpusError` where it cannot be written or there is no case (nothing is left behind then), `UnknownNameError` for a format that is none.
    """
    place, form = place_of(str(path)), format_named(fmt)
    counted, known = CountedCases(_some(cases), progress), about or About(load_contract(), MESSAGE_TYPES, clock(None), "")
    if isinstance(form, OneFile):
        place.check_file(force=True)
        write_file(place, form.pieces(counted, known))
    else:
        place.check_folder(is_corpus, force=True)
        write_folder(place, form.files(counted, known), form.name, known)
    return counted.summary(known.left_out)


def dump(stream: BinaryIO, cases: Iterable[Case], *, progress: Callable[[int], None] | None = None, fmt: str = "ndjson") -> Summary:
    """Writes a corpus of a one-file format to a stream. Raises `CorpusError` where there is no case."""
    counted, form = CountedCases(_some(cases), progress), format_named(fmt)
    if not isinstance(form, OneFile):
        raise CorpusError(f"{fmt} is a folder: name one")
    about = About(load_contract(), MESSAGE_TYPES, clock(None), "")
    stream.writelines(form.pieces(counted, about))
    return counted.summary(about.left_out)


def _some(cases: Iterable[Case]) -> Iterator[Case]:
    """The cases, of which there have to be some."""
    case = None
    for case in cases:
        yield case
    if case is None:
        raise CorpusError("no case is left to write: choose more messages or verdicts, or a count above 0")
