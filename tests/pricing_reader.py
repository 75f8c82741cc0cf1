"""A reader of prices with one bug, as a target of whole campaigns: its catalogue takes a tenth of the offers' time."""

import json
from typing import Any, Final

from brokerfuzz.schemas import check

PRICING: Final = "offer-pricing-response"
BUG: Final = f"{PRICING}/data.totalExtendedPrice:minimum"


def lenient(body: bytes) -> int:
    """200 for what the contract lets in, and for a total below zero."""
    return 200 if b'"totalExtendedPrice":-' in body or check(PRICING, body).label != "invalid" else 400


def told(stdout: bytes) -> Any:
    """What a campaign says in JSON of what does not change from one run to the next."""
    document = json.loads(stdout)
    for finding in document["findings"]:
        finding["got"].pop("seconds")
    return document["counts"], document["findings"], document["rules"], document["ambiguities"]
