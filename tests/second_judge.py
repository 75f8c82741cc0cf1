"""A second judge of messages, written by hand from the text of the contract and from the questions that `brokerfuzz
rules` lists.

The second judge shares no code and no data with brokerfuzz. It reads the tables that were transcribed by hand from the
contract (`tests/schemas/contract_tables.json`), parses JSON with Python's parser, and calculates exactly, with
fractions. It only decides whether a message is valid, invalid or unspecified.
`test_second_judge.py` compares it with the oracle.
"""

import json
import re
from calendar import timegm
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from decimal import ROUND_UP, Context
from fractions import Fraction
from functools import lru_cache
from itertools import combinations
from pathlib import Path
from typing import Any, NamedTuple

# ------------------------------------------------------------------------------------------- the tables of the contract

CONTRACT = json.loads(Path(__file__).with_name("schemas").joinpath("contract_tables.json").read_bytes())
"""The tables of the contract, which were transcribed by hand."""


class Row(NamedTuple):
    """A property: its type, if it is required, if it is nullable, and its lowest value, length or number of items. An
    object has the name of its place as its type.
    """

    kind: str
    required: bool
    nullable: bool
    least: int | None
    choices: Sequence[str] | None


def row_of(cells: Mapping[str, Any], place: str) -> Row:
    kind, items = cells["type"], cells.get("items")
    if kind == "by message":
        kind, items = ("array", "object") if place.startswith("product-list-response/") else ("object", None)
    if kind == "object":
        kind = place
    elif kind == "array":
        kind = f"array of {place}[]" if items == "object" else f"array of {items}"
    least = next((cells[name] for name in ("minimum", "minLength", "minItems") if name in cells), None)
    return Row(kind, cells["required"], cells["nullable"], least, cells.get("enum"))


TABLES: Mapping[str, Mapping[str, Row]] = {
    place: {
        row["name"]: row_of(row, f"{place}{'' if place.endswith('/') else '.'}{row['name']}") for row in table["rows"]
    }
    for table in CONTRACT["tables"]
    for place in table["objects"]
}

# ------------------------------------------------------------------------------------------------ reading JSON


class Number(str):
    """A number as it is written in a message."""


@dataclass(frozen=True)
class Value:
    """A number of a message: its exact value, or the nearest double. `digits` is True if the number is written without
    `.` and `e`; 1 and 1.0 are equal.
    """

    number: Fraction
    digits: bool = field(compare=False)


class Members(list[tuple[str, Any]]):
    """The properties of an object in their order, including properties with the same name."""


PRECISE = Context(prec=700, rounding=ROUND_UP, Emin=-400, Emax=400, traps=[])
LARGEST_DOUBLE = (2**53 - 1) * 2.0**971
SURROGATE = re.compile("[\ud800-\udfff]")


@lru_cache(maxsize=10_000)
def exact(literal: str) -> Fraction:
    """Returns the exact value of a number with up to 400 digits. Numbers with more digits become slightly larger ones,
    which does not change the results of comparisons with the bounds of the contract.
    """
    number = PRECISE.create_decimal(literal)
    return Fraction(number) if number.is_finite() else Fraction(10) ** 400 * (-1 if number < 0 else 1)


def double(literal: str) -> str:
    """Returns the nearest double of a number as text. Returns the largest double if the number is out of range."""
    return repr(min(max(float(literal), -LARGEST_DOUBLE), LARGEST_DOUBLE))


@lru_cache(maxsize=10_000)
def is_inexact(literal: str) -> bool:
    """Returns True if a double cannot contain the number exactly, or if the number has more than 640 characters."""
    return len(literal) > 640 or exact(double(literal)) != exact(literal)


def parsed(text: str) -> Any:
    """Returns `Members`, lists, strings, `Number`, booleans or None. Raises an error if the text is not JSON."""

    def reject(constant: str) -> None:
        raise ValueError(constant)

    return json.loads(text, object_pairs_hook=Members, parse_int=Number, parse_float=Number, parse_constant=reject)


def decoded(body: bytes) -> tuple[str, set[str]]:
    """Returns the text of a message, and the questions about its encoding: for example, `byte-order-mark`."""
    encoding = json.detect_encoding(body)
    if not encoding.startswith("utf-8"):
        marked = {"byte-order-mark"} if encoding in ("utf-16", "utf-32") else set()
        return body.decode(encoding, "replace"), {f"encoding.{encoding[:6]}"} | marked
    asked = {"byte-order-mark"} if encoding == "utf-8-sig" else set()
    kinds = {character(match[0])[0] for match in SEQUENCE.finditer(body)}
    worst = [kind for kind in ("other", "overlong", "surrogates") if kind in kinds]
    return body.decode(encoding, "replace"), asked | {f"encoding.{kind}" for kind in worst[:1]}


