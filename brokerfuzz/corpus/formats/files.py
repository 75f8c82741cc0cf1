"""Writes one file per case, with the exact bytes of the message. There is a folder for each message type and verdict.

    offer-creation-request/invalid/order-minimum_minimum_one-below_19da04d30a1b2c3d.json
    cases.ndjson

All names end in `.json`, even if the bytes are not JSON. The file `cases.ndjson` lists the cases as records. Instead of
`body` or `raw`, a record has the name of its `file` and a `reason`.
"""

from collections.abc import Iterable, Iterator

from brokerfuzz.cases.case import Case
from brokerfuzz.cases.records import encode_beside
from brokerfuzz.corpus.formats.case_names import reason_of, stem
from brokerfuzz.corpus.formats.format import CorpusInfo, File, Format


def _files(cases: Iterable[Case], info: CorpusInfo) -> Iterator[File]:
    records = []
    for case in cases:
        name = f"{case.message_type}/{case.label}/{stem(case)}.json"
        records.append(encode_beside(case, name, reason_of(case)) + b"\n")
        yield File(name, (case.body,))
    yield File("cases.ndjson", records)


FORMAT = Format("files", _files)
