"""Questions about the notation of strings, and about the size of decimals."""

import re
from collections.abc import Mapping
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any, ClassVar

from brokerfuzz.schemas.edge import Edge, EdgeTable, any_of, some_letter
from brokerfuzz.schemas.instants import SPELLINGS, spell, timestamp
from brokerfuzz.schemas.questions.question import NUMBERS, Probes, Question


class Notation(Question):
    """A question about the notation of strings. `unusual` maps the names of probes to strings that touch it."""

    python_types = (str,)
    unusual: ClassVar[Mapping[str, str]] = {}

    def probes(self, value: Any, now: datetime | None) -> Probes:
        yield from self.unusual.items()


INSTANTS = EdgeTable(
    ("2020-01-01T00:00:00Z", "2021-06-30T12:00:00Z"),
    (
        Edge(
            "leap-day",
            "is on a leap day",
            lambda text, schema: "-02-29T" in text,
            ("2024-02-29T23:59:59Z", "2000-02-29T23:59:59Z"),
        ),
        Edge(
            "beyond-2038",
            "is later than 2038",
            lambda text, schema: text > "2038-01-19T03:14:07",
            ("2038-01-19T03:14:08Z", "2099-12-31T23:59:59Z", "9999-12-31T23:59:59Z"),
        ),
        Edge(
            "before-1970",
            "is before 1970",
            lambda text, schema: text < "1970",
            ("1753-01-01T00:00:00Z", "1900-01-01T00:00:00Z", "1969-12-31T23:59:59Z"),
        ),
        Edge(
            "end-of-a-day",
            "is the last second of a day",
            lambda text, schema: "T23:59:59" in text,
            ("1999-12-31T23:59:59Z",),
        ),
    ),
)
"""Most values are later than the value before them, because the time at which something ends gets the next value."""
_TIMES: Mapping[str, str] = {
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
"""The timestamps that common programs can parse are in the past, because some properties must not contain future
timestamps.
"""
OFFSETS = {"behind-by-offset": (4, "+05:00"), "behind-without-zone": (-1, "")}
"""Two notations of the time one hour ago. Each entry contains the number of hours to add to the current UTC time, and
the time zone to write after the result. For example, four hours later in the zone `+05:00` is one hour ago in UTC.
"""


class UnusualTimestamp(Notation, kind="timestamp"):
    """A timestamp in an unusual notation: the option `spelling` of the entry."""

    options_schema: ClassVar[Mapping[str, Any]] = {"spelling": {"enum": SPELLINGS}}
    plain = INSTANTS
    timed = tuple(OFFSETS)
    unusual = _TIMES

    @property
    def spelling(self) -> str:
        spelling: str = self.options["spelling"]
        return spelling

    def touches(self, value: Any) -> bool:
        return self.spelling in timestamp(value).spellings

    def probes(self, value: Any, now: datetime | None) -> Probes:
        times = dict(self.unusual)
        if now is not None:
            for name, (hours, offset) in OFFSETS.items():
                times[name] = spell(now + timedelta(hours=hours)).removesuffix("Z") + offset
        yield from ((name, text) for name, text in times.items() if timestamp(text).spellings[0] == self.spelling)


_STEP = r"(?:/(?!0)(?:{n}))?"
_RANGE = rf"(?:{{n}})(?:-(?:{{n}}){_STEP})?"
_FIELD = rf"(?:\*{_STEP}|{_RANGE}(?:,{_RANGE})*)"
_MINUTE, _HOUR, _DAY, _MONTH, _WEEKDAY = (
    _FIELD.replace("{n}", n)
    for n in ("[1-5]?[0-9]", "1?[0-9]|2[0-3]", "[12][0-9]|3[01]|[1-9]", "1[0-2]|[1-9]", "[0-7]")
)
_CRON_PATTERN = re.compile(" ".join([_MINUTE, _HOUR, _DAY, _MONTH, _WEEKDAY]))
_CRON_RANGE = re.compile("([0-9]+)-([0-9]+)")


class Cron(Notation, kind="cron"):
    """A schedule that is not five numeric fields, as in crontab(5)."""

    plain = EdgeTable(
        ("0 0 * * *", "0 0 29 2 *", "59 23 31 12 7"),
        (
            Edge("steps", "contains a step such as */5", any_of("/"), ("*/5 * * * *", "15 */2 * 1-6 0")),
            Edge("ranges", "contains a range", any_of("-"), ("0 9 * * 1-5",)),
            Edge("lists", "contains a list", any_of(","), ("30 6 1,15 * *",)),
            Edge("every-minute", "begins with *", lambda text, schema: text[:1] == "*", ("* * * * *",)),
        ),
    )
    unusual: ClassVar[Mapping[str, str]] = {
        "nickname": "@daily", "six-fields": "0 0 12 * * ?", "seven-fields": "0 0 12 * * ? 2030",
        "names": "0 9 * jan mon-fri", "last-day": "0 0 L * *", "question-mark": "0 0 ? * 1",
        "nearest-weekday": "0 0 15W * *", "nth-weekday": "0 0 * * 5#3", "step-from-a-number": "5/15 * * * *",
        "hashed": "H H * * *", "padded": " 0 0 * * * ", "tabs": "0\t0\t*\t*\t*", "with-zone": "TZ=UTC 0 0 * * *",
        "leading-zeros": "00 00 * * *", "four-fields": "0 0 * *", "out-of-range": "61 25 * * *",
        "range-backwards": "5-1 * * * *", "step-of-zero": "*/0 * * * *", "word": "weekly", "empty": "", "blank": " ",
    }  # fmt: skip

    def touches(self, value: Any) -> bool:
        ranges = _CRON_RANGE.findall(value)
        return _CRON_PATTERN.fullmatch(value) is None or any(int(low) > int(high) for low, high in ranges)


_URL_PATTERN = re.compile(
    r"https?://(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.)+[A-Za-z](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])"
    r"(?::(?:[1-9][0-9]{0,3}|[1-5][0-9]{4}|6[0-4][0-9]{3}|65[0-4][0-9]{2}|655[0-2][0-9]|6553[0-5]))?"
    r"(?:/(?:[A-Za-z0-9._~!$&'()*+,;=:@/-]|%[0-9A-Fa-f]{2})*)?"
    r"(?:\?(?:[A-Za-z0-9._~!$&'()*+,;=:@/?-]|%[0-9A-Fa-f]{2})*)?(?:#(?:[A-Za-z0-9._~!$&'()*+,"
    r";=:@/?-]|%[0-9A-Fa-f]{2})*)?"
)


URLS = EdgeTable(
    ("https://example.com/", "https://example.com/a/b.png", "https://xn--bcher-kva.example/"),
    (
        Edge("no-path", "has no path", lambda text, schema: text.count("/") == 2, ("https://example.com",)),
        Edge("port", "contains a port", lambda text, schema: text.count(":") == 2, ("https://example.com:8443/",)),
        Edge("query", "contains a query", any_of("?"), ("https://example.com/a?b=c&d=%20#e",)),
        Edge(
            "escapes",
            "contains a percent-encoded character",
            any_of("%"),
            ("https://cdn.example.com/%E6%BC%A2.pdf",),
        ),
        Edge(
            "unencrypted",
            "begins with http:",
            lambda text, schema: text.startswith("http:"),
            ("http://example.com",),
        ),
        Edge("long", "is long", lambda text, schema: len(text) >= 200, ("https://example.com/" + "a" * 235,)),
    ),
)


class Url(Notation, kind="url"):
    """A string that is no web address."""

    plain = URLS
    unusual: ClassVar[Mapping[str, str]] = {
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

    def touches(self, value: Any) -> bool:
        return _URL_PATTERN.fullmatch(value) is None


_NAME_PATTERN = re.compile(r"[A-Za-z][A-Za-z0-9]*(?:[ -][A-Za-z0-9]+)*")


class Name(Notation, kind="name"):
    """A string that is not a short name."""

    plain = EdgeTable(
        ("A", "Active", "Component", "Discontinued", "Kit"),
        (
            Edge("one-letter", "is a single letter", lambda text, schema: len(text) == 1, ("B",)),
            Edge("several-words", "has several words", any_of(" "), ("In Review", "Print on Demand")),
            Edge("small-letters", "has only small letters", lambda text, schema: text.islower(), ("active",)),
            Edge("digits", "contains a digit", some_letter(str.isdigit), ("v2",)),
        ),
    )
    unusual: ClassVar[Mapping[str, str]] = {
        "underscore": "IN_REVIEW", "digits": "7", "padded": " Active ", "letters-beyond-ascii": "prüfen",
        "punctuation": "n/a", "long": "A" * 65, "digit-first": "3D-Print", "line-break": "Active\n",
        "statement": "'; DROP TABLE products;--", "empty": "",
    }  # fmt: skip

    def touches(self, value: Any) -> bool:
        return len(value) > 64 or _NAME_PATTERN.fullmatch(value) is None


_ABOVE_DECIMALS = 2**96  # a decimal of .NET is an integer of 96 bits with a decimal point


class DecimalRange(Question, kind="decimal_range"):
    """A number that does not fit into a decimal."""

    python_types = NUMBERS

    def touches(self, value: Any) -> bool:
        whole, _, places = f"{Decimal(str(value)).copy_abs():f}".partition(".")
        places = places.rstrip("0")
        return len(places) > 28 or len(whole) > 29 or int(whole + places) >= _ABOVE_DECIMALS

    def probes(self, value: Any, now: datetime | None) -> Probes:
        yield "large", 1e29
        yield "small", 1e-29
        yield "smallest-double", 5e-324
        yield "largest-double", 1.7976931348623157e308
