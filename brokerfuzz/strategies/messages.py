"""Defines strategies for valid messages."""

from collections.abc import Iterable
from typing import Unpack

from brokerfuzz.generation import Wish, Wishes
from brokerfuzz.strategies import arguments
from brokerfuzz.strategies.definition import Draws, strategy
from brokerfuzz.strategies.drawn_values import DrawnValues
from brokerfuzz.typed import OfferCreationRequest, OfferPricingResponse, ProductListOffer, ProductListResponse

PRODUCT_LIST = "Product List"
OFTEN_IN_CLUSTERS = (
    "id", "products", "products[].associatedFileName", "products[].pageCount", "products[].surcharge",
)  # fmt: skip
"""The properties of clusters that are rarely absent, null or empty in product list offers."""


@strategy
def offer_requests(
    *,
    offer_types: Iterable[str] | None = None,
    min_clusters: int = 0,
    max_clusters: int | None = None,
    **options: Unpack[arguments.ValueOptions],
) -> Draws[OfferCreationRequest]:
    """Valid offer creation requests, which a service must accept.

    - `offer_types` lists the offer types to generate (default: all).
    - `min_clusters` and `max_clusters` limit the number of items in `productClusters`. If the minimum is 0, the
      property `productClusters` may also be absent or null.
    - `fields` pins properties: it maps the name or the site of a property (`productClusters[].products[].productId`) to
      a strategy for its values. A pinned property occurs in every object that can contain it. For services that reject
      repeated numbers, use `fields={"number": st.uuids().map(str)}`.
    - `plausible=True` generates plausible messages (see `export --plausible`) instead of unusual ones.
    - `ambiguities` lists the IDs of ambiguities (questions that the contract leaves open); `"all"` means all of them.
      In a list, `*` matches any characters, and an ID with `!` at the beginning is excluded. Messages can contain
      values to which these questions apply. By default, messages contain such values only if you pin them.
    - `contract` is your own contract, such as `brokerfuzz.load_contract(folder)` (default: the built-in contract).

    Raises `InvalidArgument` if a name is unknown, if options contradict each other, or if a pinned value breaks the
    contract.

    Shrinks towards few properties, the first offer type, short arrays and plain values. The simplest message is
    `{"number": "a", "offerType": "Direct Mail"}`.

    The contract describes these messages in the sections "Offer creation request" and "Errors" (validation rules 1-9).

    >>> from hypothesis import find
    >>> from brokerfuzz.strategies import offer_requests
    >>> find(offer_requests(), lambda offer: "orderMinimum" in offer)
    {'number': 'a', 'offerType': 'Direct Mail', 'orderMinimum': 1}
    """
    valid = DrawnValues.of("offer-creation-request", **options)
    valid = valid.sized("clusters", "productClusters", min_clusters, max_clusters)
    offer_type = valid.contract.sites[valid.message_type].get("offerType")  # a changed contract can lack it
    known = offer_type.schema.get("enum", ()) if offer_type else ()
    chosen = arguments.several("offer_types", offer_types)
    for name in chosen:
        if name not in known:
            arguments.reject("offer_types", name, f"use values from {', '.join(map(repr, known))}")
    if chosen and "offerType" in valid.style.pinned:
        arguments.reject(
            "offer_types", offer_types, "fields also pins offerType; remove offer_types, or do not pin offerType"
        )
    types = [name for name in (chosen or known) if max_clusters != 0 or name != PRODUCT_LIST]
    if known and not types:
        remedy = f"offers of type {PRODUCT_LIST!r} need at least one cluster; use 1 or more, or other offer_types"
        arguments.reject("max_clusters", max_clusters, remedy)
    of_types: Wishes = {"offerType": Wish(options=types)} if len(types) < len(known) else {}
    return valid.wishing(of_types).draws()


