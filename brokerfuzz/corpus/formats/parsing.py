"""Parsing: the layout of JSON parsers' test suites (nst/JSONTestSuite), for what reads these messages.

    offer-creation-request/n_0000042_order-minimum_minimum_one-below_19da04d3.json

A folder a message type. A name begins with `y_` where the message must be accepted (`valid`), with `n_` where it must be rejected (`invalid`), with
`i_` where either will do (`unspecified`), and the file has its exact bytes. Cases that are about a request's headers are left out, and those whose
verdict follows the clock: it is not that of the bytes alone.
"""

from collections.abc import Iterable, Iterator

from brokerfuzz.cases.case import Case
from brokerfuzz.corpus.formats.case_names import now_of
from brokerfuzz.corpus.formats.file_names import Numbers, stem
from brokerfuzz.corpus.formats.format import About, File, Folder
from brokerfuzz.errors import CorpusError
from brokerfuzz.schemas import Label

HEADERS, CLOCK = "about a request's headers", "whose verdict follows the clock"
LETTERS: dict[Label, str] = {"valid": "y", "invalid": "n", "unspecified": "i"}


def _files(cases: Iterable[Case], about: About) -> Iterator[File]:
    numbers, name = Numbers(), None
    for case in cases:
        if case.headers:
            about.left_out.add(case, HEADERS)
        elif now_of(case, about) is not None:
            about.left_out.add(case, CLOCK)
        else:
            letter = LETTERS[case.label]
            name = f"{case.message_type}/{letter}_{stem(numbers.next((case.message_type, letter)), case)}.json"
            yield File(name, (case.body,))
    if name is None:
        raise CorpusError(f"every case is {HEADERS}, or one {CLOCK}, which the format parsing has no place for: choose more cases")


FORMAT = Folder("parsing", "y_, n_ and i_ files, as in JSONTestSuite", _files)
