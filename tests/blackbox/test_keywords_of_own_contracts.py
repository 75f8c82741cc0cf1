"""Contracts with each keyword of JSON Schema: brokerfuzz generates valid messages, breaks each rule, and judges as
another validator does, or refuses the contract in one line.
"""

import json
import math
from decimal import Decimal, InvalidOperation, localcontext
from itertools import islice
from pathlib import Path
from time import process_time
from typing import Any

import jsonschema
import jsonschema_rs
import pytest
from contracts import ORDER, own_contract, with_properties
from hypothesis import Phase, given, settings
from keyword_contracts import KeywordContract, keyword_contracts

import brokerfuzz
from brokerfuzz.strategies import invalid_offer_requests, offer_requests

OFFER: brokerfuzz.MessageType = "offer-creation-request"


def _draw(contract: brokerfuzz.Contract) -> None:
    usual = settings(max_examples=10, database=None, deadline=None, phases=[Phase.generate])

    @usual
    @given(offer_requests(contract=contract))
    def valid(message: Any) -> None:
        assert brokerfuzz.check(OFFER, json.dumps(message).encode(), contract=contract).label == "valid"

    @usual
    @given(invalid_offer_requests(contract=contract))
    def invalid(case: brokerfuzz.Case) -> None:
        assert case.label == "invalid"

    valid()
    invalid()


def _contradicted(cases: list[brokerfuzz.Case], schema: Any) -> list[str]:
    """Returns the valid and invalid messages about which another validator thinks otherwise. Messages that are not JSON,
    or that have numbers which Python cannot represent, are left out. Numbers are decimals, because in the arithmetic of
    doubles, 19.99 is no multiple of 0.01.
    """
    text = json.dumps(schema)
    if '"format"' in text or "\\p" in text:
        judge: Any = jsonschema_rs.Draft202012Validator(schema, validate_formats=True)
    else:
        judge = jsonschema.Draft202012Validator(json.loads(text, parse_float=Decimal))
    parse_float = _decimal if isinstance(judge, jsonschema.Draft202012Validator) else float
    wrong = []
    for case in cases:
        try:
            value = json.loads(case.body, object_pairs_hook=_without_repetition, parse_float=parse_float)
        except (ValueError, RecursionError):
            continue
        if case.label == "unspecified" or not _is_ordinary(value):
            continue
        try:
            with localcontext(prec=400):  # as many digits as a double can have
                is_valid = judge.is_valid(value)
        except (OverflowError, InvalidOperation):  # Python cannot divide some integers
            continue
        if is_valid != (case.label == "valid"):
            wrong.append(f"{case.label}: {case.body[:200]!r}")
    return wrong


def _without_repetition(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if len(dict(pairs)) < len(pairs):
        raise ValueError
    return dict(pairs)


def _decimal(text: str) -> Decimal | float:
    number = float(text)
    return Decimal(repr(number)) if math.isfinite(number) else number


def _is_ordinary(value: Any) -> bool:
    if isinstance(value, dict):
        return all(map(_is_ordinary, value.values()))
    if isinstance(value, list):
        return all(map(_is_ordinary, value))
    if isinstance(value, str):
        return not any("\ud800" <= letter <= "\udfff" for letter in value)
    return not isinstance(value, float) or math.isfinite(value)


def _order_with_price(folder: Path, **keywords: Any) -> brokerfuzz.Contract:
    schema = with_properties(price={"type": "number", **keywords})
    return own_contract(folder, {**schema, "additionalProperties": False})


@pytest.mark.parametrize(
    "keywords",
    [
        {"multipleOf": 0.01},
        {"multipleOf": 0.01, "minimum": 0.01, "maximum": 100_000},
        {"multipleOf": 0.05, "exclusiveMinimum": 0, "maximum": 999.95},
        {"multipleOf": 2.5},
        {"multipleOf": 7},
        {"multipleOf": 1e-7, "minimum": 0},
    ],
    ids=str,
)
def test_decimal_multiples_of_all_sizes_are_generated(keywords: dict[str, Any], tmp_path: Path) -> None:
    contract = _order_with_price(tmp_path, **keywords)
    prices = [message["price"] for message in islice(brokerfuzz.messages(ORDER, 0, contract=contract), 500)]
    assert all(brokerfuzz.check(ORDER, {"price": price}, contract=contract).label == "valid" for price in prices)
    assert len(set(prices)) > 100
    sizes = {len(str(int(abs(price) / keywords["multipleOf"]))) for price in prices}
    assert sizes >= set(range(1, 7)) - ({6} if "maximum" in keywords else set())


@pytest.mark.parametrize("keywords", [{"minimum": 1, "maximum": 2}, {"exclusiveMinimum": 1.2, "exclusiveMaximum": 1.8}])
def test_the_few_multiples_within_narrow_bounds_are_found(keywords: dict[str, Any], tmp_path: Path) -> None:
    contract = _order_with_price(tmp_path, multipleOf=0.3, **keywords)
    prices = {message["price"] for message in islice(brokerfuzz.messages(ORDER, 0, contract=contract), 50)}
    assert prices == ({1.2, 1.5, 1.8} if "minimum" in keywords else {1.5})


@pytest.mark.parametrize("price", [19.99, 8.69, 143.48])
def test_a_service_that_calculates_multiples_with_doubles_has_a_finding(price: float, tmp_path: Path) -> None:
    contract = _order_with_price(tmp_path, multipleOf=0.01, minimum=0)

    def accepts(body: bytes) -> bool:
        is_wrong = json.loads(body).get("price") == price
        return not is_wrong and brokerfuzz.check(ORDER, body, contract=contract).label != "invalid"

    report = brokerfuzz.fire(accepts, ORDER, contract=contract, verdicts=["valid"])
    assert [finding.kind for finding in report.findings] == ["valid-rejected"]


IN_EACH_RUN = {
    "property: recursion with limits",
    "property: multipleOf fraction",
    "message: anyOf",
}
"""The other contracts are used only in long runs."""
CONTRACTS = [
    pytest.param(contract, id=contract.name, marks=() if contract.name in IN_EACH_RUN else pytest.mark.long)
    for contract in keyword_contracts()
]


@pytest.fixture(scope="module")
def usual_seconds() -> float:
    """The processor time of 1,000 messages of the built-in contract."""
    start = process_time()
    assert len(list(islice(brokerfuzz.messages(OFFER, 0), 1000))) == 1000
    return process_time() - start


@pytest.mark.parametrize("keywords", CONTRACTS)
@pytest.mark.filterwarnings("ignore:.*has the unknown keyword 'maxLenght'")
def test_a_contract_with_this_keyword_is_generated_broken_and_judged(
    keywords: KeywordContract, usual_seconds: float, tmp_path: Path
) -> None:
    start = process_time()
    contract = brokerfuzz.load_contract(keywords.write(tmp_path / "contract"))
    messages = [json.dumps(message) for message in islice(brokerfuzz.messages(OFFER, 0, contract=contract), 30)]
    assert messages
    for text in messages:
        assert brokerfuzz.check(OFFER, text.encode(), contract=contract).label == "valid", text
    cases = list(brokerfuzz.catalogue(OFFER, contract=contract))
    broken = {fault.rule for case in cases if case.twin is not None for fault in case.faults}
    assert [rule.id for rule in brokerfuzz.rules(OFFER, contract=contract) if rule.id not in broken] == []
    assert _contradicted(cases, keywords.schema) == []
    _draw(contract)
    assert process_time() - start < 100 * usual_seconds
