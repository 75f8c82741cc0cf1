from collections.abc import Callable
from typing import Any

import pytest
from example_search import first
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy
from sampled import sample

from brokerfuzz.cases.case import compact
from brokerfuzz.schemas import MessageType, check
from brokerfuzz.strategies import offer_requests, pricing_responses, product_list_offers, product_list_responses

OFFER: MessageType = "offer-creation-request"
EVERY: dict[str, tuple[MessageType, Callable[..., SearchStrategy[Any]]]] = {
    "offer_requests": (OFFER, offer_requests),
    "product_list_offers": (OFFER, product_list_offers),
    "product_list_responses": ("product-list-response", product_list_responses),
    "pricing_responses": ("offer-pricing-response", pricing_responses),
}
EVERY_STRATEGY = pytest.mark.parametrize("name", EVERY)


def drawn(strategy: SearchStrategy[Any], count: int = 100) -> list[Any]:
    found: list[Any] = []

    @settings(max_examples=count, derandomize=True, database=None, phases=[Phase.generate])
    @given(strategy)
    def collect(value: Any) -> None:
        found.append(value)

    collect()
    return found


# --------------------------------------------------------------------------------------------- the shared contract


@EVERY_STRATEGY
@pytest.mark.parametrize("plausible", [False, True])
@given(data=st.data())
def test_every_message_is_valid(name: str, plausible: bool, data: st.DataObject) -> None:
    message_type, strategy = EVERY[name]
    message = data.draw(strategy(plausible=plausible))
    verdict = check(message_type, message)
    assert verdict.label == "valid", str(verdict)


@EVERY_STRATEGY
def test_the_same_run_draws_the_same_messages(name: str) -> None:
    strategy = EVERY[name][1]
    assert drawn(strategy(), 30) == drawn(strategy(), 30)


@EVERY_STRATEGY
@sample(400, 1000)
@pytest.mark.every(2)
def test_nearly_all_messages_are_different(name: str, size: int) -> None:
    """Some of Hypothesis's first examples are equal, because they are very simple."""
    messages = drawn(EVERY[name][1](), size)
    assert len(set(map(compact, messages))) > 0.96 * size


@EVERY_STRATEGY
def test_messages_are_independent_and_can_be_modified(name: str) -> None:
    @settings(max_examples=60, database=None)
    @given(EVERY[name][1]())
    def spoil(message: Any) -> None:
        assert check(EVERY[name][0], message).label == "valid"
        _spoil(message)

    spoil()


def _spoil(value: Any) -> None:
    below = list(value.values()) if isinstance(value, dict) else value if isinstance(value, list) else []
    for item in below:
        _spoil(item)
    if isinstance(value, dict | list):
        value.clear()


@EVERY_STRATEGY
def test_the_repr_of_a_strategy_is_its_call(name: str) -> None:
    strategy = EVERY[name][1](plausible=True)
    assert f"{name}(plausible=True)" in repr(strategy)
    strategy.validate()
    assert repr(strategy) == f"{name}(plausible=True)"


@EVERY_STRATEGY
@pytest.mark.parametrize("positional", [("Email",), ({},)])
def test_options_are_keywords(name: str, positional: tuple[Any, ...]) -> None:
    with pytest.raises(TypeError, match=rf"{name}\(\) too many positional arguments"):
        EVERY[name][1](*positional)


# ----------------------------------------------------------------------------------------------------- reachability


def _products(message: Any) -> list[Any]:
    return [product for cluster in message.get("productClusters") or [] for product in cluster.get("products") or []]


