from collections.abc import Callable
from datetime import UTC, datetime
from inspect import signature
from typing import Any

import pytest
from example_search import minimal, simplest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.errors import InvalidArgument
from hypothesis.strategies import SearchStrategy

from brokerfuzz import catalogue, check, load_contract, messages
from brokerfuzz import strategies as every_strategy
from brokerfuzz.errors import UnknownNameError
from brokerfuzz.strategies import (
    cases,
    invalid_offer_requests,
    invalid_pricing_responses,
    invalid_product_list_responses,
    offer_requests,
    pricing_responses,
    product_list_offers,
    product_list_responses,
)

LATER = datetime(9999, 1, 1, tzinfo=UTC)
call: Any = {name: getattr(every_strategy, name) for name in every_strategy.__all__ if name != "Envelope"}
"""The type `Any` hides the strategies from type checkers, which would report the wrong arguments in these tests."""

REJECTED: list[tuple[SearchStrategy[Any], str]] = [
    (call["offer_requests"](offer_types=["Fax"]), r"offer_types='Fax': use values from 'Direct Mail'"),
    (call["offer_requests"](offer_types=[]), r"offer_types=\[\]: the list is empty; .*at least one"),
    (
        call["offer_requests"](offer_types="VDM"),
        r"offer_types='VDM' is not a list: use a list or tuple, also for a single value",
    ),
    (call["offer_requests"](offer_types=[["Email"]]), r"offer_types=\['Email'\]: use values from"),
    (call["offer_requests"](min_clusters=-1), r"min_clusters=-1: use a whole number of at least 0"),
    (call["offer_requests"](max_clusters=1.5), r"max_clusters=1.5: use a whole number"),
    (call["offer_requests"](min_clusters=3, max_clusters=1), r"min_clusters=3: this is greater than max_clusters=1"),
    (call["offer_requests"](min_clusters=10_000), r"min_clusters=10000: use at most 50, because Hypothesis limits"),
    (
        call["product_list_offers"](min_clusters=20, min_products=20),
        r"min_products=20: with min_clusters=20, use at most 5",
    ),
    (call["offer_requests"](offer_types=["Product List"], max_clusters=0), r"max_clusters=0: .*Product List"),
    (call["offer_requests"](fields={"numbr": st.just("a")}), r"fields='numbr': .*did you mean 'number'"),
    (call["offer_requests"](fields={"number": "a"}), r"fields\['number'\]='a': use a strategy; .*st.just"),
    (call["offer_requests"](fields=["number"]), r"fields=\['number'\]: use a mapping"),
    (
        call["offer_requests"](fields={"offerType": st.just("VDM")}, offer_types=["VDM"]),
        r"offer_types=\['VDM'\]: .*remove offer_types",
    ),
    (
        call["offer_requests"](fields={"omniChannel": st.none(), "omniChannel.offers": st.none()}),
        r"this site is inside 'omniChannel'",
    ),
    (
        call["offer_requests"](fields={"productClusters": st.none()}, min_clusters=1),
        r"min_clusters=1: fields also pins 'productClusters'",
    ),
    (call["offer_requests"](plausible="yes"), r"plausible='yes': use True or False"),
    (call["offer_requests"](contract="folder"), r"contract='folder': use load_contract\('folder'\)"),
    (call["offer_requests"](contract={}), r"contract={}: use the contract that load_contract\(folder\) returns"),
    (call["offer_requests"](ambiguities="url-syntax"), r"ambiguities='url-syntax' is not a list: use a list or tuple"),
    (call["offer_requests"](ambiguities=["byte-order-mark"]), r"use \"all\", or the ID of an ambiguity about values"),
    (
        call["offer_requests"](ambiguities=["url"]),
        r"ambiguities=\['url'\]: unknown ambiguity 'url': did you mean 'url-syntax'",
    ),
    (call["product_list_offers"](min_clusters=0), r"min_clusters=0: use a whole number of at least 1"),
    (call["product_list_offers"](fields={"offerType": st.just("VDM")}), r"use offer_requests\(\)"),
    (call["product_list_responses"](min_records=2, max_records=1), r"min_records=2: this is greater than"),
    (
        call["product_list_responses"](min_records=3, fields={"data": st.none()}),
        r"min_records=3: fields also pins 'data'",
    ),
    (call["pricing_responses"](min_offers=True), r"min_offers=True: "),
    (call["pricing_responses"](max_offers=3, fields={"data": st.none()}), r"max_offers=3: fields also pins 'data'"),
    (call["invalid_offer_requests"](rules="*:minimum"), r"rules='\*:minimum' is not a list: use a list or tuple"),
    (
        call["invalid_offer_requests"](rules=["offer-creation-request/number:minLenght"]),
        r"number:minLenght.: did you mean",
    ),
    (call["invalid_offer_requests"](rules=["offer-pricing-response/*"]), r"unknown rule 'offer-pricing-response/\*'"),
    (
        call["invalid_offer_requests"](techniques=["one-belwo"]),
        r"unknown technique 'one-belwo': did you mean 'one-below'",
    ),
    (
        call["invalid_offer_requests"](sites=["numbr"]),
        r"sites=\['numbr'\]: unknown site 'numbr': did you mean 'number'",
    ),
    (
        call["invalid_offer_requests"](rules=["*:enum"], techniques=["one-below"]),
        r"rules=\['\*:enum'\], techniques=\['one-below'\]: no technique can",
    ),
    (
        call["invalid_offer_requests"](rules=["*:json"], parsed=True),
        r"rules=\['\*:json'\], parsed=True: no technique can",
    ),
    (
        call["invalid_offer_requests"](sites=["number"], fields={"number": st.just("A")}),
        r"fields=\['number'\]: no technique can",
    ),
    (call["invalid_offer_requests"](now="2026-01-01"), r"now='2026-01-01' is not a datetime: use"),
    (call["invalid_pricing_responses"](now=LATER), r"now=9999-01-01.* is too late"),
    (call["invalid_product_list_responses"](parsed=1), r"parsed=1: use True or False"),
    (call["cases"]("offer-creation-request", verdicts="valid"), r"verdicts='valid' is not a list: use a list or tuple"),
    (call["cases"]("offer-creation-request", verdicts=["vaild"]), r"unknown verdict 'vaild': did you mean 'valid'"),
    (call["cases"]("offer-creation-request", verdicts=[]), r"verdicts=\[\]: the list is empty"),
    (call["cases"]("offers"), r"message_type='offers': unknown message type 'offers': did you mean"),
]


