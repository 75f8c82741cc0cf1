import subprocess
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest
from example_search import first, minimal
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.errors import InvalidArgument
from hypothesis.strategies import SearchStrategy

from brokerfuzz import (
    MESSAGE_TYPES,
    MessageType,
    OfferCreationRequest,
    PricedOffer,
    PriceTier,
    ProductListCluster,
    check,
    load_contract,
)
from brokerfuzz.cases.catalogue import plain_messages
from brokerfuzz.cases.fault_wishes import breakable_places
from brokerfuzz.hypothesis_plugin import register
from brokerfuzz.strategies import (
    Envelope,
    clusters,
    envelopes,
    faulty,
    offer_requests,
    page_counts,
    price_classes,
    price_tiers,
    priced_offers,
    pricing_responses,
    product_list_offers,
    product_list_responses,
    product_records,
    products,
)

OFFER: MessageType = "offer-creation-request"
LIST: MessageType = "product-list-response"
PRICING: MessageType = "offer-pricing-response"
NOW = datetime(2026, 3, 1, tzinfo=UTC)


def offer(**properties: Any) -> dict[str, Any]:
    return {"number": "A", "offerType": "Email", **properties}


def response(data: Any) -> dict[str, Any]:
    return {"data": data, "failureMessages": [], "informationalMessages": [], "operationWasSuccessful": True}


def pricing(priced: Any) -> dict[str, Any]:
    return response({"customerId": "C", "offers": [priced], "totalExtendedPrice": priced["extendedPrice"]})


PARTS: dict[str, tuple[Callable[..., SearchStrategy[Any]], MessageType, Callable[[Any], Any]]] = {
    "clusters": (clusters, OFFER, lambda part: {**offer(productClusters=[part]), "offerType": "Product List"}),
    "products": (products, OFFER, lambda part: offer(productClusters=[{"products": [part]}])),
    "price_classes": (price_classes, OFFER, lambda part: offer(priceClasses=[part])),
    "price_tiers": (price_tiers, OFFER, lambda part: offer(priceClasses=[{"priceTiers": [part]}])),
    "page_counts": (
        page_counts,
        OFFER,
        lambda part: offer(priceClasses=[{"priceTiers": [{"price": 1, "pageCounts": [part]}]}]),
    ),
    "product_records": (product_records, LIST, lambda part: response([part])),
    "priced_offers": (priced_offers, PRICING, pricing),
}
TYPES: dict[Any, tuple[MessageType, Callable[[Any], Any]]] = {
    OfferCreationRequest: (OFFER, lambda offer: offer),
    ProductListCluster: PARTS["clusters"][1:],
    PriceTier: PARTS["price_tiers"][1:],
    PricedOffer: PARTS["priced_offers"][1:],
}
EACH_PART = pytest.mark.parametrize("name", PARTS)


@EACH_PART
@pytest.mark.parametrize("plausible", [False, True])
@given(data=st.data())
def test_a_message_with_the_part_is_valid(name: str, plausible: bool, data: st.DataObject) -> None:
    strategy, message_type, around = PARTS[name]
    verdict = check(message_type, around(data.draw(strategy(plausible=plausible))))
    assert verdict.label == "valid", str(verdict)


@EACH_PART
@given(data=st.data())
def test_a_message_with_an_ambiguous_part_breaks_no_rule(name: str, data: st.DataObject) -> None:
    strategy, message_type, around = PARTS[name]
    assert check(message_type, around(data.draw(strategy(ambiguities="all")))).label in ("valid", "unspecified")


@given(clusters(min_products=3, max_products=4, fields={"products[].productId": st.sampled_from(["P1", "P2"])}))
def test_the_options_of_clusters_hold(cluster: Any) -> None:
    assert 3 <= len(cluster["products"]) <= 4
    assert {product["productId"] for product in cluster["products"]} <= {"P1", "P2"}


@given(priced_offers(fields={"offerId": st.just("OFF-1")}), product_records(fields={"status": st.just("Retired")}))
def test_properties_of_parts_can_be_pinned(priced: Any, record: Any) -> None:
    assert priced["offerId"] == "OFF-1"
    assert record["status"] == "Retired"


@given(envelopes(st.none() | st.lists(product_records(), max_size=2, unique_by=lambda record: record["productId"])))
def test_an_envelope_agrees_with_its_data(envelope: Envelope[Any]) -> None:
    assert check(LIST, envelope).label == "valid"
    assert envelope["operationWasSuccessful"] == (envelope["data"] is not None)


