"""Compares the contract's tables, which were transcribed by hand, with the rules, and the generated lists and types with
the contract.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from regenerate import typed_source

from brokerfuzz import MESSAGE_TYPES, load_contract, rules, typed

HERE = Path(__file__).parent
TABLES: dict[str, Any] = json.loads((HERE / "contract_tables.json").read_text(encoding="utf-8"))
RULES = {rule.id: rule for message_type in MESSAGE_TYPES for rule in rules(message_type)}
NUMBERS: dict[str, dict[str, Any]] = {
    "double": {"type": "number"},
    "decimal": {"type": "number"},
    "int32": {"type": "integer", "minimum": -(2**31), "maximum": 2**31 - 1},
}
"""Maps types in the tables to keywords of JSON Schema. All other types have the same name in both."""
BOUNDS = ("minimum", "maximum", "minLength", "minItems", "enum")
BY_MESSAGE = {"product-list-response": "array", "offer-pricing-response": "object"}
"""The type of `data` in each message. The table of the contract only says `by message`."""


def source(entry: dict[str, Any], row: str | None = None) -> str:
    """Returns the source that the rules of a table or of a row must have. A table can have the title of its section."""
    titles = [entry["section"], entry.get("table") or entry["statement"], *([f"row {row}"] if row else [])]
    return ", ".join(dict.fromkeys(titles))


def keywords(name: str, cells: dict[str, Any]) -> dict[str, Any]:
    """Returns what the cells of a row say about a value of the type `name`, as keywords of JSON Schema."""
    said = {"type": name, **NUMBERS.get(name, {}), **{bound: cells[bound] for bound in BOUNDS if bound in cells}}
    return {**said, "type": [said["type"], "null"]} if cells.get("nullable") else said


def demanded() -> Iterator[tuple[str, str, Any]]:
    """Yields the ID of each rule in the tables, with its source and its value."""
    for table in TABLES["tables"]:
        for place in table["objects"]:
            if table["closed"]:
                yield f"{place}:additionalProperties", source(table), False
            if place.endswith(("/", "[]")):  # the type of any other object is in a row of the surrounding object
                yield f"{place}:type", source(table), None
            for row in table["rows"]:
                path = f"{place}{row['name']}" if place.endswith("/") else f"{place}.{row['name']}"
                kind = BY_MESSAGE[place.partition("/")[0]] if row["type"] == "by message" else row["type"]
                facts = keywords(kind, row).items()
                yield from ((f"{path}:{word}", source(table, row["name"]), value) for word, value in facts)
                others = ["required"] * row["required"] + ["not-in-future"] * ("notInFuture" in row)
                yield from ((f"{path}:{word}", source(table, row["name"]), None) for word in others)
                if row.get("items") not in {None, "object"}:
                    items = keywords(row["items"], {}).items()
                    yield from ((f"{path}[]:{word}", source(table, row["name"]), value) for word, value in items)


def test_the_contract_demands_exactly_the_rules_and_is_their_source() -> None:
    stated = {rule_id: source(entry) for entry in TABLES["statements"] for rule_id in entry["demands"]}
    sources = {rule.id: str(rule.source).split("; ") for rule in RULES.values()}
    assert sources.keys() == {rule_id for rule_id, *_ in demanded()} | stated.keys()
    cited = [(rule_id, place) for rule_id, place, _ in demanded()] + list(stated.items())
    assert [(rule_id, place) for rule_id, place in cited if place not in sources[rule_id]] == []
    named = {place for found in sources.values() for place in found if not place.startswith("validation rule")}
    assert named == {place for _, place in cited}
    wrong = [
        (rule_id, value) for rule_id, _, value in demanded() if value is not None and RULES[rule_id].value != value
    ]
    assert wrong == []


def test_every_validation_rule_is_named_by_exactly_the_rules_that_it_states() -> None:
    offers = {rule.id: rule.id.partition("/")[2].partition("@")[0] for rule in rules("offer-creation-request")}
    for entry in TABLES["validation_rules"]:
        names = {
            name
            for name in offers.values()
            if name in entry["breaks"] or (entry["rule"] == 9 and name.endswith(":additionalProperties"))
        }
        assert names >= {name for name in entry["breaks"] if not name.startswith("*")}
        found = {rule.id for rule in RULES.values() if rule.validation_rule == entry["rule"]}
        assert found == {rule_id for rule_id, name in offers.items() if name in names}
        assert all(str(RULES[rule_id].source).endswith(f"; validation rule {entry['rule']}") for rule_id in found)
    assert [entry["rule"] for entry in TABLES["validation_rules"]] == list(range(1, 10))


def test_the_rules_are_those_in_the_pinned_list_and_each_says_what_it_demands() -> None:
    """Added, removed and renamed rules are visible to every user. `python -m tests.regenerate` writes the list."""
    found = [rule for message_type in MESSAGE_TYPES for rule in rules(message_type)]
    assert [rule.id for rule in found] == (HERE / "rule_ids.txt").read_text(encoding="utf-8").splitlines()
    assert len(RULES) == len(found)
    assert all(rule.demand.strip() and "{" not in rule.demand for rule in found)


def test_the_committed_typed_dicts_match_the_schemas() -> None:
    remedy = "the schemas have changed: run `python -m tests.regenerate` and commit brokerfuzz/typed.py"
    assert Path(typed.__file__).read_text(encoding="utf-8") == typed_source(load_contract()), remedy
    assert typed.OfferCreationRequest.__required_keys__ == {"number", "offerType"}
    assert typed.PricedOffer.__optional_keys__ == {"pageCount", "priceClass", "productIds"}
