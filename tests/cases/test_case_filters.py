"""The filters for cases that `corpus.load`, commands and campaigns have in common."""

from fnmatch import translate
from functools import cache
from re import fullmatch
from time import monotonic

import pytest
from hypothesis import given
from hypothesis import strategies as st

import brokerfuzz
from brokerfuzz import Case, MessageType, corpus, rules
from brokerfuzz.cases.case_filters import selection
from brokerfuzz.cases.techniques import TECHNIQUES
from brokerfuzz.schemas import load_contract

PRICING: MessageType = "offer-pricing-response"
NAMES = {
    rule.id: {rule.id, f"{rule.site}:{rule.id.partition(':')[2]}", *filter(None, [rule.site])}
    for rule in rules(PRICING)
}
"""What a pattern can select: the ID of a rule with and without the message type, and its site."""
TAGS = ["pairs*", "probe:*", "edge:*", "no-such-tag", "*"]


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


def wants(some: list[str], *names: str) -> bool:
    """Returns True if a name is wanted and none is excluded."""
    wanted = [pattern for pattern in some if not pattern.startswith("!")]
    excluded = [pattern[1:] for pattern in some if pattern.startswith("!")]
    return (not wanted or any(matches(one, name) for one in wanted for name in names)) and not any(
        matches(one, name) for one in excluded for name in names
    )


@given(patterns(sorted(set().union(*NAMES.values()))), patterns(sorted(TECHNIQUES)))
def test_faults_are_selected_if_a_name_of_their_rule_and_their_technique_are(
    some_rules: list[str], techniques: list[str]
) -> None:
    def is_wanted(case: Case) -> bool:
        return all(
            wants(some_rules, *NAMES[fault.rule]) and wants(techniques, fault.technique) for fault in case.faults
        )

    chosen = corpus.load(PRICING, verdicts=["invalid"], rules=some_rules, techniques=techniques)
    assert chosen == list(filter(is_wanted, corpus.load(PRICING, verdicts=["invalid"])))


@given(patterns(TAGS))
def test_a_case_is_selected_if_it_has_a_selected_tag_and_no_excluded_one(tags: list[str]) -> None:
    chosen = selection(load_contract(), tags=tags)
    assert all(chosen.wants(case) == wants(tags, *case.tags) for case in corpus.load(PRICING))


@pytest.mark.parametrize("pattern", ["*" * 12 + "zzz", "*o*f" * 9 + "?zzz"])
def test_a_rule_with_many_stars_is_matched_quickly(pattern: str) -> None:
    begun = monotonic()
    with pytest.raises(brokerfuzz.BrokerfuzzError, match="zzz"):
        brokerfuzz.fire(bool, rules=[pattern])
    assert monotonic() - begun < 30  # seconds
