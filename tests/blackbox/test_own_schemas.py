"""Schemas as teams and their frameworks write them: each part of a message is generated and broken."""

import json
from collections.abc import Mapping
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

import brokerfuzz

ORDER = "order"


def own_contract(folder: Path, schema: Mapping[str, Any]) -> brokerfuzz.Contract:
    manifest = {ORDER: {"direction": "request", "route": "POST /orders"}}
    (folder / "messages.json").write_text(json.dumps(manifest), encoding="utf-8")
    (folder / f"{ORDER}.schema.json").write_text(json.dumps(schema), encoding="utf-8")
    return brokerfuzz.load_contract(folder)


def with_properties(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": list(properties)}


def values_that_break(rule: str, name: str, contract: brokerfuzz.Contract) -> list[Any]:
    """Returns the values of a property in the cases that break a rule."""
    cases = [
        case
        for case in brokerfuzz.catalogue(ORDER, contract=contract)
        if any(fault.rule == f"{ORDER}/{rule}" for fault in case.faults)
    ]
    return [json.loads(case.body).get(name) for case in cases]


def test_a_pattern_of_digits_gives_strings_with_all_digits(tmp_path: Path) -> None:
    contract = own_contract(tmp_path, with_properties(code={"type": "string", "pattern": "^[0-9]{4}$"}))
    codes = [message["code"] for message in islice(brokerfuzz.messages(ORDER, 0, contract=contract), 100)]
    assert set("".join(codes)) == set("0123456789")


@pytest.mark.parametrize("keyword", ["oneOf", "anyOf"])
def test_a_choice_of_types_is_broken_with_each_type_that_no_branch_allows(keyword: str, tmp_path: Path) -> None:
    choice = {keyword: [{"type": "string"}, {"type": "integer"}]}
    contract = own_contract(tmp_path, with_properties(size=choice))
    values = values_that_break(f"size:{keyword}", "size", contract)
    of_other_types: list[Any] = [None, 1.5, True, [], {}]
    assert all(value in values for value in of_other_types)
