import json
from collections.abc import Callable
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

import pytest
from hand_made_servers import OFFER, Service, conforming
from hypothesis import given
from hypothesis import strategies as st

from brokerfuzz.campaign import Campaign, Options, Recalled, Result, fire, run
from brokerfuzz.campaign.journal import Journal, records
from brokerfuzz.campaign.rejected_parts import _merged
from brokerfuzz.campaign.retesting import SEARCH_REQUESTS
from brokerfuzz.cases.case import Case
from brokerfuzz.cases.catalogue import catalogue, plainest

pytestmark = pytest.mark.internals

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
PLAIN = plainest(OFFER)
RULE: Final = f"{OFFER}/productClusters[].products[].pageCount:minimum"
Value = dict[str, Any]


def with_change(case: Case, change: Callable[[Value], object]) -> Case | None:
    """Changes the message and its twin in the same way. Returns None if a message cannot be changed, or if the changed
    twin is not valid.
    """
    assert case.twin is not None
    bodies = []
    for body in (case.body, case.twin.body):
        try:
            value = json.loads(body)
            change(value)
        except (ValueError, LookupError, TypeError, AttributeError):
            return None
        bodies.append(json.dumps(value, separators=(",", ":")).encode())
    twin = Case.judged(OFFER, bodies[1], now=NOW, tags=("twin",))
    return Case.judged(OFFER, bodies[0], faults=case.faults, twin=twin, now=NOW) if twin.label == "valid" else None


def faults(change: Callable[[Value], object], *rules: str) -> list[Case]:
    found = (
        case
        for case in catalogue(OFFER, now=NOW, verdicts=["invalid"])
        if len(case.faults) == 1 and case.twin is not None
    )
    changed = (with_change(case, change) for case in found if case.faults[0].rule in rules)
    return [case for case in changed if case is not None]


class Strict(Service):
    """Rejects every message for which `has_part` is true. Judges other messages correctly, but accepts a page count of
    0.
    """

    def __init__(self, has_part: Callable[[Value], Any], status: int = 400) -> None:
        super().__init__(self.judge, lambda: '{"error":"message 17 is blocked"}')
        self.has_part, self.status = has_part, status

    def judge(self, body: bytes) -> int:
        try:
            value = json.loads(body)
        except ValueError:
            return 400
        if self.has_part(value):
            return self.status
        return 201 if b'"pageCount":0' in body else conforming(body)


def fired(cases: list[Case], target: Service, **options: Any) -> Result:
    return fire(cases, target, Options(now=NOW, shrink_requests=0, plain=(PLAIN,), **options))


def set_comments(value: Value) -> None:
    value["comments"] = "it's"


def set_name(value: Value) -> None:
    value["priceClasses"][0]["name"] = "it's"


def repeat(value: Value) -> None:
    value["accessGroups"] = [f"group {number}" for number in range(12)]


def remove(value: Value) -> None:
    del value["comments"]


def set_both(value: Value) -> None:
    set_comments(value)
    value["omniChannel"]["offers"][0]["offerId"] = "it's"


def surround(value: Value) -> None:
    value["priceClasses"] = [{"name": "it's"}, *value["priceClasses"], {"name": "it's new"}]


def has_apostrophe(value: Value) -> bool:
    return "'" in json.dumps(value)


PARTS: dict[str, tuple[Callable[[Value], object], Callable[[Value], Any], tuple[str, ...]]] = {
    "a property": (set_comments, has_apostrophe, ("comments",)),
    "a property in an array": (set_name, has_apostrophe, ("priceClasses[].name",)),
    "the number of items": (repeat, lambda value: len(value.get("accessGroups") or ()) > 10, ("accessGroups",)),
    "a missing property": (remove, lambda value: "comments" not in value, ("comments",)),
    "two properties": (set_both, has_apostrophe, ("comments", "omniChannel.offers[].offerId")),
}