REJECTED: list[tuple[SearchStrategy[Any], str]] = [
    (clusters(min_products=0), "min_products=0: use a whole number of at least 1"),
    (products(fields={"productIt": st.just("A")}), "fields='productIt': .*did you mean 'productId'"),
    (priced_offers(fields={"quantitty": st.just(1)}), "did you mean 'offers\\[\\].quantity'"),
    (price_tiers(plausible=1), "plausible=1: use True or False"),  # type: ignore[arg-type]
    (envelopes([]), r"fields\['data'\]=\[\]: use a strategy"),  # type: ignore[arg-type]
    (faulty(offer_requests(), "offers"), "message_type='offers': unknown message type"),
    (faulty(offer_requests, OFFER), "messages=.*: use a strategy for valid messages"),  # type: ignore[arg-type]
    (faulty(offer_requests(offer_types=["Fax"]), OFFER), "offer_types='Fax'"),
    (faulty(offer_requests(), OFFER, rules=["*:enum"], techniques=["one-below"]), "no technique can break"),
]


@pytest.mark.parametrize(("strategy", "words"), REJECTED, ids=[words for _, words in REJECTED])
def test_a_wrong_argument_is_reported_when_hypothesis_validates_the_strategy(
    strategy: SearchStrategy[Any], words: str
) -> None:
    with pytest.raises(InvalidArgument, match=words):
        strategy.validate()


def test_a_pinned_value_that_breaks_the_contract_is_reported() -> None:
    with pytest.raises(InvalidArgument, match=r"a pinned value breaks the contract .*pageCount:minimum"):
        minimal(products(fields={"pageCount": st.just(0)}))


# ----------------------------------------------------------------------------------------------------------- faulty

VALID: dict[MessageType, SearchStrategy[Any]] = {
    OFFER: offer_requests(),
    LIST: product_list_responses(),
    PRICING: pricing_responses(),
}


@pytest.mark.parametrize("message_type", MESSAGE_TYPES)
@given(data=st.data())
def test_a_faulty_message_breaks_one_rule_and_its_twin_is_the_message(
    message_type: MessageType, data: st.DataObject
) -> None:
    case = data.draw(faulty(VALID[message_type], message_type, now=NOW))
    assert case.label == "invalid"
    assert {entry.rule for entry in case.verdict.broken} == {fault.rule for fault in case.faults}
    assert case.twin.label == "valid"


@given(faulty(st.just({"number": "A", "offerType": "Email", "orderMinimum": None}), OFFER, now=NOW))
def test_the_messages_of_your_own_strategy_can_be_broken(case: Any) -> None:
    assert case.twin.value == {"number": "A", "offerType": "Email", "orderMinimum": None}


def test_every_rule_of_a_complete_message_can_be_broken() -> None:
    complete = {**plain_messages(OFFER)[0].value, "offerType": "Product List"}
    assert check(OFFER, complete).label == "valid"
    broken: set[str] = set()
    rules = [rule.id for rule in load_contract().rules[OFFER] if breakable_places(rule, complete)]
    assert len(rules) > 80
    for rule in rules:
        case = first(faulty(st.just(complete), OFFER, rules=[rule], now=NOW), lambda case: True)
        broken |= {fault.rule for fault in case.faults}
    assert broken == set(rules)


def test_a_faulty_message_shrinks_to_the_smallest_message() -> None:
    case = minimal(faulty(product_list_offers(min_clusters=2), OFFER, rules=["*pageCount:minimum"], now=NOW))
    assert len(case.twin.value["productClusters"]) == 2
    assert case.faults[0].technique == "one-below"


def test_a_message_that_is_not_valid_is_reported() -> None:
    with pytest.raises(InvalidArgument, match=r"messages: a message is not clearly valid .*number:minLength"):
        minimal(faulty(st.just({"number": "", "offerType": "Email"}), OFFER))
    with pytest.raises(InvalidArgument, match="messages: a message is not clearly valid"):
        minimal(faulty(st.just({1, 2}), OFFER))


# -------------------------------------------------------------------------------------------------------- from_type


def test_hypothesis_generates_the_types_of_messages() -> None:
    register()
    for kind, (message_type, around) in TYPES.items():
        found = first(st.from_type(kind), lambda value: True)
        assert check(message_type, around(found)).label == "valid"
    assert "offerType" in first(st.from_type(OfferCreationRequest), lambda offer: True)


def test_other_types_are_not_affected() -> None:
    register()
    assert minimal(st.from_type(dict[str, int])) == {}


def test_the_package_tells_hypothesis_about_the_types() -> None:
    code = (
        "import sys; import hypothesis; assert not {'brokerfuzz.strategies', 'brokerfuzz.schemas'} & "
        "set(sys.modules), 'imported too early'"
    )
    subprocess.run(
        [sys.executable, "-c", f"{code}; import brokerfuzz.hypothesis_plugin as plugin; plugin.register(); {code}"],
        check=True,
    )
