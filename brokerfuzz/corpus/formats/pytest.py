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
from brokerfuzz.corpus.formats.format import CorpusInfo, File, Format
from brokerfuzz.corpus.formats.suite_cases import SuiteCase, arranged
from brokerfuzz.corpus.formats.suite_folder import README, known_failures, source

_TESTS, _TEMPLATE = "test_broker_contract.py", "conftest.py"
_README = """\
# Contract tests of your system

Your system must accept the valid messages and reject the invalid ones. There is one test per rule. A test fails if your system gives
a wrong answer to a case of this rule, or if it crashes. The test shows the first three failures, and with `-v` all of them.

1. Put this folder anywhere in a project that uses pytest.
2. Complete the function `accepts` in `conftest.py`: give the message to your system, and return True if your system accepts it.
3. Run `python -m pytest`. If your system rejects a plain (ordinary valid) message, no other test runs. If your system knows only certain
   values, such as product IDs, list them in a file and export again with `--values FILE`. If brokerfuzz is installed, its plugin adds a summary of
   the rules.
4. If you cannot fix a failure now, write the ID of the case or the rule into `expected-failures`.

If your system also rejects the twin (the valid counterpart) of an invalid message, the rejection proves nothing: the test is skipped or
warns. To regenerate this folder, run `brokerfuzz export {folder} --force {recipe}`. This keeps the files that you completed.
"""


def _files(chosen: Iterable[Case], about: CorpusInfo) -> Iterator[File]:
    cases = arranged(chosen, about)
    yield File(_TESTS, [source(_TESTS)])
    yield File(_TEMPLATE, [source(_TEMPLATE)], is_template=True)
    yield File("cases.ndjson", _lines(cases))
    yield known_failures(cases)
    yield File(README, [_README.format(folder=shlex.quote(about.folder), recipe=about.recipe).encode()])


def _lines(cases: Sequence[SuiteCase]) -> Iterator[bytes]:
    for one in cases:
        case = one.case
        twin = case.twin
        difference = [ascii_line(line) for line in changed_lines(twin.body, case.body)] if twin is not None else []
        head = orjson.dumps({"group": one.group, "reason": reason_of(case), "difference": difference})
        yield head[:-1] + b"," + encode(case)[1:] + b"\n"


FORMAT = Format("pytest", _files)
