"""Messages put together from the properties of others: what agrees stays together, and nothing is lost of what random messages are for."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
from contracts import changed_contract

from brokerfuzz.cases.case import Case
from brokerfuzz.cases.covering.goals import covered
from brokerfuzz.cases.steering import steered_cases
from brokerfuzz.cases.steering.crossing import Stock, groups, stock
from brokerfuzz.schemas import Contract, Label, MessageType, load_contract
from brokerfuzz.schemas.pieces import Joined, Piece

NOW = datetime(2025, 1, 1, tzinfo=UTC)
OFFERS: MessageType = "offer-creation-request"


VALID: tuple[Label, ...] = ("valid",)


def valid(count: int, contract: Contract | None = None) -> list[Case]:
    return list(islice(steered_cases(OFFERS, 1, now=NOW, verdicts=VALID, contract=contract), count))


def test_properties_that_have_to_agree_are_in_one_group() -> None:
    found = [group for group in groups(load_contract(), OFFERS) if len(group) > 1]
    assert sorted(sorted(group) for group in found) == [
        ["availableEndDate", "availableStartDate"],
        ["offerType", "productClusters"],
        ["orderMaximum", "orderMinimum"],
    ]


@pytest.mark.parametrize("message_type", ["product-list-response", "offer-pricing-response"])
def test_messages_whose_properties_agree_as_a_whole_are_not_crossed(message_type: MessageType) -> None:
    assert groups(load_contract(), message_type) == ()


@pytest.mark.parametrize(
    "change",
    [
        lambda schema: schema.update(dependentRequired={"comments": ["description"]}),
        lambda schema: schema.update(minProperties=5),
        lambda schema: schema["if"].update({"not": {"required": ["comments"]}}),
        lambda schema: schema["then"].update(minProperties=5),
    ],
)
def test_what_ties_all_properties_together_keeps_them_together(change: Callable[[dict[str, Any]], None], tmp_path: Path) -> None:
    assert groups(changed_contract(tmp_path, OFFERS, change), OFFERS) == ()


def test_a_condition_of_a_changed_contract_keeps_its_properties_together(tmp_path: Path) -> None:
    def change(schema: dict[str, Any]) -> None:
        schema["allOf"] = [{"if": {"properties": {"isActive": {"const": True}}, "required": ["isActive"]}, "then": {"required": ["comments"]}}]

    contract = changed_contract(tmp_path, OFFERS, change)
    assert frozenset(["isActive", "comments"]) in groups(contract, OFFERS)
    cases = valid(300, contract)
    assert len(cases) == 300
    assert all("comments" in case.value for case in cases if case.value.get("isActive"))


def test_hardly_an_edge_is_missed_for_being_crossed() -> None:
    """The stock of a seed alone has those of as many messages that are made anew each."""
    contract = load_contract()
    crossed = {goal for case in valid(600) for goal in covered(case, contract) if goal.kind == "edge"}
    anew = [Joined([cluster.piece for cluster in parent.clusters if cluster]).body for parent in stock(contract, OFFERS, 1, NOW).parents(512)]
    edges = {goal for body in anew for goal in covered(Case.judged(OFFERS, body, now=NOW), contract) if goal.kind == "edge"}
    assert len(crossed) > 0.95 * len(edges) > 500


def pieces_of(stock: Stock, count: int) -> list[list[Piece | None]]:
    return [[cluster.piece if cluster else None for cluster in parent.clusters] for parent in stock.parents(count)]


def test_other_seeds_have_other_stocks() -> None:
    one, other = (pieces_of(stock(load_contract(), OFFERS, seed, NOW), 4) for seed in (1, 2))
    assert one != other


def test_a_stock_is_the_same_whoever_needs_it_first() -> None:
    alone, shared = Stock(load_contract(), OFFERS, 9, NOW), Stock(load_contract(), OFFERS, 9, NOW)
    with ThreadPoolExecutor(8) as threads:
        list(threads.map(shared.parents, [5, 40, 3, 60, 60, 10, 33, 59]))
    assert pieces_of(shared, 60) == pieces_of(alone, 60)
    assert len(shared.parents(60)) == 60
