"""The source draws from Hypothesis's choice sequence if it can, and from public strategies otherwise."""

import pytest
from hypothesis import given, settings

from brokerfuzz import check
from brokerfuzz.cases.case import compact
from brokerfuzz.strategies import hypothesis_source as module
from brokerfuzz.strategies import offer_requests, product_list_responses

SOME = settings(max_examples=100, database=None)


def test_no_two_examples_are_equal() -> None:
    seen: list[bytes] = []
    SOME(given(offer_requests())(lambda offer: seen.append(compact(offer))))()
    assert len(set(seen)) == len(seen) >= 100


def test_a_hypothesis_without_the_choice_sequence_also_generates_valid_messages(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_is_supported", lambda kind: False)
    seen: list[bytes] = []
    SOME(given(product_list_responses())(lambda response: seen.append(compact(response))))()
    assert {check("product-list-response", body).label for body in seen} == {"valid"}
    assert len(set(seen)) > 20
