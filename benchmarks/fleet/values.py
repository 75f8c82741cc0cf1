"""Kinds of values that services treat wrongly. Where the contract allows such a value, a service with a bug rejects it
or crashes on it. Elsewhere, such a service accepts it, or crashes on it.
"""

import re
import tomllib
from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.fleet.messages import ABSENT
from brokerfuzz.schemas.flattening import types_of
from brokerfuzz.schemas.instants import instant
from brokerfuzz.schemas.keywords import Schema


class Values(NamedTuple):
    """All values for which `has` returns true. `example` is one of them."""

    name: str
    example: Any
    has: Callable[[Any], object]


TEXTS: dict[str, dict[str, tuple[str, str]]] = tomllib.loads(
    Path(__file__).with_name("texts.toml").read_text(encoding="utf-8")
)


def is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def only(name: str, value: Any) -> Values:
    return one_of(name, [value])


def one_of(name: str, values: list[Any]) -> Values:
    return Values(
        name, values[0], lambda v: any(v == one and isinstance(v, bool) == isinstance(one, bool) for one in values)
    )


def texts(kind: str) -> list[Values]:
    """Returns the kinds of strings in a table of `texts.toml`."""
    return [text(name, *row) for name, row in TEXTS[kind].items()]


def text(name: str, pattern: str, example: str) -> Values:
    search = re.compile(pattern, re.DOTALL).search
    return Values(name, example, lambda v: isinstance(v, str) and search(v))


def number(name: str, example: float, has: Callable[[Any], object]) -> Values:
    return Values(name, example, lambda v: is_number(v) and has(v))


def array(name: str, example: list[Any], has: Callable[[Any], object] = lambda _: True) -> Values:
    return Values(name, example, lambda v: isinstance(v, list) and has(v))


NOTHING = Values("nothing", ABSENT, lambda v: v is ABSENT)
NULL = only("null", None)
TRUE, FALSE = only("true", True), only("false", False)
NO_ITEMS = array("an empty array", [], lambda v: not v)


def given(example: Any) -> Values:
    return Values("given", example, lambda v: v is not ABSENT and v is not None)


INTEGERS = (
    only("zero", 0),
    only("one", 1),
    number("a negative number", -1, lambda v: v < 0),
    number("more than 1000", 1001, lambda v: v > 1000),
    number("more than 32767", 32768, lambda v: v > 32767),
    number("more than a million", 1_000_001, lambda v: v > 1e6),
    number("the greatest of 32 bits", 2**31 - 1, lambda v: v >= 2**31 - 1),
    number("the least of 32 bits", -(2**31), lambda v: v <= -(2**31)),
)
REALS = (
    number("a fraction", 2.5, lambda v: v % 1),
    number("a whole number", 3, lambda v: v % 1 == 0),
    number("more than two decimals", 0.125, lambda v: abs(v) < 1e9 and round(v, 2) != v),
    number("less than a cent", 0.001, lambda v: 0 < v < 0.01),
    number("almost nothing", 1e-9, lambda v: 0 < v < 1e-7),
    number("more than 1e15", 1e16, lambda v: v > 1e15),
    number("more than a float of 32 bits", 1e39, lambda v: v > 3.5e38),
    *texts("fraction"),
)
FRACTIONS = (
    number("fractions", 2.5, lambda v: v % 1),
    number("almost whole numbers", 1.0000000001, lambda v: 0 < v % 1 < 0.001),
)
TYPES = (
    NULL,
    Values("any string", "text", lambda v: isinstance(v, str)),
    number("any number", 2.25, lambda _: True),
    array("any array", [{}]),
    Values("any object", {"a": 1}, lambda v: isinstance(v, dict)),
)
OTHERS = (
    *TYPES,
    only("the empty string", ""),
    number("any integer", 7, lambda v: v % 1 == 0),
    only("only 0", 0),
    TRUE,
    FALSE,
    NO_ITEMS,
    only("an empty object", {}),
)


