"""Compares the contract's tables, which were transcribed by hand, with the schemas and with the rules."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from brokerfuzz.schemas import MESSAGE_TYPES, load_contract
from brokerfuzz.schemas.flattening import types_of
from brokerfuzz.schemas.sites import join

TABLES: dict[str, Any] = json.loads(Path(__file__).with_name("contract_tables.json").read_text(encoding="utf-8"))
CONTRACT = load_contract()
INT32 = {"minimum": -(2**31), "maximum": 2**31 - 1}
TYPES: dict[str, dict[str, Any]] = {
    "double": {"type": "number"},
    "decimal": {"type": "number"},
    "int32": {"type": "integer", **INT32},
}
"""Maps types in the tables to keywords of JSON Schema. All other types have the same name in the tables and in JSON
Schema.
"""
BOUNDS = ("minimum", "maximum", "minLength", "minItems", "enum", "default")
BY_MESSAGE = {"product-list-response": "array", "offer-pricing-response": "object"}
"""The type of `data` in each message. The table of the contract only says `by message`."""


def objects() -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Yields (message type, site, table) for each object of the contract. The site of the message itself is empty."""
    for table in TABLES["tables"]:
        for place in table["objects"]:
            message_type, _, site = place.partition("/")
            yield message_type, site, table


def stated(message_type: str, row: dict[str, Any]) -> dict[str, Any]:
    """Returns what a row of a table says about a property, as JSON Schema keywords."""
    name = BY_MESSAGE[message_type] if row["type"] == "by message" else row["type"]
    said = {"type": name, **TYPES.get(name, {})}
    return {**said, **{bound: row[bound] for bound in BOUNDS if bound in row}, "nullable": row["nullable"]}


def found(schema: dict[str, Any]) -> dict[str, Any]:
    """Returns the same keywords as `stated`, but from the schema of a property."""
    names = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
    (name,) = [one for one in names if one != "null"]
    return {"type": name, **{bound: schema[bound] for bound in BOUNDS if bound in schema}, "nullable": "null" in names}


def schemas() -> dict[tuple[str, str], dict[str, Any]]:
    return {
        (message_type, site.path): site.schema
        for message_type in MESSAGE_TYPES
        for site in CONTRACT.sites[message_type].values()
    }


def test_every_object_of_the_schemas_has_a_table_and_is_closed_if_its_table_says_so() -> None:
    shown = {
        place: schema.get("additionalProperties", True)
        for place, schema in schemas().items()
        if "object" in types_of(schema)
    }
    assert shown == {(message_type, site): not table["closed"] for message_type, site, table in objects()}


def test_every_cell_of_the_tables_is_in_the_schemas_and_nothing_else() -> None:
    known = schemas()
    wrong = []
    for message_type, site, table in objects():
        schema, rows = known[message_type, site], table["rows"]
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


# -------------------------------------------------------------------------------------------------------------- sources


def source(entry: dict[str, Any], row: str | None = None) -> str:
    """Returns the source that the rules of a table or of a row must have. A table can have the title of its section."""
    titles = [entry["section"], entry.get("table") or entry["statement"], *([f"row {row}"] if row else [])]
    return ", ".join(dict.fromkeys(titles))


def demanded() -> Iterator[tuple[str, str]]:
    """Yields the ID of each rule that the contract demands, with its source."""
    for message_type, site, table in objects():
        place = f"{message_type}/{site}"
        if table["closed"]:
            yield f"{place}:additionalProperties", source(table)
        if site == "" or site.endswith("[]"):  # the type of any other object is in a row of the surrounding object
            yield f"{place}:type", source(table)
        for row in table["rows"]:
            path, cited = f"{message_type}/{join(site, row['name'])}", source(table, row["name"])
            facts = stated(message_type, row)
            keywords = [word for word in facts if word not in {"nullable", "default"}]
            keywords += ["required"] * row["required"] + ["not-in-future"] * ("notInFuture" in row)
            yield from ((f"{path}:{word}", cited) for word in keywords)
            if row.get("items") not in {None, "object"}:
                items = stated(message_type, {"type": row["items"], "nullable": False})
                yield from ((f"{path}[]:{word}", cited) for word in items if word != "nullable")
    for entry in TABLES["statements"]:
        yield from ((rule_id, source(entry)) for rule_id in entry["demands"])


def test_the_contract_demands_exactly_the_rules_and_is_their_source() -> None:
    sources = {rule.id: str(rule.source).split("; ") for rule in CONTRACT.rules_by_id.values()}
    assert sources.keys() == dict(demanded()).keys()
    assert [(rule_id, cited) for rule_id, cited in demanded() if cited not in sources[rule_id]] == []
    named = {cited for found in sources.values() for cited in found if not cited.startswith("validation rule")}
    assert named == {cited for _, cited in demanded()}


def test_every_validation_rule_is_named_by_exactly_the_rules_that_it_states() -> None:
    offers = {rule.id: rule.id.partition("/")[2].partition("@")[0] for rule in CONTRACT.rules["offer-creation-request"]}
    for entry in TABLES["validation_rules"]:
        names = {
            name
            for name in offers.values()
            if name in entry["breaks"] or (entry["rule"] == 9 and name.endswith(":additionalProperties"))
        }
        assert names >= {name for name in entry["breaks"] if not name.startswith("*")}
        found = {rule.id for rule in CONTRACT.rules_by_id.values() if rule.validation_rule == entry["rule"]}
        assert found == {rule_id for rule_id, name in offers.items() if name in names}
        assert all(
            str(CONTRACT.rule(rule_id).source).endswith(f"; validation rule {entry['rule']}") for rule_id in found
        )
    assert [entry["rule"] for entry in TABLES["validation_rules"]] == list(range(1, 10))
