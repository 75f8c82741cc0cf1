from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from contracts import changed_contract

from brokerfuzz.cases.catalogue import essentials
from brokerfuzz.cases.records import encode
from brokerfuzz.schemas import Contract, MessageType

Schema = dict[str, Any]


class Upgrade(NamedTuple):
    """After the change of the contract, at most `gone` lines of the corpus disappear, and at most `new` lines appear.
    Each new line contains the text `about`.
    """

    message_type: MessageType
    change: Callable[[Schema], object]
    gone: int
    new: int
    about: str = ""


def record(schema: Schema) -> Schema:
    found: Schema = schema["properties"]["data"]["items"]
    return found


def offer(schema: Schema) -> Schema:
    found: Schema = schema["properties"]["data"]["properties"]["offers"]["items"]
    return found


def add(schema: Schema, name: str, prop: Schema, *, required: bool = False) -> None:
    schema["properties"][name] = prop
    schema["required"] = [*schema["required"], *([name] if required else [])]


def rename(schema: Schema, former: str, name: str) -> None:
    schema["properties"] = {name if key == former else key: prop for key, prop in schema["properties"].items()}


PRODUCTS: MessageType = "product-list-response"
PRICING: MessageType = "offer-pricing-response"
OFFERS: MessageType = "offer-creation-request"
TEXT = {"type": ["string", "null"]}
UPGRADES = {
    "a new optional property": Upgrade(PRODUCTS, lambda schema: add(record(schema), "color", TEXT), 5, 45, "color"),
    # Every message with a product must contain the new property.
    "a new required property": Upgrade(
        PRODUCTS, lambda schema: add(record(schema), "color", TEXT, required=True), 750, 800
    ),
    "an optional property that becomes required": Upgrade(
        PRODUCTS, lambda schema: record(schema)["required"].append("productOwner"), 700, 700
    ),
    "a removed property": Upgrade(PRODUCTS, lambda schema: record(schema)["properties"].pop("unitOfMeasure"), 45, 5),
    "a renamed property": Upgrade(
        PRODUCTS, lambda schema: rename(record(schema), "productOwner", "owner"), 45, 45, "owner"
    ),
    "another type": Upgrade(
        PRODUCTS, lambda schema: record(schema)["properties"].update(weight=TEXT), 150, 45, "weight"
    ),
    "a changed bound": Upgrade(
        PRICING, lambda schema: offer(schema)["properties"]["quantity"].update(maximum=9999), 5, 5, "quantity"
    ),
    "a new enumeration": Upgrade(
        PRODUCTS, lambda schema: record(schema)["properties"]["productOwner"].update(enum=["A", None]), 45, 55, "Owner"
    ),
    "null becomes forbidden": Upgrade(
        PRODUCTS, lambda schema: record(schema)["properties"]["productOwner"].update(type="string"), 2, 2, "Owner"
    ),
    "a new rule": Upgrade(
        PRODUCTS, lambda schema: record(schema)["properties"]["productNumber"].update(maxLength=20), 5, 5, "Number"
    ),
    "a new value of an enumeration": Upgrade(
        OFFERS, lambda schema: schema["properties"]["offerType"]["enum"].append("Kiosk"), 5, 5
    ),
}


def lines(message_type: MessageType, contract: Contract | None = None) -> set[str]:
    return {encode(case).decode() for case in essentials(message_type, contract=contract)}


@cache
def before(message_type: MessageType) -> set[str]:
    return lines(message_type)


@pytest.mark.parametrize("name", UPGRADES)
@pytest.mark.every(15)
def test_only_the_lines_about_the_change_differ(tmp_path: Path, name: str) -> None:
    upgrade = UPGRADES[name]
    known = before(upgrade.message_type)
    after = lines(upgrade.message_type, changed_contract(tmp_path, upgrade.message_type, upgrade.change))
    gone, new = known - after, after - known
    assert gone | new
    assert len(gone) <= upgrade.gone
    assert len(new) <= upgrade.new
    assert [line for line in new if upgrade.about not in line] == []


@pytest.mark.long
def test_the_other_lines_keep_their_order(tmp_path: Path) -> None:
    upgrade = UPGRADES["a new optional property"]
    contract = changed_contract(tmp_path, upgrade.message_type, upgrade.change)
    former, present = (
        [encode(case) for case in essentials(upgrade.message_type, contract=one)] for one in (None, contract)
    )
    both = set(former) & set(present)
    assert [line for line in former if line in both] == [line for line in present if line in both]
