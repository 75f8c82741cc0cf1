"""Files: one file per case, with the exact bytes of the message.

    offer-creation-request/invalid/0000042_order-minimum_minimum_one-below_19da04d3.json
    cases.ndjson

There is one folder per message type and verdict. Files are numbered within their folder, so that an additional case does not change
names in other folders. All names end in `.json`, even if the bytes are not JSON. `cases.ndjson` has one record per case, in the
order of the corpus. The module `cases.records` describes the properties of a record. In `cases.ndjson`, a record has the property
`file` (the name of the file with the message) instead of `body` or `raw`. The last record ends in `"last":true`.
`brokerfuzz.corpus.read()` also reads such a folder.
"""

from collections.abc import Iterable, Iterator
from tempfile import TemporaryFile

from brokerfuzz.cases.case import Case
from brokerfuzz.cases.records import encode_beside
from brokerfuzz.corpus.formats.file_names import Numbers, stem
from brokerfuzz.corpus.formats.format import CorpusInfo, File, Folder

INDEX = "cases.ndjson"
_CHUNK = 1 << 20


def _files(cases: Iterable[Case], about: CorpusInfo) -> Iterator[File]:
    numbers = Numbers()
    with TemporaryFile() as index:  # the list has one line per case, so it may be too large for memory
        held: tuple[Case, str] | None = None
        for case in cases:
            if held is not None:
                index.write(encode_beside(*held) + b"\n")
            folder = f"{case.message_type}/{case.label}"
            name = f"{folder}/{stem(numbers.next(folder), case)}.json"
            yield File(name, (case.body,))
            held = case, name
        if held is not None:
            index.write(encode_beside(*held, last=True) + b"\n")
        index.seek(0)
        yield File(INDEX, iter(lambda: index.read(_CHUNK), b""))


FORMAT = Folder("files", "a folder with one file per message, by message type and verdict, and a list of them", _files)
