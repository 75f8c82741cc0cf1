"""Finds the cases that the marker `brokerfuzz_xfail` names. A marker names cases instead of rules, because an expected
failure of a rule would hide other failures of this rule that are new.
"""

from collections.abc import Iterable, Sequence

from brokerfuzz.cases.stable_names import name_of
from brokerfuzz.errors import UnknownNameError
from brokerfuzz.name_patterns import name_pattern
from brokerfuzz.testing.parametrizing import TestedCases, cases_in

EXAMPLE = "brokerfuzz_xfail('offer-creation-request/orderMinimum:minimum one-below')"


def check_pattern(pattern: str, tests: Iterable[TestedCases]) -> None:
    """Raises `UnknownNameError` if a pattern names no case of these tests."""
    names = [name_of(case) for tested in tests for case in cases_in(tested)]
    if not any(map(name_pattern(pattern).fullmatch, names)):
        remedy = f"use a rule and a technique, as in {EXAMPLE}; * matches any characters"
        raise UnknownNameError("case", pattern, names, remedy)


def named_cases(tested: TestedCases, patterns: Sequence[str]) -> dict[str, frozenset[str]]:
    """Maps each pattern that names a case of the test to the IDs of the cases."""
    names = {case.id: name_of(case) for case in cases_in(tested)}
    named = {}
    for pattern in patterns:
        fits = name_pattern(pattern).fullmatch
        if ids := frozenset(case_id for case_id, name in names.items() if fits(name)):
            named[pattern] = ids
    return named
