"""Defines values that touch an ambiguity: the contract leaves open whether a program must accept these values. Valid
messages contain ambiguous values only if the user asks for them.
"""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from brokerfuzz.generation import edge_values
from brokerfuzz.generation.judging import matches
from brokerfuzz.schemas.flattening import Schema
from brokerfuzz.schemas.instants import timestamp

TIMES: Mapping[str, str] = {
    "date-alone": "1998-01-01", "offset": "1998-01-01T02:00:00+02:00", "zero-offset": "1998-01-01T00:00:00+00:00",
    "no-zone": "1998-01-01T00:00:00", "negative-offset": "1998-01-01T00:00:00-05:00",
    "unknown-offset": "1998-01-01T00:00:00-00:00", "lower-case": "1998-01-01t00:00:00z",
    "lower-case-t": "1998-01-01t00:00:00Z", "space-for-t": "1998-01-01 00:00:00Z", "no-seconds": "1998-01-01T00:00Z",
    "offset-without-colon": "1998-01-01T00:00:00+0200", "offset-of-hours": "1998-01-01T00:00:00+02",
    "basic-form": "19980101T000000Z", "leap-second": "1998-12-31T23:59:60Z", "hour-24": "1998-01-01T24:00:00Z",
    "comma-fraction": "1998-01-01T00:00:00,5Z", "month-alone": "1998-01", "padded": " 1998-01-01T00:00:00Z ",
    "tenths": "1998-01-01T00:00:00.5Z", "milliseconds": "1997-12-31T23:59:59.999Z",
    "nanoseconds": "1998-10-25T01:30:00.000000001Z", "last-day-of-1752": "1752-12-31T23:59:59Z",
    "first-year": "0001-01-01T00:00:00Z", "no-such-day": "1997-02-30T00:00:00Z",
    "no-such-hour": "1998-01-01T25:00:00Z", "no-such-offset": "1998-01-01T00:00:00+25:00",
    "short-parts": "1998-1-1T0:0:0Z", "week-date": "1998-W01-3", "day-of-year": "1998-001",
    "time-alone": "00:00:00Z", "epoch-string": "1577836800", "us-date": "01/31/1998", "european-date": "31.01.1998",
    "of-mail": "Wed, 01 Jan 1998 00:00:00 GMT", "of-dot-net": "/Date(1577836800000)/",
    "named-zone": "1998-01-01T00:00:00+01:00[Europe/Zurich]", "year-zero": "0000-01-01T00:00:00Z",
    "signed-year": "+001998-01-01T00:00:00Z", "two-digit-year": "20-01-01T00:00:00Z",
    "arabic-digits": "١٩٩٨-٠١-٠١T٠٠:٠٠:٠٠Z", "word": "yesterday", "null-string": "null", "empty": "", "blank": " ",
}  # fmt: skip
"""Maps names of probes to unusual timestamps. The timestamps that common programs can parse are in the past, because
some properties must not contain future timestamps.
"""
CRONS: Mapping[str, str] = {
    "nickname": "@daily", "six-fields": "0 0 12 * * ?", "seven-fields": "0 0 12 * * ? 2030",
    "names": "0 9 * jan mon-fri", "last-day": "0 0 L * *", "question-mark": "0 0 ? * 1",
    "nearest-weekday": "0 0 15W * *", "nth-weekday": "0 0 * * 5#3", "step-from-a-number": "5/15 * * * *",
    "hashed": "H H * * *", "padded": " 0 0 * * * ", "tabs": "0\t0\t*\t*\t*", "with-zone": "TZ=UTC 0 0 * * *",
    "leading-zeros": "00 00 * * *", "four-fields": "0 0 * *", "out-of-range": "61 25 * * *",
    "range-backwards": "5-1 * * * *", "step-of-zero": "*/0 * * * *", "word": "weekly", "empty": "", "blank": " ",
}  # fmt: skip
URLS: Mapping[str, str] = {
    "capital-scheme": "HTTPS://EXAMPLE.COM/", "user": "https://a:b@example.com/",
    "letters-beyond-ascii": "https://example.com/ü.png", "host-beyond-ascii": "https://bücher.example/",
    "six-words-address": "http://[2001:db8::1]/a.png", "ftp": "ftp://example.com/a.pdf",
    "data": "data:image/png;base64,AA==", "bar-and-braces": "https://example.com/{a}|b",
    "single-label": "http://localhost/x.pdf", "relative": "/images/a.png", "no-scheme": "example.com/a.png",
    "scheme-of-page": "//example.com/a.png", "script": "javascript:alert(1)",
    "backslashes": "https:\\\\example.com\\a.png", "blank-inside": "https://example.com/a b.png",
    "no-host": "https://", "broken-percent": "https://example.com/%zz", "port-too-large": "https://example.com:99999/",
    "word": "picture", "empty": "", "blank": " ",
}  # fmt: skip
NAMES: Mapping[str, str] = {
    "underscore": "IN_REVIEW", "digits": "7", "padded": " Active ", "letters-beyond-ascii": "prüfen",
    "punctuation": "n/a", "long": "A" * 65, "digit-first": "3D-Print", "line-break": "Active\n",
    "statement": "'; DROP TABLE products;--", "empty": "",
}  # fmt: skip

