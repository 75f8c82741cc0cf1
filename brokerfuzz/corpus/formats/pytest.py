"""Writes tests for pytest, without other dependencies: a corpus whose lines also have a name, a reason and a time, and two modules."""

from collections.abc import Iterable, Iterator

import orjson

from brokerfuzz.cases.case import Case
from brokerfuzz.cases.records import encode
from brokerfuzz.corpus.formats.case_names import name_of, now_of, reason_of
from brokerfuzz.corpus.formats.format import CorpusInfo, File, Folder
from brokerfuzz.corpus.formats.suite_folder import source


def _files(cases: Iterable[Case], about: CorpusInfo) -> Iterator[File]:
    yield File("test_broker_contract.py", [source("test_broker_contract.py")])
    yield File("conftest.py", [source("conftest.py")], user_owned=True)
    yield File("cases.ndjson", _lines(cases))


def _lines(cases: Iterable[Case]) -> Iterator[bytes]:
    """Yields the lines of the corpus. Each line begins with three more properties: the `name` of the test, the `reason` for the
    verdict, and the time `now` at which the verdict is correct.
    """
    held: Case | None = None
    for case in cases:
        if held is not None:
            yield _line(held)
        held = case
    if held is not None:
        yield _line(held, last=True)


def _line(case: Case, *, last: bool = False) -> bytes:
    head = orjson.dumps({"name": name_of(case), "reason": reason_of(case), "now": now_of(case)})
    return head[:-1] + b"," + encode(case, last=last)[1:] + b"\n"


FORMAT = Folder("pytest", "tests for pytest; you must complete conftest.py", _files)
