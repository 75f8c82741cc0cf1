"""A consumer of pricing responses with one bug, as a target for complete campaigns. A campaign with the catalogue of
pricing responses takes a tenth of the time of a campaign with offers.
"""

import json
from typing import Any, Final

from behaviours import conforming

PRICING: Final = "offer-pricing-response"
BUG: Final = f"{PRICING}/data.totalExtendedPrice:minimum"


def lenient(body: bytes) -> int:
    """Returns status 200 for messages that the contract allows, and also for a total below zero."""
    return 200 if b'"totalExtendedPrice":-' in body or conforming(PRICING)(body) else 400


def reproducible_parts(stdout: bytes) -> Any:
    """Returns the parts of a campaign's JSON output that are the same in every run."""
    document = json.loads(stdout)
    for finding in document["findings"]:
        finding["got"].pop("seconds")
    return document["counts"], document["findings"], document["rules"], document["ambiguities"]
