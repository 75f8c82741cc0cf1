"""README: the catalogue contains every combination of the states of any two properties of an object."""

import json
from math import comb
from pathlib import Path
from typing import Any

import pytest
from behaviours import OFFER, PRICING
from fixture_types import Run

import brokerfuzz

CLUSTER = {"products": [{"productId": "a", "productQuantityInOffer": 1}]}
PROPERTIES = {"": 36, "data.offers[]": 7}
"""The number of properties that the contract allows at a site. Any two of them are a pair."""


def _priced(price: int) -> Any:
    offer = {"offerId": "OMS-1", "quantity": 1, "unitPrice": 1, "extendedPrice": price, "productIds": None}
    data = {"customerId": "CUS-1", "offers": [offer], "totalExtendedPrice": price}
    return {"data": data, "failureMessages": [], "informationalMessages": [], "operationWasSuccessful": True}


MESSAGES: dict[str, tuple[brokerfuzz.MessageType, str, Any]] = {
    "a product list with eleven clusters": (
        OFFER,
        "",
        {
            "number": "OFF-1",
            "offerType": "Product List",
            "productClusters": [{"id": f"{n}", **CLUSTER} for n in range(11)],
        },
    ),
    "an unusual start before an ordinary end": (
        OFFER,
        "",
        {
            "number": "OFF-1",
            "offerType": "Email",
            "availableStartDate": "1960-02-29T23:59:59Z",
            "availableEndDate": "2024-06-01T00:00:00Z",
        },
    ),
    "a large price of an offer without products": (PRICING, "data.offers[]", _priced(5_000_000)),
}


def _covered(message: Any, message_type: brokerfuzz.MessageType, site: str, run: Run, folder: Path) -> int:
    """Returns the number of pairs of states that the objects of a message have at a site."""
    path = folder / "message.json"
    path.write_text(json.dumps(message))
    sites = json.loads(run("coverage", str(path), "--message", message_type, "--json").stdout)["messages"][
        message_type
    ]["sites"]
    (found,) = (one["pair"]["covered"] for one in sites if one["site"] == site)
    return len(found)


def test_coverage_counts_each_pair_of_properties_of_an_ordinary_object(run: Run, tmp_path: Path) -> None:
    assert _covered({"number": "OFF-1", "offerType": "Email"}, OFFER, "", run, tmp_path) == comb(PROPERTIES[""], 2)
    assert _covered(_priced(1), PRICING, "data.offers[]", run, tmp_path) == comb(PROPERTIES["data.offers[]"], 2)


@pytest.mark.parametrize("name", MESSAGES)
def test_coverage_counts_each_pair_of_properties_of_a_valid_object(name: str, run: Run, tmp_path: Path) -> None:
    message_type, site, message = MESSAGES[name]
    assert brokerfuzz.check(message_type, json.dumps(message).encode()).label == "valid"
    assert _covered(message, message_type, site, run, tmp_path) == comb(PROPERTIES[site], 2)
