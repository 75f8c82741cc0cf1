from statistics import mean
from typing import Any

import pytest
from hypothesis import given, seed, settings

from brokerfuzz import check
from brokerfuzz.cases.case import compact
from brokerfuzz.strategies import hypothesis_source as module
from brokerfuzz.strategies import offer_requests, product_list_responses

SOME = settings(max_examples=100, database=None)


def test_a_hypothesis_without_the_choice_sequence_also_generates_valid_messages(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "_is_supported", lambda kind: False)
    seen: list[bytes] = []
    SOME(given(product_list_responses())(lambda response: seen.append(compact(response))))()
    assert {check("product-list-response", body).label for body in seen} == {"valid"}
    assert len(set(seen)) > 20


def offers(number: int) -> list[Any]:
    seen: list[Any] = []
    seed(number)(SOME(given(offer_requests())(lambda offer: seen.extend([offer]))))()
    return seen


def test_examples_are_different_and_the_first_ten_are_as_varied_as_later_ones() -> None:
    def share(messages: list[Any]) -> float:
        """Returns the share of offers with nested objects."""
        nested = [[value for value in message.values() if isinstance(value, list) and value] for message in messages]
        return mean(any(isinstance(value[0], dict) for value in values) for values in nested)

    runs = [offers(number) for number in range(3)]
    for seen in runs:
        assert len(set(map(compact, seen))) == len(seen) >= 100
    early, late = ([offer for run in runs for offer in run[part]] for part in (slice(1, 10), slice(10, None)))
    assert share(early) > 0.75 * share(late)
