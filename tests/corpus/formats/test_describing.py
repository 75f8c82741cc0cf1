import re

import pytest
from ready_suites import HOSTILE, chosen, hostile

from brokerfuzz.cases.case import Case, Fault
from brokerfuzz.corpus.formats.case_names import reason_of, stem
from brokerfuzz.schemas import Verdict, Violation


@pytest.mark.parametrize("end", ["", "\ud800", "x" * 5000])
def test_names_and_reasons_are_plain_ascii_even_for_a_hostile_contract(end: str) -> None:
    text = HOSTILE + end
    verdict = Verdict("invalid", (Violation(text, text, text, text),))
    case = Case(hostile().message_type, b"{}", verdict, (Fault(text, text, text),), (text,))
    assert re.fullmatch(r"[a-z0-9_.-]{1,100}", stem(case))
    assert reason_of(case).isascii()
    assert reason_of(case).isprintable()
    assert len(reason_of(case)) < 1100


def test_a_reason_contains_the_expected_and_the_found_value() -> None:
    assert reason_of(chosen()[1]) == (
        "Broken: offer-creation-request/orderMinimum:minimum at /orderMinimum: expected at least 1, found 0 "
        "(one-below)."
    )
    assert "content-type at the root: found content-type: text/plain" in reason_of(chosen()[5])
    assert reason_of(chosen()[5]).startswith("The contract leaves this open: ")
