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
from brokerfuzz.generation.judging import matches
from brokerfuzz.generation.known_rows import in_one_row, use_each_key_once
from brokerfuzz.schemas.flattening import ANNOTATIONS, KNOWN, ROWS, Schema, composed_keywords_of, types_of
from brokerfuzz.schemas.instants import instant
from brokerfuzz.schemas.sites import join

Repair = Callable[[Any], None]


def repairs(
    ambiguities: Sequence[SiteAmbiguity], site: str, schema: Schema, pinned: Collection[str] = ()
) -> list[Repair]:
    """Returns the repairs for the object or array at a site, in the order in which they apply. They prefer simple
    results, so that Hypothesis shrinks messages well: for example, if a minimum is above its maximum, it becomes equal
    to the maximum.
    """
    found = in_one_row(site, schema, pinned)
    found += [
        repair
        for detector, names in ambiguities
        if detector in _REPAIRS
        for repair in _REPAIRS[detector](site, names, schema, pinned)
    ]
    if schema.get("uniqueItems") and not found:
        found += _distinct(site, (), schema, pinned)
    return found


def _ordered_numbers(site: str, names: Sequence[str], schema: Schema, pinned: Collection[str]) -> list[Repair]:
    return _ordered(site, names, schema, pinned, lambda value: value if isinstance(value, int | float) else None)


def _ordered_instants(site: str, names: Sequence[str], schema: Schema, pinned: Collection[str]) -> list[Repair]:
    return _ordered(
        site, names, schema, pinned, lambda value: instant(value) if isinstance(value, str) else None, strictly=True
    )


def _ordered(
    site: str,
    names: Sequence[str],
    schema: Schema,
    pinned: Collection[str],
    read: Callable[[Any], Any],
    *,
    strictly: bool = False,
) -> list[Repair]:
    low, high = names
    props = schema.get("properties", {})
    if low not in props or high not in props:
        return []
    loose = [name for name in (high, low) if join(site, name) not in pinned]
    adjustable = len(loose) == 2 and _without_annotations(props[low]) == _without_annotations(props[high])
    removable = [name for name in loose if name not in schema.get("required", ())]

    def repair(value: dict[str, Any]) -> None:
        if low not in value or high not in value:
            return
        first, last = read(value[low]), read(value[high])
        if first is None or last is None or first < last or (first == last and not strictly):
            return
        if adjustable and not strictly:
            value[low] = value[high]
        elif removable:
            del value[removable[0]]

    return [repair] if loose else []


def _without_annotations(schema: Schema) -> Schema:
    return {keyword: value for keyword, value in schema.items() if keyword not in ANNOTATIONS}


def _within_range(site: str, names: Sequence[str], schema: Schema, pinned: Collection[str]) -> list[Repair]:
    """Returns a list with a repair for quantities below a minimum or above a maximum. If there is only one quantity, it
    becomes equal to the violated minimum or maximum. Several quantities could become equal to each other, so the repair
    removes the violated minimum or maximum instead, and always a violated minimum. It never removes a required minimum
    or maximum.
    """
    quantities, low, high = names
    if quantities not in schema.get("properties", {}):
        return []
    listed = schema["properties"][quantities].get("items", {})
    is_pinned = KNOWN in listed or any(path.startswith(join(site, quantities)) for path in pinned)
    removable = [
        name for name in (low, high) if join(site, name) not in pinned and name not in schema.get("required", ())
    ]

    def repair(value: dict[str, Any]) -> None:
        numbers = [number for number in value.get(quantities) or [] if number is not None]
        bounds = [name for name in (low, high) if numbers and value.get(name) is not None]
        violated = [name for name in bounds if not _in_order(numbers, value[name], is_low=name == low)]
        for name in violated:
            if name in removable and (len(numbers) > 1 or is_pinned or name == low):
                del value[name]
            elif not is_pinned and matches(listed, value[name]):
                move = max if name == low else min
                value[quantities] = list(dict.fromkeys(move(number, value[name]) for number in numbers))
            elif name in removable:
                del value[name]

    return [repair]


def _in_order(numbers: Sequence[float], bound: float, *, is_low: bool) -> bool:
    return min(numbers) >= bound if is_low else max(numbers) <= bound


def _distinct(site: str, names: Sequence[str], schema: Schema, pinned: Collection[str]) -> list[Repair]:
    least, items = schema.get("minItems", 0), schema.get("items", {})
    renew: Renew = _keep if any(path.startswith(site) for path in pinned) else partial(_renew, schema=items)
    if not names:
        return [] if {site, f"{site}[]"} & set(pinned) else [lambda values: _drop_repeated(values, None, least, renew)]
    key = names[0]
    if KNOWN in items.get("properties", {}).get(key, {}) and renew is not _keep:
        return [use_each_key_once(f"{site}[]", key, items, least)]
    if _allows_new(items.get("properties", {}).get(key, {}), "string") and join(f"{site}[]", key) not in pinned:
        return [lambda values: _rename_repeated(values, key, renew)]
    return [lambda values: _drop_repeated(values, key, least, renew)]


def repetition(
    ambiguities: Sequence[SiteAmbiguity], site: str, schema: Schema, pinned: Collection[str]
) -> Repair | None:
    """Returns a function that gives the first and the last item of an array the same identifier. If this is not
    possible, the function makes the two items equal. Returns None if the items must differ.
    """
    keys = [names[0] if names else None for detector, names in ambiguities if detector == "distinct"]
    if not keys or schema.get("uniqueItems") or any(path.startswith(site) for path in pinned):
        return None
    key = None if ROWS in schema.get("items", {}) else keys[0]

    def repeat(items: list[Any]) -> None:
        first, last = items[0], items[-1]
        if key is not None and isinstance(first, dict) and isinstance(last, dict) and key in first:
            last[key] = first[key]
        else:
            items[-1] = deepcopy(first)

    return repeat