@pytest.mark.parametrize(("strategy", "words"), REJECTED, ids=[words for _, words in REJECTED])
def test_a_wrong_argument_is_reported_when_hypothesis_validates_the_strategy(
    strategy: SearchStrategy[Any], words: str
) -> None:
    with pytest.raises(InvalidArgument, match=words) as raised:
        strategy.validate()
    assert "\n" not in str(raised.value)
    assert len(str(raised.value)) < 400


def test_a_wrong_argument_is_reported_before_the_first_example_of_a_test() -> None:
    @settings(database=None)
    @given(st.data(), st.tuples(offer_requests(offer_types=["Fax"])).map(repr))
    def never_runs(data: st.DataObject, offer: str) -> None:
        raise AssertionError

    with pytest.raises(InvalidArgument, match="offer_types='Fax'"):
        never_runs()


def test_a_strategy_that_is_not_used_rejects_nothing() -> None:
    offer_requests(offer_types=["Fax"])


@pytest.mark.parametrize("strategy", call.values(), ids=call)
def test_an_unknown_argument_is_an_error_at_once(strategy: Any) -> None:
    needed = {"message_type": "offer-creation-request", "messages": st.none(), "data": st.none()}
    given = {name: value for name, value in needed.items() if name in signature(strategy).parameters}
    with pytest.raises(TypeError, match=rf"{strategy.__name__}\(\) .*'offertypes'"):
        strategy(**given, offertypes=["Email"])


PINNED: list[tuple[SearchStrategy[Any], str]] = [
    (offer_requests(fields={"number": st.just("")}), r"a pinned value breaks the contract .*number:minLength"),
    (offer_requests(fields={"number": st.just(datetime(2020, 1, 1, tzinfo=UTC))}), r"fields=\['number'\]: "),
    (
        invalid_offer_requests(fields={"number": st.just("")}),
        r"fields=\['number'\]: a pinned value makes the message invalid",
    ),
    (
        cases("offer-creation-request", fields={"pdfUrl": st.just("x")}),
        r"fields=\['pdfUrl'\]: a pinned value makes the message .*unspecified",
    ),
]


@pytest.mark.parametrize(("strategy", "words"), PINNED, ids=[words for _, words in PINNED])
def test_a_pinned_value_that_breaks_the_contract_is_reported_when_it_is_drawn(
    strategy: SearchStrategy[Any], words: str
) -> None:
    with pytest.raises(InvalidArgument, match=words):
        minimal(strategy)


PRICING: Any = "offer-pricing-response"
UNKNOWN: Any = "x"
FUNCTIONS: list[tuple[Callable[[], object], type[Exception], str]] = [
    (lambda: catalogue(UNKNOWN), UnknownNameError, "unknown message type 'x'"),
    (lambda: messages(UNKNOWN, 1), UnknownNameError, "unknown message type 'x'"),
    (lambda: messages(PRICING, 1, verdicts=["good"]), UnknownNameError, "unknown verdict 'good'"),  # type: ignore[list-item]
    (lambda: messages(PRICING, 1, contract=UNKNOWN), TypeError, r"use load_contract\('x'\)"),
    (lambda: messages(PRICING, UNKNOWN), TypeError, "seed='x': use an integer"),
    (lambda: catalogue(PRICING, verdicts=UNKNOWN), TypeError, "verdicts='x' is not a list: use a list"),
    (lambda: catalogue(PRICING, contract=UNKNOWN), TypeError, "contract='x': use load_contract"),
    (lambda: catalogue(PRICING, now=UNKNOWN), TypeError, "now='x' is not a datetime"),
    (lambda: check(PRICING, b"", now=UNKNOWN), TypeError, "now='x' is not a datetime"),
    (lambda: check(PRICING, b"", contract=UNKNOWN), TypeError, "contract='x'"),
]


@pytest.mark.parametrize(("call_wrongly", "error", "words"), FUNCTIONS)
def test_the_functions_without_hypothesis_report_wrong_arguments_at_once(
    call_wrongly: Callable[[], object], error: type[Exception], words: str
) -> None:
    with pytest.raises(error, match=words):
        call_wrongly()


def test_the_built_in_contract_is_the_default() -> None:
    contract = load_contract()
    for strategy in (offer_requests, product_list_offers, product_list_responses, pricing_responses):
        assert simplest(strategy(contract=contract)) == simplest(strategy())
    for invalid in (invalid_offer_requests, invalid_product_list_responses, invalid_pricing_responses):
        assert simplest(invalid(contract=contract)).body == simplest(invalid()).body
