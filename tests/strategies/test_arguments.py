from datetime import UTC, datetime
from inspect import signature
from typing import Any

import pytest
from example_search import minimal
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.errors import InvalidArgument
from hypothesis.strategies import SearchStrategy

from brokerfuzz import strategies as every_strategy
from brokerfuzz.strategies import offer_requests

LATER = datetime(9999, 1, 1, tzinfo=UTC)
OFFERS: Any = "offer-creation-request"
call: Any = {name: getattr(every_strategy, name) for name in every_strategy.__all__ if name != "Envelope"}
"""The type `Any` hides the strategies from type checkers, which would report the wrong arguments in these tests."""


def offers(**arguments: Any) -> SearchStrategy[Any]:
    strategy: SearchStrategy[Any] = call["offer_requests"](**arguments)
    return strategy


def invalid(**arguments: Any) -> SearchStrategy[Any]:
    strategy: SearchStrategy[Any] = call["invalid_offer_requests"](**arguments)
    return strategy


REJECTED: list[tuple[SearchStrategy[Any], str]] = [
    (offers(offer_types=["Fax"]), r"offer_types='Fax': use values from 'Direct Mail'"),
    (offers(offer_types=[]), r"offer_types=\[\]: the list is empty; .*at least one"),
    (offers(offer_types="VDM"), r"offer_types='VDM' is not a list: use a list or tuple, also for a single value"),
    (offers(offer_types=[["Email"]]), r"offer_types=\['Email'\]: use values from"),
    (offers(min_clusters=-1), r"min_clusters=-1: use a whole number of at least 0"),
    (offers(max_clusters=1.5), r"max_clusters=1.5: use a whole number"),
    (offers(min_clusters=3, max_clusters=1), r"min_clusters=3: this is greater than max_clusters=1"),
    (offers(min_clusters=10_000), r"min_clusters=10000: use at most 50, because Hypothesis limits"),
    (offers(offer_types=["Product List"], max_clusters=0), r"max_clusters=0: .*Product List"),
    (offers(fields={"numbr": st.just("a")}), r"fields='numbr': .*did you mean 'number'"),
    (offers(fields={"number": "a"}), r"fields\['number'\]='a': use a strategy; .*st.just"),
    (offers(fields=["number"]), r"fields=\['number'\]: use a mapping"),
    (offers(fields={"offerType": st.just("VDM")}, offer_types=["VDM"]), r"offer_types=\['VDM'\]: .*remove offer_types"),
    (offers(fields={"omniChannel": st.none(), "omniChannel.offers": st.none()}), r"this site is inside 'omniChannel'"),
    (offers(fields={"productClusters": st.none()}, min_clusters=1), r"min_clusters=1: fields also pins 'productClusters'"),
    (offers(plausible="yes"), r"plausible='yes': use True or False"),
    (offers(contract="folder"), r"contract='folder': use load_contract\('folder'\)"),
    (offers(contract={}), r"contract={}: use the contract that load_contract\(folder\) returns"),
    (offers(ambiguities="url-syntax"), r"ambiguities='url-syntax' is not a list: use a list or tuple"),
    (offers(ambiguities=["byte-order-mark"]), r"use \"all\", or the ID of an ambiguity about values"),
    (offers(ambiguities=["url"]), r"^unknown ambiguity 'url': did you mean 'url-syntax'"),
    (call["product_list_offers"](min_clusters=20, min_products=20), r"min_products=20: with min_clusters=20, use at most 5"),
    (call["product_list_offers"](min_clusters=2, fields={"productClusters": st.none()}), r"min_clusters=2: fields also pins"),
    (call["product_list_offers"](min_clusters=0), r"min_clusters=0: use a whole number of at least 1"),
    (call["product_list_offers"](fields={"offerType": st.just("VDM")}), r"use offer_requests\(\)"),
    (call["product_list_responses"](min_records=2, max_records=1), r"min_records=2: this is greater than"),
    (call["product_list_responses"](min_records=3, fields={"data": st.none()}), r"min_records=3: fields also pins 'data'"),
    (call["pricing_responses"](min_offers=True), r"min_offers=True: "),
    (call["pricing_responses"](max_offers=3, fields={"data": st.none()}), r"max_offers=3: fields also pins 'data'"),
    (call["clusters"](min_products=0), "min_products=0: use a whole number of at least 1"),
    (call["products"](fields={"productIt": st.just("A")}), "fields='productIt': .*did you mean 'productId'"),
    (call["priced_offers"](fields={"quantitty": st.just(1)}), "did you mean 'offers\\[\\].quantity'"),
    (call["envelopes"]([]), r"fields\['data'\]=\[\]: use a strategy"),
    (call["faulty"](offers(), "offers"), "^unknown message type 'offers': did you mean"),
    (call["faulty"](offers, OFFERS), "messages=.*: use a strategy for valid messages"),
    (call["faulty"](offers(offer_types=["Fax"]), OFFERS), "offer_types='Fax'"),
    (call["faulty"](offers(), OFFERS, rules=["*:enum"], techniques=["one-below"]), "no technique can break"),
    (invalid(rules="*:minimum"), r"rules='\*:minimum' is not a list: use a list or tuple"),
    (invalid(rules=["offer-creation-request/number:minLenght"]), r"number:minLenght.: did you mean"),
    (invalid(rules=["offer-pricing-response/*"]), r"unknown rule 'offer-pricing-response/\*'"),
    (invalid(techniques=["one-belwo"]), r"unknown technique 'one-belwo': did you mean 'one-below'"),
    (invalid(rules=["numbr"]), r"^unknown rule 'numbr': did you mean 'number'"),
    (invalid(rules=["*:enum"], techniques=["one-below"]), r"rules=\['\*:enum'\], techniques=\['one-below'\]: no technique can"),
    (invalid(rules=["*:json"], parsed=True), r"rules=\['\*:json'\], parsed=True: no technique can"),
    (invalid(rules=["number"], fields={"number": st.just("A")}), r"rules=\['number'\], fields=\['number'\]: no technique can"),
    (invalid(now="2026-01-01"), r"now='2026-01-01' is not a datetime: use"),
    (call["invalid_pricing_responses"](now=LATER), r"now=9999-01-01.* is too late"),
    (call["invalid_product_list_responses"](parsed=1), r"parsed=1: use True or False"),
    (call["cases"](OFFERS, verdicts="valid"), r"verdicts='valid' is not a list: use a list or tuple"),
    (call["cases"](OFFERS, verdicts=["vaild"]), r"unknown verdict 'vaild': did you mean 'valid'"),
    (call["cases"](OFFERS, verdicts=[]), r"verdicts=\[\]: the list is empty"),
    (call["cases"]("offers"), r"^unknown message type 'offers': did you mean"),
]  # fmt: skip