REACHED: dict[str, tuple[SearchStrategy[Any], Callable[[Any], bool]]] = {
    "the first type": (offer_requests(), lambda m: m["offerType"] == "Direct Mail"),
    "the last type": (offer_requests(), lambda m: m["offerType"] == "VDM"),
    "clusters under another type": (offer_requests(offer_types=["Email"]), lambda m: bool(_products(m))),
    "null clusters": (offer_requests(), lambda m: "productClusters" in m and m["productClusters"] is None),
    "a cluster without products": (
        offer_requests(),
        lambda m: any("products" not in c for c in m.get("productClusters") or []),
    ),
    "more than ten clusters": (offer_requests(), lambda m: len(m.get("productClusters") or []) > 10),
    "more than ten products": (
        product_list_offers(max_products=20),
        lambda m: any(len(c["products"]) > 10 for c in m["productClusters"]),
    ),
    "a product that clusters share": (
        product_list_offers(min_clusters=2),
        lambda m: len({p["productId"] for p in _products(m)}) < len(_products(m)),
    ),
    "a null page count": (product_list_offers(), lambda m: any(p.get("pageCount", 1) is None for p in _products(m))),
    "an absent page count": (product_list_offers(), lambda m: any("pageCount" not in p for p in _products(m))),
    "the largest page count": (
        product_list_offers(),
        lambda m: any(p.get("pageCount") == 2147483647 for p in _products(m)),
    ),
    "a file": (product_list_offers(), lambda m: any(p.get("associatedFileName") for p in _products(m))),
    "a quantity of zero": (
        product_list_offers(),
        lambda m: any(p["productQuantityInOffer"] == 0 for p in _products(m)),
    ),
    "the smallest quantity": (
        product_list_offers(),
        lambda m: any(p["productQuantityInOffer"] == -2147483648 for p in _products(m)),
    ),
    "a negative price": (offer_requests(), lambda m: (m.get("defaultPrice") or 0) < 0),
    "the largest double": (offer_requests(), lambda m: m.get("defaultPrice") == 1.7976931348623157e308),
    "an empty string": (offer_requests(), lambda m: m.get("description") == ""),
    "a string beyond the basic plane": (offer_requests(), lambda m: any(ord(c) > 0xFFFF for c in m["number"])),
    "page counts three levels down": (
        offer_requests(),
        lambda m: any(t.get("pageCounts") for c in m.get("priceClasses") or [] for t in c.get("priceTiers") or []),
    ),
    "a failed list": (product_list_responses(), lambda m: m["data"] is None and not m["operationWasSuccessful"]),
    "many records": (product_list_responses(), lambda m: len(m["data"] or []) > 10),
    "a free offer": (pricing_responses(min_offers=1), lambda m: m["data"]["totalExtendedPrice"] == 0),
    "several offers": (pricing_responses(), lambda m: m["data"] is not None and len(m["data"]["offers"]) > 3),
}


@pytest.mark.parametrize("what", REACHED)
def test_rare_shapes_occur(what: str) -> None:
    strategy, condition = REACHED[what]
    assert condition(first(strategy, condition))


# -------------------------------------------------------------------------------------------------------- arguments


@given(offer_requests(offer_types=["Email", "VDM"], min_clusters=2, max_clusters=3))
def test_offer_types_and_cluster_bounds_hold(message: Any) -> None:
    assert message["offerType"] in ("Email", "VDM")
    assert 2 <= len(message["productClusters"]) <= 3


@given(offer_requests(max_clusters=0))
def test_offers_without_clusters_have_types_that_need_none(message: Any) -> None:
    assert not message.get("productClusters")
    assert message["offerType"] != "Product List"


@given(product_list_offers(min_clusters=2, max_clusters=4, min_products=3, max_products=5))
def test_bounds_of_clusters_and_their_products_hold(message: Any) -> None:
    assert 2 <= len(message["productClusters"]) <= 4
    assert all(3 <= len(cluster["products"]) <= 5 for cluster in message["productClusters"])


@given(st.data())
def test_bounds_of_responses_hold(data: st.DataObject) -> None:
    low = data.draw(st.integers(0, 15))
    products = data.draw(product_list_responses(min_records=low, max_records=low + 2))
    offers = data.draw(pricing_responses(min_offers=low, max_offers=low + 2))
    assert (products["data"] is None and low == 0) or low <= len(products["data"] or []) <= low + 2
    assert (offers["data"] is None and low == 0) or (
        offers["data"] is not None and low <= len(offers["data"]["offers"]) <= low + 2
    )


@given(
    offer_requests(
        fields={"number": st.just("N-1"), "productClusters[].products[].productId": st.sampled_from(["P1", "P2"])},
        min_clusters=1,
    )
)
def test_pinned_sites_have_only_pinned_values(message: Any) -> None:
    assert message["number"] == "N-1"
    assert {product["productId"] for product in _products(message)} <= {"P1", "P2"}


@given(offer_requests(fields={"offerType": st.sampled_from(["Product List", "Email"])}))
def test_a_pinned_offer_type_still_decides_what_is_required(message: Any) -> None:
    assert message["offerType"] == "Email" or _products(message)


@given(product_list_responses(min_records=1, fields={"data[].status": st.just("Retired")}))
def test_properties_of_items_can_be_pinned(message: Any) -> None:
    assert {record["status"] for record in message["data"]} == {"Retired"}


@given(pricing_responses(fields={"data.totalExtendedPrice": st.just(5)}))
def test_a_pinned_price_is_not_corrected(message: Any) -> None:
    assert message["data"] is None or message["data"]["totalExtendedPrice"] == 5
