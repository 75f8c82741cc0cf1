"""Strategies for valid messages and for their parts."""

import re
import subprocess
import sys
from collections.abc import Callable
from itertools import islice
from statistics import mean
from typing import Any

import pytest
from example_search import first, minimal
from hypothesis import Phase, given, seed, settings
from hypothesis import strategies as st
from hypothesis.errors import InvalidArgument
from hypothesis.strategies import SearchStrategy
from sampled import sample

from brokerfuzz import MessageType, OfferCreationRequest, PricedOffer, PriceTier, ProductListCluster, check, messages
from brokerfuzz.cases.case import compact
from brokerfuzz.hypothesis_plugin import register
from brokerfuzz.strategies import (
    Envelope,
    clusters,
    envelopes,
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
from brokerfuzz.strategies import hypothesis_source as module

OFFER: MessageType = "offer-creation-request"
LIST: MessageType = "product-list-response"
PRICING: MessageType = "offer-pricing-response"


def offer(**properties: Any) -> dict[str, Any]:
    return {"number": "A", "offerType": "Email", **properties}


def response(data: Any) -> dict[str, Any]:
    return {"data": data, "failureMessages": [], "informationalMessages": [], "operationWasSuccessful": True}


def pricing(priced: Any) -> dict[str, Any]:
    return response({"customerId": "C", "offers": [priced], "totalExtendedPrice": priced["extendedPrice"]})


def itself(message: Any) -> Any:
    return message


Strategies = dict[str, tuple[Callable[..., SearchStrategy[Any]], MessageType, Callable[[Any], Any]]]
MESSAGES: Strategies = {
    "offer_requests": (offer_requests, OFFER, itself),
    "product_list_offers": (product_list_offers, OFFER, itself),
    "product_list_responses": (product_list_responses, LIST, itself),
    "pricing_responses": (pricing_responses, PRICING, itself),
}
EVERY: Strategies = {
    **MESSAGES,
    "clusters": (clusters, OFFER, lambda part: offer(offerType="Product List", productClusters=[part])),
    "products": (products, OFFER, lambda part: offer(productClusters=[{"products": [part]}])),
    "price_classes": (price_classes, OFFER, lambda part: offer(priceClasses=[part])),
    "price_tiers": (price_tiers, OFFER, lambda part: offer(priceClasses=[{"priceTiers": [part]}])),
    "page_counts": (page_counts, OFFER, lambda part: offer(priceClasses=[{"priceTiers": [{"price": 1, "pageCounts": [part]}]}])),
    "product_records": (product_records, LIST, lambda part: response([part])),
    "priced_offers": (priced_offers, PRICING, pricing),
}  # fmt: skip
"""A strategy, the type of its messages, and a function that makes a message from an example."""


@pytest.mark.every(3)
@pytest.mark.parametrize("name", EVERY)
@pytest.mark.parametrize("plausible", [False, True])
@given(data=st.data())
def test_a_message_is_valid_also_around_an_example_of_a_part(name: str, plausible: bool, data: st.DataObject) -> None:
    strategy, message_type, around = EVERY[name]
    verdict = check(message_type, around(data.draw(strategy(plausible=plausible))))
    assert verdict.label == "valid", str(verdict)


def plausible_examples(strategy: SearchStrategy[Any]) -> list[Any]:
    """Returns examples without the first, which is the simplest one."""
    seen: list[Any] = []

    @settings(max_examples=30, database=None, phases=[Phase.generate])
    @given(strategy)
    def note(message: Any) -> None:
        seen.append(message)

    note()
    return seen[1:]


def test_the_values_of_a_plausible_message_belong_together() -> None:
    slugs = {
        record["productId"]: re.sub("[^a-z0-9]+", "-", record["productDescription"].lower())
        for response in islice(messages(LIST, 0, plausible=True), 200)
        for record in response["data"]
    }
    for offer in plausible_examples(product_list_offers(plausible=True, min_clusters=2)):
        assert f"/{offer['number'].lower()}/" in offer["fullImageUrl"]
        assert offer.get("orderMaximum", 0) % offer.get("orderMinimum", 1) == 0
        for product in (product for cluster in offer["productClusters"] for product in cluster["products"]):
            assert slugs[product["productId"]] in product.get("associatedFileName", slugs[product["productId"]])
    download = plausible_examples(offer_requests(plausible=True, offer_types=["Download", "Email"]))
    assert all(("pdfUrl" in offer) == (offer["offerType"] == "Download") for offer in download)
    assert len({offer["number"] for offer in download}) > 12


def test_fields_replace_the_values_of_a_plausible_message_and_it_shrinks() -> None:
    strategy = offer_requests(plausible=True, fields={"number": st.sampled_from(["A", "B"])})
    assert {offer["number"] for offer in plausible_examples(strategy)} == {"A", "B"}
    smallest = minimal(strategy, lambda offer: "fullImageUrl" in offer)
    assert smallest.keys() == {"number", "offerType", "fullImageUrl"}


@given(product_list_responses(plausible=True), offer_requests(plausible=True), envelopes(st.none(), plausible=True))
def test_plausible_messages_have_usual_times_and_failures_with_a_reason(
    response: Any, offer: Any, failure: Any
) -> None:
    times = [record["lastUpdateDateTimeUtc"] for record in response["data"]]
    times += [value for name, value in offer.items() if "Date" in name and value is not None]
    assert {time[:4] for time in times} <= {"1999", "2000", "2001"}
    assert response["failureMessages"] == []
    assert failure["failureMessages"]
    assert all(text.endswith(".") for text in failure["failureMessages"])


@pytest.mark.parametrize("name", MESSAGES)
@sample(100, 1000)
@pytest.mark.every(4)
def test_nearly_all_messages_are_different_and_the_same_run_draws_them_again(name: str, size: int) -> None:
    """Some of Hypothesis's first examples are equal, because they are very simple."""

    def drawn(count: int) -> list[bytes]:
        found: list[bytes] = []
        generate = settings(max_examples=count, derandomize=True, database=None, phases=[Phase.generate])
        generate(given(EVERY[name][0]())(lambda message: found.append(compact(message))))()
        return found

    messages = drawn(size)
    assert len(set(messages)) > 0.96 * size
    assert drawn(30) == drawn(30)


@pytest.mark.parametrize("name", MESSAGES)
def test_messages_are_independent_and_can_be_modified(name: str) -> None:
    strategy, message_type, _ = MESSAGES[name]

    def spoil(value: Any) -> None:
        if isinstance(value, dict | list):
            for item in list(value.values()) if isinstance(value, dict) else value:
                spoil(item)
            value.clear()

    def check_and_spoil(message: Any) -> None:
        assert check(message_type, message).label == "valid"
        spoil(message)

    settings(max_examples=20, database=None)(given(strategy())(check_and_spoil))()


@pytest.mark.parametrize("name", EVERY)
def test_the_repr_of_a_strategy_is_its_call_and_options_are_keywords(name: str) -> None:
    strategy = EVERY[name][0](plausible=True)
    strategy.validate()
    assert repr(strategy) == f"{name}(plausible=True)"
    with pytest.raises(InvalidArgument, match=rf"{name}\(\) .*positional argument"):
        EVERY[name][0]("Email")


# ----------------------------------------------------------------------------------------------------- reachability


PRODUCT = {"productId": "P-1", "productQuantityInOffer": 1}


def _products(message: Any) -> list[Any]:
    return [product for cluster in message.get("productClusters") or [] for product in cluster.get("products") or []]


REACHED: dict[str, tuple[SearchStrategy[Any], Callable[[Any], bool]]] = {
    "clusters under another type": (offer_requests(offer_types=["Email"]), lambda m: bool(_products(m))),
    "more than ten clusters": (offer_requests(), lambda m: len(m.get("productClusters") or []) > 10),
    "a product that clusters share": (
        product_list_offers(min_clusters=2),
        lambda m: len({p["productId"] for p in _products(m)}) < len(_products(m)),
    ),
    "the largest double": (offer_requests(), lambda m: m.get("defaultPrice") == 1.7976931348623157e308),
    "a string beyond the basic plane": (offer_requests(), lambda m: any(ord(c) > 0xFFFF for c in m["number"])),
    "page counts three levels down": (
        offer_requests(),
        lambda m: any(t.get("pageCounts") for c in m.get("priceClasses") or [] for t in c.get("priceTiers") or []),
    ),
    "a failed list": (product_list_responses(), lambda m: m["data"] is None and not m["operationWasSuccessful"]),
}  # fmt: skip


@pytest.mark.parametrize("what", REACHED)
def test_rare_shapes_occur(what: str) -> None:
    strategy, condition = REACHED[what]
    assert condition(first(strategy, condition))


# -------------------------------------------------------------------------------------------------------- arguments


@given(offer_requests(offer_types=["Email", "VDM"], min_clusters=2, max_clusters=3), offer_requests(max_clusters=0))
def test_offer_types_and_cluster_bounds_hold(some: Any, none: Any) -> None:
    assert some["offerType"] in ("Email", "VDM")
    assert 2 <= len(some["productClusters"]) <= 3
    assert not none.get("productClusters")
    assert none["offerType"] != "Product List", "this type needs clusters"


@given(
    product_list_offers(min_clusters=2, max_clusters=4, min_products=3, max_products=5),
    clusters(min_products=3, max_products=4, fields={"products[].productId": st.sampled_from(["P1", "P2"])}),
)
def test_bounds_of_clusters_and_their_products_hold(message: Any, cluster: Any) -> None:
    assert 2 <= len(message["productClusters"]) <= 4
    assert all(3 <= len(cluster["products"]) <= 5 for cluster in message["productClusters"])
    assert 3 <= len(cluster["products"]) <= 4
    assert {product["productId"] for product in cluster["products"]} <= {"P1", "P2"}


@given(st.data(), st.integers(0, 6))
def test_bounds_of_responses_hold(data: st.DataObject, low: int) -> None:
    listed = data.draw(product_list_responses(min_records=low, max_records=low + 2))["data"]
    priced = data.draw(pricing_responses(min_offers=low, max_offers=low + 2))["data"]
    for items in (listed, priced and priced["offers"]):
        assert low == 0 if items is None else low <= len(items) <= low + 2


@given(
    offer_requests(
        fields={"number": st.just("N-1"), "productClusters[].products[].productId": st.sampled_from(["P1", "P2"])},
        min_clusters=1,
    ),
    offer_requests(fields={"offerType": st.sampled_from(["Product List", "Email"])}),
    product_list_responses(min_records=1, fields={"data[].status": st.just("Retired")}),
    pricing_responses(fields={"data.totalExtendedPrice": st.just(5)}),
    priced_offers(fields={"offerId": st.just("OFF-1")}),
)
def test_pinned_sites_have_only_pinned_values(
    message: Any, listed: Any, records: Any, prices: Any, priced: Any
) -> None:
    assert message["number"] == "N-1"
    assert {product["productId"] for product in _products(message)} <= {"P1", "P2"}
    assert listed["offerType"] == "Email" or _products(listed), "the type still decides what is required"
    assert {record["status"] for record in records["data"]} == {"Retired"}
    assert prices["data"] is None or prices["data"]["totalExtendedPrice"] == 5
    assert priced["offerId"] == "OFF-1"


@given(
    product_list_offers(fields={"productClusters": st.just([{"products": [PRODUCT]}])}),
    envelopes(st.just([]), fields={"informationalMessages": st.just(["as of today"])}),
)
def test_pinned_arrays_and_envelopes_need_no_other_option(message: Any, envelope: Envelope[Any]) -> None:
    assert message["offerType"] == "Product List"
    assert _products(message) == [PRODUCT]
    assert envelope["informationalMessages"] == ["as of today"]


@given(envelopes(st.none() | st.lists(product_records(), max_size=2, unique_by=lambda record: record["productId"])))
def test_an_envelope_agrees_with_its_data(envelope: Envelope[Any]) -> None:
    assert check(LIST, envelope).label == "valid"
    assert envelope["operationWasSuccessful"] == (envelope["data"] is not None)


# -------------------------------------------------------------------------------------------------------- from_type


def test_hypothesis_generates_the_types_of_messages_and_all_other_types_as_before() -> None:
    register()
    types: dict[Any, str] = {
        OfferCreationRequest: "offer_requests", ProductListCluster: "clusters", PriceTier: "price_tiers",
        PricedOffer: "priced_offers",
    }  # fmt: skip
    for kind, name in types.items():
        _, message_type, around = EVERY[name]
        assert check(message_type, around(first(st.from_type(kind), lambda value: True))).label == "valid"
    assert minimal(st.from_type(dict[str, int])) == {}


def test_hypothesis_learns_the_types_without_importing_the_strategies() -> None:
    code = (
        "import sys; import hypothesis; assert not {'brokerfuzz.strategies', 'brokerfuzz.schemas'} & "
        "set(sys.modules), 'imported too early'"
    )
    command = f"{code}; import brokerfuzz.hypothesis_plugin as plugin; plugin.register(); {code}"
    subprocess.run([sys.executable, "-c", command], check=True)


# ------------------------------------------------------------------------------------------------- how Hypothesis draws

SOME = settings(max_examples=60, database=None)


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
        assert len(set(map(compact, seen))) == len(seen) >= 60
    early, late = ([offer for run in runs for offer in run[part]] for part in (slice(1, 10), slice(10, None)))
    assert share(early) > 0.75 * share(late)
