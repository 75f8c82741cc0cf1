"""Writes each message to a separate file, and the list of these files to `cases.ndjson`.

The module `cases.records` describes the lines of the list. Instead of `body` or `raw`, a line has the property `file`
(the name of the file with the message). A line also has the property `reason` (a sentence that says why the message has
its verdict). The last line ends with `"last":true`.
"""

from collections.abc import Iterable, Iterator
from tempfile import TemporaryFile

from brokerfuzz.cases.case import Case
from brokerfuzz.cases.records import encode_beside
from brokerfuzz.corpus.formats.case_names import reason_of
from brokerfuzz.corpus.formats.format import File

INDEX = "cases.ndjson"
_CHUNK = 1 << 20


def with_index(named: Iterable[tuple[Case, str]]) -> Iterator[File]:
    """Yields one file for each case, and then the list of these files."""
    with TemporaryFile() as index:  # the list has one line per case, so it may not fit into memory
        held: tuple[Case, str, str] | None = None
        for case, name in named:
            if held is not None:
                index.write(encode_beside(*held) + b"\n")
            yield File(name, (case.body,))
            held = case, name, reason_of(case)
        if held is not None:
            index.write(encode_beside(*held, last=True) + b"\n")
        index.seek(0)
        yield File(INDEX, iter(lambda: index.read(_CHUNK), b""))