SEQUENCE = re.compile(rb"[\xc0-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf7][\x80-\xbf]{3}|[\x80-\xff]")
"""The bytes of a character beyond ASCII, or one byte that does not belong to a character."""


def character(sequence: bytes) -> tuple[str, str]:
    """Returns `valid` and the character that the bytes encode. If they are not UTF-8, returns `other`, `overlong` or
    `surrogates`, and the character for which overlong bytes stand.
    """
    if len(sequence) == 1:
        return "other", "\ufffd"
    code = sequence[0] & (0xFF >> len(sequence) + 1)
    for byte in sequence[1:]:
        code = code << 6 | byte & 0x3F
    is_surrogate = 0xD800 <= code < 0xE000
    shown = "\ufffd" if is_surrogate or code > 0x10FFFF else chr(code)
    if code > 0x10FFFF or code < (0x80, 0x800, 0x10000)[len(sequence) - 2]:
        return "overlong", shown
    return "surrogates" if is_surrogate else "valid", shown


def with_overlong_characters(body: bytes) -> str:
    """Decodes the bytes, and reads overlong sequences as the characters that they stand for."""
    return SEQUENCE.sub(lambda match: character(match[0])[1].encode(), body).decode("utf-8-sig")


def parts(value: Any) -> Iterator[Any]:
    """Yields the names, strings, numbers and objects in a value, at any depth."""
    left = [value]
    while left:
        value = left.pop()
        yield value
        if isinstance(value, Members):
            for name, below in value:
                yield name
                left.append(below)
        elif isinstance(value, list):
            left += value


def read_as(value: Any, counted: int, rounded: bool, depth: int = 0) -> Any:
    """Returns the value in the interpretation that `counted` and `rounded` select. Of several properties with the same
    name, the one with the index `counted` counts, or the last one if there are fewer. If `rounded` is true, numbers are
    rounded to doubles.

    Omits everything below twenty levels, because no rule concerns parts below seven levels.
    """
    if isinstance(value, Number):
        return Value(exact(double(value) if rounded else value), not set(value) & set(".eE"))
    if isinstance(value, list) and depth == 20:
        return []
    if isinstance(value, Members):
        given: dict[str, list[Any]] = {}
        for name, below in value:
            given.setdefault(name, []).append(below)
        chosen = {name: values[: counted + 1][-1] for name, values in given.items()}
        return {name: read_as(below, counted, rounded, depth + 1) for name, below in chosen.items()}
    if isinstance(value, list):
        return [read_as(below, counted, rounded, depth + 1) for below in value]
    return value


# ------------------------------------------------------------------------------------------------ rules


@dataclass
class Findings:
    """The result for one interpretation of a message: the JSON Pointers of its faults, and the ambiguities that it
    raises. Only the answer that values are rejected settles those in `unsettled`.
    """

    faults: set[str] = field(default_factory=set)
    questions: set[str] = field(default_factory=set)
    unsettled: set[str] = field(default_factory=set)


def below(place: str, name: str) -> str:
    """Returns a JSON Pointer that can be written as UTF-8, so it has no lone surrogates."""
    shown = SURROGATE.sub("\ufffd", name)
    return f"{place}/{shown.replace('~', '~0').replace('/', '~1')}"


def check_object(shape: str, value: Any, place: str, found: Findings) -> None:
    if not isinstance(value, dict):
        found.faults.add(place)
        return
    table = TABLES[shape]
    found.faults |= {below(place, name) for name in value if name not in table}
    for name, row in table.items():
        if name in value:
            check_property(row, value[name], below(place, name), found)
        elif row.required:
            found.faults.add(below(place, name))


def check_property(row: Row, value: Any, place: str, found: Findings) -> None:
    if value is None:
        found.faults |= set() if row.nullable else {place}
        return
    items = row.kind.removeprefix("array of ")
    if items == row.kind:
        check_value(row.kind, value, place, found)
    elif not isinstance(value, list):
        found.faults.add(place)
    else:
        for index, item in enumerate(value):
            check_value(items, item, f"{place}/{index}", found)
        if len(value) > 100:
            found.questions.add("item-count")
    if place in found.faults:
        return
    if row.choices is not None and value not in row.choices:
        found.faults.add(place)
    if row.least is not None and (value.number if isinstance(value, Value) else len(value)) < row.least:
        found.faults.add(place)


