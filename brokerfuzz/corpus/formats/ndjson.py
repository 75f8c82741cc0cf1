"""Writes one case per line, as JSON. The module `cases.records` describes the lines."""

from collections.abc import Iterable, Iterator

from brokerfuzz.cases.case import Case
from brokerfuzz.cases.records import encode
from brokerfuzz.corpus.formats.format import CorpusInfo, Format, single_file


def in_lines(name: str, *, base64: bool) -> Format:
    """Returns the format with one case per line. If `base64` is true, every message is in base64. Otherwise, a compact
    JSON message is written as JSON, and any other message in base64.
    """

    def lines(cases: Iterable[Case], info: CorpusInfo) -> Iterator[bytes]:
        return (encode(case, base64=base64) + b"\n" for case in cases)

    return single_file(name, ".ndjson", lines)


FORMAT = in_lines("ndjson", base64=False)
