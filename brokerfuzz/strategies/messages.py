"""Strategies for valid messages."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, reduce
from typing import Any, cast

from hypothesis import strategies as st
from hypothesis.errors import InvalidArgument
from hypothesis.strategies import DrawFn, SearchStrategy

from brokerfuzz.cases.message_builder import schema_requiring
from brokerfuzz.decoder import Read, Style, compile_decoder
from brokerfuzz.errors import ContractError
from brokerfuzz.schemas import Contract, MessageType, load_contract
from brokerfuzz.schemas.flattening import Schema, conjoin
from brokerfuzz.strategies import arguments
from brokerfuzz.strategies.hypothesis_source import hypothesis_source
from brokerfuzz.typed import OfferCreationRequest, OfferPricingResponse, ProductListOffer, ProductListResponse

PRODUCT_LIST = "Product List"
_RICH = frozenset(
    ["productClusters", *(f"productClusters[].{name}" for name in ("id", "products"))]
    + [f"productClusters[].products[].{name}" for name in ("associatedFileName", "pageCount", "surcharge")]
)


@st.composite
def offer_requests(
    draw: DrawFn,
    *,
    offer_types: Sequence[str] | None = None,
    min_clusters: int = 0,
    max_clusters: int | None = None,
    fields: Mapping[str, SearchStrategy[Any]] | None = None,
    plausible: bool = False,
    contract: Contract | None = None,
) -> OfferCreationRequest:
    """Valid offer creation requests, which a service must accept.

    `offer_types` lists the offer types to generate (default: all). `min_clusters` and `max_clusters` limit the number of items in
    `productClusters`. If the minimum is 0, the property `productClusters` may also be absent or null. `fields` pins properties:
    it maps the name or the site of a property (`productClusters[].products[].productId`) to a strategy for its values. A pinned
    property occurs in every object that can contain it. `plausible=True` selects realistic business values instead of unusual
    ones. `contract` is a changed contract, such as `brokerfuzz.load_contract(folder)`.

    No message touches an ambiguity (a question that the contract leaves open), unless a pinned value does. Raises
    `InvalidArgument` if an offer type or a site is unknown, if size limits contradict each other, or if a pinned value breaks the
    contract.

    Shrinks towards few properties, the first offer type, short arrays and plain values. The simplest message is `{"number": "a",
    "offerType": "Direct Mail"}`.

    Source: Offer creation request; Errors, validation rules 1-9.
    """
    options = _Options.of(contract, "offer-creation-request", fields, plausible)
    read = _offers(options, arguments.tuple_of("offer_types", offer_types), min_clusters, max_clusters)
    return cast(OfferCreationRequest, _message(draw, read, options, fields))


@lru_cache(maxsize=256, typed=True)
def _offers(options: "_Options", offer_types: tuple[Any, ...] | None, min_clusters: int, max_clusters: int | None) -> Read:
    arguments.size_bounds("clusters", min_clusters, max_clusters)
    known = options.contract.sites["offer-creation-request"]["offerType"].schema.get("enum", ())
    arguments.all_known("offer_types", offer_types, known)
    if offer_types is not None and "offerType" in options.pinned:
        arguments.reject("offer_types", offer_types, "fields also pins offerType; use only one of them")
    types = [name for name in (offer_types or known) if max_clusters != 0 or name != PRODUCT_LIST]
    if not types:
        remedy = f"offers of type {PRODUCT_LIST!r} need at least one cluster; use 1 or more, or choose other offer_types"
        arguments.reject("max_clusters", max_clusters, remedy)
    of_types: Schema = {"properties": {"offerType": {"enum": types}}} if len(types) < len(known) else {}
    return options.decoder(_sized("productClusters", min_clusters, max_clusters), of_types)


@st.composite
def product_list_offers(
    draw: DrawFn,
    *,
    min_clusters: int = 1,
    max_clusters: int | None = None,
    min_products: int = 1,
    max_products: int | None = None,
    fields: Mapping[str, SearchStrategy[Any]] | None = None,
    plausible: bool = False,
    contract: Contract | None = None,
) -> ProductListOffer:
    """Valid offers of the type `Product List`, with varied clusters of products.

    Most offers have several clusters with several products each. `min_products` and `max_products` limit the number of products in
    each cluster. The same product may occur in several clusters. Page counts are absent, null, 1 or the maximum. Most products have
    files and surcharges. The other arguments are the same as for `offer_requests`.

    Shrinks towards one cluster with one product.

    Source: Offer creation request, conditional rule; Errors, validation rules 3-5.
    """
    if fields and "offerType" in fields:
        arguments.reject("fields", "offerType", f"these offers always have the type {PRODUCT_LIST!r}; use offer_requests() for other types")
    options = _Options.of(contract, "offer-creation-request", fields, plausible, rich=_RICH)
    read = _product_list(options, min_clusters, max_clusters, min_products, max_products)
    return cast(ProductListOffer, _message(draw, read, options, fields))


@lru_cache(maxsize=256, typed=True)
def _product_list(options: "_Options", min_clusters: int, max_clusters: int | None, min_products: int, max_products: int | None) -> Read:
    arguments.size_bounds("clusters", min_clusters, max_clusters, least=1)
    arguments.size_bounds("products", min_products, max_products, least=1)
    return options.decoder(
        {"properties": {"offerType": {"enum": [PRODUCT_LIST]}}},
        _sized("productClusters", min_clusters, max_clusters),
        _sized("productClusters[].products", min_products, max_products),
    )


@st.composite
def product_list_responses(
    draw: DrawFn,
    *,
    min_products: int = 0,
    max_products: int | None = None,
    fields: Mapping[str, SearchStrategy[Any]] | None = None,
    plausible: bool = False,
    contract: Contract | None = None,
) -> ProductListResponse:
    """Valid product list responses, which a program that parses them must accept.

    `min_products` and `max_products` limit the number of products in `data`. If the minimum is 0, some responses report a failure
    and contain null as `data`. `fields` pins properties by their site: `{"data[].status": st.sampled_from(["Active",
    "Retired"])}`. `plausible` and `contract` are the same as for `offer_requests`.

    Shrinks towards a successful response with few products.

    Source: Response envelope; Product list response.
    """
    options = _Options.of(contract, "product-list-response", fields, plausible)
    return cast(ProductListResponse, _message(draw, _responses(options, "products", "data", min_products, max_products), options, fields))


@st.composite
def pricing_responses(
    draw: DrawFn,
    *,
    min_offers: int = 0,
    max_offers: int | None = None,
    fields: Mapping[str, SearchStrategy[Any]] | None = None,
    plausible: bool = False,
    contract: Contract | None = None,
) -> OfferPricingResponse:
    """Valid offer pricing calculation responses with correct sums.

    `min_offers` and `max_offers` limit the number of priced offers in `data`. If the minimum is 0, some responses report a
    failure and contain null as `data`. `fields`, `plausible` and `contract` are the same as for `product_list_responses`. If
    prices or quantities are pinned, the sums may be wrong.

    Shrinks towards a successful response with few offers.

    Source: Response envelope; Offer pricing calculation response; Limits.
    """
    options = _Options.of(contract, "offer-pricing-response", fields, plausible)
    return cast(OfferPricingResponse, _message(draw, _responses(options, "offers", "data.offers", min_offers, max_offers), options, fields))


@lru_cache(maxsize=256, typed=True)
def _responses(options: "_Options", what: str, path: str, low: int, high: int | None) -> Read:
    arguments.size_bounds(what, low, high)
    return options.decoder(_sized(path, low, high))


def _sized(path: str, low: int, high: int | None) -> Schema:
    """Returns a schema that limits the size of an array. The array itself is required only if `low` is at least 1."""
    bounds: Schema = {} if high is None else {"maxItems": high}
    if low:
        bounds |= {"type": "array", "minItems": low}
    schema = schema_requiring(path, bounds) if bounds else {}
    return schema if low else _if_present(schema)


def _if_present(schema: Schema) -> Schema:
    """Removes `required` everywhere, so that the schema restricts only the properties that are present."""
    kept = {keyword: value for keyword, value in schema.items() if keyword not in ("type", "required", "minItems")}
    if "properties" in kept:
        kept["properties"] = {name: _if_present(prop) for name, prop in kept["properties"].items()}
    if "items" in kept:
        kept["items"] = _if_present(kept["items"])
    return kept


@dataclass(frozen=True)
class _Options:
    """The options that all strategies for messages share."""

    contract: Contract
    message_type: MessageType
    plausible: bool
    pinned: frozenset[str]
    rich: frozenset[str]

    @classmethod
    def of(
        cls,
        contract: Contract | None,
        message_type: MessageType,
        fields: arguments.Fields | None,
        plausible: bool,
        rich: frozenset[str] = frozenset(),
    ) -> "_Options":
        contract = contract or load_contract()
        return cls(contract, message_type, plausible, arguments.pinned_sites(fields, contract, message_type), rich)

    def decoder(self, *narrowed: Schema) -> Read:
        """Returns a decoder of messages that comply with all schemas in `narrowed`."""
        try:
            style = Style(self.plausible, self.pinned, self.rich)
            return compile_decoder(self.contract, self.message_type, narrowed=reduce(conjoin, narrowed), style=style)
        except ContractError as problem:
            raise InvalidArgument(str(problem)) from problem


def _message(draw: DrawFn, read: Read, options: _Options, fields: arguments.Fields | None) -> Any:
    message = read(hypothesis_source(draw, fields or {}))
    return arguments.judged(message, options.pinned, options.contract, options.message_type) if options.pinned else message