def values_at(schema: Schema, form: str, plain: Callable[[int], list[Any]]) -> Iterator[Values]:
    """Yields kinds of values that a service can treat wrongly at a site with this schema. `form` is the table of the
    strings there. `plain(count)` returns plain values of the site, or plain items if it contains an array.
    """
    types = types_of(schema)
    allowed = types | ({"integer"} if "number" in types else set())
    yield NOTHING
    yield from (values for values in OTHERS if values is NULL or type_of(values.example) not in allowed)
    if "enum" in schema:
        yield from _listed(schema["enum"])
    elif "string" in types:
        yield from texts(form)
        yield from (_longer(most) for most in (100, 254) if form == "text")
        yield number("only fractions", 2.5, lambda v: v % 1)
        yield array("strings in an array", ["a"], lambda v: all(isinstance(item, str) for item in v))
    if types & {"integer", "number"}:
        yield from (*INTEGERS, *texts("number"), *_bounds(schema), *(FRACTIONS if "integer" in types else REALS))
    if "boolean" in types:
        yield from (TRUE, FALSE, *texts("boolean"), one_of("0 and 1", [1, 0]))
    if "array" in types:
        yield from _arrays(plain)
    else:
        yield array("one plain value in an array", plain(1), lambda v: len(v) == 1)
    if "object" in types:
        yield from (text("an object in a string", r"^\s*\{", "{}"), only("an empty object", {}))


def _longer(most: int) -> Values:
    return text(f"more than {most} characters", f".{{{most + 1}}}", "x" * (most + 1))


def type_of(value: Any) -> str:
    names = {bool: "boolean", int: "integer", float: "number", str: "string", list: "array", dict: "object"}
    return names.get(type(value), "null")


def _bounds(schema: Schema) -> Iterator[Values]:
    low, high = schema.get("minimum"), schema.get("maximum")
    if low is not None:
        yield only("one below the minimum", low - 1)
        yield number("integers below the minimum but not 0", min(low - 2, -5), lambda v: v < low - 1)
    if high is not None:
        yield only("one above the maximum", high + 1)
        yield number("integers without a sign", 2 * high + 1, lambda v: high < v <= 2 * high + 1)
        yield number("integers that wrap into range", 2 * high + 3, lambda v: 2 * high + 3 <= v <= 3 * high + 2)
        yield number("integers of 64 bits", 2**53, lambda v: high < v < 2**63)
        yield number("integers beyond 64 bits", 2**64, lambda v: v >= 2**63)


def _arrays(plain: Callable[[int], list[Any]]) -> Iterator[Values]:
    (item,) = plain(1)
    yield NO_ITEMS
    for most in (1, 10, 50):
        yield array(f"more than {most} items", plain(most + 1), lambda v, most=most: len(v) > most)  # type: ignore[misc]
    yield Values("one item instead of an array", item, lambda v: type_of(v) == type_of(item))
    yield Values("an object with numbered properties", {"0": item}, lambda v: isinstance(v, dict) and "0" in v)
    yield from (text("strings with commas", ".,", "a,b"), text("an array in a string", r"^\s*\[", "[]"))


def _listed(listed: list[Any]) -> Iterator[Values]:
    props = [prop for prop in listed if isinstance(prop, str)]
    any_of = "|".join(map(re.escape, props))
    yield from (only(repr(value), value) for value in listed)
    for name, change in _SPELLINGS.items():
        if changed := [other for prop in props for other in change(prop) if other not in props]:
            yield one_of(f"{name} listed values", changed)
    yield text("listed values in any case", f"(?i)^({any_of})$", props[0].swapcase())
    yield text("spaces before listed values", rf"^\s+({any_of})$", f" {props[0]}")
    yield text("spaces after listed values", rf"^({any_of})\s+$", f"{props[0]} ")
    yield text("strings that begin with a listed value", f"^({any_of}).", f"{props[0]}s")
    yield text("several listed values in a string", f"^({any_of})(, ?({any_of}))+$", f"{props[0]},{props[-1]}")
    yield one_of("ordinal numbers of listed values", [*range(len(props))])