@pytest.mark.parametrize(("name", "status"), [("a property", 403), *((name, 400) for name in PARTS)])
@pytest.mark.rotated(3)
def test_a_fault_behind_a_rejected_part_is_found_and_the_part_is_named(name: str, status: int) -> None:
    change, has_part, sites = PARTS[name]
    cases = faults(change, RULE, f"{OFFER}/orderMinimum:minimum")
    target = Strict(has_part, status)
    result = fired(cases, target)
    assert {finding.reasons[0].rule for finding in result.findings if finding.kind == "invalid-accepted"} == {RULE}
    assert (result.unproven, result.unproven_rules, [*result.proofs.retested]) == (0, [], [sites])
    assert result.proofs.proven == result.counts["invalid", "rejected"] > 0
    assert sum(result.counts.values()) == result.cases == len(cases)
    assert sum(result.proofs.retested.values()) == len(cases)


def reverse(value: Value) -> None:
    reversed_pairs = list(value.items())[::-1]
    value.clear()
    value.update(reversed_pairs)


def test_the_search_sends_at_most_forty_messages_for_each_status_and_text() -> None:
    """The target rejects messages whose properties are in reverse order. The search does not reorder properties, so it
    finds no accepted message.
    """
    cases = faults(reverse, f"{OFFER}/number:type", f"{OFFER}/orderMinimum:type", f"{OFFER}/comments:type")
    target = Strict(lambda value: [*value] != [*PLAIN.value])
    result = fired(cases, target)
    twins = {case.twin.body for case in cases if case.twin}
    assert len(cases) > SEARCH_REQUESTS
    assert len(target.bodies) <= 1 + len(cases) + 2 * len(twins) + SEARCH_REQUESTS
    assert (result.unproven, result.proofs.retested) == (
        sum(case.twin is not None and target.judge(case.twin.body) == 400 for case in cases),
        {},
    )


def test_a_fault_in_the_rejected_part_stays_unproven_and_the_report_names_the_part() -> None:
    rule = f"{OFFER}/priceClasses[].name:type"
    others = faults(set_name, f"{OFFER}/orderMinimum:minimum")
    within = faults(surround, rule)
    result = fired([*others, *within], Strict(has_apostrophe))
    assert result.unproven == len(within) > 0
    for example in result.proofs.examples():
        assert "priceClasses[].name" in example.sites
        assert example.why == "the twin (the valid counterpart) was not accepted (status 400)"


def test_a_resumed_campaign_retests_from_its_journal_and_sends_only_the_plain_message(tmp_path: Path) -> None:
    cases = faults(set_name, RULE, f"{OFFER}/orderMinimum:minimum")
    path = tmp_path / "run.ndjson"
    options = Options(now=NOW, shrink_requests=0, plain=(PLAIN,))
    journal = Journal.begun(path, {"journal": 2})
    before = run(Campaign(enumerate(cases), Strict(has_apostrophe), options, journal=journal))
    journal.close()
    assert "retest" in {record.key.phase for record in records(path)}
    target = Strict(has_apostrophe)
    with closing(Recalled(path)) as recalled:
        after = run(Campaign(enumerate(cases), target, options, recalled=recalled))
    assert set(target.bodies) == {PLAIN.body}
    assert [(one.fingerprint, one.count, one.case.id) for one in after.findings] == [
        (one.fingerprint, one.count, one.case.id) for one in before.findings
    ]
    assert (after.counts, after.proofs.retested) == (before.counts, before.proofs.retested)


OLD, NEW = (st.text(letters, max_size=12).map(str.encode) for letters in ("abc", "xyz"))


@given(base=OLD, places=st.tuples(*[st.integers(0, 12)] * 4), new=st.tuples(NEW.filter(bool), NEW.filter(bool)))
def test_two_changes_at_different_places_are_both_kept(
    base: bytes, places: tuple[int, int, int, int], new: tuple[bytes, bytes]
) -> None:
    a, b, c, d = sorted(min(place, len(base)) for place in places)
    first, second = base[:a] + new[0] + base[b:], base[:c] + new[1] + base[d:]
    assert _merged(base, first, second) == base[:a] + new[0] + base[b:c] + new[1] + base[d:]
