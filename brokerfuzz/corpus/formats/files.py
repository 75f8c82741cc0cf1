"""Writes one file per case, with the exact bytes of the message. There is a folder for each message type and verdict.

    offer-creation-request/invalid/order-minimum_minimum_one-below_19da04d30a1b2c3d.json
    cases.ndjson

All names end in `.json`, even if the bytes are not JSON. The file `cases.ndjson` lists the cases in the order of the
corpus (see `index_file`). `brokerfuzz.corpus.read()` can read such a folder.
"""

from collections.abc import Iterable, Iterator

from brokerfuzz.cases.case import Case
from brokerfuzz.corpus.formats.file_names import stem
from brokerfuzz.corpus.formats.format import CorpusInfo, File, Folder
from brokerfuzz.corpus.formats.index_file import with_index


def _files(cases: Iterable[Case], about: CorpusInfo) -> Iterator[File]:
    return with_index((case, f"{case.message_type}/{case.label}/{stem(case)}.json") for case in cases)


FORMAT = Folder("files", _files)
