"""Lists fixed values for the generator, simplest first: unusual values of every type, and ordinary values for sites
with ambiguities.

All these values are valid and touch no ambiguity, so a message can contain any number of them.
"""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from decimal import Decimal
from functools import lru_cache
from typing import Any

LONGEST = 1024
"""The length of the longest string that touches no ambiguity, in characters."""

TEXTS: Sequence[str] = (
    "a", "", " ", "0", "A", "-1", "1.0", "true", "null", "NaN", "undefined", "None",
    "\t\n", " " * 16, "  a  ", "a\r\nb", "\x01\x1f\x7f", "\u00a0", "\u0085", "\u2028", "\ufeffa",
    "é", "e\u0301", "ß", "İ", "ŉ", "漢字", "हिन्दी", "שלום", "\u202eabc\u202c", "a\u200bb", "\uffff",
    "𝒳", "🧪", "👩‍👩‍👧‍👦",
    "🇨🇭", "Z̷̑a̴l̵g̸o",
    '"', "\\", "/", "'", "`", "\\u0041", "%s%n", "{0}", "{{7*7}}", "${7*7}", "#{7*7}", "&amp;", "<b>", "]]>", "<!--",
    "' OR '1'='1", "'; DROP TABLE offers;--", '{"$gt":""}', "*)(uid=*", "' or count(/*)=1 or '",
    "<script>alert(1)</script>", "$(id)",
    "; ls", "../../etc/passwd", "C:\\a", "CON", "=1+1", "@here", "a,b;c", "__proto__", "2020-01-01T00:00:00Z", "1e5",
)  # fmt: skip

_PACKED: Sequence[str] = (
    " é̀שלום\\<b>🧪 ",
    "'${7*7}%s;--漢\u200b\t../",
    '\u00e9\u202eא\\&\x01"*)',
    "हिन्दी`<!--#{0}|C:\\",
)
"""Strings with many unusual features, so that a few messages test many features."""

LONG_TEXTS: Sequence[str] = ("b" * 255, "b" * 256, "é" * 255, "🧪" * 255, "b" * LONGEST)

PAST_INSTANTS: Sequence[str] = (
    "2000-01-01T00:00:00Z", "2000-02-29T23:59:59Z", "1999-12-31T23:59:59Z", "1970-01-01T00:00:00Z",
    "1969-12-31T23:59:59Z",
    "1996-03-31T01:30:00Z", "1996-10-27T01:30:00Z", "1900-01-01T00:00:00Z", "1753-01-01T00:00:00Z",
)  # fmt: skip
"""Timestamps before `EARLIEST_NOW` (the earliest supported time), so they are never in the future."""

EARLIEST_NOW = datetime(2001, 1, 1, tzinfo=UTC)
LATEST_NOW = datetime(9900, 1, 1, tzinfo=UTC)
"""The latest time for which brokerfuzz generates cases. Even at this time, timestamps of the year 9999 are in the
future.
"""

INSTANTS: Sequence[str] = (
    "2020-01-01T00:00:00Z", "2024-02-29T23:59:59Z", "2038-01-19T03:14:08Z", "2099-12-31T23:59:59Z",
    "9999-12-31T23:59:59Z", *PAST_INSTANTS,
)  # fmt: skip

CRONS: Sequence[str] = (
    "0 0 * * *",
    "* * * * *",
    "*/5 * * * *",
    "0 9 * * 1-5",
    "30 6 1,15 * *",
    "59 23 31 12 7",
    "0 0 29 2 *",
    "15 */2 * 1-6 0",
)

URLS: Sequence[str] = (
    "https://example.com/", "http://example.com", "https://example.com/a/b.png",
    "https://example.com:8443/a?b=c&d=%20#e",
    "https://cdn.example.com/%E6%BC%A2.pdf", "https://example.com/" + "a" * 480, "https://xn--bcher-kva.example/",
)  # fmt: skip

