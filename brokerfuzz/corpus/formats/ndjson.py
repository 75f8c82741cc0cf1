"""Writes one case per line, as JSON. The module `cases.records` describes the lines."""

from collections.abc import Iterable, Iterator

from brokerfuzz.cases.case import Case
from brokerfuzz.cases.records import encode
from brokerfuzz.corpus.formats.format import CorpusInfo, File, Format


def in_lines(name: str, *, base64: bool) -> Format:
    """Returns the format with one case per line. If `base64` is true, every message is in base64. Otherwise, a compact
    JSON message is written as JSON, and any other message in base64.
    """

    def files(cases: Iterable[Case], info: CorpusInfo) -> Iterator[File]:
        yield File("", (encode(case, base64=base64) + b"\n" for case in cases))

    return Format(name, files, ".ndjson")


FORMAT = in_lines("ndjson", base64=False)
