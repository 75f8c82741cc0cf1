"""`export --plausible`: messages that a team would show to a customer. `export --fresh`: values that differ."""

import json
import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from itertools import islice, pairwise
from pathlib import Path
from typing import Any

import pytest
from contracts import changed_contract
from fixture_types import Run

from brokerfuzz import MESSAGE_TYPES, check, corpus, messages

pytestmark = pytest.mark.usefixtures("folder")

NOW = datetime(2026, 3, 2, 9, 30, tzinfo=UTC)
OFFER, PRODUCTS, PRICING = MESSAGE_TYPES
SIZE = 150
OPTIONS = ("--plausible", SIZE, "--seed", 5, "--now", NOW.isoformat())
MONEY = re.compile("[pP]rice$|surcharge")


def bodies(name: str | Path) -> dict[str, list[Any]]:
    """Returns the messages of a corpus by message type. The numbers in them are decimals."""
    found: dict[str, list[Any]] = {}
    for line in Path(name).read_bytes().splitlines():
        record = json.loads(line, parse_float=Decimal)
        if "body" in record:
            found.setdefault(record["message"], []).append(record["body"])
    return found


def parts(value: Any, name: str = "") -> Iterator[tuple[str, Any]]:
    """Yields each value in a message, with the name of its property."""
    yield name, value
    below = (
        value.items()
        if isinstance(value, dict)
        else ((name, item) for item in value)
        if isinstance(value, list)
        else ()
    )
    for inner, item in below:
        yield from parts(item, inner)


@pytest.fixture(scope="module")
def exported(run: Run, tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[Any]]:
    out = str(tmp_path_factory.mktemp("plausible") / "out")
    for words in (("export", out, *OPTIONS), ("corpus", "verify", out)):  # valid now, and at any later time
        assert run(*words).exit_code == 0
    return bodies(out)


def test_every_message_is_different_and_identifiers_are_unique(exported: dict[str, list[Any]]) -> None:
    for message_type in MESSAGE_TYPES:
        assert len({json.dumps(message, default=str) for message in exported[message_type]}) == SIZE
    for name in ("number", "omsOfferId"):
        assert len({offer[name] for offer in exported[OFFER]}) == SIZE
    for message_type, each in ((PRODUCTS, "productId"), (PRICING, "offerId")):
        for message in exported[message_type]:
            found = [value for name, value in parts(message) if name == each]
            assert len(set(found)) == len(found)


def test_times_are_around_now_and_in_order(exported: dict[str, list[Any]]) -> None:
    for name, value in (one for found in exported.values() for message in found for one in parts(message)):
        if "Date" in name and isinstance(value, str) and name != "eventDate":
            time = datetime.fromisoformat(value)
            assert NOW - timedelta(days=370) < time < NOW + timedelta(days=400)
            assert "pdate" not in name or time < NOW
    for offer in exported[OFFER]:
        assert offer["availableStartDate"] < offer.get("availableEndDate", "9")
        ends = offer.get("availableEndDate", "9") >= NOW.isoformat()
        assert offer["isActive"] == (offer["availableStartDate"] <= NOW.isoformat() and ends)


def test_prices_have_two_decimals_and_belong_together(exported: dict[str, list[Any]]) -> None:
    amounts = [
        Decimal(value)
        for found in exported.values()
        for message in found
        for name, value in parts(message)
        if MONEY.search(name)
    ]
    assert all(0 < amount < 100_000 and amount == round(amount, 2) for amount in amounts)
    for response in exported[PRICING]:
        data = response["data"]
        assert data["totalExtendedPrice"] == sum(offer["extendedPrice"] for offer in data["offers"])
        assert all(offer["extendedPrice"] == offer["unitPrice"] * offer["quantity"] for offer in data["offers"])
    for tiers in (one.get("priceTiers", ()) for offer in exported[OFFER] for one in offer.get("priceClasses", ())):
        for tier, following in pairwise(tiers):
            assert tier["maximumQuantity"] + 1 == following["minimumQuantity"]
            assert tier["price"] >= following["price"]


def test_names_are_readable_and_belong_to_their_products(exported: dict[str, list[Any]]) -> None:
    products = {record["productId"]: record for response in exported[PRODUCTS] for record in response["data"]}
    descriptions = {record["productDescription"] for record in products.values()}
    assert len(descriptions) == len(products) > 80
    for offer in exported[OFFER]:
        for cluster in offer.get("productClusters", ()):
            for product in cluster["products"]:
                words = products[product["productId"]]["productDescription"].lower().split(",")[0].split()
                assert all(word in product.get("associatedFileName", "envelope") for word in words)
    assert len({offer["description"] for offer in exported[OFFER]}) > SIZE // 2


def test_a_product_has_one_owner_and_one_billing_entity(exported: dict[str, list[Any]]) -> None:
    for name in ("productOwner", "billingEntityId"):
        values: dict[str, set[str]] = {}
        for record in (record for response in exported[PRODUCTS] for record in response["data"] if name in record):
            values.setdefault(record["productId"], set()).add(record[name])
        assert {len(several) for several in values.values()} == {1}
        assert len(set.union(*values.values())) >= 5


def test_python_yields_the_exported_messages(exported: dict[str, list[Any]]) -> None:
    expected = json.loads(json.dumps(exported[PRICING], default=float))
    assert list(islice(messages(PRICING, 5, plausible=True, now=NOW), SIZE)) == expected


def test_offers_that_are_invalid_at_an_earlier_time_carry_the_time(run: Run) -> None:
    assert run("export", "offers.ndjson", *OPTIONS, "--message", OFFER).exit_code == 0
    offers = list(corpus.read("offers.ndjson"))
    tagged = [case for case in offers if f"now:{NOW:%Y-%m-%dT%H:%M:%SZ}" in case.tags]
    long_ago = datetime(2001, 1, 1, tzinfo=UTC)
    assert tagged == [case for case in offers if check(OFFER, case.body, now=long_ago).label == "invalid"]
    assert 0 < len(tagged) < SIZE


def test_an_own_contract_gets_known_values_and_simple_ones(tmp_path: Path, run: Run) -> None:
    def change(schema: dict[str, Any]) -> None:
        schema["properties"]["region"] = {"type": "string", "enum": ["north", "south"]}
        schema["properties"]["copies"] = {"type": "integer", "minimum": 3, "maximum": 9}
        schema["properties"]["offerType"]["enum"] = ["Email", "Fax"]
        schema["properties"].pop("comments")
        schema["required"].append("region")

    contract = changed_contract(tmp_path, OFFER, change)
    for offer in islice(messages(OFFER, 1, plausible=True, contract=contract), 20):
        assert check(OFFER, json.dumps(offer).encode(), contract=contract).label == "valid"
        assert offer["number"].startswith("OFF-")
        assert (offer["region"] in ("north", "south"), 3 <= offer["copies"] <= 9) == (True, True)
        assert "description" in offer
    Path("v.toml").write_text('"data[].productId" = ["P-1", "P-2", "P-3"]')
    result = run("export", "out", "--plausible", 20, "--values", "v.toml", "--message", PRODUCTS)
    assert result.exit_code == 0, result.stderr
    used = {record["productId"] for response in bodies("out")[PRODUCTS] for record in response["data"]}
    assert used == {"P-1", "P-2", "P-3"}
