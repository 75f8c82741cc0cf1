"""An offer service with a hand-written JSON Schema for jsonschema-rs. orjson reads the messages."""

from datetime import datetime
from typing import Any

import orjson
from jsonschema_rs import Draft202012Validator

from benchmarks.stacks.runner import LAX, main

Schema = dict[str, Any]


def nullable(schema: Schema) -> Schema:
    return {"anyOf": [schema, {"type": "null"}]}


def array(items: Schema, **limits: int) -> Schema:
    return nullable({"type": "array", "items": items, **limits})


def shape(*required: str, **properties: Schema) -> Schema:
    return {"type": "object", "required": required, "properties": properties, "additionalProperties": LAX}


def all_of_type(names: str, schema: Schema) -> dict[str, Schema]:
    return dict.fromkeys(names.split(), schema)


STRING: Schema = {"type": "string"}
INT32: Schema = {"type": "integer"} | ({} if LAX else {"minimum": -(2**31), "maximum": 2**31 - 1})
NUMBER: Schema = {"type": "number"}
TEXT = nullable(STRING)
TIMESTAMP = nullable({"type": "string", "format": "date-time"})
COUNT = nullable(INT32)
POSITIVE = nullable(INT32 if LAX else INT32 | {"minimum": 1})
PRICE = nullable(NUMBER)
FLAG = nullable({"type": "boolean"})

ADDITIONAL_PROP = shape("name", name=STRING, type=STRING, **all_of_type("hint label value", TEXT))
PAGE_COUNT = shape(minimumPages=COUNT, maximumPages=COUNT, price=PRICE)
PRICE_TIER = shape("price", price=NUMBER, minimumQuantity=COUNT, maximumQuantity=COUNT, pageCounts=array(PAGE_COUNT))
PRODUCT = shape(
    "productId",
    "productQuantityInOffer",
    productId={"type": "string", "minLength": 1},
    productQuantityInOffer=INT32,
    associatedFileName=TEXT,
    pageCount=POSITIVE,
    surcharge=PRICE,
)
OFFER = shape(
    "number",
    "offerType",
    number={"type": "string", "minLength": 1},
    offerType={"enum": ["Direct Mail", "Download", "Drop Ship", "Email", "Omnichannel", "Product List", "VDM"]},
    **all_of_type("omsOfferId xmVendorTemplateId xmVendorUStoreId description comments unitOfMeasure", TEXT),
    **all_of_type("fullImageUrl thumbnailUrl pdfUrl secureEmailSubject secureEmailBody", TEXT),
    **all_of_type("accessGroups categoryIds onlyShipMethodsAvailable", array(STRING)),
    **all_of_type("availableStartDate availableEndDate lastUpdatedDateTimeUtc", TIMESTAMP),
    **all_of_type("defaultPrice surcharge weightInPounds", PRICE),
    **all_of_type(
        "doSuppressShippingAndHandling isActive isAvailableViaCoopFunds isInventoried isTaxable requiresApproval", FLAG
    ),
    **all_of_type("orderMinimum orderMaximum", POSITIVE),
    deliveryScheduleCron=nullable({"type": "string", "pattern": r"^(\S+ ){4}\S+$"}),
    fixedOrderQuantities=array(INT32),
    additionalPropsRequiredOnOrder=array(ADDITIONAL_PROP),
    omniChannel=nullable(shape(offers=array(shape(offerId=TEXT, deliveryChannel=TEXT)))),
    priceClasses=array(shape(name=STRING, price=PRICE, priceTiers=array(PRICE_TIER))),
    productClusters=array(shape(id=TEXT, products=array(PRODUCT, minItems=1))),
)
PRODUCT_LIST: Schema = {  # validation rule 3 of the contract
    "if": {"properties": {"offerType": {"const": "Product List"}}},
    "then": {
        "required": ["productClusters"],
        "properties": {
            "productClusters": {
                "type": "array",
                "minItems": 1,
                "items": {"required": ["products"], "properties": {"products": {"type": "array"}}},
            }
        },
    },
}
VALIDATOR = Draft202012Validator(OFFER | PRODUCT_LIST, validate_formats=not LAX)


def accepts(body: bytes, now: datetime) -> bool:
    try:
        offer = orjson.loads(body)
        if not VALIDATOR.is_valid(offer):
            return False
        updated = offer.get("lastUpdatedDateTimeUtc")
        return updated is None or datetime.fromisoformat(updated.upper()) <= now
    except ValueError:
        return False


if __name__ == "__main__":
    main(accepts)
