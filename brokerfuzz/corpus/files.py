"""Writes corpora to files and folders."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from brokerfuzz.cases.case import Case
from brokerfuzz.contract_names import LABELS
from brokerfuzz.corpus.destinations import is_corpus, write_file, write_folder
from brokerfuzz.corpus.formats import CorpusInfo, OneFile, format_named, ndjson
from brokerfuzz.corpus.places import place_of
from brokerfuzz.errors import CorpusError
from brokerfuzz.schemas import MESSAGE_TYPES, load_contract


@dataclass(frozen=True, slots=True)
class Summary:
    """The number of written cases: in total, and for each message type and label."""

    count: int
    by_label: dict[tuple[str, str], int]

    def by_message(self) -> dict[str, dict[str, int]]:
        """Maps each message type that has cases to the number of cases for each label."""
        counts: dict[str, dict[str, int]] = {
            name: {label: self.by_label.get((name, label), 0) for label in LABELS} for name in MESSAGE_TYPES
        }
        return {name: of_type for name, of_type in counts.items() if any(of_type.values())}

    @classmethod
    def of(cls, passed: Counter[tuple[str, str]], left_out: Counter[tuple[str, str]]) -> "Summary":
        """`passed` counts the cases that the format received, and `left_out` counts those that the format did not
        write.
        """
        written = passed - left_out
        return cls(written.total(), dict(written))


def write(
    path: str | Path,
    cases: Iterable[Case],
    *,
    progress: Callable[[int], None] | None = None,
    fmt: str = "ndjson",
    about: CorpusInfo | None = None,
) -> Summary:
    """Writes a corpus to a path, or to a URL that fsspec supports. An existing corpus is replaced.

    The corpus appears at `path` only when it is complete. At a URL, an incomplete folder contains the file
    `.unfinished`. A file is compressed if its name ends in `.gz` or `.zst`. `progress` is called with the number of
    cases that were written so far. `about` is a description of the corpus, which some formats use.

    Raises `UnknownNameError` if the format is unknown. Raises `CorpusError` if the corpus cannot be written or there is
    no case. After an error, no new local files remain.

    >>> from brokerfuzz.corpus import load, write
    >>> write("responses.ndjson.gz", load("product-list-response")[:100]).count
    100
    """
    place, form = place_of(str(path)), format_named(fmt)
    counts, known = Counter[tuple[str, str]](), about or CorpusInfo(load_contract(), MESSAGE_TYPES, "", place.base)
    counted = _counted(cases, counts, progress)
    if isinstance(form, OneFile):
        place.check_file(force=True)
        write_file(place, form.pieces(counted, known))
    else:
        place.check_folder(is_corpus, force=True)
        write_folder(place, form.files(counted, known), form.name, known)
    return Summary.of(counts, known.left_out.by_label)


def dump(stream: BinaryIO, cases: Iterable[Case]) -> Summary:
    """Writes a corpus to a stream, in the format `ndjson`. Raises `CorpusError` if there is no case."""
    counts, about = Counter[tuple[str, str]](), CorpusInfo(load_contract(), MESSAGE_TYPES, "")
    stream.writelines(ndjson.FORMAT.pieces(_counted(cases, counts), about))
    return Summary.of(counts, about.left_out.by_label)


def _counted(
    cases: Iterable[Case], counts: Counter[tuple[str, str]], progress: Callable[[int], None] | None = None
) -> Iterator[Case]:
    """Raises `CorpusError` if there are no cases."""
    number = 0
    for number, case in enumerate(cases, 1):
        counts[case.message_type, case.label] += 1
        if progress:
            progress(number)
        yield case
    if not number:
        raise CorpusError("no cases to write: choose more messages or verdicts, or a count above 0")
