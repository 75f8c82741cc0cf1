"""Contracts that differ a little from the built-in one: they work, or say in one line what is wrong."""

import json
import traceback
from collections.abc import Callable
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
from behaviours import OFFER, PRICING
from contract_edits import Edit, edits
from hypothesis import Phase, given, settings
from hypothesis.errors import InvalidArgument, Unsatisfiable
from hypothesis.strategies import SearchStrategy

import brokerfuzz
from brokerfuzz import strategies

PRODUCTS: brokerfuzz.MessageType = "product-list-response"
MESSAGES: dict[brokerfuzz.MessageType, Any] = {
    OFFER: {
        "number": "1",
        "offerType": "Product List",
        "productClusters": [{"products": [{"productId": "a", "productQuantityInOffer": 1}]}],
    },
    PRODUCTS: {"data": [], "failureMessages": [], "informationalMessages": [], "operationWasSuccessful": True},
    PRICING: {
        "data": {"customerId": "a", "offers": [], "totalExtendedPrice": 0},
        "failureMessages": [],
        "operationWasSuccessful": True,
    },
}
STRATEGIES: dict[brokerfuzz.MessageType, Callable[..., SearchStrategy[Any]]] = {
    OFFER: strategies.offer_requests,
    PRODUCTS: strategies.product_list_responses,
    PRICING: strategies.pricing_responses,
}
PARTS_OF_MESSAGES: dict[brokerfuzz.MessageType, tuple[Callable[..., SearchStrategy[Any]], ...]] = {
    OFFER: (strategies.product_list_offers, strategies.clusters, strategies.products, strategies.price_classes),
    PRODUCTS: (strategies.product_records,),
    PRICING: (strategies.priced_offers,),
}
Use = Callable[[brokerfuzz.Contract, brokerfuzz.MessageType], None]
PARTS = 200
"""The edits are divided into this number of parts. Each commit tries another part."""


def _types(edit: Edit) -> list[brokerfuzz.MessageType]:
    named: list[brokerfuzz.MessageType] = [
        message_type for message_type in brokerfuzz.MESSAGE_TYPES if edit.file.startswith(message_type)
    ]
    if edit.file.startswith("envelope"):
        return [PRODUCTS, PRICING]
    if not named:
        return list(brokerfuzz.MESSAGE_TYPES)
    return named


def _problem_of(use: Callable[[], None]) -> str | None:
    """Returns None if `use` works, or raises an error of one line that says what is wrong and what to do."""
    try:
        use()
    except (brokerfuzz.BrokerfuzzError, InvalidArgument, Unsatisfiable) as problem:
        line = str(problem)
        is_clear = type(problem).__name__ != "LabelError" and "\n" not in line and len(line) < 600 and ": " in line
        return None if is_clear else repr(problem)
    except Exception:
        return traceback.format_exc(limit=-3)
    return None


def _use(contract: brokerfuzz.Contract, message_type: brokerfuzz.MessageType) -> None:
    brokerfuzz.rules(message_type, contract=contract)
    bodies: list[Any] = [MESSAGES[message_type], {}, [], None]
    for message in bodies:
        brokerfuzz.check(message_type, json.dumps(message).encode(), contract=contract)
    for plausible in (False, True):
        for message in islice(brokerfuzz.messages(message_type, 0, plausible=plausible, contract=contract), 20):
            assert brokerfuzz.check(message_type, json.dumps(message).encode(), contract=contract).label == "valid"
    _draw(contract, message_type)


def _use_parts(contract: brokerfuzz.Contract, message_type: brokerfuzz.MessageType) -> None:
    for of_part in PARTS_OF_MESSAGES[message_type]:
        problem = _problem_of(partial(_draw_part_of, of_part, contract))
        assert problem is None, problem


def _draw_part_of(of_part: Callable[..., SearchStrategy[Any]], contract: brokerfuzz.Contract) -> None:
    strategy = of_part(contract=contract)

    @settings(max_examples=2, database=None, deadline=None, phases=[Phase.generate])
    @given(strategy)
    def draw(part: Any) -> None:
        json.dumps(part)

    draw()


def _draw(contract: brokerfuzz.Contract, message_type: brokerfuzz.MessageType) -> None:
    @settings(max_examples=3, database=None, deadline=None, phases=[Phase.generate])
    @given(STRATEGIES[message_type](contract=contract))
    def draw(message: Any) -> None:
        assert brokerfuzz.check(message_type, json.dumps(message).encode(), contract=contract).label == "valid"

    draw()


def _load_and_use(folder: Path, message_type: brokerfuzz.MessageType, use: Use) -> None:
    use(brokerfuzz.load_contract(folder), message_type)


def _problems(part: list[Edit], folder: Path, use: Use) -> dict[str, str]:
    """Uses the contract with each edit. Returns the problems of the edits that neither work nor lead to a clear
    error.
    """
    found: dict[str, str] = {}
    for number, edit in enumerate(part):
        own = folder / str(number)
        own.mkdir()
        edit.apply(own)
        for message_type in _types(edit):
            problem = _problem_of(partial(_load_and_use, own, message_type, use))
            if problem is not None:
                found[f"{message_type}, {edit}"] = problem
    return found


@pytest.mark.every(PARTS)
@pytest.mark.parametrize("part", range(PARTS))
def test_a_contract_with_a_small_edit_works_or_says_in_one_line_why_not(part: int, tmp_path: Path) -> None:
    assert _problems(edits()[part::PARTS], tmp_path, _use) == {}


@pytest.mark.every(PARTS)
@pytest.mark.parametrize("part", range(PARTS))
def test_the_strategies_for_parts_work_with_a_small_edit_or_say_in_one_line_why_not(part: int, tmp_path: Path) -> None:
    assert _problems(edits()[part::PARTS], tmp_path, _use_parts) == {}


@pytest.mark.every(PARTS)
@pytest.mark.parametrize("part", range(PARTS))
def test_cases_for_a_contract_with_a_small_edit_are_generated_or_the_error_is_one_line(
    part: int, tmp_path: Path
) -> None:
    def use(contract: brokerfuzz.Contract, message_type: brokerfuzz.MessageType) -> None:
        list(
            islice(
                brokerfuzz.messages(message_type, 0, verdicts=["valid", "invalid", "unspecified"], contract=contract),
                20,
            )
        )
        assert next(brokerfuzz.catalogue(message_type, verdicts=["valid"], contract=contract))

    responses = [
        edit for edit in edits() if edit.file.endswith("response.schema.json")
    ]  # the catalogue of offers takes ten seconds
    assert _problems(responses[part::PARTS], tmp_path, use) == {}


@pytest.mark.every(2)
@pytest.mark.parametrize("name", ["totalExtendedPrice", "customerId"])
def test_generated_messages_do_not_contain_properties_that_the_contract_lacks(tmp_path: Path, name: str) -> None:
    (edit,) = (edit for edit in edits() if edit.title == f"remove properties/data/properties/{name} everywhere")
    edit.apply(tmp_path)
    contract = brokerfuzz.load_contract(tmp_path)
    for message in islice(brokerfuzz.messages(PRICING, 0, contract=contract), 60):
        assert name not in (message["data"] or {})
        assert brokerfuzz.check(PRICING, json.dumps(message).encode(), contract=contract).label == "valid"
    _draw(contract, PRICING)
    assert any(case.label == "invalid" for case in brokerfuzz.catalogue(PRICING, contract=contract))
