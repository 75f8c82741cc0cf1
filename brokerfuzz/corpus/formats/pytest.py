"""Writes tests for pytest, without other dependencies: a corpus, tests that read it, and a function that the user
completes.

A line of the corpus has three additional properties: `group` (the rule of the case), `reason` (an explanation of its
verdict), and `difference` (the lines that differ between the message and its twin, the valid counterpart). The folder
can be read and verified with brokerfuzz.
"""

import shlex
from collections.abc import Iterable, Iterator, Sequence

import orjson

from brokerfuzz.cases.case import Case
from brokerfuzz.cases.message_diff import changed_lines
from brokerfuzz.cases.records import encode
from brokerfuzz.corpus.formats.case_names import ascii_line, reason_of
from brokerfuzz.corpus.formats.format import CorpusInfo, File, Format, filled, source
from brokerfuzz.corpus.formats.suite_cases import SuiteCase, arranged
from brokerfuzz.corpus.formats.suite_folder import README, known_failures

_TESTS, _TEMPLATE = "test_broker_contract.py", "conftest.py"


def _files(chosen: Iterable[Case], about: CorpusInfo) -> Iterator[File]:
    cases = arranged(chosen, about)
    yield File(_TESTS, [source(_TESTS)])
    yield File(_TEMPLATE, [source(_TEMPLATE)], is_template=True)
    yield File("cases.ndjson", _lines(cases))
    yield known_failures(cases)
    yield File(README, [filled("readme-pytest.md", folder=shlex.quote(about.folder), recipe=about.recipe)])


def _lines(cases: Sequence[SuiteCase]) -> Iterator[bytes]:
    for one in cases:
        case = one.case
        twin = case.twin
        difference = [ascii_line(line) for line in changed_lines(twin.body, case.body)] if twin is not None else []
        head = orjson.dumps({"group": one.group, "reason": reason_of(case), "difference": difference})
        yield head[:-1] + b"," + encode(case)[1:] + b"\n"


FORMAT = Format("pytest", _files)
