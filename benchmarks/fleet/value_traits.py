"""Traits are features of valid values: for example, a line break in a string. A mutant rejects all values with a trait,
or crashes on them.

A trait applies to a site only if the trait's example is valid at this site.
"""

from typing import Any, NamedTuple

from brokerfuzz.schemas.flattening import Schema


class Trait(NamedTuple):
    """The values with this trait match the schema `trigger`. `example` is one of these values."""

    name: str
    trigger: Schema
    example: Any


def _text(name: str, pattern: str, example: str) -> Trait:
    return Trait(name, {"type": "string", "pattern": pattern}, example)


def _longer(name: str, most: int) -> Trait:
    return Trait(name, {"type": "string", "minLength": most + 1}, "x" * (most + 1))


def _number(name: str, example: float, **bounds: Any) -> Trait:
    return Trait(name, {"type": "number", **bounds}, example)


NULL = Trait("null", {"type": "null"}, None)
TEXTS = (
    Trait("empty string", {"type": "string", "maxLength": 0}, ""),
    _text("blank string", r"^\s+$", "   "),
    _text("leading or trailing spaces", r"^ .*[^ ]|[^ ].* $", " padded "),
    _longer("more than 50 characters", 50),
    _longer("more than 100 characters", 100),
    _longer("more than 255 characters", 255),
    _longer("more than 1000 characters", 1000),
    Trait("one character", {"type": "string", "minLength": 1, "maxLength": 1}, "x"),
    _text("non-ASCII", r"[^\x00-\x7f]", "Käse"),
    _text("beyond Latin-1", r"[^\x00-\xff]", "Łódź 東京"),
    _text("beyond the basic plane", "[\U00010000-\U0010ffff]", "\U0001f600"),
    _text("combining or joining marks", "[\u0300-\u036f\u200b-\u200f\u2060\ufeff]", "e\u0301"),
    _text("right-to-left script", "[\u0590-\u06ff\u202a-\u202e]", "שלום"),
    _text("a line break", r"[\r\n]", "one\ntwo"),
    _text("a tab", r"\t", "one\ttwo"),
    _text("other control characters", r"[\x01-\x08\x0b\x0c\x0e-\x1f\x7f]", "a\x01b"),
    _text("a double quote", '"', 'a "b"'),
    _text("an apostrophe", "'", "O'Hara"),
    _text("angle brackets", "[<>]", "<b>a</b>"),
    _text("an ampersand", "&", "a & b"),
    _text("a backslash", r"\\", "a\\b"),
    _text("a slash", "/", "a/b"),
    _text("a percent sign", "%", "100%s"),
    _text("a template", r"\$\{|\{\{|\{[0-9]", "${a} {{b}} {0}"),
    _text("the words of SQL", r"(?i)--|;|\b(drop|select|union)\b", "'; DROP TABLE offers; --"),
    _text("a path upwards", r"\.\./", "../../etc/passwd"),
    _text("a formula", r"^[=+@-]", "=1+1"),
    _text("the word null", "(?i)^(null|undefined|none|nan)$", "null"),
    _text("the word true", "(?i)^(true|false)$", "true"),
    _text("digits alone", "^[0-9]+$", "007"),
    _text("a number in a string", r"^-?[0-9]+(\.[0-9]+)?[eE][0-9]+$", "1e5"),
)
INSTANTS = (
    _text("a fraction of a second", r"\.[0-9]", "2020-01-01T00:00:00.5Z"),
    _text("more than three digits of a fraction", r"\.[0-9]{4}", "2020-01-01T00:00:00.123456Z"),
    _text("more than seven digits of a fraction", r"\.[0-9]{8}", "2020-01-01T00:00:00.123456789Z"),
    _text("no fraction of a second", "^[^.]*$", "2020-01-01T00:00:00Z"),
    _text("a leap day", "-02-29T", "2024-02-29T00:00:00Z"),
    _text("the leap day of a century", "2000-02-29T", "2000-02-29T00:00:00Z"),
    _text("a year before 1970", "^(0|1[0-8]|19[0-6])", "1969-12-31T23:59:59Z"),
    _text("a year before 1900", "^(0|1[0-8])", "1899-12-31T00:00:00Z"),
    _text("year 1", "^0001", "0001-01-01T00:00:00Z"),
    _text("the year 9999", "^9999", "9999-12-31T23:59:59Z"),
    _text("a year after 2037", "^(20[4-9]|203[89]|2[1-9]|[3-9])", "2040-01-01T00:00:00Z"),
    _text("the last second of a day", "T23:59:59", "2020-12-31T23:59:59Z"),
)
CRONS = (
    _text("steps in a cron", "/", "*/15 * * * *"),
    _text("ranges in a cron", "-", "0 9-17 * * 1-5"),
    _text("lists in a cron", ",", "0 6,18 * * *"),
    _text("Sunday as 7", "7$", "0 0 * * 7"),
    _text("Sunday as 0", " 0$", "0 0 * * 0"),
    _text("only stars in a cron", r"^\* \* \* \* \*$", "* * * * *"),
)
URLS = (
    _text("http without s", "^http:", "http://example.com/a.png"),
    _text("a port", r"://[^/]*:[0-9]", "https://example.com:8443/a.png"),
    _text("a query", r"\?", "https://example.com/a.png?size=2&x=1"),
    _text("a fragment", "#", "https://example.com/a.png#top"),
    _text("a percent escape", "%[0-9A-F]{2}", "https://example.com/a%20b.png"),
    _text("no path", "^https?://[^/]*/?$", "https://example.com"),
    _text("an IP address", r"://[0-9]+\.[0-9]+\.[0-9]+\.[0-9]+", "https://192.0.2.1/a.png"),
    _text("a host without dots", r"^https?://[^./?#]+([:/?#]|$)", "https://localhost/a.png"),
    _text("no file extension", r"/[^./]+$", "https://example.com/a/b"),
    _longer("a URL of more than 255 characters", 255)._replace(example="https://example.com/" + "a" * 300),
)
NUMBERS = (
    Trait("zero", {"type": "number", "minimum": 0, "maximum": 0}, 0),
    _number("a negative number", -1, exclusiveMaximum=0),
    Trait("a fraction", {"type": "number", "not": {"multipleOf": 1}}, 2.5),
    Trait("a whole number", {"type": "integer"}, 3),
    Trait(
        "more than two decimals",
        {"type": "number", "exclusiveMinimum": -1e9, "exclusiveMaximum": 1e9, "not": {"multipleOf": 0.01}},
        0.125,
    ),
    _number("less than a cent", 0.001, exclusiveMinimum=0, exclusiveMaximum=0.01),
    _number("more than 1000", 1001, exclusiveMinimum=1000),
    _number("more than 32767", 32768, exclusiveMinimum=32767),
    _number("more than a million", 1_000_001, exclusiveMinimum=1e6),
    _number("more than 1e15", 1e16, exclusiveMinimum=1e15),
    _number("more than a float of 32 bits", 1e39, exclusiveMinimum=3.5e38),
    _number("almost nothing", 1e-9, exclusiveMinimum=0, exclusiveMaximum=1e-7),
    Trait("one", {"type": "number", "minimum": 1, "maximum": 1}, 1),
    Trait("the greatest of 32 bits", {"type": "integer", "minimum": 2147483647}, 2147483647),
    Trait("the least of 32 bits", {"type": "integer", "maximum": -2147483648}, -2147483648),
)
BOOLEANS = (Trait("true", {"const": True}, True), Trait("false", {"const": False}, False))
EMPTY_ARRAY = Trait("empty array", {"type": "array", "maxItems": 0}, [])
EMPTY_OBJECT = Trait("empty object", {"type": "object", "maxProperties": 0}, {})


def several(name: str, most: int, items: list[Any]) -> Trait:
    return Trait(name, {"type": "array", "minItems": most + 1}, items)
