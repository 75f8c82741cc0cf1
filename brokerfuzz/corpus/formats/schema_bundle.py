"""Combines the schemas of a contract in one document, so that no reference leads to another file."""

from collections.abc import Callable
from typing import Any
from urllib.parse import urldefrag, urljoin

from brokerfuzz.schemas import Contract, MessageType
from brokerfuzz.schemas.flattening import Schema
from brokerfuzz.schemas.structural_validation import DRAFT, SCHEMA_SUFFIX


def bundled(contract: Contract, message_type: MessageType) -> Schema:
    """Returns the schema of a message type, without `$id`. `$defs` contains the other schemas that this schema
    needs.
    """

    def place_of(name: str) -> str:
        return "#" if name == message_type else f"#/$defs/{name}"

    own, *others = (relocated(contract, name, place_of) for name in referred_to(contract, message_type))
    bundle = {"$schema": DRAFT, **own}
    if not others:
        return bundle
    names = referred_to(contract, message_type)[1:]
    return bundle | {"$defs": bundle.get("$defs", {}) | dict(zip(names, others, strict=True))}


def referred_to(contract: Contract, name: str) -> list[str]:
    """Returns the name of a schema, and the names of all schemas that it needs directly or indirectly."""
    names = [name]

    def noted(other: str) -> str:
        names.extend([other] if other not in names else [])
        return ""

    for found in names:  # the loop adds names to this list
        relocated(contract, found, noted)
    return names


def relocated(contract: Contract, name: str, place_of: Callable[[str], str]) -> Schema:
    """Returns the schema without `$id` and `$schema`. Each `$ref` now points to the place that `place_of` returns for
    the name of a schema: for example, `#/$defs/envelope` for `envelope`.
    """
    schema = contract.schemas[name]
    base = schema.get("$id", name + SCHEMA_SUFFIX)
    by_id = {other["$id"]: name for name, other in contract.schemas.items() if "$id" in other}

    def moved(value: Any) -> Any:
        if isinstance(value, list):
            return [moved(item) for item in value]
        if not isinstance(value, dict):
            return value
        result = {keyword: moved(below) for keyword, below in value.items()}
        if isinstance(value.get("$ref"), str):
            uri, fragment = urldefrag(urljoin(base, value["$ref"]))
            result["$ref"] = place_of(by_id.get(uri) or uri.rpartition("/")[2].removesuffix(SCHEMA_SUFFIX)) + fragment
        return result

    return {keyword: moved(value) for keyword, value in schema.items() if keyword not in ("$id", "$schema")}
