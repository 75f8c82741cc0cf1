"""Repairs inconsistencies between the properties of a message, so that the message touches no ambiguity.

The generator draws each property independently of the others. So a minimum can be above its maximum, or two items can
have the same identifier. The contract leaves open whether such messages are valid. A repair modifies the object or
array, so that brokerfuzz does not have to discard the message. Repairs never change properties that the user pinned.
"""

import math
from collections.abc import Callable, Collection, Sequence
from copy import deepcopy
from decimal import ROUND_CEILING, Context, Decimal, localcontext
from functools import partial
from itertools import chain, count
from string import ascii_lowercase
from typing import Any

from brokerfuzz.generation.ambiguity_sites import SiteAmbiguity
from brokerfuzz.generation.edge_values import LONGEST
from brokerfuzz.generation.judging import matches
from brokerfuzz.schemas.flattening import KNOWN, Schema, composed_keywords_of, types_of
from brokerfuzz.schemas.instants import instant
from brokerfuzz.schemas.sites import join, site_below

Repair = Callable[[Any], None]
Renew = Callable[[Any, Sequence[Any]], Any]
"""A function that changes a value (the first argument) so that it differs from other values (the second argument). If
the function finds no such value, it returns the first argument.
"""


def repairs(
    ambiguities: Sequence[SiteAmbiguity], site: str, schema: Schema, pinned: Collection[str] = ()
) -> list[Repair]:
    """Returns the repairs for the object or array at a site, in the order in which they apply. They prefer simple
    results, so that Hypothesis shrinks messages well: for example, if a minimum is above its maximum, it becomes equal
    to the maximum.
    """
    found = [
        repair
        for _, detector, names in ambiguities
        if detector in _REPAIRS
        for repair in _REPAIRS[detector](site, names, schema, pinned)
    ]
    if schema.get("uniqueItems") and not found:
        found += _distinct(site, (), schema, pinned)
    return found


def _ordered(
    site: str,
    names: Sequence[str],
    schema: Schema,
    pinned: Collection[str],
    *,
    read: Callable[[Any], Any],
    strictly: bool,
) -> list[Repair]:
    """A minimum above its maximum becomes equal to the maximum. If that is not possible, one of the two is removed."""
    low, high = names
    props = schema.get("properties", {})
    loose = [name for name in (high, low) if join(site, name) not in pinned]
    removable = [name for name in loose if name not in schema.get("required", ())]

    def repair(value: dict[str, Any]) -> None:
        first, last = read(value.get(low)), read(value.get(high))
        if first is None or last is None or first < last or (first == last and not strictly):
            return
        if len(loose) == 2 and not strictly and matches(props[low], value[high]):
            value[low] = value[high]
        elif removable:
            del value[removable[0]]

    return [repair] if {low, high} <= props.keys() else []


def _number_of(value: Any) -> Any:
    return value if isinstance(value, int | float) else None


def _instant_of(value: Any) -> Any:
    return instant(value) if isinstance(value, str) else None


def _within_range(site: str, names: Sequence[str], schema: Schema, pinned: Collection[str]) -> list[Repair]:
    """The repair removes a minimum or maximum that a quantity violates. If that is not possible, it changes the
    quantities.
    """
    quantities, *bounds = names
    listed = schema.get("properties", {}).get(quantities, {}).get("items", {})
    is_pinned = KNOWN in listed or any(path.startswith(join(site, quantities)) for path in pinned)
    removable = [name for name in bounds if join(site, name) not in pinned and name not in schema.get("required", ())]

    def repair(value: dict[str, Any]) -> None:
        for name, nearest in zip(bounds, (max, min), strict=True):
            numbers, bound = [number for number in value.get(quantities) or [] if number is not None], value.get(name)
            if bound is None or all(nearest(number, bound) == number for number in numbers):
                continue
            if name in removable:
                del value[name]
            elif not is_pinned and matches(listed, bound):
                value[quantities] = list(dict.fromkeys(nearest(number, bound) for number in numbers))

    return [repair]


def _distinct(site: str, names: Sequence[str], schema: Schema, pinned: Collection[str]) -> list[Repair]:
    """An item that repeats an earlier one is changed. If that is not possible, it is removed, unless fewer than
    `minItems` items would remain.
    """
    if not names and {site, f"{site}[]"} & set(pinned):
        return []
    key, least, renew = names[0] if names else None, schema.get("minItems", 0), _renewal(site, names, schema, pinned)

    def repair(items: list[Any]) -> None:
        kept: list[Any] = []
        for number, item in enumerate(items):
            new = renew(item, [*kept, *items[number + 1 :]]) if _repeats(item, kept, key) else item
            if not _repeats(new, kept, key) or len(kept) + len(items) - number <= least:
                kept.append(new)
        items[:] = kept

    return [repair]


