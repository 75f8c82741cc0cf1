"""Finds the part of the contract that states a rule, usually a row of a table. Some rules are also stated in the
contract's numbered list of validation rules.

`contract_tables.json` contains the tables of the contract, two statements outside the tables, and the validation rules.
In this file, `closed` means that an object rejects properties that its table does not list. Only tests use the table
`limits`, because other tables contain the same bounds. If a changed contract has a new rule, or another value for a
rule, the rule has no citation.
"""

import json
from collections.abc import Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

_TABLES = Path(__file__).with_name("contract_tables.json")
_TYPES = {"double": "number", "decimal": "number", "int32": "integer"}
"""Maps the types in the tables to the types of JSON Schema."""
_INT32 = {"minimum": -(2**31), "maximum": 2**31 - 1}
_OF_DATA = {"product-list-response": "array", "offer-pricing-response": "object"}
"""The type of the property `data` in each response. The table `Response envelope` of the contract does not state this
type.
"""
_BOUNDS = ("enum", "minimum", "minLength", "minItems")


class Citation(NamedTuple):
    """The part of the contract that states a rule.

    `table` is the title of a table, or of a statement outside the tables. `row` is the row that states the rule, or
    None if no single row states it. `validation_rule` is the number of the validation rule that also states the rule,
    or None.
    """

    section: str
    table: str
    row: str | None = None
    validation_rule: int | None = None

    def __str__(self) -> str:
        table = "" if self.table == self.section else f", {self.table}"
        row = "" if self.row is None else f", row {self.row}"
        rule = "" if self.validation_rule is None else f"; validation rule {self.validation_rule}"
        return f"{self.section}{table}{row}{rule}"


def citation(rule_id: str, value: Any) -> Citation | None:
    """Returns the part of the contract that states the rule. Returns None if the contract does not state the rule, or
    states a different value than `value`.
    """
    stated, found = _stated().get(rule_id, (None, None))
    return found if value in (stated, [stated]) else None  # a schema can write the type "string" as ["string"]


@lru_cache
def _stated() -> Mapping[str, tuple[Any, Citation]]:
    """Maps the ID of each rule that the contract states to a pair: the value of the rule's keyword, and the
    citation.
    """
    tables = json.loads(_TABLES.read_bytes())
    found: dict[str, tuple[Any, Citation]] = {}
    for table in tables["tables"]:
        about = Citation(table["section"], table["table"])
        for place in table["objects"]:
            if table["closed"]:
                found[f"{place}:additionalProperties"] = False, about
            found.setdefault(f"{place}:type", ("object", about))
            for row in table["rows"]:
                path = f"{place}{'' if place.endswith('/') else '.'}{row['name']}"
                found |= {
                    f"{path}{end}": (value, about._replace(row=row["name"]))
                    for end, value in _demands(row, place.partition("/")[0])
                }
    for entry in tables["statements"]:
        about = Citation(entry["section"], entry["statement"])
        found |= {rule_id: (value, about) for rule_id, value in entry["demands"].items()}
    for entry in tables["validation_rules"]:
        for rule_id in [
            rule_id for rule_id in found if any(_is_stated_by(pattern, rule_id) for pattern in entry["breaks"])
        ]:
            value, about = found[rule_id]
            found[rule_id] = value, about._replace(validation_rule=entry["rule"])
    return found


def _demands(row: Mapping[str, Any], message_type: str) -> Iterator[tuple[str, Any]]:
    """Yields two values for each rule that a row of a table states: the end of the rule ID (such as `:minimum`), and
    the keyword's value.
    """
    if row["required"]:
        yield ":required", True
    name = _OF_DATA[message_type] if row["type"] == "by message" else row["type"]
    yield ":type", [_TYPES.get(name, name), "null"] if row["nullable"] else _TYPES.get(name, name)
    bounds = {**(_INT32 if name == "int32" else {}), **{bound: row[bound] for bound in _BOUNDS if bound in row}}
    yield from ((f":{bound}", value) for bound, value in bounds.items())
    if row.get("notInFuture"):
        yield ":not-in-future", True
    if "items" in row:
        yield "[]:type", _TYPES.get(row["items"], row["items"])
        yield from ((f"[]:{bound}", value) for bound, value in (_INT32 if row["items"] == "int32" else {}).items())


def _is_stated_by(pattern: str, rule_id: str) -> bool:
    """`pattern` comes from a validation rule in `contract_tables.json`. A `*` at its beginning means any site. The
    validation rules apply only to offer creation requests.
    """
    message_type, _, rest = rule_id.partition("@")[0].partition("/")
    return message_type == "offer-creation-request" and (
        rest == pattern or (pattern.startswith("*") and rest.endswith(pattern[1:]))
    )
