"""Kinds of values that services treat wrongly. Where the contract allows such a value, a service with a bug rejects it
or crashes on it. Elsewhere, such a service accepts it, or crashes on it.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple

from benchmarks.fleet.messages import ABSENT
from brokerfuzz.schemas.flattening import Schema, types_of
from brokerfuzz.schemas.instants import instant


class Values(NamedTuple):
    """All values for which `has` returns true. `example` is one of them."""

    name: str
    example: Any
    has: Callable[[Any], object]


Rows = tuple[tuple[str, str, str], ...]
"""Kinds of strings: the name, the regular expression that finds them, and an example."""


def is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def only(name: str, value: Any) -> Values:
    return one_of(name, [value])


def one_of(name: str, values: list[Any]) -> Values:
    return Values(
        name, values[0], lambda v: any(v == one and isinstance(v, bool) == isinstance(one, bool) for one in values)
    )


def texts(rows: Rows) -> list[Values]:
    return [text(*row) for row in rows]


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


TEXTS: Rows = (
    ("an empty string", r"\A\Z", ""),
    ("a blank string", r"\A\s+\Z", "   "),
    ("leading or trailing spaces", r"\A .*[^ ]|[^ ].* \Z", " padded "),
    ("one character", r"\A.\Z", "x"),
    ("more than 50 characters", ".{51}", "x" * 51),
    ("more than 255 characters", ".{256}", "x" * 256),
    ("more than 1000 characters", ".{1001}", "x" * 1001),
    ("non-ASCII", r"[^\x00-\x7f]", "Käse"),
    ("characters beyond Latin-1", r"[^\x00-\xff]", "Łódź 東京"),
    ("characters beyond the basic plane", "[\U00010000-\U0010ffff]", "\U0001f600"),
    ("right-to-left script", "[\u0590-\u06ff\u202a-\u202e]", "שלום"),
    ("a line break", r"[\r\n]", "one\ntwo"),
    ("a tab", r"\t", "one\ttwo"),
    ("other control characters", r"[\x01-\x08\x0b\x0c\x0e-\x1f\x7f]", "a\x01b"),
    ("a double quote", '"', 'a "b"'),
    ("an apostrophe", "'", "O'Hara"),
    ("angle brackets", "[<>]", "<b>a</b>"),
    ("a backslash", r"\\", "a\\b"),
    ("a percent sign", "%", "100%s"),
    ("a template", r"\$\{|\{\{|\{[0-9]", "${a} {{b}} {0}"),
    ("the words of SQL", r"(?i)--|;|\b(drop|select|union)\b", "'; DROP TABLE offers; --"),
    ("a path upwards", r"\.\./", "../../etc/passwd"),
    ("a formula", r"^[=+@-]", "=1+1"),
    ("the word null", "(?i)^(null|undefined|none|nan)$", "null"),
    ("only digits", "^[0-9]+$", "007"),
)
INSTANTS: Rows = (
    ("a fraction of a second", r"\.[0-9]", "2020-01-01T00:00:00.5Z"),
    ("more than three digits of a fraction", r"\.[0-9]{4}", "2020-01-01T00:00:00.123456Z"),
    ("more than seven digits of a fraction", r"\.[0-9]{8}", "2020-01-01T00:00:00.123456789Z"),
    ("no fraction of a second", "^[^.]*$", "2020-01-01T00:00:00Z"),
    ("a leap day", "-02-29T", "2024-02-29T00:00:00Z"),
    ("a year before 1970", "^(0|1[0-8]|19[0-6])", "1969-12-31T23:59:59Z"),
    ("year 1", "^0001", "0001-01-01T00:00:00Z"),
    ("the year 9999", "^9999", "9999-12-31T23:59:59Z"),
    ("a year after 2037", "^(20[4-9]|203[89]|2[1-9]|[3-9])", "2040-01-01T00:00:00Z"),
    ("the last second of a day", "T23:59:59", "2020-12-31T23:59:59Z"),
)
CRONS: Rows = (
    ("steps in a cron", "/", "*/15 * * * *"),
    ("ranges in a cron", "-", "0 9-17 * * 1-5"),
    ("lists in a cron", ",", "0 6,18 * * *"),
    ("Sunday as 7", "7$", "0 0 * * 7"),
)
URLS: Rows = (
    ("http without s", "^http:", "http://example.com/a.png"),
    ("a port", r"://[^/]*:[0-9]", "https://example.com:8443/a.png"),
    ("a query", r"\?", "https://example.com/a.png?size=2&x=1"),
    ("a percent escape", "%[0-9A-F]{2}", "https://example.com/a%20b.png"),
    ("an IP address", r"://[0-9]+\.[0-9]+\.[0-9]+\.[0-9]+", "https://192.0.2.1/a.png"),
    ("a host without dots", r"^https?://[^./?#]+([:/?#]|$)", "https://localhost/a.png"),
    ("a URL of more than 255 characters", ".{256}", "https://example.com/" + "a" * 300),
)
FORMS = {"timestamp": INSTANTS, "cron": CRONS, "url": URLS}
"""Maps each detector of ambiguities in the form of a string to the strings at the sites that it looks at."""

NUMERALS: Rows = (
    ("digits in a string", "^[0-9]+$", "2"),
    ("digits in a string, with spaces around them", r"^\s+[0-9]+\s*$|^[0-9]+\s+$", " 2 "),
    ("only strings of one digit", "^[1-9]$", "2"),
    ("digits in a string, after zeros", "^0+[0-9]+$", "002"),
    ("digits in a string, after a plus", r"^\+[0-9]+$", "+2"),
    ("an exponent in a string", "^[0-9.]+[eE][+-]?[0-9]+$", "2e0"),
    ("a point in a string", r"^-?[0-9]+\.[0-9]+$", "2.0"),
    ("hexadecimal digits in a string", "^0x[0-9a-fA-F]+$", "0x2"),
    ("digits in groups", "^[0-9]{1,3}(,[0-9]{3})+$", "1,000"),
)
REAL_NUMERALS: Rows = (
    ("a fraction in a string", r"^-?[0-9]+\.[0-9]*[1-9]$", "2.5"),
    ("a decimal comma", "^[0-9]+,[0-9]+$", "2,5"),
    ("a currency in a string", r"^[$€£] ?[0-9]", "$2.50"),
    ("NaN and Infinity in strings", "^(NaN|-?Infinity)$", "NaN"),
)
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
    *texts(REAL_NUMERALS),
)
TRUTHS: Rows = (
    ("true and false in strings", "^(true|false)$", "true"),
    ("true and false in strings in any case", "(?i)^(true|false)$", "true"),
    ("only False and True in strings", "^(True|False)$", "True"),
    ("yes and no", "^(yes|no)$", "yes"),
    ("Y and N", "^[YNyn]$", "Y"),
    ("0 and 1 in strings", "^[01]$", "1"),
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


def values_at(schema: Schema, forms: Rows, plain: Callable[[int], list[Any]]) -> Iterator[Values]:
    """Yields kinds of values that a service can treat wrongly at a site with this schema. `forms` are the strings that
    the site allows. `plain(count)` returns plain values of the site, or plain items if it contains an array.
    """
    types = types_of(schema)
    allowed = types | ({"integer"} if "number" in types else set())
    yield NOTHING
    yield from (values for values in OTHERS if values is NULL or type_of(values.example) not in allowed)
    if "enum" in schema:
        yield from _listed(schema["enum"])
    elif "string" in types:
        yield from texts(forms)
        yield number("only fractions", 2.5, lambda v: v % 1)
        yield array("strings in an array", ["a"], lambda v: all(isinstance(item, str) for item in v))
    if types & {"integer", "number"}:
        yield from (*INTEGERS, *texts(NUMERALS), *_bounds(schema), *(FRACTIONS if "integer" in types else REALS))
    if "boolean" in types:
        yield from (TRUE, FALSE, *texts(TRUTHS), one_of("0 and 1", [1, 0]))
    if "array" in types:
        yield from _arrays(plain)
    else:
        yield array("one plain value in an array", plain(1), lambda v: len(v) == 1)
    if "object" in types:
        yield from (text("an object in a string", r"^\s*\{", "{}"), only("an empty object", {}))


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
    yield from texts((("strings with commas", ".,", "a,b"), ("an array in a string", r"^\s*\[", "[]")))


def _listed(listed: list[Any]) -> Iterator[Values]:
    props = [prop for prop in listed if isinstance(prop, str)]
    any_of = "|".join(map(re.escape, props))
    yield from (only(repr(value), value) for value in listed)
    for name, change in _SPELLINGS.items():
        if changed := [other for prop in props for other in change(prop) if other not in props]:
            yield one_of(f"{name} listed values", changed)
    yield from texts(
        (
            ("listed values in any case", f"(?i)^({any_of})$", props[0].swapcase()),
            ("spaces before listed values", rf"^\s+({any_of})$", f" {props[0]}"),
            ("spaces after listed values", rf"^({any_of})\s+$", f"{props[0]} "),
            ("strings that begin with a listed value", f"^({any_of}).", f"{props[0]}s"),
            ("several listed values in a string", f"^({any_of})(, ?({any_of}))+$", f"{props[0]},{props[-1]}"),
        )
    )
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


_NAMES: Rows = (
    ("names after x-", "^x-", "x-a"),
    ("names after an underscore", "^_", "_a"),
    ("names after a dollar", r"^\$", "$a"),
    ("names after an at sign", "^@", "@type"),
    (
        "names that JavaScript's objects have",
        "^(constructor|toString|valueOf|hasOwnProperty|__proto__)$",
        "constructor",
    ),
    ("only __proto__", "^__proto__$", "__proto__"),
    ("the empty name", "^$", ""),
    ("names of digits", "^[0-9]+$", "0"),
    ("names with a space", r"\s", "a b"),
    ("names with a dot", r"\.", "a.b"),
    ("names beyond ASCII", r"[^\x00-\x7f]", "ä"),
    ("names of more than 50 characters", "^.{51}", "a" * 60),
)


def unknown_properties(known: list[str], others: set[str]) -> Iterator[Values]:
    """Yields kinds of unknown properties of an object. Each is an object with one property. `known` are the names of
    the object's properties, and `others` are those of other objects.
    """
    for values in TYPES:
        yield _unknown(values.name, {"unexpected": values.example}, "", values.has)
    for name, pattern, example in (*_NAMES, *_similar_names(known, others)):
        yield _unknown(name, {example: "a"}, pattern, lambda _: True)


def _unknown(name: str, example: Any, pattern: str, has: Callable[[Any], object]) -> Values:
    search = re.compile(pattern).search
    return Values(
        f"unknown properties ({name})",
        example,
        lambda v: isinstance(v, dict) and any(search(prop) and has(value) for prop, value in v.items()),
    )


def _similar_names(known: list[str], others: set[str]) -> Iterator[tuple[str, str, str]]:
    any_of, first = "|".join(known), known[0]
    yield "listed names in another case", f"(?i)^({any_of})$", first.upper()
    yield "listed names with spaces around them", rf"^(\s+({any_of})\s*|({any_of})\s+)$", f"{first} "
    yield "listed names after an underscore", f"^_({any_of})$", f"_{first}"
    yield "listed names with a suffix", f"^({any_of}).", f"{first}2"
    for name, examples in {
        "listed names with a capital": [name[0].upper() + name[1:] for name in known],
        "listed names in lower case": [name.lower() for name in known],
        "listed names with underscores": [re.sub("([A-Z])", r"_\1", name).lower() for name in known],
        "names of other objects' properties": sorted(others),
    }.items():
        if different := [example for example in examples if example not in known]:
            yield name, f"^({'|'.join(different)})$", different[0]


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