def _repeats(item: Any, others: Sequence[Any], key: str | None) -> bool:
    """Returns whether an item is equal to another one, or has the same string as `key`."""
    if key is None or not isinstance(item, dict) or not isinstance(item.get(key), str):
        return item in others
    return any(isinstance(other, dict) and other.get(key) == item[key] for other in others)


def _renewal(site: str, names: Sequence[str], schema: Schema, pinned: Collection[str]) -> Renew:
    """Returns a function that changes an item of an array, or returns it unchanged."""
    items = schema.get("items", {})
    if any(path.startswith(site) for path in pinned):
        return lambda item, others: item
    of_key = items.get("properties", {}).get(names[0], {}) if names else {}
    if KNOWN in of_key:
        return partial(_with_another_known_key, key=names[0], known=of_key[KNOWN])
    if names and _allows_new(of_key, "string"):
        return partial(_renamed, key=names[0])
    return partial(_renewed, schema=items)


def repetition(
    ambiguities: Sequence[SiteAmbiguity], site: str, schema: Schema, pinned: Collection[str]
) -> Repair | None:
    """Returns a function that gives the first and the last item of an array the same identifier. If this is not
    possible, the function makes the two items equal. Returns None if the items must differ.
    """
    keys = [names[0] if names else None for _, detector, names in ambiguities if detector == "distinct"]
    if not keys or schema.get("uniqueItems") or any(path.startswith(site) for path in pinned):
        return None
    key = keys[0]

    def repeat(items: list[Any]) -> None:
        first, last = items[0], items[-1]
        if key is not None and isinstance(first, dict) and isinstance(last, dict) and key in first:
            last[key] = first[key]
        else:
            items[-1] = deepcopy(first)

    return repeat


def _allows_new(schema: Schema, *json_types: str) -> bool:
    """Returns whether a repair may change a value of one of these types. Repairs append a number to a string, and
    increase an integer.
    """
    return (
        not types_of(schema).isdisjoint(json_types)
        and not {"enum", KNOWN, "maxLength", "multipleOf"} & set(schema)
        and not composed_keywords_of(schema)
    )


def _renamed(item: Any, others: Sequence[Any], key: str) -> Any:
    if not isinstance(item, dict):
        return item
    name = item.get(key)
    taken = [other.get(key) for other in others if isinstance(other, dict)]
    return {**item, key: _fresh(name if isinstance(name, str) else "a", taken)}


def _with_another_known_key(item: Any, others: Sequence[Any], key: str, known: Sequence[Any]) -> Any:
    """Returns the item unchanged if the other items have all known values."""
    if not isinstance(item, dict):
        return item
    taken = [other.get(key) for other in others if isinstance(other, dict)]
    return next(({**item, key: value} for value in known if value not in taken), item)


def _renewed(value: Any, others: Sequence[Any], schema: Schema) -> Any:
    """Changes the first string or number in `value` for which the schema allows other values. Integer properties of
    objects are not changed, because some of these integers must be in ascending order. The new number is larger than
    the old one, and a double can represent it.
    """
    if value in (known := schema.get(KNOWN, ())):
        return next((one for one in known if one not in others), value)
    kind = type(value)
    if kind is str:
        return _fresh(value, others) if _allows_new(schema, "string") else value
    if kind is int:
        larger = next(number for number in count(value) if number not in others and float(number) == number)
        return larger if _allows_new(schema, "integer", "number") and matches(schema, larger) else value
    same = [other for other in others if type(other) is kind and other]
    if kind is list and len(value) == 1:
        return [_renewed(value[0], [other[0] for other in same], schema.get("items", {}))]
    for name, prop in schema.get("properties", {}).items() if kind is dict else ():
        inner = value.get(name)
        if type(inner) is not int or "number" in types_of(prop):
            changed = _renewed(inner, [other.get(name) for other in same], prop)
            if changed != inner:
                return {**value, name: changed}
    return value


def _fresh(name: str, taken: Collection[Any]) -> str:
    """Returns `name`, or a similar name that is not in `taken`: for example, `b` instead of `a`, or `ab-2` instead of
    `ab`.
    """
    if name not in taken:
        return name
    letters = ascii_lowercase[ascii_lowercase.find(name) + 1 :] if len(name) == 1 and name in ascii_lowercase else ""
    stem = name[: LONGEST - 8]
    return next(fresh for fresh in chain(letters, (f"{stem}-{number}" for number in count(2))) if fresh not in taken)


