"""An offer service with jsonschema-rs. orjson reads the messages."""

from datetime import datetime
from typing import Any

import orjson
from jsonschema_rs import Draft202012Validator

from benchmarks.stacks.runner import LAX, main
from benchmarks.stacks.shapes import OFFER, OFFER_TYPES, Prop, Shape

Schema = dict[str, Any]
INT32: Schema = {"type": "integer"} | ({} if LAX else {"minimum": -(2**31), "maximum": 2**31 - 1})
KINDS: dict[str, Schema] = {
    "text": {"type": "string"},
    "id": {"type": "string", "minLength": 1},
    "offer type": {"enum": OFFER_TYPES},
    "time": {"type": "string", "format": "date-time"},
    "cron": {"type": "string", "pattern": r"^(\S+ ){4}\S+$"},
    "int32": INT32,
    "positive": INT32 if LAX else INT32 | {"minimum": 1},
    "number": {"type": "number"},
    "flag": {"type": "boolean"},
}


def schema_of(shape: Shape) -> Schema:
    required = [name for name, prop in shape.items() if prop.presence == "required"]
    properties = {name: schema_of_property(prop) for name, prop in shape.items()}
    return {"type": "object", "required": required, "properties": properties, "additionalProperties": LAX}


def schema_of_property(prop: Prop) -> Schema:
    schema = schema_of(prop.kind) if isinstance(prop.kind, dict) else KINDS[prop.kind]
    if prop.many:
        schema = {"type": "array", "items": schema, "minItems": prop.least}
    return {"anyOf": [schema, {"type": "null"}]} if prop.presence == "nullable" else schema


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
VALIDATOR = Draft202012Validator(schema_of(OFFER) | PRODUCT_LIST, validate_formats=not LAX)


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