_OF_DETECTOR: Mapping[str, tuple[Collection[str], Sequence[str]]] = {
    "cron": (("cron-syntax",), tuple(CRONS.values())),
    "url": (("url-syntax",), tuple(URLS.values())),
    "name": (("product-types", "product-states", "property-types"), tuple(NAMES.values())),
}
_OF_TYPE: Mapping[str, Mapping[str, Sequence[Any]]] = {
    "string": {
        "nul-characters": ("\0", "a\0b"),
        "lone-surrogates": ("\ud800", "a\udc00"),
        "string-length": ("b" * (edge_values.LONGEST + 1), "b" * 5000),
    },
    "integer": {"integer-form": (1.0, 100.0, 2147483647.0)},
    "number": {"double-range": ((1 << 53) + 1, 10**22 + 1, -(1 << 64) - 1), "decimal-range": (1e29, -1e300, 1e-30)},
}
BY_PROPERTIES = (
    "range-order",
    "quantity-range",
    "availability-order",
    "duplicate-items",
    "envelope-consistency",
    "price-arithmetic",
)
"""The ambiguities that concern several properties together. `consistency` removes these ambiguities from valid
messages.
"""


def drawable() -> frozenset[str]:
    """Returns the IDs of the ambiguities that a value in a message can touch."""
    spellings = {f"timestamp-format.{spelling}" for text in TIMES.values() for spelling in timestamp(text).spellings}
    of_strings = {name for names, _ in _OF_DETECTOR.values() for name in names}
    return frozenset(
        {*spellings, *of_strings, *BY_PROPERTIES, *(name for names in _OF_TYPE.values() for name in names)}
    )


def fitting(
    schema: Schema, types: Collection[str], allowed: Collection[str], concerning: Mapping[str, str]
) -> list[Any]:
    """Returns the values that the schema allows and that touch only the ambiguities in `allowed`. `concerning` maps the
    ID of each ambiguity that concerns the place to the name of the ambiguity's detector.
    """
    if not allowed:
        return []
    found: list[Any] = []
    if "timestamp" in concerning.values():
        found += [
            text
            for text in TIMES.values()
            if {f"timestamp-format.{spelling}" for spelling in timestamp(text).spellings} <= set(allowed)
        ]
    for name, detector in concerning.items():
        if detector in _OF_DETECTOR and name in allowed:
            found += _OF_DETECTOR[detector][1]
    if not concerning or "decimal_range" in concerning.values():
        found += [
            value
            for name in types
            for ambiguity, values in _OF_TYPE.get(name, {}).items()
            if ambiguity in allowed
            for value in values
        ]
    return [value for value in found if matches(schema, value)]
