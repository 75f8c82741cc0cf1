"""Writes one case per line, as JSON. `cases.records` describes the lines. The last line is marked."""

from collections.abc import Iterable, Iterator

from brokerfuzz.cases.case import Case
from brokerfuzz.cases.records import encode, encode_all
from brokerfuzz.corpus.formats.format import CorpusInfo, OneFile


def _pieces(cases: Iterable[Case], about: CorpusInfo) -> Iterator[bytes]:
    held: Case | None = None
    for case in cases:
        if held is not None:
            yield encode(held) + b"\n"
        held = case
    if held is not None:
        yield encode(held, last=True) + b"\n"


FORMAT = OneFile("ndjson", "one case per line, as JSON; brokerfuzz can read it again", ".ndjson", _pieces, encode_all)
