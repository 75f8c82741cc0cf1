"""Lists the edges: the ways in which a valid value can be unusual. For example, a string can be empty.

An edge has a name, a test, and values that pass the test. The generator draws the values, the catalogue has a case for
each edge, and the coverage of a corpus is counted with the tests. All values are valid and touch no ambiguity, so a
message can contain any number of them.
"""

import unicodedata
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any

from brokerfuzz.schemas.edge import LONGEST, Edge, EdgeTable, EdgeTest, any_of
from brokerfuzz.schemas.keywords import Schema
from brokerfuzz.schemas.questions.notations import INSTANTS

SIZES = (0, 1, 2, 11, 100)
"""Sizes of arrays that programs may treat differently: no item, one item, several items, more than ten items, and very
many items.
"""

# -------------------------------------------------------------------------------------------------------- strings

_LONGEST_OF_ALL = 10_000


def longest(schema: Schema) -> int:
    """Returns the length of the longest string that is generated for a schema."""
    most: int = min(schema.get("maxLength", LONGEST), _LONGEST_OF_ALL)
    return max(most, int(schema.get("minLength", 0)))


def _beyond_ascii(is_one: Callable[[str], bool]) -> EdgeTest:
    return lambda text, schema: not text.isascii() and any(map(is_one, text))


def _category(*categories: str) -> Callable[[str], bool]:
    return lambda letter: unicodedata.category(letter) in categories


_QUERIES = (
    "' OR '1'='1", "'; DROP TABLE offers;--", "*)(uid=*", "' or count(/*)=1 or '", "$(id)", "; ls", "=1+1", "a,b;c",
)  # fmt: skip
TEXTS = EdgeTable(
    ("a", "A", "/", "CON", "@here", "__proto__", "2020-01-01T00:00:00Z", "1e5"),
    (
        Edge("empty", "is empty", lambda text, schema: not text, ("",)),
        Edge("blank", "is blank", lambda text, schema: bool(text) and text.isspace(), (" ", " " * 16)),
        Edge(
            "padded",
            "begins or ends with white space, but is not blank",
            lambda text, schema: bool(text.strip()) and text != text.strip(),
            ("  a  ",),
        ),
        Edge("shortest", "has the minimum length", lambda text, schema: 0 < len(text) == schema.get("minLength", 0)),
        Edge(
            "numeric",
            "looks like a number",
            lambda text, schema: text.lstrip("-").replace(".", "", 1).isdecimal(),
            ("0", "-1", "1.0"),
        ),
        Edge(
            "words-of-json",
            "is a word such as null, true or NaN",
            lambda text, schema: text in ("null", "true", "false", "NaN", "undefined", "None"),
            ("true", "null", "NaN", "undefined", "None"),
        ),
        Edge(
            "control-characters",
            "contains a control character",
            any_of("".join(map(chr, (*range(0x20), *range(0x7F, 0xA0))))),
            ("\t\n", "a\r\nb", "\x01\x1f\x7f", "\u0085"),
        ),
        Edge(
            "latin-letters",
            "contains a letter such as é",
            _beyond_ascii(lambda letter: "\xa0" < letter < "\u0250"),
            ("é", "ß", "İ", "ŉ"),
        ),
        Edge(
            "combining-marks",
            "contains a combining character",
            _beyond_ascii(_category("Mn", "Mc")),
            ("e\u0301", "Z̷̑a̴l̵g̸o"),
        ),
        Edge(
            "letters-beyond-latin",
            "contains a letter beyond Latin",
            _beyond_ascii(lambda letter: "\u0370" <= letter < "\ud800" and letter.isalpha()),
            ("漢字", "हिन्दी"),
        ),
        Edge(
            "right-to-left",
            "contains right-to-left letters",
            _beyond_ascii(lambda letter: unicodedata.bidirectional(letter) in ("R", "AL", "RLO")),
            ("שלום", "\u202eabc\u202c"),
        ),
        Edge(
            "invisible-characters",
            "contains an invisible character",
            _beyond_ascii(lambda letter: letter == "\xa0" or _category("Cf", "Zl", "Zp", "Cn")(letter)),
            ("\u00a0", "\u2028", "\ufeffa", "a\u200bb", "\uffff"),
        ),
        Edge(
            "astral",
            "contains a character beyond U+FFFF",
            _beyond_ascii(lambda letter: letter > "\uffff"),
            ("𝒳", "🧪", "👩‍👩‍👧‍👦", "🇨🇭"),
        ),
        Edge("quotes", "contains a quotation mark or an apostrophe", any_of("\"'`"), ('"', "'", "`")),
        Edge("back-slashes", "contains a backslash", any_of("\\"), ("\\", "\\u0041")),
        Edge(
            "markup",
            "contains <, > or &",
            any_of("<>&"),
            ("&amp;", "<b>", "]]>", "<!--", "<script>alert(1)</script>"),
        ),
        Edge(
            "formats",
            "contains one of %{}$#",
            any_of("%{}$#"),
            ("%s%n", "{0}", "{{7*7}}", "${7*7}", "#{7*7}", '{"$gt":""}'),
        ),
        Edge("queries", "contains one of *;=|()", any_of("*;=|()"), _QUERIES),
        Edge(
            "paths",
            "contains a path such as ../",
            lambda text, schema: "../" in text or ":\\" in text,
            ("../../etc/passwd", "C:\\a"),
        ),
        Edge("long", "is long", lambda text, schema: len(text) >= 255, ("b" * 255, "é" * 255, "🧪" * 255)),
        Edge("longest", "has the maximum length", lambda text, schema: len(text) == schema.get("maxLength")),
    ),
)
OFTEN: Sequence[str] = (
    " é̀שלום\\<b>🧪 ",
    "'${7*7}%s;--漢\u200b\t../",
    '\u00e9\u202eא\\&\x01"*)',
    "हिन्दी`<!--#{0}|C:\\",
    "",
    " ",
    "0",
    "true",
)
"""Strings that together have nearly all edges, so that a few messages test them: strings with many edges, and one for
each edge that a string can have only alone.
"""


