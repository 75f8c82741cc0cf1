from collections import defaultdict
from dataclasses import replace
from datetime import UTC, datetime
from typing import Final

import pytest

from brokerfuzz.campaign.campaign_oracle import Judge
from brokerfuzz.campaign.finding_twins import twin_of
from brokerfuzz.cases.case import Case
from brokerfuzz.cases.catalogue import catalogue
from brokerfuzz.json_trees import paths, read_tree

pytestmark = pytest.mark.internals

OFFER: Final = "offer-creation-request"
NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
JUDGE = Judge(now=NOW)


def twin(smallest: Case, first: Case) -> bytes | None:
    return twin_of(smallest.body, smallest.verdict, first, lambda body: JUDGE.of(smallest, body).label)


def pairs_of_cases() -> list[tuple[Case, Case]]:
    """Returns pairs of cases with the same rule and technique: the smallest case, and the largest case."""
    found = defaultdict(list)
    for case in catalogue(OFFER, now=NOW, verdicts=["invalid"]):
        if len(case.faults) == 1 and case.twin is not None and not case.faults[0].rule.endswith("/:json"):
            found[case.faults[0].rule, case.faults[0].technique].append(case)
    sizes = [sorted(cases, key=lambda case: len(case.body)) for cases in found.values()]
    return [(cases[0], cases[-1]) for cases in sizes]


def test_nearly_every_smallest_message_has_a_twin() -> None:
    pairs = pairs_of_cases()
    without = [(small.faults, small.body[:200]) for small, first in pairs if twin(small, first) is None]
    assert len(pairs) > 1000
    assert len(without) < len(pairs) / 50, without[:5]


def test_a_twin_is_valid_and_similar() -> None:
    for small, first in [
        (small, first) for small, first in pairs_of_cases()[::7] if small is not first and small.body.startswith(b"{")
    ]:
        made = twin(small, first)
        assert made is None or (JUDGE.of(small, made).label == "valid" and values(made) <= values(small.body) + 40)


def values(body: bytes) -> int:
    return sum(1 for _ in paths(read_tree(body)))


def test_the_value_from_the_twin_of_the_case_shrinks() -> None:
    def offer(products: str) -> bytes:
        return f'{{"number":"0","offerType":"Product List","productClusters":{products}}}'.encode()

    large = '[{"id":"b","products":[{"productId":"P-7","productQuantityInOffer":31,"pageCount":10002}]}]'
    small = '[{"products":[{"productId":"0","productQuantityInOffer":0}]}]'
    first = Case.judged(
        OFFER,
        offer(large.replace("10002", "0")),
        faults=["products.pageCount minimum zero"],
        twin=Case.judged(OFFER, offer(large)),
    )
    counted = small.replace("}]}]", ',"pageCount":0}]}]')
    assert twin(Case.judged(OFFER, offer(counted), now=NOW), first) == offer(
        counted.replace('"pageCount":0', '"pageCount":1')
    )
    first = Case.judged(
        OFFER,
        offer("[]"),
        faults=["productClusters minItems@offerType=Product-List emptied"],
        twin=Case.judged(OFFER, offer(large)),
    )
    assert twin(Case.judged(OFFER, offer("[]"), now=NOW), replace(first, body=first.body + b" ")) == offer(small)


def test_an_unshrunk_case_keeps_its_twin() -> None:
    _, first = pairs_of_cases()[0]
    assert first.twin is not None
    assert twin(first, first) == first.twin.body


def test_a_message_that_is_valid_or_not_json_or_breaks_two_rules_has_no_twin() -> None:
    _, first = pairs_of_cases()[0]
    for body in (b'{"number":"0","offerType":"Email"}', b"{", b"{}"):
        assert twin(Case.judged(OFFER, body, now=NOW), first) is None