@pytest.mark.parametrize(("strategy", "words"), REJECTED, ids=[words for _, words in REJECTED])
def test_a_wrong_argument_is_reported_when_hypothesis_validates_the_strategy(
    strategy: SearchStrategy[Any], words: str
) -> None:
    with pytest.raises(InvalidArgument, match=words) as raised:
        strategy.validate()
    assert "\n" not in str(raised.value)
    assert len(str(raised.value)) < 400


def test_a_wrong_argument_is_reported_before_the_first_example_but_only_if_the_strategy_is_used() -> None:
    offer_requests(offer_types=["Fax"])

    @settings(database=None)
    @given(st.data(), st.tuples(offer_requests(offer_types=["Fax"])).map(repr))
    def never_runs(data: st.DataObject, offer: str) -> None:
        raise AssertionError

    with pytest.raises(InvalidArgument, match="offer_types='Fax'"):
        never_runs()


@pytest.mark.parametrize("strategy", call.values(), ids=call)
def test_an_unknown_argument_is_an_error_at_once(strategy: Any) -> None:
    needed = {"message_type": "offer-creation-request", "messages": st.none(), "data": st.none()}
    given = {name: value for name, value in needed.items() if name in signature(strategy).parameters}
    with pytest.raises(InvalidArgument, match=rf"{strategy.__name__}\(\) .*'offertypes'"):
        strategy(**given, offertypes=["Email"])


OF_VALUES = {"plausible", "fields", "ambiguities", "contract"}
OF_FAULTS = {"rules", "techniques", "parsed", "now", "contract"}


@pytest.mark.parametrize("strategy", call.values(), ids=call)
def test_strategies_of_the_same_kind_share_their_options(strategy: Any) -> None:
    options = signature(strategy).parameters.keys() & (OF_VALUES | OF_FAULTS)
    if strategy.__name__ == "faulty":
        assert options == OF_FAULTS
    elif strategy.__name__ == "cases" or strategy.__name__.startswith("invalid_"):
        assert options == OF_FAULTS | {"plausible", "fields"}
    else:
        assert options == OF_VALUES


PINNED: list[tuple[SearchStrategy[Any], str]] = [
    (offers(fields={"number": st.just("")}), r"a pinned value breaks the contract .*number:minLength"),
    (offers(fields={"number": st.just(LATER)}), r"fields=\['number'\]: "),
    (invalid(fields={"number": st.just("")}), r"fields=\['number'\]: a pinned value makes the message invalid"),
    (call["cases"](OFFERS, fields={"pdfUrl": st.just("x")}), r"fields=\['pdfUrl'\]: a pinned value makes the message .*unspecified"),
    (call["products"](fields={"pageCount": st.just(0)}), r"a pinned value breaks the contract .*pageCount:minimum"),
]  # fmt: skip


def test_a_pinned_value_that_breaks_the_contract_is_reported_when_it_is_drawn() -> None:
    for strategy, words in PINNED:
        with pytest.raises(InvalidArgument, match=words):
            minimal(strategy)
