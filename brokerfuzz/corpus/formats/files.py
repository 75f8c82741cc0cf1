"""Writes one file per case, with the exact bytes of the message. There is a folder for each message type and verdict.

    offer-creation-request/invalid/order-minimum_minimum_one-below_19da04d30a1b2c3d.json
    cases.ndjson

All names end in `.json`, even if the bytes are not JSON.

The file `cases.ndjson` lists the cases in the order of the corpus. `cases.records` describes the lines of this file. The lines
have the property `file` (the name of the file with the message) instead of `body` or `raw`. The last line ends with
`"last":true`. `brokerfuzz.corpus.read()` can read such a folder.
"""

from collections.abc import Iterable, Iterator
from tempfile import TemporaryFile

from brokerfuzz.cases.case import Case
from brokerfuzz.cases.records import encode_beside
from brokerfuzz.corpus.formats.file_names import stem
from brokerfuzz.corpus.formats.format import CorpusInfo, File, Folder

INDEX = "cases.ndjson"
_CHUNK = 1 << 20


def _files(cases: Iterable[Case], about: CorpusInfo) -> Iterator[File]:
    with TemporaryFile() as index:  # the list has one line per case, so it may not fit into memory
        held: tuple[Case, str] | None = None
        for case in cases:
            if held is not None:
                index.write(encode_beside(*held) + b"\n")
            name = f"{case.message_type}/{case.label}/{stem(case)}.json"
            yield File(name, (case.body,))
            held = case, name
        if held is not None:
            index.write(encode_beside(*held, last=True) + b"\n")
        index.seek(0)
        yield File(INDEX, iter(lambda: index.read(_CHUNK), b""))


FORMAT = Folder("files", "a folder with one file per message, by message type and verdict, and a list of them", _files)
