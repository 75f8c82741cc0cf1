"""Writes one case per line, as JSON. The module `cases.records` describes the lines."""

from collections.abc import Iterable, Iterator

from brokerfuzz.cases.case import Case
from brokerfuzz.cases.records import encode
from brokerfuzz.corpus.formats.format import CorpusInfo, single_file


def _lines(cases: Iterable[Case], info: CorpusInfo) -> Iterator[bytes]:
    return (encode(case, base64=info.base64) + b"\n" for case in cases)


FORMAT = single_file("ndjson", ".ndjson", _lines)
