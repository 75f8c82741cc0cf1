"""Writes one case per line, as JSON. The module `cases.records` describes the lines. The last line is marked as the
last one.
"""

from collections.abc import Iterable, Iterator
from functools import partial

from brokerfuzz.cases.case import Case
from brokerfuzz.cases.records import encode, encode_all
from brokerfuzz.corpus.formats.format import CorpusInfo, OneFile


def in_lines(name: str, *, base64: bool) -> OneFile:
    """Returns the format with one case per line. If `base64` is true, every message is in base64. Otherwise, a compact
    JSON message is written as JSON, and any other message in base64.
    """

    def pieces(cases: Iterable[Case], about: CorpusInfo) -> Iterator[bytes]:
        held: Case | None = None
        for case in cases:
            if held is not None:
                yield encode(held, base64=base64) + b"\n"
            held = case
        if held is not None:
            yield encode(held, last=True, base64=base64) + b"\n"

    return OneFile(name, ".ndjson", pieces, partial(encode_all, base64=base64))


FORMAT = in_lines("ndjson", base64=False)
