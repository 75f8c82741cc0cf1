"""Making the parts of a message agree, so that a valid one touches no ambiguity.

A table spells each property by itself; what the contract leaves open lies between properties (a minimum above its maximum, the
same identifier twice, an envelope that contradicts itself). Each step here mends an object or an array in place, by
construction: nothing is thrown away and drawn again. A property that the user pinned is left as it is.
"""

import math
from collections.abc import Callable, Collection, Sequence
from itertools import count
from typing import Any

from brokerfuzz.decoder.ambiguity_sites import Doubt
from brokerfuzz.schemas.flattening import Schema, strangers, types_of
from brokerfuzz.schemas.instants import instant
from brokerfuzz.schemas.sites import join

Settle = Callable[[Any], None]


def steps(doubts: Sequence[Doubt], site: str, schema: Schema, pinned: Collection[str] = ()) -> list[Settle]:
    """What has to be settled in the object or array at a site (a flat schema) that these doubts concern, in order."""
    found: list[Settle] = []
    for detector, names in doubts:
        if detector in _SETTLING:
            found += _SETTLING[detector](site, names, schema, pinned)
    if schema.get("uniqueItems") and not found:
        found.append(lambda items: _drop_repeated(items, None, 0))
    return found


def _ordered_numbers(site: str, names: Sequence[str], schema: Schema, pinned: Collection[str]) -> list[Settle]:
    return _ordered(site, names, schema, pinned, lambda value: value if isinstance(value, int | float) else None)


def _ordered_instants(site: str, names: Sequence[str], schema: Schema, pinned: Collection[str]) -> list[Settle]:
    return _ordered(site, names, schema, pinned, lambda value: instant(value) if isinstance(value, str) else None, strictly=True)


def _ordered(
    site: str, names: Sequence[str], schema: Schema, pinned: Collection[str], read: Callable[[Any], Any], *, strictly: bool = False
) -> list[Settle]:
    low, high = names
    props = schema.get("properties", {})
    if low not in props or high not in props:
        return []
    loose = [name for name in (high, low) if join(site, name) not in pinned]
    swappable = len(loose) == 2 and all(props[low].get(k) == props[high].get(k) for k in ("type", "minimum", "maximum", "enum"))
    removable = [name for name in loose if name not in schema.get("required", ())]

    def settle(value: dict[str, Any]) -> None:
        if low not in value or high not in value:
            return
        first, last = read(value[low]), read(value[high])
        if first is None or last is None or first < last or (first == last and not strictly):
            return
        if swappable and first != last:
            value[low], value[high] = value[high], value[low]
        elif removable:
            del value[removable[0]]

    return [settle] if loose else []


def _distinct(site: str, names: Sequence[str], schema: Schema, pinned: Collection[str]) -> list[Settle]:
    least = schema.get("minItems", 0)
    if not names:
        return [] if site in pinned else [lambda items: _drop_repeated(items, None, least)]
    key = names[0]
    prop = schema.get("items", {}).get("properties", {}).get(key, {})
    nameable = "string" in types_of(prop) and not {"enum", "maxLength"} & set(prop) and not strangers(prop)
    if nameable and join(f"{site}[]", key) not in pinned:
        return [lambda items: _rename_repeated(items, key)]
    return [lambda items: _drop_repeated(items, key, least)]


def _drop_repeated(items: list[Any], key: str | None, least: int) -> None:
    """Drops items alike, the later ones, as long as more than the fewest are left."""
    kept: list[Any] = []
    for number, item in enumerate(items):
        if not (item in kept if key is None else any(_alike(item, other, key) for other in kept)) or len(kept) + len(items) - number <= least:
            kept.append(item)
    items[:] = kept


def _rename_repeated(items: list[Any], key: str) -> None:
    """Gives an item whose key another one has had before, or that is like one before it and has none, a key of its own."""
    seen: set[str] = set()
    for number, item in enumerate(items):
        name = item.get(key)
        if name.__class__ is str:
            if name in seen:
                name = item[key] = _fresh(name, {*seen, *(other.get(key) for other in items)})
            seen.add(name)
        elif item in items[:number]:
            item[key] = _fresh("a", {*seen, *(other.get(key) for other in items)})
            seen.add(item[key])


def _alike(one: Any, other: Any, key: str) -> bool:
    name = one.get(key) if isinstance(one, dict) else None
    return bool(name == other.get(key) if isinstance(name, str) else one == other)


def _fresh(name: str, taken: Collection[str]) -> str:
    """The name, with a number behind it where it is taken."""
    numbered = (f"{name[:1000]}-{number}" for number in count(2))
    return name if name not in taken else next(fresh for fresh in numbered if fresh not in taken)


def _envelope(site: str, names: Sequence[str], schema: Schema, pinned: Collection[str]) -> list[Settle]:
    def settle(message: dict[str, Any]) -> None:
        failed = message.get("data") is None
        for name, value in (("operationWasSuccessful", not failed), ("failureMessages", (message.get("failureMessages") or ["a"]) if failed else [])):
            if name in message and name not in pinned:
                message[name] = value

    return [settle]


def _arithmetic(site: str, names: Sequence[str], schema: Schema, pinned: Collection[str]) -> list[Settle]:
    def settle(data: dict[str, Any]) -> None:
        total = 0.0
        for offer in data["offers"]:
            extended = _money(float(offer["unitPrice"]) * offer["quantity"])
            if not math.isfinite(total + extended):
                offer["unitPrice"] = extended = 0
            offer["extendedPrice"] = extended
            total += extended
        data["totalExtendedPrice"] = _money(total)

    sums = {join(site, name) for name in ("offers", "totalExtendedPrice", "offers[].extendedPrice", "offers[].unitPrice", "offers[].quantity")}
    return [] if sums & set(pinned) else [settle]


def _money(amount: float) -> float:
    """The amount to a ten-thousandth, where a double is as fine as that."""
    return round(amount, 4) if abs(amount) < 1e11 else amount


_SETTLING: dict[str, Callable[[str, Sequence[str], Schema, Collection[str]], list[Settle]]] = {
    "ordered_numbers": _ordered_numbers,
    "ordered_instants": _ordered_instants,
    "distinct": _distinct,
    "envelope": _envelope,
    "arithmetic": _arithmetic,
}
