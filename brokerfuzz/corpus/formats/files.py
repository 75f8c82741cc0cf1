"""Files: a file a case, which has the message's exact bytes.

    offer-creation-request/invalid/0000042_order-minimum_minimum_one-below_19da04d3.json
    cases.ndjson

A folder a message type and verdict; files are numbered within it, so that a case more changes the names of no other folder. A file is called
`.json` whatever its bytes are. `cases.ndjson` has the record of each case, in the corpus' order, as `cases.records` describes it, but for
`file`, the name of the file that has the message, in place of `body` or `raw`; the last one ends in `"last":true`. `brokerfuzz.corpus.read()`
takes the folder as it takes a file.
"""

from collections.abc import Iterable, Iterator
from tempfile import TemporaryFile

from brokerfuzz.cases.case import Case
from brokerfuzz.cases.records import encode_beside
from brokerfuzz.corpus.formats.file_names import Numbers, stem
from brokerfuzz.corpus.formats.format import About, File, Folder

INDEX = "cases.ndjson"
_CHUNK = 1 << 20


def _files(cases: Iterable[Case], about: About) -> Iterator[File]:
    numbers = Numbers()
    with TemporaryFile() as index:  # as long as the corpus has cases: more than memory should hold
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
