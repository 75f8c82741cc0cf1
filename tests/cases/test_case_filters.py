from fnmatch import translate
from functools import cache
from re import fullmatch
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from brokerfuzz.cases.case import Case
from brokerfuzz.cases.case_filters import selection
from brokerfuzz.cases.catalogue import catalogue
from brokerfuzz.cases.techniques import TECHNIQUES
from brokerfuzz.errors import UnknownNameError
from brokerfuzz.schemas import Label, MessageType, load_contract

PRICING: MessageType = "offer-pricing-response"
CONTRACT = load_contract()
RULES = [rule.id for rule in CONTRACT.rules[PRICING]]
SITES = sorted({rule.site for rule in CONTRACT.rules[PRICING]})
TAGS = ["pairs:*", "probe:*", "edge:*", "no-such-tag", "*"]


@cache
def cases() -> tuple[Case, ...]:
    found = tuple(catalogue(PRICING))[::29]
    assert {case.label for case in found} == set(get_args(Label))
    return found


@pytest.fixture(scope="module", autouse=True)
def _cases_in_memory() -> None:
    """Loads the cases before Hypothesis measures how long a test takes."""
    cases()


def patterns(names: list[str]) -> st.SearchStrategy[list[str]]:
    """Returns lists of names, parts of names with `*`, and exclusions with `!`."""
    wildcards = st.sampled_from(names).map(lambda name: f"*{name[len(name) // 2 :]}")
    wanted = st.sampled_from(names) | wildcards
    return st.lists(wanted | wanted.map("!{}".format), max_size=3)


@cache
def matches(pattern: str, name: str) -> bool:
    """Uses the file name patterns of the standard library. In the patterns of brokerfuzz, brackets have no special
    meaning.
    """
    return fullmatch(translate(pattern.replace("[", "[[]")), name) is not None


def wants(some: list[str], name: str) -> bool:
    wanted = [pattern for pattern in some if not pattern.startswith("!")]
    excluded = [pattern[1:] for pattern in some if pattern.startswith("!")]
    return (not wanted or any(matches(one, name) for one in wanted)) and not any(matches(one, name) for one in excluded)


@given(patterns(RULES), patterns(sorted(TECHNIQUES)), patterns(SITES))
def test_a_fault_is_selected_if_its_rule_technique_and_site_are(
    rules: list[str], techniques: list[str], sites: list[str]
) -> None:
    chosen = selection(CONTRACT, rules, techniques, sites=sites)
    wanted_rules = {rule for rule in RULES if wants(rules, rule) and wants(sites, CONTRACT.rule(rule).site)}
    wanted_techniques = {name for name in TECHNIQUES if wants(techniques, name)}
    for case in (case for case in cases() if case.faults):
        assert chosen.wants(case) == all(
            fault.rule in wanted_rules and fault.technique in wanted_techniques for fault in case.faults
        )


@given(patterns(TAGS))
def test_a_case_is_selected_if_it_has_a_selected_tag_and_no_excluded_one(tags: list[str]) -> None:
    wanted = [one for one in tags if not one.startswith("!")]
    excluded = [one[1:] for one in tags if one.startswith("!")]
    chosen = selection(CONTRACT, tags=tags)
    for case in cases():
        some, none = (
            any(matches(one, tag) for one in patterns for tag in case.tags) for patterns in (wanted, excluded)
        )
        assert chosen.wants(case) == ((some or not wanted) and not none)


@pytest.mark.parametrize("mark", ["", "!"])
def test_the_error_for_an_unknown_name_suggests_the_nearest_one(mark: str) -> None:
    with pytest.raises(UnknownNameError, match="unknown technique 'one-belo': did you mean 'one-below'"):
        selection(CONTRACT, techniques=[f"{mark}one-belo"])
    with pytest.raises(UnknownNameError, match="unknown rule"):
        selection(CONTRACT, [f"{mark}*no-such"])
    with pytest.raises(UnknownNameError, match="unknown site"):
        selection(CONTRACT, sites=[f"{mark}no-such"])