@lru_cache(maxsize=256)
def texts(shortest: int, most: int) -> Sequence[str]:
    """Returns strings of `shortest` to `most` characters, simplest first. Some strings have the minimum or the maximum
    length.
    """
    bounds = ["b" * shortest, "b" * min(shortest + 1, most)] if shortest or most != LONGEST else []
    candidates = [*TEXTS.values, *OFTEN, *bounds, "b" * most]
    return tuple(dict.fromkeys(text for text in candidates if shortest <= len(text) <= most))


# ----------------------------------------------------------------------------------------- strings with a notation

EARLIEST_NOW = datetime(2001, 1, 1, tzinfo=UTC)
LATEST_NOW = datetime(9900, 1, 1, tzinfo=UTC)
"""The latest time for which brokerfuzz generates cases. Even at this time, timestamps of the year 9999 are in the
future.
"""

PAST_INSTANTS = EdgeTable(
    ("2000-01-01T00:00:00Z", "2000-06-30T12:00:00Z", "1996-03-31T01:30:00Z", "1996-10-27T01:30:00Z"),
    [edge._replace(values=tuple(text for text in edge.values if text < "2001")) for edge in INSTANTS.edges],
)
"""Timestamps before `EARLIEST_NOW` (the earliest supported time), so they are never in the future."""

# -------------------------------------------------------------------------------------------------------- numbers


def _is_zero(number: float, schema: Schema) -> bool:
    return number == 0


def _is_negative(number: float, schema: Schema) -> bool:
    return number < 0


def _is_large(number: float, schema: Schema) -> bool:
    return abs(number) >= 1e6


_BOUNDS = (
    Edge("lowest", "is the minimum", lambda number, schema: number == schema.get("minimum")),
    Edge("highest", "is the maximum", lambda number, schema: number == schema.get("maximum")),
)
INTEGERS = EdgeTable(
    (1, 2, 3, 9, 10, 11, 12, 99, 100, 127, 128, 255, 256, 1000, 32767, 32768, 65535, 65536, 99999),
    (
        Edge("zero", "is zero", _is_zero, (0,)),
        Edge("negative", "is negative", _is_negative, (-1, -2, -128, -32769)),
        *_BOUNDS,
        Edge("large", "is at least a million", _is_large, (1000000,)),
    ),
)
NUMBERS = EdgeTable(
    (1, 1.0, 10, 100.0),
    (
        Edge("zero", "is zero", _is_zero, (0, -0.0)),
        Edge("negative", "is negative", _is_negative, (-1, -0.01, -9.99, -1234.5)),
        *_BOUNDS,
        Edge("large", "is at least a million", _is_large, (1e6, 2**31)),
        Edge(
            "fraction",
            "has decimal places",
            lambda number, schema: number % 1 != 0,
            (0.5, 0.1, 0.01, 9.99, 12.34, 99999.99, 123456789.01),
        ),
        Edge(
            "fine-fraction",
            "has more than two decimal places",
            lambda number, schema: abs(number) < 1e6 and round(number, 2) != number,
            (0.001, 19.995, 1.005, 0.1 + 0.2, 1 / 3),
        ),
        Edge(
            "huge",
            "is beyond 10^15",
            lambda number, schema: abs(number) >= 1e15,
            (1e15, 2**53, -(2**53), 1e21, 1e28, 1.7976931348623157e308, -1.7976931348623157e308),
        ),
        Edge(
            "tiny",
            "is tiny (below 0.000001)",
            lambda number, schema: 0 < abs(number) < 1e-6,
            (1e-7, 5e-324, 2.2250738585072014e-308),
        ),
    ),
)


@lru_cache(maxsize=256)
def integers(low: int, high: int, step: int = 1) -> Sequence[int]:
    """Returns multiples of `step` from `low` to `high`, simplest first. The lowest and the highest multiple are
    included.
    """
    bounds = [low, low + 1, high, high - 1]
    rounded = [value - value % step for value in (*INTEGERS.values, *bounds, low + step - 1)]
    return tuple(dict.fromkeys(value for value in rounded if low <= value <= high))


@lru_cache(maxsize=256, typed=True)  # the bounds 1 and 1.0 are different values
def numbers(low: float, high: float) -> Sequence[int | float]:
    """Returns numbers from `low` to `high`, simplest first."""
    candidates = [*NUMBERS.values, *(value for value in (low, high) if abs(value) <= 1.8e308)]
    fitting = [value for value in candidates if low <= value <= high]
    return tuple({(value, type(value), str(value)): value for value in fitting}.values())


OF_ANY_TYPE: Sequence[Any] = ("a", False, True, 0, 1.5, "")
"""Values of a property that may have any type. Only a changed contract has such properties."""
