"""Repairs contradictions between the properties of a message, so that a valid message touches no ambiguity.

The decoder reads each property independently, but some ambiguities compare several properties. Examples are a minimum above its
maximum, duplicate identifiers, and a failure message in a successful response. A repair changes the object or the array.
Properties that the user pinned never change.
"""

import math
from collections.abc import Callable, Collection, Sequence
from itertools import count
from typing import Any

from brokerfuzz.decoder.ambiguity_sites import SiteAmbiguity
from brokerfuzz.schemas.flattening import Schema, types_of, unsupported_keywords_of
from brokerfuzz.schemas.instants import instant
from brokerfuzz.schemas.sites import join

Repair = Callable[[Any], None]


def repairs(ambiguities: Sequence[SiteAmbiguity], site: str, schema: Schema, pinned: Collection[str] = ()) -> list[Repair]:
    """Returns the repairs for the object or array at a site, in the order in which to apply them."""
    found: list[Repair] = []
    for detector, names in ambiguities:
        if detector in _REPAIRS:
            found += _REPAIRS[detector](site, names, schema, pinned)
    if schema.get("uniqueItems") and not found:
        found.append(lambda items: _drop_repeated(items, None, 0))
    return found


def _ordered_numbers(site: str, names: Sequence[str], schema: Schema, pinned: Collection[str]) -> list[Repair]:
    return _ordered(site, names, schema, pinned, lambda value: value if isinstance(value, int | float) else None)


def _ordered_instants(site: str, names: Sequence[str], schema: Schema, pinned: Collection[str]) -> list[Repair]:
    return _ordered(site, names, schema, pinned, lambda value: instant(value) if isinstance(value, str) else None, strictly=True)


def _ordered(
    site: str, names: Sequence[str], schema: Schema, pinned: Collection[str], read: Callable[[Any], Any], *, strictly: bool = False
) -> list[Repair]:
    low, high = names
    props = schema.get("properties", {})
    if low not in props or high not in props:
        return []
    loose = [name for name in (high, low) if join(site, name) not in pinned]
    swappable = len(loose) == 2 and all(props[low].get(k) == props[high].get(k) for k in ("type", "minimum", "maximum", "enum"))
    removable = [name for name in loose if name not in schema.get("required", ())]

    def repair(value: dict[str, Any]) -> None:
        if low not in value or high not in value:
            return
        first, last = read(value[low]), read(value[high])
        if first is None or last is None or first < last or (first == last and not strictly):
            return
        if swappable and first != last:
            value[low], value[high] = value[high], value[low]
        elif removable:
            del value[removable[0]]

    return [repair] if loose else []


def _within_range(site: str, names: Sequence[str], schema: Schema, pinned: Collection[str]) -> list[Repair]:
    """Returns a repair for quantities that are below the minimum or above the maximum. A single quantity is changed; of several
    quantities, all remain, and the bound is removed.
    """
    quantities, low, high = names
    if quantities not in schema.get("properties", {}):
        return []
    is_pinned = any(path.startswith(join(site, quantities)) for path in pinned)
    removable = [name for name in (low, high) if join(site, name) not in pinned and name not in schema.get("required", ())]

    def repair(value: dict[str, Any]) -> None:
        numbers = value.get(quantities) or []
        bounds = [name for name in (low, high) if numbers and value.get(name) is not None]
        violated = [name for name in bounds if not _in_order(numbers, value[name], is_low=name == low)]
        for name in violated:
            if name in removable and (len(numbers) > 1 or is_pinned):
                del value[name]
            elif not is_pinned:
                move = max if name == low else min
                value[quantities] = list(dict.fromkeys(move(number, value[name]) for number in value[quantities]))

    return [repair]


def _in_order(numbers: Sequence[float], bound: float, *, is_low: bool) -> bool:
    return min(numbers) >= bound if is_low else max(numbers) <= bound


def _distinct(site: str, names: Sequence[str], schema: Schema, pinned: Collection[str]) -> list[Repair]:
    least = schema.get("minItems", 0)
    if not names:
        return [] if site in pinned else [lambda items: _drop_repeated(items, None, least)]
    key = names[0]
    prop = schema.get("items", {}).get("properties", {}).get(key, {})
    nameable = "string" in types_of(prop) and not {"enum", "maxLength"} & set(prop) and not unsupported_keywords_of(prop)
    if nameable and join(f"{site}[]", key) not in pinned:
        return [lambda items: _rename_repeated(items, key)]
    return [lambda items: _drop_repeated(items, key, least)]


def _drop_repeated(items: list[Any], key: str | None, least: int) -> None:
    """Removes the items that are equal to an earlier item. At least `least` items remain."""
    kept: list[Any] = []
    for number, item in enumerate(items):
        if not (item in kept if key is None else any(_alike(item, other, key) for other in kept)) or len(kept) + len(items) - number <= least:
            kept.append(item)
    items[:] = kept


def _rename_repeated(items: list[Any], key: str) -> None:
    """Gives a new name to each item whose name already occurs in the array."""
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
    """Appends a number to the name if the name is already taken."""
    numbered = (f"{name[:1000]}-{number}" for number in count(2))
    return name if name not in taken else next(fresh for fresh in numbered if fresh not in taken)


def _envelope(site: str, names: Sequence[str], schema: Schema, pinned: Collection[str]) -> list[Repair]:
    def repair(message: dict[str, Any]) -> None:
        failed = message.get("data") is None
        for name, value in (("operationWasSuccessful", not failed), ("failureMessages", (message.get("failureMessages") or ["a"]) if failed else [])):
            if name in message and name not in pinned:
                message[name] = value

    return [repair]


def _arithmetic(site: str, names: Sequence[str], schema: Schema, pinned: Collection[str]) -> list[Repair]:
    def repair(data: dict[str, Any]) -> None:
        total = 0.0
        for offer in data["offers"]:
            extended = _money(float(offer["unitPrice"]) * offer["quantity"])
            if not math.isfinite(total + extended):
                offer["unitPrice"] = extended = 0
            offer["extendedPrice"] = extended
            total += extended
        data["totalExtendedPrice"] = _money(total)

    sums = {join(site, name) for name in ("offers", "totalExtendedPrice", "offers[].extendedPrice", "offers[].unitPrice", "offers[].quantity")}
    return [] if sums & set(pinned) else [repair]


def _money(amount: float) -> float:
    """Rounds an amount to four decimal places. Very large amounts do not change, because a double has no decimal places for them."""
    return round(amount, 4) if abs(amount) < 1e11 else amount


_REPAIRS: dict[str, Callable[[str, Sequence[str], Schema, Collection[str]], list[Repair]]] = {
    "ordered_numbers": _ordered_numbers,
    "ordered_instants": _ordered_instants,
    "within_range": _within_range,
    "distinct": _distinct,
    "envelope": _envelope,
    "arithmetic": _arithmetic,
}
