"""The contract's tables, transcribed by hand from the contract, compared cell by cell with the schemas and with the rules."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from brokerfuzz.schemas import MESSAGE_TYPES, load_contract
from brokerfuzz.schemas import contract as contract_module
from brokerfuzz.schemas.sites import join

TABLES: dict[str, Any] = json.loads(Path(contract_module.__file__).with_name("contract_tables.json").read_text(encoding="utf-8"))
CONTRACT = load_contract()
INT32 = {"minimum": -(2**31), "maximum": 2**31 - 1}
TYPES: dict[str, dict[str, Any]] = {"double": {"type": "number"}, "decimal": {"type": "number"}, "int32": {"type": "integer", **INT32}}
"""Type in the tables -> what a schema says of it; other types have the same name in JSON Schema."""
BOUNDS = ("minimum", "maximum", "minLength", "minItems", "enum", "default")
BY_MESSAGE = {"product-list-response": "array", "offer-pricing-response": "object"}
"""The type of `data`, which the envelope's table leaves to each message."""


def objects() -> Iterator[tuple[str, str, list[dict[str, Any]]]]:
    """(message type, site, rows) for each object of the contract. Its site is empty for the message itself."""
    for table in TABLES["tables"]:
        for place in table["objects"]:
            message_type, _, site = place.partition("/")
            yield message_type, site, table["rows"]


def stated(message_type: str, row: dict[str, Any]) -> dict[str, Any]:
    """The facts of a row in the terms of JSON Schema."""
    name = BY_MESSAGE[message_type] if row["type"] == "by message" else row["type"]
    said = {"type": name, **TYPES.get(name, {})}
    return {**said, **{bound: row[bound] for bound in BOUNDS if bound in row}, "nullable": row["nullable"]}


def found(schema: dict[str, Any]) -> dict[str, Any]:
    """The same facts of a property's schema."""
    names = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
    (name,) = [one for one in names if one != "null"]
    return {"type": name, **{bound: schema[bound] for bound in BOUNDS if bound in schema}, "nullable": "null" in names}


def schemas() -> dict[tuple[str, str], dict[str, Any]]:
    return {(message_type, site.path): site.schema for message_type in MESSAGE_TYPES for site in CONTRACT.sites[message_type].values()}


def test_every_object_of_the_schemas_has_a_table_and_every_table_an_object() -> None:
    described = {(message_type, site) for message_type, site, _ in objects()}
    assert described == {place for place, schema in schemas().items() if "properties" in schema}


def test_every_cell_of_the_tables_is_in_the_schemas_and_nothing_else() -> None:
    known = schemas()
    wrong = []
    for message_type, site, rows in objects():
        schema = known[message_type, site]
        assert schema["additionalProperties"] is False
        assert list(schema["properties"]) == [row["name"] for row in rows], site
        for row in rows:
            path = join(site, row["name"])
            facts, shown = stated(message_type, row), found(known[message_type, path])
            if (facts, row["required"]) != (shown, row["name"] in schema.get("required", ())):
                wrong.append((path, facts, shown))
            items = known.get((message_type, f"{path}[]"))
            if (
                row.get("items") not in {None, "object"}
                and items is not None
                and found(items) != stated(message_type, {"type": row["items"], "nullable": False})
            ):
                wrong.append((f"{path}[]", row["items"], items))
    assert wrong == []


def test_every_validation_rule_is_a_rule_and_every_rule_is_in_the_tables() -> None:
    offer = "offer-creation-request"
    ids = {rule.id.partition("@")[0] for rule in CONTRACT.rules[offer]}
    for entry in TABLES["validation_rules"]:
        for name in entry["breaks"]:
            assert name.startswith("*") or f"{offer}/{name}" in ids, name
