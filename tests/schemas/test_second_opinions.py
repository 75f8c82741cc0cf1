from copy import deepcopy
from typing import Any

import pytest
from validators import agree

from brokerfuzz.schemas import MESSAGE_TYPES, MessageType, load_contract

OFFER: dict[str, Any] = {"number": "A-1", "offerType": "Direct Mail"}
PRODUCT: dict[str, Any] = {"productId": "p", "productQuantityInOffer": 1}
LISTED: dict[str, Any] = {"number": "A-1", "offerType": "Product List", "productClusters": [{"products": [PRODUCT]}]}
RECORD: dict[str, Any] = {
    "productId": "p", "productNumber": "P-1", "productType": "Card", "status": "Active",
    "lastUpdateDateTimeUtc": "2024-01-01T00:00:00Z",
}  # fmt: skip
ENVELOPE: dict[str, Any] = {
    "data": None,
    "failureMessages": [],
    "informationalMessages": [],
    "operationWasSuccessful": True,
}
PRICED: dict[str, Any] = {"offerId": "o", "quantity": 1, "unitPrice": 0, "extendedPrice": 0}
PRICING: dict[str, Any] = {"customerId": "c", "offers": [PRICED], "totalExtendedPrice": 0}
TIER: dict[str, Any] = {"price": 1}

TEXTS = (
    "omsOfferId", "xmVendorTemplateId", "xmVendorUStoreId", "description", "comments", "availableStartDate",
    "availableEndDate",
    "lastUpdatedDateTimeUtc", "deliveryScheduleCron", "fullImageUrl", "thumbnailUrl", "pdfUrl", "secureEmailSubject",
    "secureEmailBody",
    "unitOfMeasure",
)  # fmt: skip
FLAGS = (
    "doSuppressShippingAndHandling",
    "isActive",
    "isAvailableViaCoopFunds",
    "isInventoried",
    "isTaxable",
    "requiresApproval",
)
PRICES = ("defaultPrice", "surcharge", "weightInPounds")
TEXT_LISTS = ("accessGroups", "categoryIds", "onlyShipMethodsAvailable")
LISTS = (*TEXT_LISTS, "fixedOrderQuantities", "additionalPropsRequiredOnOrder", "priceClasses", "productClusters")
OFFER_TYPES = ("Direct Mail", "Download", "Drop Ship", "Email", "Omnichannel", "VDM")
INT32 = (-(2**31), 2**31 - 1)


def each(*values: Any) -> tuple[Any, ...]:
    """Because of the return type `Any`, type checkers accept values of different types."""
    return values


def without(value: dict[str, Any], prop: str) -> dict[str, Any]:
    return {name: below for name, below in value.items() if name != prop}


def property_on_order(**props: Any) -> dict[str, Any]:
    return OFFER | {"additionalPropsRequiredOnOrder": [props]}


def price_class(**props: Any) -> dict[str, Any]:
    return OFFER | {"priceClasses": [props]}


def tier(**props: Any) -> dict[str, Any]:
    return price_class(priceTiers=[TIER | props])


def pages(**props: Any) -> dict[str, Any]:
    return tier(pageCounts=[props])


def product(offer: dict[str, Any], **props: Any) -> dict[str, Any]:
    return offer | {"productClusters": [{"products": [PRODUCT | props]}]}


def listing(*records: Any) -> dict[str, Any]:
    return ENVELOPE | {"data": [*records]}


def pricing(**props: Any) -> dict[str, Any]:
    return ENVELOPE | {"data": PRICING | props}


def priced(**props: Any) -> dict[str, Any]:
    return pricing(offers=[PRICED | props])


