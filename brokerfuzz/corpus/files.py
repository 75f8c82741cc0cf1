"""Writes corpora to files and folders. The corpora appear only when they are complete."""

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import BinaryIO

from brokerfuzz.cases.case import Case
from brokerfuzz.corpus.counting import CountedCases, Summary
from brokerfuzz.corpus.destinations import is_corpus, write_file, write_folder
from brokerfuzz.corpus.formats import CorpusInfo, OneFile, format_named
from brokerfuzz.corpus.places import place_of
from brokerfuzz.errors import CorpusError
from brokerfuzz.schemas import MESSAGE_TYPES, load_contract


def write(
    path: str | Path,
    cases: Iterable[Case],
    *,
    progress: Callable[[int], None] | None = None,
    fmt: str = "ndjson",
    about: CorpusInfo | None = None,
) -> Summary:
    """Writes a corpus to a path, or to a URL that fsspec supports. An existing corpus is replaced.

    The corpus appears only when it is complete. A file is compressed if its name ends in `.gz` or `.zst`. `progress` is called with
    the number of cases that were written so far. `about` describes the corpus for the formats that need a description; `ndjson`
    does not need it.

    Raises `UnknownNameError` if the format is unknown. Raises `CorpusError` if the corpus cannot be written or there is no case.
    After an error, no new files remain.

    >>> from brokerfuzz.corpus import load, write
    >>> write("responses.ndjson.gz", load("product-list-response")).count
    1063
    """
    place, form = place_of(str(path)), format_named(fmt)
    counted, known = CountedCases(_some(cases), progress), about or CorpusInfo(load_contract(), MESSAGE_TYPES, "")
    if isinstance(form, OneFile):
        place.check_file(force=True)
        write_file(place, form.pieces(counted, known))
    else:
        place.check_folder(is_corpus, force=True)
        write_folder(place, form.files(counted, known), form.name, known)
    return counted.summary(known.left_out)


def dump(stream: BinaryIO, cases: Iterable[Case], *, progress: Callable[[int], None] | None = None, fmt: str = "ndjson") -> Summary:
    """Writes a corpus to a stream. Raises `CorpusError` if there is no case, or if the format needs a folder."""
    counted, form = CountedCases(_some(cases), progress), format_named(fmt)
    if not isinstance(form, OneFile):
        raise CorpusError(f"the format {fmt} writes a folder: specify a folder name")
    about = CorpusInfo(load_contract(), MESSAGE_TYPES, "")
    stream.writelines(form.pieces(counted, about))
    return counted.summary(about.left_out)


def _some(cases: Iterable[Case]) -> Iterator[Case]:
    """Yields the cases. Raises `CorpusError` if there are no cases."""
    case = None
    for case in cases:
        yield case
    if case is None:
        raise CorpusError("no cases to write: choose more messages or verdicts, or a count above 0")