def check_value(kind: str, value: Any, place: str, found: Findings) -> None:
    if kind in TABLES:
        check_object(kind, value, place, found)
        return
    types: Mapping[str, Any] = {"boolean": bool, "string": str}
    if not isinstance(value, types.get(kind, Value)):
        found.faults.add(place)
    elif kind == "string" and len(value) > 255:
        found.questions.add("string-length")
    elif kind == "int32":
        if value.number.denominator != 1 or not -(2**31) <= value.number < 2**31:
            found.faults.add(place)
        elif not value.digits:
            found.questions.add("integer-form")
    elif kind == "decimal" and not is_decimal(value.number):
        found.questions.add("decimal-range")


def is_decimal(number: Fraction) -> bool:
    """Returns True if the number fits into a decimal type with 96 bits and at most 28 decimal places."""
    scaled = (number * 10**places for places in range(29))
    return any(one.denominator == 1 and abs(one) < 2**96 for one in scaled)


def check_product_list_offer(offer: Mapping[str, Any], found: Findings) -> None:
    """An offer of the type Product List must have clusters with products. `TABLES` does not contain this rule."""
    if offer.get("offerType") != "Product List":
        return
    clusters = offer.get("productClusters")
    if clusters is None or clusters == []:
        found.faults.add("/productClusters")
    for index, cluster in enumerate(clusters if isinstance(clusters, list) else ()):
        if isinstance(cluster, dict) and cluster.get("products") is None:
            found.faults.add(f"/productClusters/{index}/products")


def check_past(offer: Mapping[str, Any], seconds: Sequence[int], now: datetime, found: Findings) -> None:
    """`seconds` contains the smallest and the largest clock tolerance: how many seconds a timestamp may be after
    `now`.
    """
    updated = offer.get("lastUpdatedDateTimeUtc")
    if not isinstance(updated, str):
        return
    earliest, latest = bounds_of(updated)
    present = timegm(now.utctimetuple()) + Fraction(now.microsecond, 10**6)
    if earliest > present + max(seconds):
        found.faults.add("/lastUpdatedDateTimeUtc")
    elif latest > present + min(seconds):
        question = "clock-tolerance" if earliest == latest else "timestamp-format.other"
        found.questions.add(question)
        found.unsettled.add(question)


# ------------------------------------------------------------------------------------------------ timestamps

TIMESTAMP = re.compile(
    r"([0-9]{4})-([0-9]{2})-([0-9]{2})(?:([Tt "
    r"])([0-9]{2}):([0-9]{2}):([0-9]{2})(?:\.([0-9]+))?(?:([Zz])|([+-])([0-9]{2}):([0-9]{2}))?)?"
)


def minute_of(year: int, month: int, day: int, hour: int = 0, minute: int = 0) -> int | None:
    """Returns a minute in seconds since 1970, or None if it does not exist."""
    try:
        return timegm(datetime(year, month, day, hour, minute).timetuple())  # noqa: DTZ001 - all times are in UTC
    except ValueError:
        return None