VALID_OFFERS: list[Any] = [
    OFFER,
    LISTED,
    OFFER | {"number": " "},
    OFFER | {"offerType": "VDM"},
    *({"number": "1", "offerType": kind} for kind in OFFER_TYPES),
    *(OFFER | {name: value} for name in TEXTS for value in each(None, "", "x")),
    *(OFFER | {name: value} for name in FLAGS for value in each(None, True, False)),
    *(OFFER | {name: value} for name in PRICES for value in each(None, 0, -1, 1.5, 1e300)),
    *(OFFER | {name: value} for name in LISTS for value in each(None, [])),
    *(OFFER | {name: ["", "x", "x"]} for name in TEXT_LISTS),
    OFFER | {"fixedOrderQuantities": [0, *INT32]},
    *(OFFER | {name: value} for name in ("orderMinimum", "orderMaximum") for value in each(None, 1, INT32[1])),
    OFFER | {"orderMinimum": 9, "orderMaximum": 1},
    property_on_order(name=""),
    property_on_order(name="n", type="", hint=None, label=None, value=None),
    property_on_order(name="n", type="string", hint="", label="", value=""),
    *(OFFER | {"omniChannel": value} for value in each(None, {}, {"offers": None}, {"offers": []}, {"offers": [{}]})),
    OFFER
    | {
        "omniChannel": {"offers": [{"offerId": None, "deliveryChannel": None}, {"offerId": "", "deliveryChannel": "x"}]}
    },
    price_class(),
    price_class(name="", price=None, priceTiers=None),
    price_class(name="x", price=-1, priceTiers=[]),
    tier(),
    *(tier(**{name: value}) for name in ("minimumQuantity", "maximumQuantity") for value in each(None, *INT32)),
    tier(pageCounts=[]),
    tier(pageCounts=None),
    pages(),
    *(pages(**{name: value}) for name in ("minimumPages", "maximumPages") for value in each(None, *INT32)),
    *(pages(price=value) for value in each(None, -1, 0.5)),
    *(OFFER | {"productClusters": clusters} for clusters in each([{}], [{"id": None}], [{"id": "", "products": None}])),
    product(OFFER),
    product(LISTED, associatedFileName=None, pageCount=None, surcharge=None),
    product(LISTED, associatedFileName="", pageCount=1, surcharge=-1.5, productQuantityInOffer=INT32[0]),
    product(LISTED, pageCount=INT32[1], productQuantityInOffer=0),
    LISTED | {"productClusters": [{"products": [PRODUCT, PRODUCT]}, {"id": "x", "products": [PRODUCT]}]},
]
INVALID_OFFERS: list[Any] = [
    None, True, 1, "x", [], {},
    without(OFFER, "number"),
    without(OFFER, "offerType"),
    *(OFFER | {"number": value} for value in each(None, "", 1, [], {})),
    *(OFFER | {"offerType": value} for value in each(None, "", "direct mail", "Product list", "Print", 1)),
    OFFER | {"unknown": None},
    OFFER | {"Number": "1"},
    *(OFFER | {name: value} for name in TEXTS for value in each(1, False, [], {})),
    *(OFFER | {name: value} for name in FLAGS for value in each(0, 1, "true", [])),
    *(OFFER | {name: value} for name in PRICES for value in each("1", True, [])),
    *(OFFER | {name: value} for name in LISTS for value in each("x", 1, {}, [None], [[]])),
    *(OFFER | {name: [1]} for name in TEXT_LISTS),
    *(OFFER | {"fixedOrderQuantities": [value]} for value in each(INT32[0] - 1, INT32[1] + 1, 1.5, "1", True)),
    *(OFFER | {name: value} for name in ("orderMinimum", "orderMaximum") for value in each(0, -1, INT32[1] + 1, 1.5,
    "1")),
    property_on_order(),
    *(property_on_order(name=value) for value in each(None, 1)),
    *(property_on_order(name="n", type=value) for value in each(None, 1)),
    *(property_on_order(name="n", **{prop: 1}) for prop in ("hint", "label", "value")),
    property_on_order(name="n", unknown=1),
    *(OFFER | {"omniChannel": value} for value in each([], "x", {"unknown": 1}, {"offers": {}}, {"offers": [None]})),
    *(OFFER | {"omniChannel": {"offers": [{prop: 1}]}} for prop in ("offerId", "deliveryChannel", "unknown")),
    *(price_class(**props) for props in each({"name": None}, {"name": 1}, {"price": "1"}, {"priceTiers": {}},
    {"unknown": 1})),
    price_class(priceTiers=[{}]),
    *(tier(price=value) for value in each(None, "1", True)),
    *(tier(**{name: value}) for name in ("minimumQuantity", "maximumQuantity") for value in each(INT32[0] - 1,
    INT32[1] + 1, 1.5, "1")),
    *(tier(pageCounts=value) for value in each({}, [None])),
    tier(unknown=1),
    *(pages(**{name: value}) for name in ("minimumPages", "maximumPages") for value in each(INT32[0] - 1, INT32[1] + 1,
    1.5, "1")),
    pages(price="1"),
    pages(unknown=1),
    *(OFFER | {"productClusters": [cluster]} for cluster in each(1, {"id": 1}, {"unknown": 1}, {"products": {}},
    {"products": []})),
    *(LISTED | {"productClusters": clusters} for clusters in each(None, [], [{}], [{"products": None}],
    [{"products": []}])),
    LISTED | {"productClusters": [{"products": [PRODUCT]}, {"id": "x"}]},
    without(LISTED, "productClusters"),
    *(offer | {"productClusters": [{"products": [value]}]} for offer in (OFFER, LISTED) for value in each(None, {},
    without(PRODUCT, "productId"))),
    *(product(offer, productId=value) for offer in (OFFER, LISTED) for value in each(None, "", 1)),
    *(product(OFFER, productQuantityInOffer=value) for value in each(None, 1.5, "1", INT32[0] - 1, INT32[1] + 1)),
    *(product(offer, pageCount=value) for offer in (OFFER, LISTED) for value in each(0, -1, 1.5, "1", INT32[1] + 1)),
    *(product(OFFER, **{prop: value}) for prop, value in (("associatedFileName", 1), ("surcharge", "1"), ("unknown",
    1))),
    OFFER | {"productClusters": [{"products": [without(PRODUCT, "productQuantityInOffer")]}]},
]  # fmt: skip
VALID_LISTINGS: list[Any] = [
    ENVELOPE,
    ENVELOPE | {"failureMessages": ["", "x"], "informationalMessages": ["y"], "operationWasSuccessful": False},
    listing(),
    listing(RECORD, RECORD),
    *(listing(RECORD | {prop: value}) for prop in RECORD for value in each("", "x")),
    *(
        listing(RECORD | {prop: value})
        for prop in ("billingEntityId", "productDescription", "productOwner", "unitOfMeasure")
        for value in each(None, "", "x")
    ),
    *(listing(RECORD | {"weight": value}) for value in each(None, 0, -1, 1.5)),
]
INVALID_ENVELOPES: list[Any] = [
    None, [], "x", {},
    *(without(ENVELOPE, prop) for prop in ENVELOPE),
    ENVELOPE | {"unknown": 1},
    *(ENVELOPE | {prop: value} for prop in ("failureMessages", "informationalMessages") for value in each(None, {}, "x",
    [1], [None])),
    *(ENVELOPE | {"operationWasSuccessful": value} for value in each(None, 0, "true")),
    *(ENVELOPE | {"data": value} for value in each(1, "x", False)),
]  # fmt: skip
INVALID_LISTINGS: list[Any] = [
    *INVALID_ENVELOPES,
    ENVELOPE | {"data": {}},
    *(listing(value) for value in each(None, 1, [], {})),
    *(listing(without(RECORD, prop)) for prop in RECORD),
    *(listing(RECORD | {prop: value}) for prop in RECORD for value in each(None, 1)),
    *(
        listing(RECORD, RECORD | {prop: 1})
        for prop in ("billingEntityId", "productDescription", "productOwner", "unitOfMeasure")
    ),
    *(listing(RECORD | {"weight": value}) for value in each("1", True)),
    listing(RECORD | {"unknown": None}),
]
VALID_PRICINGS: list[Any] = [
    ENVELOPE,
    pricing(),
    pricing(customerId="", offers=[], totalExtendedPrice=0.5),
    priced(offerId=" ", quantity=INT32[1], unitPrice=0.25, extendedPrice=1e9),
    *(priced(pageCount=value) for value in each(None, 1, INT32[1])),
    *(priced(priceClass=value) for value in each(None, "", "x")),
    *(priced(productIds=value) for value in each(None, [], ["", "x"])),
]
INVALID_PRICINGS: list[Any] = [
    *INVALID_ENVELOPES,
    *(ENVELOPE | {"data": value} for value in each([], {})),
    *(ENVELOPE | {"data": without(PRICING, prop)} for prop in PRICING),
    *(
        pricing(**props)
        for props in each({"customerId": None}, {"customerId": 1}, {"offers": None}, {"offers": {}}, {"unknown": 1})
    ),
    *(pricing(offers=[value]) for value in each(None, [], {})),
    *(pricing(totalExtendedPrice=value) for value in each(None, "1", -0.5)),
    *(pricing(offers=[without(PRICED, prop)]) for prop in PRICED),
    *(priced(offerId=value) for value in each(None, "", 1)),
    *(priced(quantity=value) for value in each(None, 0, -1, 1.5, "1", INT32[1] + 1)),
    *(priced(**{prop: value}) for prop in ("unitPrice", "extendedPrice") for value in each(None, "1", -0.01, -1)),
    *(priced(pageCount=value) for value in each(0, 1.5, "1", INT32[1] + 1)),
    *(priced(priceClass=value) for value in each(1, [])),
    *(priced(productIds=value) for value in each("x", [1], [None])),
    priced(unknown=1),
]
TABLE: list[tuple[MessageType, bool, list[Any]]] = [
    ("offer-creation-request", True, VALID_OFFERS),
    ("offer-creation-request", False, INVALID_OFFERS),
    ("product-list-response", True, VALID_LISTINGS),
    ("product-list-response", False, INVALID_LISTINGS),
    ("offer-pricing-response", True, VALID_PRICINGS),
    ("offer-pricing-response", False, INVALID_PRICINGS),
]


