"""Measures how varied the valid examples of each source are."""

import json
from collections.abc import Iterator, Mapping
from contextlib import suppress
from itertools import pairwise
from statistics import median
from typing import Any

from benchmarks.examples.effort import Effort
from benchmarks.examples.minima import (
    Condition,
    additional_props,
    channels,
    is_null,
    number,
    page_counts,
    price_classes,
    prices,
    products,
    records,
    tiers,
    where,
)
from benchmarks.examples.sources import RUN, source_named, sources
from benchmarks.generators.messages import NOW, OFFER
from brokerfuzz.cases.case import Case
from brokerfuzz.cases.covering.tally import Tally
from brokerfuzz.schemas import MESSAGE_TYPES, MessageType, check, load_contract


def has_long_array(value: Any) -> bool:
    if isinstance(value, dict):
        return any(map(has_long_array, value.values()))
    return isinstance(value, list) and (len(value) > 10 or any(map(has_long_array, value)))


SHAPES: Mapping[MessageType, Mapping[str, Condition]] = {
    "offer-creation-request": {
        "null tiers": where(price_classes, lambda c: is_null(c, "priceTiers")),
        "a tier price below 0": where(tiers, lambda t: t["price"] < 0),
        "an empty property name": where(additional_props, lambda p: not p["name"]),
        "more than ten items": has_long_array,
        "null page counts": where(tiers, lambda t: is_null(t, "pageCounts")),
        "a page count price of 0": where(page_counts, lambda c: c.get("price") == 0),
        "a null channel": where(channels, lambda c: is_null(c, "deliveryChannel")),
        "a product surcharge below 0": where(products, lambda p: number(p, "surcharge") < 0),
    },
    "product-list-response": {
        "more than ten items": has_long_array,
        "an empty description": where(records, lambda r: r.get("productDescription") == ""),
        "a weight of 0": where(records, lambda r: r.get("weight") == 0),
        "a record before 1970": where(records, lambda r: r["lastUpdateDateTimeUtc"] < "1970"),
    },
    "offer-pricing-response": {
        "more than ten items": has_long_array,
        "a surcharge in a price": where(prices, lambda p: p["extendedPrice"] - p["unitPrice"] * p["quantity"] >= 1),
        "null product IDs": where(prices, lambda p: is_null(p, "productIds")),
        "an empty price class": where(prices, lambda p: p.get("priceClass") == ""),
    },
}
"""For each message type, shapes of messages that programs often handle wrongly. Maps the name of a shape to a condition."""


def covered(name: str, message_type: MessageType, seed: int) -> tuple[float, float]:
    """Returns the share (0 to 1) of covered goals of the kind `edge`, and the same for the kind `pair` (see `Tally`)."""
    contract = load_contract()
    tally = Tally(contract, message_type, NOW)
    for body in source_named(name).draw(message_type, RUN, seed):
        tally.add(Case(message_type, body, check(message_type, body, now=NOW)), name)
    return tally.score("edge").share, tally.score("pair").share


def shown(name: str, message_type: MessageType, count: int) -> tuple[float, list[float]]:
    """Generates `count` messages. Returns the share of distinct messages in the first half, and the share of messages with each of the `SHAPES`."""
    bodies = source_named(name).draw(message_type, count, 1)
    half = bodies[: count // 2]
    values = list(map(json.loads, bodies))
    shares = [sum(_has(condition, value) for value in values) / len(values) for condition in SHAPES[message_type].values()]
    return len(set(half)) / len(half), shares


def _has(condition: Condition, value: Any) -> bool:
    """Returns False if the condition raises an error for an invalid message."""
    with suppress(TypeError, KeyError, AttributeError):
        return bool(condition(value))
    return False


def variety(effort: Effort) -> str:
    found = [table for message_type in MESSAGE_TYPES for table in _table(message_type, effort)]
    return "\n".join([*found, *_gaps(effort)])


def _table(message_type: MessageType, effort: Effort) -> Iterator[str]:
    names = [source.name for source in sources(message_type, only_ours=effort.only_ours) if source.aim != "invalid"]
    seeds = range(1, effort.seeds + 1)
    count = 5 * effort.examples
    shares = effort.results(covered, [(name, message_type, seed) for name in names for seed in seeds])
    rest = effort.results(shown, [(name, message_type, count) for name in names])
    yield f"{message_type}: edges and pairs covered by {RUN} examples (median of {effort.seeds} seeds), distinct messages among {count // 2},"
    yield f"and shares of examples with these shapes among {count}: {', '.join(SHAPES[message_type])}"
    for index, name in enumerate(names):
        edges, pairs = (median(some) for some in zip(*shares[index * effort.seeds : (index + 1) * effort.seeds], strict=True))
        distinct, shapes = rest[index]
        yield f"  {name:<24} {edges:5.1%} {pairs:6.1%} {distinct:7.1%}   {' '.join(f'{share:6.2%}' for share in shapes)}"


def _gaps(effort: Effort) -> Iterator[str]:
    """Reports ranges of numbers that never occur as `orderMaximum` in the examples of brokerfuzz."""
    count = 25 * effort.examples
    values = {json.loads(body).get("orderMaximum") for body in source_named("brokerfuzz").draw(OFFER, count, 1)}
    known = sorted(value for value in values if value)
    gaps = sorted((_gap for _gap in pairwise(known) if _gap[1] <= 100_000), key=lambda gap: gap[0] / gap[1])
    empty = set(range(31)) - {value.bit_length() - 1 for value in known}
    yield f"orderMaximum in {count} examples: {len(known)} different values; {len(empty)} of 31 ranges between powers of two contain no value"
    yield f"  relatively largest ranges without a value: {', '.join(f'{low + 1}..{high - 1}' for low, high in gaps[:5] if high > low + 1)}"