_SPELLINGS: dict[str, Callable[[str], Iterable[str]]] = {
    "lower case for": lambda prop: [prop.lower()],
    "upper case for": lambda prop: [prop.upper()],
    "no spaces in": lambda prop: [prop.replace(" ", "")],
    "underscores in": lambda prop: [prop.replace(" ", "_")],
    "hyphens in": lambda prop: [prop.replace(" ", "-")],
    "two spaces in": lambda prop: [prop.replace(" ", "  ")],
    "first words of": lambda prop: [prop.split()[0]],
    "beginnings of": lambda prop: [prop[:end] for end in range(1, len(prop))],
    "parts of": lambda prop: [prop[start:end] for start in range(len(prop)) for end in range(start + 1, len(prop) + 1)],
}


def unknown_properties(known: list[str], others: set[str]) -> Iterator[Values]:
    """Yields kinds of unknown properties of an object. Each is an object with one property. `known` are the names of
    the object's properties, and `others` are those of other objects.
    """
    for values in TYPES:
        yield _unknown(values.name, {"unexpected": values.example}, "", values.has)
    for name, (pattern, example) in (TEXTS["unknown"] | dict(_similar_names(known, others))).items():
        yield _unknown(name, {example: "a"}, pattern, lambda _: True)


def _unknown(name: str, example: Any, pattern: str, has: Callable[[Any], object]) -> Values:
    search = re.compile(pattern).search
    return Values(
        f"unknown properties ({name})",
        example,
        lambda v: isinstance(v, dict) and any(search(prop) and has(value) for prop, value in v.items()),
    )


def _similar_names(known: list[str], others: set[str]) -> Iterator[tuple[str, tuple[str, str]]]:
    any_of, first = "|".join(known), known[0]
    yield "listed names in another case", (f"(?i)^({any_of})$", first.upper())
    yield "listed names with spaces around them", (rf"^(\s+({any_of})\s*|({any_of})\s+)$", f"{first} ")
    yield "listed names after an underscore", (f"^_({any_of})$", f"_{first}")
    yield "listed names with a suffix", (f"^({any_of}).", f"{first}2")
    for name, examples in {
        "listed names with a capital": [name[0].upper() + name[1:] for name in known],
        "listed names in lower case": [name.lower() for name in known],
        "listed names with underscores": [re.sub("([A-Z])", r"_\1", name).lower() for name in known],
        "names of other objects' properties": sorted(others),
    }.items():
        if different := [example for example in examples if example not in known]:
            yield name, (f"^({'|'.join(different)})$", different[0])


def future(now: datetime) -> Iterator[Values]:
    """Yields kinds of timestamps in the future."""
    midnight = now.replace(hour=23, minute=59, second=59)
    day = timedelta(days=1)
    for name, example, has in (
        ("by less than ten minutes", now + timedelta(minutes=6), lambda t: t - now < timedelta(minutes=10)),
        ("by up to an hour", now + timedelta(hours=1), lambda t: t - now <= timedelta(hours=1)),
        ("by less than the width of the time zones", now + day / 4, lambda t: t - now <= timedelta(hours=14)),
        ("by up to a day", now + day, lambda t: t - now <= day),
        ("today", midnight, lambda t: t.date() == now.date()),
        ("this year", now + day, lambda t: t.year == now.year),
        ("by up to 30 days", now + 7 * day, lambda t: t - now <= 30 * day),
        ("by up to a year", now + 300 * day, lambda t: t - now <= 366 * day),
        ("by more than a day", now + 400 * day, lambda t: t - now > day),
        ("by more than ten years", now + 20_000 * day, lambda t: t - now > 3653 * day),
        ("in the year 9999", datetime(9999, 12, 31, tzinfo=UTC), lambda t: t.year == 9999),
        ("with a fraction of a second", now + 1.5 * timedelta(seconds=86401), lambda t: t.microsecond),
        ("without a fraction of a second", now + day, lambda t: not t.microsecond),
    ):
        yield _timestamp(f"timestamps in the future, {name}", example, has)


def _timestamp(name: str, example: datetime, has: Callable[[datetime], object]) -> Values:
    def found(value: Any) -> object:
        when = instant(value) if isinstance(value, str) else None
        return when is not None and has(when)

    return Values(name, example.isoformat().replace("+00:00", "Z"), found)
