"""After a change of the contract, an export changes only the lines about the change, so that people can review it."""

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from contracts import changed_contract

from brokerfuzz.cases.catalogue import essentials
from brokerfuzz.cases.records import encode
from brokerfuzz.schemas import Contract, MessageType

PRODUCTS: MessageType = "product-list-response"
PRICING: MessageType = "offer-pricing-response"
OFFERS: MessageType = "offer-creation-request"
TEXT = {"type": ["string", "null"]}
Schema = dict[str, Any]


def record(schema: Schema) -> Schema:
    found: Schema = schema["properties"]["data"]["items"]
    return found


def bounded(schema: Schema) -> None:
    schema["properties"]["data"]["properties"]["offers"]["items"]["properties"]["quantity"].update(maximum=9999)


def renamed(schema: Schema) -> None:
    named = record(schema)["properties"].items()
    record(schema)["properties"] = {"owner" if key == "productOwner" else key: prop for key, prop in named}


UPGRADES: dict[str, tuple[MessageType, Callable[[Schema], object], int, int, str]] = {
    "a new optional property": (PRODUCTS, lambda schema: record(schema)["properties"].update(color=TEXT), 5, 45, "color"),
    "a removed property": (PRODUCTS, lambda schema: record(schema)["properties"].pop("unitOfMeasure"), 45, 5, ""),
    "a renamed property": (PRODUCTS, renamed, 45, 45, "owner"),
    "another type": (PRODUCTS, lambda schema: record(schema)["properties"].update(weight=TEXT), 150, 45, "weight"),
    "a changed bound": (PRICING, bounded, 5, 5, "quantity"),
    "a new rule": (PRODUCTS, lambda schema: record(schema)["properties"]["productNumber"].update(maxLength=20), 5, 5, "Number"),
    "a new value": (OFFERS, lambda schema: schema["properties"]["offerType"]["enum"].append("Kiosk"), 5, 5, ""),
}  # fmt: skip
"""The message type, the change, how many lines may disappear and appear, and a word that each new line contains."""


def lines(message_type: MessageType, contract: Contract | None = None) -> dict[str, bytes]:
    """The lines of an export, each with its message: a line contains bytes that are not UTF-8 as Base64."""
    return {encode(case).decode(): case.body for case in essentials(message_type, contract=contract)}


@cache
def before(message_type: MessageType) -> dict[str, bytes]:
    return lines(message_type)


@pytest.mark.parametrize("name", UPGRADES)
@pytest.mark.every(7)
def test_only_the_lines_about_the_change_differ_and_the_others_keep_their_order(tmp_path: Path, name: str) -> None:
    message_type, change, most_gone, most_new, about = UPGRADES[name]
    known, after = before(message_type), lines(message_type, changed_contract(tmp_path, message_type, change))
    gone, new = known.keys() - after.keys(), after.keys() - known.keys()
    assert gone | new
    assert len(gone) <= most_gone
    assert len(new) <= most_new
    assert [line for line in new if about not in line and about.encode() not in after[line]] == []
    assert [line for line in known if line not in gone] == [line for line in after if line not in new]