def _allows_new(schema: Schema, json_type: str) -> bool:
    """Returns whether a repair may change a value with this schema. Repairs append a number to a `string`, and increase
    an `integer`.
    """
    return (
        json_type in types_of(schema)
        and not {"enum", KNOWN, "maxLength", "multipleOf"} & set(schema)
        and not composed_keywords_of(schema)
    )


Renew = Callable[[Any, Collection[Any]], Any]
"""A function that changes a value (the first argument) so that it differs from other values (the second argument). If
the function finds no such value, it returns the first argument.
"""


def _keep(value: Any, others: Collection[Any]) -> Any:
    return value


def _renew(value: Any, others: Collection[Any], schema: Schema) -> Any:
    """Changes the first string or number in `value` for which the schema allows other values. Integer properties of
    objects are not changed, because some of these integers must be in ascending order. The new number is larger than
    the old one, and a double can represent it.
    """
    if value in (known := schema.get(KNOWN, ())):
        return next((one for one in known if one not in others), value)
    if value.__class__ is str:
        return _fresh(value, others) if _allows_new(schema, "string") else value
    if value.__class__ is int:
        larger = next(number for number in count(value) if number not in others and float(number) == number)
        return larger if _allows_new(schema, "integer") and larger <= schema.get("maximum", larger) else value
    others = [other for other in others if other.__class__ is dict]
    for name, prop in schema.get("properties", {}).items():
        inner: Any = value.get(name) if value.__class__ is dict else None
        if inner.__class__ is list and len(inner) == 1:
            changed = [_renew(inner[0], [other[name][0] for other in others if other.get(name)], prop.get("items", {}))]
        elif inner.__class__ is str or (inner.__class__ is int and "number" in types_of(prop)):
            changed = _renew(
                inner, [other.get(name) for other in others], {**prop, "type": [*types_of(prop), "integer"]}
            )
        else:
            continue
        if changed != inner:
            return {**value, name: changed}
    return value


def _drop_repeated(items: list[Any], key: str | None, least: int, renew: Renew) -> None:
    """Changes each item that duplicates an earlier item. If an item cannot be changed, the function removes this item,
    unless fewer than `least` items would remain.
    """
    kept: list[Any] = []
    for number, original in enumerate(items):
        item = renew(original, [*kept, *items[number + 1 :]]) if original in kept else original
        repeated = item in kept if key is None else any(_alike(item, other, key) for other in kept)
        if not repeated or len(kept) + len(items) - number <= least:
            kept.append(item)
    items[:] = kept


def _rename_repeated(items: list[Any], key: str, renew: Renew) -> None:
    """Gives the property `key` of an item a new string if an earlier item has the same string there. An item without a
    string in `key` is changed only if the whole item equals an earlier one.
    """
    seen: set[str] = set()
    for number in (number for number, item in enumerate(items) if item.__class__ is dict):
        if items[number].get(key).__class__ is not str and items[number] in items[:number]:
            items[number] = renew(items[number], items[:number])
        item = items[number]
        name = item.get(key)
        if name.__class__ is str:
            if name in seen:
                name = item[key] = _fresh(name, {*seen, *(other.get(key) for other in items if other)})
            seen.add(name)
        elif item in items[:number]:
            item[key] = _fresh("a", {*seen, *(other.get(key) for other in items if other)})
            seen.add(item[key])


def _alike(one: Any, other: Any, key: str) -> bool:
    name = one.get(key) if isinstance(one, dict) else None
    return bool(name == other.get(key) if isinstance(name, str) and isinstance(other, dict) else one == other)


def _fresh(name: str, taken: Collection[str]) -> str:
    """Returns `name`, or a similar name that is not in `taken`: for example, `b` instead of `a`, or `ab-2` instead of
    `ab`.
    """
    if name not in taken:
        return name
    letters = ascii_lowercase[ascii_lowercase.find(name) + 1 :] if len(name) == 1 and name in ascii_lowercase else ""
    return next(
        fresh for fresh in chain(letters, (f"{name[:1000]}-{number}" for number in count(2))) if fresh not in taken
    )


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
        join(site, name)
        for name in (
            "offers",
            "totalExtendedPrice",
            "offers[].extendedPrice",
            "offers[].unitPrice",
            "offers[].quantity",
        )
    }
    return [] if sums & set(pinned) else [repair]


def _rounding(site: str, names: Sequence[str], schema: Schema, pinned: Collection[str]) -> list[Repair]:
    """If sums may be wrong, but not rounded, the repair corrects each sum that is nearly right."""

    def repair(data: dict[str, Any], correct: Repair) -> None:
        if not _has_all_prices(data):
            return
        with localcontext(_PRECISE):
            prices = [
                (_as_written(offer["unitPrice"]) * _as_written(offer["quantity"]), _as_written(offer["extendedPrice"]))
                for offer in data["offers"]
            ]
            sums = [
                *prices,
                (sum((extended for _, extended in prices), Decimal(0)), _as_written(data["totalExtendedPrice"])),
            ]
        if all(abs(expected - found) <= 1 + expected / 10**6 for expected, found in sums):
            correct(data)

    return [partial(repair, correct=correct) for correct in _arithmetic(site, names, schema, pinned)]


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


_MakeRepairs = Callable[[str, Sequence[str], Schema, Collection[str]], list[Repair]]
_REPAIRS: dict[str, _MakeRepairs] = {
    "ordered_numbers": _ordered_numbers,
    "ordered_instants": _ordered_instants,
    "within_range": _within_range,
    "distinct": _distinct,
    "envelope": _envelope,
    "arithmetic": _arithmetic,
    "rounding": _rounding,
}
