from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.examples.sources import INVALID, VALID
from benchmarks.generators.messages import NOW
from benchmarks.planted.bugs import BUGS, PROGRAMS, Bug, Program, loaded, shows
from benchmarks.planted.later_bugs import LATER_BUGS
from brokerfuzz.cases.case import compact
from brokerfuzz.cases.catalogue import catalogue

EVERY_BUG = [*BUGS, *LATER_BUGS]


def answer(program: Program, body: bytes) -> Any:
    result = loaded(program)(body)
    assert not isinstance(result, str), result
    return result


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.module)
@given(data=st.data())
def test_the_correct_programs_accept_valid_messages_and_reject_invalid_ones(program: Program, data: st.DataObject) -> None:
    valid = data.draw(VALID[program.message_type]())
    invalid = data.draw(INVALID[program.message_type](now=NOW))
    assert answer(program, compact(valid)) not in (False, None)
    assert answer(program, invalid.body) in (False, None)


@pytest.mark.parametrize("bug", EVERY_BUG, ids=[bug.name for bug in EVERY_BUG])
def test_each_bug_changes_the_answer_to_a_message_of_the_catalogue(bug: Bug) -> None:
    assert any(shows(bug, case.body) for case in catalogue(bug.program.message_type, now=NOW) if not case.headers)


def test_bugs_have_different_names() -> None:
    assert len({bug.name for bug in EVERY_BUG}) == len(EVERY_BUG)