@strategy
def product_list_offers(
    *,
    min_clusters: int = 1,
    max_clusters: int | None = None,
    min_products: int = 1,
    max_products: int | None = None,
    **options: Unpack[arguments.ValueOptions],
) -> Draws[ProductListOffer]:
    """Valid offers of the type `Product List`, with varied clusters of products.

    Most offers have several clusters with several products each. `min_products` and `max_products` limit the number of
    products in each cluster. The same product can occur in several clusters. Most products have page counts, files and
    surcharges. The other arguments are the same as for `offer_requests`.

    Shrinks towards one cluster with one product.

    The contract describes these messages in the sections "Offer creation request" (conditional rule) and "Errors"
    (validation rules 3-5).

    >>> from hypothesis import find
    >>> from brokerfuzz.strategies import product_list_offers
    >>> find(product_list_offers(max_products=1), lambda offer: True)["productClusters"]
    [{'products': [{'productId': 'a', 'productQuantityInOffer': 1}]}]
    """
    valid = DrawnValues.of("offer-creation-request", **options)
    if "offerType" in valid.style.pinned:
        arguments.reject(
            "fields",
            "offerType",
            f"these offers always have the type {PRODUCT_LIST!r}; use offer_requests() for other types",
        )
    valid = valid.often(["productClusters", *(f"productClusters[].{name}" for name in OFTEN_IN_CLUSTERS)])
    valid = valid.sized("clusters", "productClusters", min_clusters, max_clusters, least=1)
    valid = valid.sized("products", "productClusters[].products", min_products, max_products, least=1)
    if min_clusters * min_products > arguments.LARGEST_PRODUCT:
        remedy = f"with min_clusters={min_clusters!r}, use at most {arguments.LARGEST_PRODUCT // min_clusters}"
        arguments.reject("min_products", min_products, f"{remedy}, because Hypothesis limits the size of an example")
    return valid.wishing({"offerType": Wish(options=[PRODUCT_LIST])}).draws()


@strategy
def product_list_responses(
    *, min_records: int = 0, max_records: int | None = None, **options: Unpack[arguments.ValueOptions]
) -> Draws[ProductListResponse]:
    """Valid product list responses, which every program that reads such responses must accept.

    `min_records` and `max_records` limit the number of product records in `data`. If the minimum is 0, some responses
    report a failure and contain null as `data`. `fields` maps sites to strategies: `{"data[].status":
    st.sampled_from(["Active", "Retired"])}`. The other arguments are the same as for `offer_requests`.

    Shrinks towards a successful response with few records.

    The contract describes these messages in the sections "Response envelope" and "Product list response".

    >>> from hypothesis import find
    >>> from brokerfuzz.strategies import product_list_responses
    >>> find(product_list_responses(min_records=1), lambda response: True)["operationWasSuccessful"]
    True
    """
    valid = DrawnValues.of("product-list-response", **options)
    return valid.sized("records", "data", min_records, max_records).draws()


@strategy
def pricing_responses(
    *, min_offers: int = 0, max_offers: int | None = None, **options: Unpack[arguments.ValueOptions]
) -> Draws[OfferPricingResponse]:
    """Valid offer pricing calculation responses with correct sums.

    `min_offers` and `max_offers` limit the number of priced offers in `data`. If the minimum is 0, some responses
    report a failure and contain null as `data`. The other arguments are the same as for `product_list_responses`. If
    prices or quantities are pinned, the sums may be wrong.

    Shrinks towards a successful response with few offers.

    The contract describes these messages in the sections "Response envelope", "Offer pricing calculation response" and
    "Limits".

    >>> from hypothesis import find
    >>> from brokerfuzz.strategies import pricing_responses
    >>> find(pricing_responses(min_offers=1), lambda response: True)["data"]["offers"]
    [{'offerId': 'a', 'quantity': 1, 'unitPrice': 1, 'extendedPrice': 1}]
    """
    valid = DrawnValues.of("offer-pricing-response", **options)
    return valid.sized("offers", "data.offers", min_offers, max_offers).draws()