NAMES: Sequence[str] = (
    "A",
    "Active",
    "Component",
    "Discontinued",
    "In Review",
    "Print on Demand",
    "Kit",
    "v2",
    "active",
)

FOR_DETECTOR: Mapping[str, Sequence[str]] = {
    "past": PAST_INSTANTS,
    "timestamp": INSTANTS,
    "cron": CRONS,
    "url": URLS,
    "name": NAMES,
}
"""Maps each detector to strings whose notation is unambiguous: for example, `timestamp` to `2020-01-01T00:00:00Z` and
other timestamps.
"""

INTEGERS: Sequence[int] = (
    1, 0, 2, -1, 3, 9, 10, 11, 12, 99, 100, 127, 128, 255, 256, 1000, 32767, 32768, 65535, 65536, 99999, 1000000, -2,
    -128, -32769,
)  # fmt: skip

NUMBERS: Sequence[int | float] = (
    1, 0, 1.0, 0.5, 0.1, 0.01, 0.001, 9.99, 10, 12.34, 19.995, 1.005, 100.0, 99999.99, 1e6, 123456789.01, -0.0, -1,
    -0.01, -9.99, -1234.5,
    0.1 + 0.2, 1 / 3, 1e-7, 2**31, 2**53, -(2**53), 1e15, 1e21, 1e28, 5e-324, 2.2250738585072014e-308,
    1.7976931348623157e308,
    -1.7976931348623157e308,
)  # fmt: skip

_LARGEST_DECIMAL = 7.9e28


@lru_cache(maxsize=256)
def texts(shortest: int, longest: int | None) -> Sequence[str]:
    """Returns strings whose number of characters is within these limits, simplest first. Some strings have the minimum
    or the maximum length.
    """
    top = LONGEST if longest is None else min(longest, LONGEST)
    bounds = ["b" * shortest, "b" * min(shortest + 1, top), "b" * top] if shortest or longest is not None else []
    every = [*TEXTS, *bounds, *LONG_TEXTS]
    return tuple(dict.fromkeys(text for text in every if shortest <= len(text) <= max(top, shortest))) or (
        "b" * shortest,
    )


@lru_cache(maxsize=256)
def packed(shortest: int, longest: int) -> Sequence[str]:
    """Returns strings whose length is within these limits, each with many unusual features. About half of all edges of
    strings come from this function.
    """
    return tuple(text for text in _PACKED if shortest <= len(text) <= longest) * 12


@lru_cache(maxsize=256)
def integers(low: int, high: int, step: int = 1) -> Sequence[int]:
    """Returns multiples of `step` from `low` to `high`, simplest first. The lowest and the highest multiple are
    included.
    """
    bounds = [low, low + 1, high, high - 1]
    rounded = [value - value % step for value in (*INTEGERS, *bounds, low + step - 1)]
    return tuple(dict.fromkeys(value for value in rounded if low <= value <= high))


@lru_cache(maxsize=256, typed=True)  # the bounds 1 and 1.0 are different values
def numbers(low: float, high: float, *, decimal: bool = False) -> Sequence[int | float]:
    """Returns numbers from `low` to `high`, simplest first. If `decimal` is true, the numbers fit into a decimal with
    28 digits.
    """
    bounds = [value for value in (low, high) if abs(value) <= 1.8e308]
    fitting = [
        value for value in (*NUMBERS, *bounds) if low <= value <= high and not (decimal and beyond_decimal(value))
    ]
    return tuple({(value, type(value), str(value)): value for value in fitting}.values())


def beyond_decimal(value: float) -> bool:
    """Returns whether the number does not fit into a decimal with 28 digits."""
    exact = Decimal(repr(value))
    return abs(value) > _LARGEST_DECIMAL or int(exact.normalize().as_tuple().exponent) < -28


def of_any_type() -> list[Any]:
    """Returns values for a property that may have any type. Only a changed contract has such properties."""
    return ["a", None, False, True, 0, 1.5, ""]
