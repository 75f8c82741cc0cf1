"""Strategies of valid messages."""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from json import dumps, loads
from typing import Any, cast

from hypothesis import strategies as st
from hypothesis.errors import InvalidArgument
from hypothesis.strategies import DrawFn, SearchStrategy

from brokerfuzz.cases.building import towards
from brokerfuzz.decoder import Read, Style, compile_decoder
from brokerfuzz.errors import ContractError
from brokerfuzz.schemas import Contract, MessageType, load_contract
from brokerfuzz.schemas.flattening import Schema, conjoin
from brokerfuzz.schemas.typed import OfferCreationRequest, OfferPricingResponse, ProductListResponse
from brokerfuzz.strategies import arguments
from brokerfuzz.strategies.driving import Drawn

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
    """Valid offer creation requests: what a service must accept, whatever it thinks of them.

    `offer_types` limits the offer types. `min_clusters` and `max_clusters` bound `productClusters` (a minimum of 0 leaves room for
    absent and null ones, where the offer type does). `fields` pins members: it maps a member's name, or a site within
    (`productClusters[].products[].productId`), to the strategy that its values come from; a pinned member is there wherever the
    object that holds it is. `plausible=True` draws business-like values in place of edges. `contract` is a changed contract
    (`brokerfuzz.load_contract(folder)`).

    No message touches a silence, unless a pinned value does. Refuses (`InvalidArgument`) unknown offer types and sites, bounds that
    cross, and pinned values that break the contract.

    Shrinks towards few members, the first offer type, short arrays and plain values: at last
    `{"number": "a", "offerType": "Direct Mail"}`.

    Source: Offer creation request; Errors, validation rules 1-9.
    """
    contract = contract or load_contract()
    arguments.size_bounds("clusters", min_clusters, max_clusters)
    narrowed = [_sized("productClusters", min_clusters, max_clusters)]
    known = contract.sites["offer-creation-request"]["offerType"].schema.get("enum", ())
    if (chosen := arguments.members_of("offer_types", offer_types, known)) is not None:
        if fields and "offerType" in fields:
            arguments.refuse("offer_types", offer_types, "fields pins offerType too; leave one of them out")
    types = [name for name in (chosen or known) if max_clusters != 0 or name != PRODUCT_LIST]
    if not types:
        arguments.refuse("max_clusters", max_clusters, f"offers of type {PRODUCT_LIST!r} have at least one cluster; raise it, or choose other offer_types")
    if len(types) < len(known):
        narrowed.append({"properties": {"offerType": {"enum": types}}})
    return cast(OfferCreationRequest, _draw_message(draw, contract, "offer-creation-request", narrowed, fields, Style(plausible=plausible)))


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
) -> OfferCreationRequest:
    """Valid offers of type `Product List`, with an eye to their clusters.

    Mostly several clusters of several products each (`min_products` and `max_products` bound each cluster's), products that clusters
    share, page counts absent, null, 1 and the most there is, files and surcharges beside most products. Everything else as in
    `offer_requests`.

    Shrinks towards one cluster of one product.

    Source: Offer creation request, conditional rule; Errors, validation rules 3-5.
    """
    contract = contract or load_contract()
    arguments.size_bounds("clusters", min_clusters, max_clusters, least=1)
    arguments.size_bounds("products", min_products, max_products, least=1)
    narrowed = [
        {"properties": {"offerType": {"enum": [PRODUCT_LIST]}}},
        _sized("productClusters", min_clusters, max_clusters),
        _sized("productClusters[].products", min_products, max_products),
    ]
    if fields and "offerType" in fields:
        arguments.refuse("fields", "offerType", f"these offers are of type {PRODUCT_LIST!r}; use offer_requests() for others")
    return cast(OfferCreationRequest, _draw_message(draw, contract, "offer-creation-request", narrowed, fields, Style(plausible=plausible, rich=_RICH)))


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
    """Valid product list responses: what a program that reads them must understand.

    `min_products` and `max_products` bound the records in `data` (a minimum of 0 leaves room for null, in a response that tells of a
    failure). `fields` pins members by their site: `{"data[].status": st.sampled_from(["Active", "Retired"])}`. `plausible` and
    `contract` as in `offer_requests`.

    Shrinks towards a successful response with few records.

    Source: Response envelope; Product list response.
    """
    arguments.size_bounds("products", min_products, max_products)
    narrowed = [_sized("data", min_products, max_products)]
    return cast(
        ProductListResponse, _draw_message(draw, contract or load_contract(), "product-list-response", narrowed, fields, Style(plausible=plausible))
    )


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
    """Valid offer pricing calculation responses, whose prices add up.

    `min_offers` and `max_offers` bound the priced offers in `data` (a minimum of 0 leaves room for `data` being null, in a response
    that tells of a failure). `fields`, `plausible` and `contract` as in `product_list_responses`; where prices or quantities are
    pinned, sums are left to the pins.

    Shrinks towards a successful response with few offers.

    Source: Response envelope; Offer pricing calculation response; Limits.
    """
    arguments.size_bounds("offers", min_offers, max_offers)
    narrowed = [_sized("data.offers", min_offers, max_offers)]
    return cast(
        OfferPricingResponse, _draw_message(draw, contract or load_contract(), "offer-pricing-response", narrowed, fields, Style(plausible=plausible))
    )


def _sized(path: str, low: int, high: int | None) -> Schema:
    """A flat schema that bounds the size of an array; from a minimum of 1 on, the array has to be there."""
    bounds: Schema = {} if high is None else {"maxItems": high}
    if low:
        bounds |= {"type": "array", "minItems": low}
    schema = towards(path, bounds) if bounds else {}
    return schema if low else _where_it_is(schema)


def _where_it_is(schema: Schema) -> Schema:
    """The same demands on what is there, without demanding that it be there."""
    kept = {keyword: value for keyword, value in schema.items() if keyword not in ("type", "required", "minItems")}
    if "properties" in kept:
        kept["properties"] = {name: _where_it_is(member) for name, member in kept["properties"].items()}
    if "items" in kept:
        kept["items"] = _where_it_is(kept["items"])
    return kept


def _draw_message(
    draw: DrawFn, contract: Contract, message_type: MessageType, narrowed: list[Schema], fields: arguments.Fields | None, style: Style
) -> Any:
    pinned = arguments.pins(fields, contract, message_type)
    style = Style(style.plausible, frozenset(pinned), style.rich)
    try:
        read = _decoder(contract, message_type, dumps([schema for schema in narrowed if schema]), style)
    except ContractError as problem:
        raise InvalidArgument(str(problem)) from problem
    message = read(Drawn(draw, pinned))
    return arguments.judged(message, pinned, contract, message_type) if pinned else message


@lru_cache(maxsize=256)
def _decoder(contract: Contract, message_type: MessageType, narrowed: str, style: Style) -> Read:
    schema: Schema = {}
    for part in loads(narrowed):
        schema = conjoin(schema, part)
    return compile_decoder(contract, message_type, narrowed=schema, style=style)