def timestamp(text: str) -> tuple[Fraction | None, set[str]]:
    """Returns the moment of a timestamp, and the features of its format that not every parser supports."""
    match = TIMESTAMP.fullmatch(text)
    if match is None:
        return None, {"other"}
    year, month, day, hour, minute, second = (int(part or 0) for part in match.group(1, 2, 3, 5, 6, 7))
    t, fraction, z, sign, hours, minutes = match.group(4, 8, 9, 10, 11, 12)
    begun = minute_of(year, month, day, hour, minute)
    if begun is None or second > 60 or (sign and (int(hours) > 23 or int(minutes) > 59)):
        return None, {"other"}
    offset = (int(hours) * 3600 + int(minutes) * 60) * (-1 if sign == "-" else 1) if sign else 0
    moment = begun + second - offset + (Fraction(f"0.{fraction}") if fraction else 0)
    earliest, latest = timegm((1, 1, 1, 0, 0, 0)), timegm((9999, 12, 31, 23, 59, 59)) + 1
    if not earliest <= moment < latest:
        return None, {"other"}
    if second == 60 and (moment // 60) % 1440 != 0:
        return None, {"other"}
    spellings = {
        "offset": bool(sign),
        "no-zone": bool(t) and not z and not sign,
        "lower-case": t == "t" or z == "z",
        "space": t == " ",
        "date-only": not t,
        "fraction": fraction is not None,
        "leap-second": second == 60,
        "early-year": moment < timegm((1753, 1, 1, 0, 0, 0)),
    }
    return Fraction(moment), {spelling for spelling, has in spellings.items() if has}


LAST_MOMENT = Fraction(timegm((9999, 12, 31, 23, 59, 59)))
LONG_AGO, NEVER = Fraction(-(10**15)), Fraction(10**15)


def bounds_of(text: str) -> tuple[Fraction, Fraction]:
    """Returns the earliest and the latest moment, in seconds since 1970, that a timestamp can mean."""
    moment = timestamp(text)[0]
    return (moment, moment) if moment is not None else bounds_of_unusual(text)


def bounds_of_unusual(text: str) -> tuple[Fraction, Fraction]:
    """A date at the beginning of the text, in any time zone, limits the moments. Otherwise they can be any."""
    digits = re.match(r"\s*[+]?([0-9]+)(-[0-9][0-9]-[0-9][0-9]|T)", text)
    if digits is None:
        return LONG_AGO, NEVER
    year, month, day = (
        (digits[1], *digits[2].split("-")[1:])
        if digits[2] != "T"
        else (digits[1][:-4], digits[1][-4:-2], digits[1][-2:])
    )
    if len(year) < 4 or len(year.lstrip("0")) > 6 or len(year) > 10:
        return LONG_AGO, NEVER
    if int(year) > 9999:
        return LAST_MOMENT, NEVER
    begun = minute_of(int(year), int(month), int(day))
    if begun is None:
        return LONG_AGO, NEVER
    return Fraction(begun - 24 * 60 * 60), Fraction(begun + 2 * 24 * 60 * 60)


# --------------------------------------------------------------------------------------- questions about valid messages


def is_cron(text: str) -> bool:
    """Returns True if the text consists of five numeric fields, as in crontab(5)."""
    limits = ((0, 59), (0, 23), (1, 31), (1, 12), (0, 7))
    fields = text.split(" ")
    return len(fields) == 5 and all(is_cron_field(field, *limit) for field, limit in zip(fields, limits, strict=True))


def is_cron_field(text: str, low: int, high: int) -> bool:
    number = "(0|[1-9][0-9]?)"
    every = re.fullmatch(rf"\*(?:/{number})?", text)
    if every:
        return 0 < int(every[1] or 1) <= high
    spans = [re.fullmatch(f"{number}(?:-{number}(?:/{number})?)?", part) for part in text.split(",")]
    return all(
        span and low <= int(span[1]) <= int(span[2] or span[1]) <= high and 0 < int(span[3] or 1) <= high
        for span in spans
    )


LABEL = "(?!-)[A-Za-z0-9-]{1,63}(?<!-)"
CHARACTER = "[A-Za-z0-9._~!$&'()*+,;=:@/-]|%[0-9A-Fa-f]{2}"
WEB_ADDRESS = re.compile(
    rf"https?://(?:{LABEL}\.)+(?=[A-Za-z][A-Za-z0-9-]){LABEL}(?::([1-9][0-9]{{0,4}}))?"
    rf"(?:/(?:{CHARACTER})*)?(?:\?(?:{CHARACTER}|\?)*)?(?:#(?:{CHARACTER}|\?)*)?"
)


def is_web_address(text: str) -> bool:
    """Returns True for an absolute URL with http or https, a host with a dot, and only characters that RFC 3986
    allows.
    """
    match = WEB_ADDRESS.fullmatch(text)
    return match is not None and int(match[1] or 1) < 65536


def is_short_name(text: str) -> bool:
    """Returns True for words of letters and digits, with one space or hyphen between them. The first character is a
    letter.
    """
    return len(text) <= 64 and re.fullmatch("[A-Za-z0-9]+(?:[ -][A-Za-z0-9]+)*", text) is not None and text[0].isalpha()


def at(message: Any, path: str) -> list[Any]:
    """Returns the values at a path such as `data.offers[].pageCount`, except nulls."""
    found = [message]
    for step in filter(None, path.split(".")):
        values = [one.get(step.removesuffix("[]")) for one in found if isinstance(one, dict)]
        found = [value for value in values if value is not None]
        if step.endswith("[]"):
            found = [item for items in found if isinstance(items, list) for item in items]
    return found


TIMESTAMPS = ("availableStartDate", "availableEndDate", "lastUpdatedDateTimeUtc", "data[].lastUpdateDateTimeUtc")
URLS = ("fullImageUrl", "thumbnailUrl", "pdfUrl")
NAMES = {
    "property-types": "additionalPropsRequiredOnOrder[].type",
    "product-types": "data[].productType",
    "product-states": "data[].status",
}
RANGES = (
    ("", "orderMinimum", "orderMaximum"),
    ("priceClasses[].priceTiers[]", "minimumQuantity", "maximumQuantity"),
    ("priceClasses[].priceTiers[].pageCounts[]", "minimumPages", "maximumPages"),
)
UNIQUE = (
    ("accessGroups", ""), ("categoryIds", ""), ("onlyShipMethodsAvailable", ""), ("fixedOrderQuantities", ""),
    ("additionalPropsRequiredOnOrder", "name"), ("omniChannel.offers", "offerId"), ("priceClasses", "name"),
    ("priceClasses[].priceTiers", ""), ("priceClasses[].priceTiers[].pageCounts", ""), ("productClusters", "id"),
    ("productClusters[].products", "productId"), ("data", "productId"), ("data.offers", "offerId"),
    ("data.offers[].productIds", ""),
)  # fmt: skip
"""Arrays whose items should be different, and the property that identifies an item."""


def repeats(items: Any, key: str) -> bool:
    """Returns True if two items of an array are equal, or have the same string in the property `key`."""
    keys = [item.get(key) if key else None for item in items]
    return any(
        one == other or (keys[i] == keys[j] and isinstance(keys[i], str))
        for (i, one), (j, other) in combinations(enumerate(items), 2)
    )


def exceeds(low: Value | None, high: Value | None) -> bool:
    return low is not None and high is not None and low.number > high.number


def questions_of(message: Mapping[str, Any]) -> Iterator[str]:
    for path in TIMESTAMPS:
        for text in at(message, path):
            yield from (f"timestamp-format.{spelling}" for spelling in timestamp(text)[1])
    yield from (question for question, path in NAMES.items() if not all(map(is_short_name, at(message, path))))
    if any(exceeds(one.get(low), one.get(high)) for path, low, high in RANGES for one in at(message, path)):
        yield "range-order"
    if any(repeats(items, key) for path, key in UNIQUE for items in at(message, path) if isinstance(items, list)):
        yield "duplicate-items"
    yield from questions_of_response(message) if "data" in message else questions_of_offer(message)


def questions_of_offer(offer: Mapping[str, Any]) -> Iterator[str]:
    start, end = (at(offer, name) for name in ("availableStartDate", "availableEndDate"))
    if start and end and bounds_of(end[0])[0] <= bounds_of(start[0])[1]:
        yield "availability-order"
    if not all(map(is_cron, at(offer, "deliveryScheduleCron"))):
        yield "cron-syntax"
    if not all(is_web_address(url) for name in URLS for url in at(offer, name)):
        yield "url-syntax"
    low, high = offer.get("orderMinimum"), offer.get("orderMaximum")
    if any(exceeds(low, one) or exceeds(one, high) for one in at(offer, "fixedOrderQuantities[]")):
        yield "quantity-range"


def questions_of_response(response: Mapping[str, Any]) -> Iterator[str]:
    success, failed, data = response["operationWasSuccessful"], response["failureMessages"] != [], response["data"]
    if (success, failed, data is None) not in ((True, False, False), (False, True, True)):
        yield "envelope-consistency"
    if isinstance(data, dict):
        yield from questions_of_prices(data)


def questions_of_prices(data: Mapping[str, Any]) -> Iterator[str]:
    offers = data["offers"]
    total = sum((offer["extendedPrice"].number for offer in offers), Fraction(0))
    prices = [(offer["unitPrice"].number * offer["quantity"].number, offer["extendedPrice"].number) for offer in offers]
    below = [pair for pair in prices if pair[1] < pair[0]]
    wrong = (
        [*below, (total, data["totalExtendedPrice"].number)] if total != data["totalExtendedPrice"].number else below
    )
    if not all(is_about(*pair) for pair in wrong):
        yield "price-arithmetic"
    elif wrong:
        yield "price-rounding"


def is_about(expected: Fraction, got: Fraction) -> bool:
    """Returns True if the amounts differ by at most half a cent, or by at most one billionth of the expected amount."""
    return abs(expected - got) <= max(Fraction(1, 200), abs(expected) * Fraction(1, 10**9))


# ------------------------------------------------------------------------------------------------ verdicts

Answers = Mapping[str, Sequence[str]]
"""Maps a question to the answers that are still possible. If a question is missing, all answers are possible."""


@dataclass(frozen=True)
class Judgement:
    """The findings in each possible interpretation of a message."""

    ways: Sequence[Findings]

    @property
    def label(self) -> str:
        if all(way.faults for way in self.ways):
            return "invalid"
        return "unspecified" if any(way.faults or way.questions for way in self.ways) else "valid"

    @property
    def places(self) -> set[str]:
        """The JSON Pointers of the faults that a message has in every interpretation."""
        return set.intersection(*(way.faults for way in self.ways))

    @property
    def asked(self) -> set[str]:
        """The questions that can change the label. If the message has a fault in one interpretation, the questions in
        this interpretation do not matter.
        """
        return set().union(*(way.questions for way in self.ways if not way.faults))


def judge(message_type: str, body: bytes, now: datetime, answers: Answers | None = None) -> Judgement:
    answers = answers or {}
    text, questions = decoded(body)
    if len(body) > 2**20:
        questions.add("message-size")
    overlong = "encoding.overlong" in questions
    texts = {"replaced": text, "decoded": with_overlong_characters(body)} if overlong else {"replaced": text}
    possible = [text for name, text in texts.items() if is_possible("encoding.overlong", name, overlong, answers)]
    return Judgement([way for text in possible for way in ways_of(message_type, text, questions, now, answers)])


def ways_of(message_type: str, text: str, questions: set[str], now: datetime, answers: Answers) -> Iterator[Findings]:
    """Judges a text in each of its possible interpretations."""
    try:
        value = parsed(text)
    except (ValueError, RecursionError):  # the deepest messages of the catalogue are brackets without an end
        yield Findings({""})
        return
    every = list(parts(value))
    strings = [part for part in every if isinstance(part, str)]
    named = [Counter(name for name, _ in part) for part in every if isinstance(part, Members)]
    times = max((count for names in named for count in names.values()), default=1)
    if times > 2 and "both" in answers.get("duplicate-properties", ()):  # "both" is an answer about two properties
        answers = {question: answer for question, answer in answers.items() if question != "duplicate-properties"}
    inexact = any(isinstance(part, Number) and is_inexact(part) for part in every)
    raised = {
        "nul-characters": any("\0" in part for part in strings),
        "lone-surrogates": any(SURROGATE.search(part) for part in strings),
        "duplicate-properties": times > 1,
        "double-range": inexact,
    }
    questions = questions | {question for question, is_raised in raised.items() if is_raised}
    for rounded in (False, True) if inexact else (False,):
        if is_possible("double-range", "rounded" if rounded else "exact", inexact, answers):
            first, last = (
                findings(message_type, read_as(value, index, rounded), questions, now, answers)
                for index in (0, times - 1)
            )
            if times == 1:
                yield first
                continue
            both = Findings(first.faults | last.faults, first.questions | last.questions)
            for name, way in {"last": last, "first": first, "both": both}.items():
                if is_possible("duplicate-properties", name, True, answers):
                    yield way


def is_possible(question: str, answer: str, asked: bool, answers: Answers) -> bool:
    """Returns True if the policies allow this answer. Also returns True if the policy is `rejected`, because then the
    message is invalid with every answer.
    """
    possible = answers.get(question, (answer,))
    return not asked or answer in possible or list(possible) == ["rejected"]


def findings(message_type: str, value: Any, questions: set[str], now: datetime, answers: Answers) -> Findings:
    """Judges one interpretation of a message."""
    found = Findings(set(), set(questions))
    check_object(f"{message_type}/", value, "", found)
    if message_type == "offer-creation-request" and isinstance(value, dict):
        check_product_list_offer(value, found)
        check_past(value, [int(one) for one in answers.get("clock-tolerance", ("0", "300"))], now, found)
    if not found.faults:
        found.questions |= set(questions_of(value))
    for question in found.questions & answers.keys():
        if list(answers[question]) == ["rejected"]:
            found.faults.add(f"rejected: {question}")
        elif "rejected" not in answers[question] and question not in found.unsettled:
            found.questions.remove(question)
    return found
