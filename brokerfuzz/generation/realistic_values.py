"""Provides realistic values for a property. The name of the property decides which values are suitable."""

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from brokerfuzz.schemas.flattening import Schema, types_of

_RULES: Sequence[tuple[str, Sequence[Any]]] = (
    (r"^number$", [f"OFF-{10000 + 37 * i}" for i in range(60)]),
    (
        r"productNumber",
        [
            f"{kind}-{size}"
            for kind in ("BRO", "PST", "LTR", "ENV", "FLY")
            for size in ("A4", "A5", "DL", "C5", "LTR", "LGL")
        ],
    ),
    (r"^productIds?$", [f"PRD-{20000 + 41 * i}" for i in range(60)]),
    (r"offerIds?$|OfferId$", [f"OMS-{300 + 7 * i}" for i in range(60)]),
    (r"customerId", [f"CUS-{4000 + 13 * i}" for i in range(40)]),
    (r"categoryIds", ["brochures", "postcards", "letters", "envelopes", "flyers", "gifts"]),
    (r"accessGroups", ["agents", "branches", "marketing", "partners", "staff"]),
    (r"ShipMethods", ["Ground", "2nd Day Air", "Next Day Air", "Freight", "Courier"]),
    (r"deliveryChannel", ["Direct Mail", "Email", "Download", "Drop Ship"]),
    (r"unitOfMeasure", ["EA", "PK", "BX", "CT", "RL", "1000"]),
    (r"productType", ["Component", "Finished Good", "Kit", "Insert", "Print on Demand"]),
    (r"status", ["Active", "Inactive", "Discontinued", "On Hold", "Draft"]),
    (r"productOwner", ["Marketing", "Retail", "Claims", "Human Resources"]),
    (r"billingEntityId", [f"BE-{i:03}" for i in range(1, 40)]),
    (
        r"escription$",
        [
            "Spring postcard with 2 sides",
            "Welcome letter with envelope",
            "Benefits brochure with 16 pages",
            "Branded pen",
        ],
    ),
    (
        r"comments",
        [
            "Replaces version 3",
            "Proof approved",
            "Hold until the price is confirmed",
            "The job ticket describes the finishing",
        ],
    ),
    (r"EmailSubject", ["Your documents are ready", "A message from your agent"]),
    (r"EmailBody", ["Please find your documents attached", "Your statement is ready to download"]),
    (r"associatedFileName", ["front.pdf", "letter_2024-05.pdf", "postcard back.pdf", "merge-data.csv"]),
    (r"ImageUrl|thumbnailUrl", [f"https://cdn.example.com/offers/{n}.png" for n in range(100, 130)]),
    (r"pdfUrl", [f"https://cdn.example.com/offers/{n}.pdf" for n in range(100, 130)]),
    (r"Cron$", ["0 6 * * 1-5", "30 5 * * 1", "0 0 1 * *", "0 12 * * *", "15 7 1,15 * *"]),
    (r"^(hint|label)$", ["Cost center", "Name on the card", "Branch code", "Date of the event"]),
    (r"priceClasses\[\]\.name", ["Standard", "Preferred", "Internal", "Contract"]),
    (r"priceClass$", ["Standard", "Preferred", "Internal", "Contract"]),
    (r"^name$", ["costCenter", "recipientName", "branchCode", "eventDate", "department"]),
    (r"^type$", ["string", "number", "date"]),
    (r"^value$", ["4711", "Main Street", "2024-10-01"]),
    (r"Vendor\w*Id$", [f"XM-{500 + i}" for i in range(40)]),
    (r"^id$", [f"cluster-{i}" for i in range(1, 40)]),
    (r"[pP]rice$|surcharge", [0.35, 1.2, 4.99, 12.5, 0.089, 25.0, 149.0, 0.0, 2.75, 310.4]),
    (r"^weight", [0.02, 0.15, 0.5, 1.25, 3.0, 12.4]),
    (r"pageCount|Pages$", [1, 2, 4, 8, 12, 16, 24, 32, 64]),
    (r"[qQ]uantit|order(Min|Max)imum", [1, 5, 10, 25, 50, 100, 250, 500, 1000, 2500]),
    (r"Messages$", ["The customer is not known", "No price for this quantity", "Prices as of this morning"]),
)
_WORDS = ["letter", "postcard", "brochure", "insert", "envelope", "reply card", "catalog", "poster"]


def values(path: str, schema: Schema) -> Sequence[Any]:
    """Returns the realistic values that the schema of the property allows. For a string property with an unknown name,
    the values are common words. If there are no realistic values, the result is empty.
    """
    return _values(path, types_of(schema), tuple(map(schema.get, _BOUNDS)))


_BOUNDS = ("minLength", "maxLength", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf")


@lru_cache(maxsize=4096)
def _values(path: str, types: frozenset[str], bounds: tuple[Any, ...]) -> Sequence[Any]:
    name = path.replace("[]", "").rpartition(".")[2]
    for pattern, pool in _RULES:
        if re.search(pattern, path if r"\[\]" in pattern else name) and (
            fitting := [v for v in pool if _fits(v, types, *bounds)]
        ):
            return fitting
    return [word for word in _WORDS if _fits(word, types, *bounds)]


def _fits(
    value: Any,
    types: frozenset[str],
    shortest: Any,
    longest: Any,
    low: Any,
    high: Any,
    above: Any,
    below: Any,
    step: Any,
) -> bool:
    if isinstance(value, str):
        return "string" in types and len(value) >= (shortest or 0) and (longest is None or len(value) <= longest)
    inside = (low is None or value >= low) and (high is None or value <= high)
    strictly = (above is None or value > above) and (below is None or value < below)
    return (
        inside
        and strictly
        and not (step and value % step)
        and ("number" in types or ("integer" in types and isinstance(value, int)))
    )
