"""Combines the schemas of a contract in one document, so that no reference leads to another file."""

from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import urldefrag, urljoin

from brokerfuzz.schemas import Contract, MessageType
from brokerfuzz.schemas.flattening import Schema
from brokerfuzz.schemas.structural_validation import DRAFT, SCHEMA_SUFFIX

PlaceOf = Callable[[str], str]
"""A function that returns the place of a schema in the document: for example, `#/$defs/envelope` for the schema
`envelope`.
"""


def bundled(contract: Contract, message_type: MessageType) -> Schema:
    """Returns the schema of a message type, without `$id`. `$defs` contains the other schemas that this schema
    needs.
    """
    own, *others = referred_to(contract, message_type)

    def place_of(name: str) -> str:
        return "#" if name == own else f"#/$defs/{name}"

    bundle = {"$schema": DRAFT, **relocated(contract, own, place_of)}
    defined = {name: relocated(contract, name, place_of) for name in others}
    return bundle | {"$defs": bundle.get("$defs", {}) | defined} if defined else bundle


def referred_to(contract: Contract, name: str) -> list[str]:
    """Returns the name of a schema, and the names of all schemas that it needs directly or indirectly."""
    names = [name]
    for found in names:  # the loop adds names to this list
        names += [
            other
            for other in dict.fromkeys(_files_in(contract, contract.schemas[found], _uri(contract, found)))
            if other not in names
        ]
    return names


def relocated(contract: Contract, name: str, place_of: PlaceOf) -> Schema:
    """Returns the schema without `$id` and `$schema`. Each `$ref` now points to a place that `place_of` returns."""
    base = _uri(contract, name)

    def moved(value: Any) -> Any:
        if isinstance(value, list):
            return [moved(item) for item in value]
        if not isinstance(value, dict):
            return value
        result = {keyword: moved(below) for keyword, below in value.items()}
        if isinstance(value.get("$ref"), str):
            uri, fragment = urldefrag(urljoin(base, value["$ref"]))
            result["$ref"] = place_of(_file_of(contract, uri)) + fragment
        return result

    return {
        keyword: moved(value) for keyword, value in contract.schemas[name].items() if keyword not in ("$id", "$schema")
    }


def _files_in(contract: Contract, value: Any, base: str) -> Iterator[str]:
    if isinstance(value, dict):
        if isinstance(value.get("$ref"), str):
            yield _file_of(contract, urldefrag(urljoin(base, value["$ref"]))[0])
        for below in value.values():
            yield from _files_in(contract, below, base)
    elif isinstance(value, list):
        for below in value:
            yield from _files_in(contract, below, base)


def _uri(contract: Contract, name: str) -> str:
    uri: str = contract.schemas[name].get("$id", name + SCHEMA_SUFFIX)
    return uri


def _file_of(contract: Contract, uri: str) -> str:
    """Returns the name of the schema with this URI. The URI is the `$id` of the schema, or ends with the name of its
    file.
    """
    by_id = {schema["$id"]: name for name, schema in contract.schemas.items() if "$id" in schema}
    return by_id.get(uri) or uri.rpartition("/")[2].removesuffix(SCHEMA_SUFFIX)
