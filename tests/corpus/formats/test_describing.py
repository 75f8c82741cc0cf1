import re

import pytest
from exported_cases import cases
from ready_suites import HOSTILE, chosen, hostile, later

from brokerfuzz.cases.case import Case, Fault
from brokerfuzz.corpus.formats.case_names import name_of, now_of, reason_of
from brokerfuzz.schemas import Verdict, Violation


@pytest.mark.parametrize("end", ["", "\ud800", "x" * 5000])
def test_names_and_reasons_are_plain_ascii_even_for_a_hostile_contract(end: str) -> None:
    text = HOSTILE + end
    verdict = Verdict("invalid", (Violation(text, text, text, text),))
    case = Case(hostile().message_type, b"{}", verdict, (Fault(text, text, text),), (text,))
    assert re.fullmatch(r"[A-Za-z0-9_./\[\]:=-]{1,200}", name_of(case))
    assert "::" not in name_of(case)
    assert reason_of(case).isascii()
    assert reason_of(case).isprintable()
    assert len(reason_of(case)) < 1100


def test_each_case_has_a_unique_name() -> None:
    assert len({name_of(case) for case in cases()}) == len(cases())


def test_a_name_contains_the_verdict_the_rule_and_the_technique() -> None:
    assert name_of(chosen()[1]) == f"invalid-offer-creation-request/orderMinimum:minimum.by-one-below-{chosen()[1].id}"
    assert name_of(chosen()[0]) == f"valid-offer-creation-request/edge:complete-{chosen()[0].id}"


def test_a_reason_contains_the_expected_and_the_found_value() -> None:
    assert reason_of(chosen()[1]) == (
        "Broken: offer-creation-request/orderMinimum:minimum at /orderMinimum: expected at least 1, found 0 "
        "(one-below)."
    )
    assert "content-type at the root: found content-type: text/plain" in reason_of(chosen()[5])
    assert reason_of(chosen()[5]).startswith("The contract leaves this open: ")


def test_only_a_case_about_the_clock_has_a_time() -> None:
    assert now_of(later("2026-06-15T12:00:00Z", "year-ahead")) == "2025-06-15T12:00:00Z"
    assert now_of(later("9999-12-31T23:59:59Z", "last-year-there-is", about_the_clock=False)) is None
    assert now_of(chosen()[0]) is None
