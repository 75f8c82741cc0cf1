"""Defines strategies for valid parts of messages: the items of arrays, and the envelope of responses."""

from collections.abc import Mapping
from typing import Generic, TypedDict, TypeVar, Unpack

from hypothesis.errors import InvalidArgument
from hypothesis.strategies import DrawFn, SearchStrategy

from brokerfuzz.strategies import arguments
from brokerfuzz.strategies.definition import Draws, strategy
from brokerfuzz.strategies.drawn_values import DrawnValues
from brokerfuzz.strategies.messages import OFTEN_IN_CLUSTERS
from brokerfuzz.typed import (
    ClusterProduct,
    PageCountPrice,
    PriceClass,
    PricedOffer,
    PriceTier,
    ProductListCluster,
    ProductRecord,
)

Data = TypeVar("Data")


class Envelope(TypedDict, Generic[Data]):
    """The type of a response: the envelope, with `data` of any type.

    >>> from brokerfuzz.strategies import Envelope
    >>> Envelope(data=[], failureMessages=[], informationalMessages=[], operationWasSuccessful=True)
    {'data': [], 'failureMessages': [], 'informationalMessages': [], 'operationWasSuccessful': True}
    """

    data: Data
    """The data of the response, or null if there is no result."""
    failureMessages: list[str]
    """Errors, as human-readable messages."""
    informationalMessages: list[str]
    """Further information, as human-readable messages."""
    operationWasSuccessful: bool
    """True if the operation was successful."""


@strategy
def clusters(
    *, min_products: int = 1, max_products: int | None = None, **options: Unpack[arguments.ValueOptions]
) -> Draws[ProductListCluster]:
    """Clusters of products, as in offers of the type `Product List`.

    `min_products` and `max_products` limit the number of products. `fields` maps sites inside the cluster to
    strategies: `{"products[].productId": st.sampled_from(["P1", "P2"])}`. The other arguments are the same as for
    `offer_requests`.

    Shrinks towards a cluster with one product.

    >>> from hypothesis import find
    >>> from brokerfuzz.strategies import clusters
    >>> find(clusters(), lambda cluster: True)
    {'products': [{'productId': 'a', 'productQuantityInOffer': 1}]}
    """
    cluster = DrawnValues.of("offer-creation-request", "productClusters[]", **options)
    return cluster.often(OFTEN_IN_CLUSTERS).sized("products", "products", min_products, max_products, least=1).draws()


@strategy
def products(**options: Unpack[arguments.ValueOptions]) -> Draws[ClusterProduct]:
    """Products in a cluster. `fields` pins properties of the product. The other arguments are the same as for
    `offer_requests`.

    >>> from hypothesis import find
    >>> from brokerfuzz.strategies import products
    >>> find(products(), lambda product: True)
    {'productId': 'a', 'productQuantityInOffer': 1}
    """
    return DrawnValues.of("offer-creation-request", "productClusters[].products[]", **options).draws()


@strategy
def price_classes(**options: Unpack[arguments.ValueOptions]) -> Draws[PriceClass]:
    """Price classes of an offer. `fields` maps sites inside the price class, such as `priceTiers[].price`, to
    strategies. The other arguments are the same as for `offer_requests`.

    >>> from hypothesis import find
    >>> from brokerfuzz.strategies import price_classes
    >>> find(price_classes(), lambda prices: prices.get("priceTiers"))
    {'priceTiers': [{'price': 1}]}
    """
    return DrawnValues.of("offer-creation-request", "priceClasses[]", **options).draws()


@strategy
def price_tiers(**options: Unpack[arguments.ValueOptions]) -> Draws[PriceTier]:
    """Price tiers of a price class. `fields` maps sites inside the price tier, such as `pageCounts[].price`, to
    strategies. The other arguments are the same as for `offer_requests`.

    >>> from hypothesis import find
    >>> from brokerfuzz.strategies import price_tiers
    >>> find(price_tiers(), lambda tier: tier["price"] > 10)
    {'price': 11}
    """
    return DrawnValues.of("offer-creation-request", "priceClasses[].priceTiers[]", **options).draws()


@strategy
def page_counts(**options: Unpack[arguments.ValueOptions]) -> Draws[PageCountPrice]:
    """Prices for ranges of page counts: the items of `pageCounts` in a price tier. `fields` pins properties of the
    item. The other arguments are the same as for `offer_requests`.

    >>> from hypothesis import find
    >>> from brokerfuzz.strategies import page_counts
    >>> find(page_counts(), lambda pages: pages.get("price"))
    {'price': 1}
    """
    return DrawnValues.of("offer-creation-request", "priceClasses[].priceTiers[].pageCounts[]", **options).draws()


@strategy
def product_records(**options: Unpack[arguments.ValueOptions]) -> Draws[ProductRecord]:
    """Product records of a product list response. `fields` pins properties of the record. The other arguments are the
    same as for `offer_requests`.

    >>> from hypothesis import find, strategies as st
    >>> from brokerfuzz.strategies import product_records
    >>> find(product_records(fields={"productId": st.just("P-1")}), lambda record: True)["productId"]
    'P-1'
    """
    return DrawnValues.of("product-list-response", "data[]", **options).draws()


@strategy
def priced_offers(**options: Unpack[arguments.ValueOptions]) -> Draws[PricedOffer]:
    """Priced offers of a pricing response, with a correct extended price. `fields` pins properties of the offer. If you
    pin prices or the quantity, the extended price may be wrong. The other arguments are the same as for
    `offer_requests`.

    >>> from hypothesis import find
    >>> from brokerfuzz.strategies import priced_offers
    >>> find(priced_offers(), lambda offer: True)
    {'offerId': 'a', 'quantity': 1, 'unitPrice': 1, 'extendedPrice': 1}
    """
    fields = options.get("fields")
    if isinstance(fields, Mapping):
        options["fields"] = {f"offers[].{name}": values for name, values in fields.items()}
    draws = DrawnValues.of("offer-pricing-response", "data", **options).sized("offers", "offers", 1, 1).draws()

    def draw_offer(draw: DrawFn) -> PricedOffer:
        data = draws(draw)
        offers = data.get("offers") if isinstance(data, dict) else None
        if not offers:
            raise InvalidArgument("the contract allows no items of data.offers: change its schema")
        return offers[0]  # type: ignore[no-any-return]

    return draw_offer


@strategy
def envelopes(data: SearchStrategy[Data], **options: Unpack[arguments.ValueOptions]) -> Draws[Envelope[Data]]:
    """Envelopes of responses. The property `data` contains the values of the strategy `data`. If the strategy generates
    None, the envelope says that the operation failed.

    brokerfuzz does not check the generated data against the contract. `fields` pins the other properties. The other
    arguments are the same as for `offer_requests`.

    Shrinks towards few failure messages and informational messages.

    >>> from hypothesis import find, strategies as st
    >>> from brokerfuzz.strategies import envelopes
    >>> find(envelopes(st.just(7)), lambda response: True)
    {'data': 7, 'failureMessages': [], 'informationalMessages': [], 'operationWasSuccessful': True}
    """
    fields = options.get("fields")
    if fields is None or isinstance(fields, Mapping):
        options["fields"] = {**(fields or {}), "data": data}
    return DrawnValues.of("product-list-response", **options).draws(judge=False)