def _envelope(site: str, names: Sequence[str], schema: Schema, pinned: Collection[str]) -> list[Repair]:
    def repair(message: dict[str, Any]) -> None:
        failed = message.get("data") is None
        for name, value in (
            ("operationWasSuccessful", not failed),
            ("failureMessages", (message.get("failureMessages") or ["a"]) if failed else []),
        ):
            if name in message and name not in pinned:
                message[name] = value

    return [repair]


def _arithmetic(site: str, names: Sequence[str], schema: Schema, pinned: Collection[str]) -> list[Repair]:
    """The repair does nothing if a price is absent or null, because then there is no sum."""
    total_schema, offer_schema = (
        schema["properties"]["totalExtendedPrice"],
        schema["properties"]["offers"]["items"]["properties"],
    )
    least = offer_schema["extendedPrice"].get("minimum", 0)
    are_integers = not all("number" in types_of(schema) for schema in (total_schema, offer_schema["extendedPrice"]))

    def fits(amount: Decimal) -> bool:
        return _is_double(amount) and not (are_integers and amount > _LARGEST_INTEGER)

    def repair(data: dict[str, Any]) -> None:
        if _has_all_prices(data):
            with localcontext(_PRECISE):
                add_up(data)

    def add_up(data: dict[str, Any]) -> None:
        total = Decimal(0)
        for offer in data["offers"]:
            quantity = _as_written(offer["quantity"])
            extended = _rounded_up(_as_written(offer["unitPrice"]) * quantity)
            if extended < least or offer["extendedPrice"] != 1:
                extended = max(
                    extended, _as_written(offer["extendedPrice"])
                )  # the amount above unit price * quantity is a surcharge
            if not fits(extended) or not fits(total + extended):
                extended = quantity if fits(total + quantity) else Decimal(0)
                offer["unitPrice"] = 1 if extended else 0
            offer["extendedPrice"] = _number(extended, offer_schema["extendedPrice"])
            total += extended
        data["totalExtendedPrice"] = _number(total, total_schema)

    sums = {
        site_below(site, path)
        for path in (
            "offers",
            "totalExtendedPrice",
            "offers[].extendedPrice",
            "offers[].unitPrice",
            "offers[].quantity",
        )
    }
    return [] if sums & set(pinned) else [repair]


def _has_all_prices(data: dict[str, Any]) -> bool:
    offers = data.get("offers")
    rows = [
        [offer.get(name) for name in ("unitPrice", "quantity", "extendedPrice")] if offer else [None]
        for offer in offers or ()
    ]
    return offers is not None and data.get("totalExtendedPrice") is not None and not any(None in row for row in rows)


def _number(amount: Decimal, schema: Schema) -> float:
    """Returns the amount as a double, or as an integer if the schema allows only integers."""
    is_integer = "number" not in types_of(schema) and amount == amount.to_integral_value()
    return int(amount) if is_integer else float(amount)


_PRECISE = Context(prec=1000)
"""Sums of doubles have fewer than 700 significant digits, so they are exact."""


_LARGEST_INTEGER = 2**53
"""The largest integer up to which doubles represent every integer."""


def _as_written(number: float) -> Decimal:
    """The number as JSON shows it: 0.1 is one tenth, although a double cannot represent it."""
    return Decimal(repr(number))


def _is_double(amount: Decimal) -> bool:
    """Returns whether a double represents the amount, so that it does not change when it is written."""
    nearest = float(amount)
    return math.isfinite(nearest) and _as_written(nearest) == amount


def _rounded_up(amount: Decimal) -> Decimal:
    """Rounds an amount with many digits up to four decimal places, or to 15 digits."""
    if _is_double(amount):
        return amount
    return amount.quantize(max(Decimal("0.0001"), Decimal(1).scaleb(amount.adjusted() - 14)), ROUND_CEILING)


_REPAIRS: dict[str, Callable[[str, Sequence[str], Schema, Collection[str]], list[Repair]]] = {
    "ordered_numbers": partial(_ordered, read=_number_of, strictly=False),
    "ordered_instants": partial(_ordered, read=_instant_of, strictly=True),
    "within_range": _within_range,
    "distinct": _distinct,
    "envelope": _envelope,
    "arithmetic": _arithmetic,
}
