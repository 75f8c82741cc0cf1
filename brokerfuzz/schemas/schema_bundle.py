"""Combines the schemas of a message type in one document, so that no reference leads to another file."""

from typing import Any
from urllib.parse import urldefrag, urljoin

from brokerfuzz.contract_names import MessageType
from brokerfuzz.schemas.contract import Contract
from brokerfuzz.schemas.keywords import Schema
from brokerfuzz.schemas.validation import DRAFT, SCHEMA_SUFFIX


def bundled(contract: Contract, message_type: MessageType) -> Schema:
    """Returns the schema of a message type, without `$id`. `$defs` contains the other schemas that this schema
    needs.
    """
    schemas = _Bundle(contract, message_type).schemas
    bundle = {"$schema": DRAFT, **schemas.pop(message_type)}
    if schemas:
        bundle["$defs"] = bundle.get("$defs", {}) | schemas
    return bundle


class _Bundle:
    """Collects the schemas that a message type needs. Each `$ref` points to a place in the same document."""

    def __init__(self, contract: Contract, message_type: MessageType) -> None:
        self._contract = contract
        self._message_type = message_type
        self._by_id = {schema["$id"]: name for name, schema in contract.schemas.items() if "$id" in schema}
        self.schemas: dict[str, Schema] = {}
        self._add(message_type)

    def _add(self, name: str) -> None:
        self.schemas[name] = {}  # the schema may refer to itself
        schema = self._contract.schemas[name]
        base = schema.get("$id", name + SCHEMA_SUFFIX)
        self.schemas[name] = {
            keyword: self._moved(value, base) for keyword, value in schema.items() if keyword not in ("$id", "$schema")
        }

    def _moved(self, value: Any, base: str) -> Any:
        if isinstance(value, list):
            return [self._moved(item, base) for item in value]
        if not isinstance(value, dict):
            return value
        moved = {keyword: self._moved(inner, base) for keyword, inner in value.items()}
        if isinstance(value.get("$ref"), str):
            moved["$ref"] = self._new_reference(value["$ref"], base)
        return moved

    def _new_reference(self, reference: str, base: str) -> str:
        uri, fragment = urldefrag(urljoin(base, reference))
        name = self._by_id.get(uri) or uri.rpartition("/")[2].removesuffix(SCHEMA_SUFFIX)
        if name not in self.schemas:
            self._add(name)
        return ("#" if name == self._message_type else f"#/$defs/{name}") + fragment
