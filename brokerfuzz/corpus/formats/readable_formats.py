"""The formats that brokerfuzz can read again. All contain records, which the module `cases.records` describes."""

import shlex
from collections.abc import Iterable, Iterator

import orjson

from brokerfuzz.cases.case import Case
from brokerfuzz.cases.message_diff import changed_lines
from brokerfuzz.cases.records import encode, encode_beside
from brokerfuzz.corpus.formats.case_names import ascii_line, reason_of, stem
from brokerfuzz.corpus.formats.format import CorpusInfo, File, Format, filled, source
from brokerfuzz.corpus.formats.suite_cases import SuiteCase, arranged
from brokerfuzz.corpus.formats.suite_folder import README, known_failures

_RECORDS = "cases.ndjson"


def _lines(cases: Iterable[Case], info: CorpusInfo) -> Iterator[File]:
    yield File("", (encode(case, base64=info.base64) + b"\n" for case in cases))


def _files(cases: Iterable[Case], info: CorpusInfo) -> Iterator[File]:
    """Yields one file per case, with the exact bytes of the message. All names end in `.json`, even if the bytes are
    not JSON. Instead of `body` or `raw`, a record has the name of its `file` and a `reason`.
    """
    records = []
    for case in cases:
        name = f"{case.message_type}/{case.label}/{stem(case)}.json"
        records.append(encode_beside(case, name, reason_of(case)) + b"\n")
        yield File(name, (case.body,))
    yield File(_RECORDS, records)


def _tests(chosen: Iterable[Case], info: CorpusInfo) -> Iterator[File]:
    """Yields tests for pytest without other dependencies, which read the records, and a function that the user
    completes.
    """
    cases = arranged(chosen, info)
    yield File("test_broker_contract.py", [source("test_broker_contract.py")])
    yield File("conftest.py", [source("conftest.py")], is_template=True)
    yield File(_RECORDS, map(_record_of_test, cases))
    yield known_failures(cases)
    yield File(README, [filled("readme-pytest.md", folder=shlex.quote(info.folder), recipe=info.recipe)])


def _record_of_test(test: SuiteCase) -> bytes:
    """A record has additional properties: `group` (the rule of the case), `name` (the case in expected-failures),
    `reason` (an explanation of its verdict), and `difference` (the lines that differ between the message and its twin,
    the valid counterpart).
    """
    case, twin = test.case, test.case.twin
    difference = [ascii_line(line) for line in changed_lines(twin.body, case.body)] if twin is not None else []
    head = orjson.dumps({"group": test.group, "name": test.name, "reason": reason_of(case), "difference": difference})
    return head[:-1] + b"," + encode(case)[1:] + b"\n"


READABLE = {
    "ndjson": Format("ndjson", _lines, is_folder=False),
    "files": Format("files", _files),
    "pytest": Format("pytest", _tests),
}
