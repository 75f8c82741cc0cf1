"""Writes one case per line, as JSON. The module `cases.records` describes the lines."""

from collections.abc import Iterable, Iterator
from functools import partial

from brokerfuzz.cases.case import Case
from brokerfuzz.cases.records import encode
from brokerfuzz.corpus.formats.format import CorpusInfo, single_file
from brokerfuzz.format_names import BASE64


def _lines(cases: Iterable[Case], info: CorpusInfo, *, base64: bool) -> Iterator[bytes]:
    return (encode(case, base64=base64) + b"\n" for case in cases)


FORMAT = single_file("ndjson", ".ndjson", partial(_lines, base64=False))
"""Writes a compact JSON message as JSON, and any other message in base64."""
IN_BASE64 = single_file(BASE64, ".ndjson", partial(_lines, base64=True))
"""Writes every message in base64, so that a program can read its exact bytes with any JSON parser."""
