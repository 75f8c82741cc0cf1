"""Writes test files for parsers. The file names are like those in the GitHub repository nst/JSONTestSuite. There is one
folder per message type.

    offer-creation-request/n_order-minimum_minimum_one-below_19da04d30a1b2c3d.json
    cases.ndjson

A file contains the exact bytes of a message. The name of a file says what a program must do with the message: `y_`
(accept), `n_` (reject) or `i_` (accept or reject). `cases.ndjson` lists the files (see `index_file`). Cases whose
verdict depends on request headers or on the current time are left out.
"""

from collections.abc import Iterable, Iterator

from brokerfuzz.cases.case import Case
from brokerfuzz.corpus.formats.case_names import now_of
from brokerfuzz.corpus.formats.file_names import stem
from brokerfuzz.corpus.formats.format import CorpusInfo, File, Folder
from brokerfuzz.corpus.formats.index_file import with_index
from brokerfuzz.errors import CorpusError
from brokerfuzz.schemas import Label

HEADERS, CLOCK = "with a verdict that depends on request headers", "with a verdict that depends on the current time"
LETTERS: dict[Label, str] = {"valid": "y", "invalid": "n", "unspecified": "i"}


def _files(cases: Iterable[Case], about: CorpusInfo) -> Iterator[File]:
    return with_index(_named(cases, about))


def _named(cases: Iterable[Case], about: CorpusInfo) -> Iterator[tuple[Case, str]]:
    name = None
    for case in cases:
        if case.headers:
            about.left_out.add(case, HEADERS)
        elif now_of(case) is not None:
            about.left_out.add(case, CLOCK)
        else:
            name = f"{case.message_type}/{LETTERS[case.label]}_{stem(case)}.json"
            yield case, name
    if name is None:
        problem = (
            "files in the format `parsing` contain neither request headers nor a time, but the verdict of each "
            "chosen case depends on one of these"
        )
        raise CorpusError(f"{problem}: remove a filter such as --rule or --verdict")


FORMAT = Folder("parsing", _files)