@pytest.mark.parametrize("message_type", MESSAGE_TYPES)
@pytest.mark.rotated(3)
def test_five_validators_agree_with_the_contract(message_type: MessageType) -> None:
    rows = [(value, valid) for kind, valid, values in TABLE if kind == message_type for value in values]
    verdicts = agree(message_type, [value for value, _ in rows])
    assert [
        (value, said) for (value, valid), said in zip(rows, verdicts, strict=True) if set(said.values()) != {valid}
    ] == []
    assert all(len(said) == 5 for said in verdicts)


@pytest.mark.parametrize("message_type", MESSAGE_TYPES)
def test_a_flat_schema_means_what_the_schema_as_written_means(message_type: MessageType) -> None:
    from jsonschema_rs import Draft202012Validator

    flat = Draft202012Validator(deepcopy(load_contract().flat[message_type]))
    assert [
        value
        for kind, valid, values in TABLE
        if kind == message_type
        for value in values
        if flat.is_valid(value) is not valid
    ] == []


def test_the_schemas_use_only_keywords_of_draft_7() -> None:
    """fastjsonschema supports only draft 7, and would ignore or misinterpret later keywords.

    Examples are unevaluatedProperties, prefixItems, dependentRequired, minContains, $defs, $dynamicRef, and keywords
    next to a $ref. If a schema used such a keyword, the results of fastjsonschema would be worthless.
    """
    known = {
        "$schema", "$id", "$comment", "title", "description", "default", "type", "enum", "const", "minimum", "maximum",
        "minLength", "minItems",
        "required", "properties", "additionalProperties", "items", "allOf", "if", "then",
    }  # fmt: skip
    for schema in load_contract().schemas.values():
        for below in all_schemas(schema):
            assert below.keys() <= known or below.keys() == {"$ref"}


def all_schemas(schema: Any) -> list[dict[str, Any]]:
    if not isinstance(schema, dict):
        return []
    below = [
        *schema.get("properties", {}).values(),
        *schema.get("allOf", []),
        *(schema[k] for k in ("items", "if", "then") if k in schema),
    ]
    return [schema, *(found for each in below for found in all_schemas(each))]
