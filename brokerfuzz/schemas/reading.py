"""Reading JSON as RFC 8259 has it, and nothing besides.

A parser of a service forgives or forgets; the oracle must see what is there. `read` takes any bytes and never raises:
NaN and trailing text are refused, members of the same name are seen, integers have any length, numbers that a double
cannot hold are noticed, and nesting of any depth is read without recursion.
"""

import json
import math
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation
from typing import Any, NoReturn

DEEPEST = 64
"""Arrays and objects below this depth are read for their grammar, then taken for empty ones: no site lies as deep."""

_LARGEST = math.nextafter(math.inf, 0)
_SMALLEST = math.ulp(0.0)
_LONGEST_NUMBER = 1000  # characters; longer ones are out of any double's hold, and Python refuses integers past 4,300 digits


@dataclass(slots=True)
class Reading:
    """What bytes say.

    `values`: the message in every way that it can be read, the usual one first; more than one only where members share
    a name (the last one counts, or the first) or a number does not fit a double (as written, or rounded). Empty where
    `error` says why the bytes are no JSON. `encoding` is the encoding's name where that is not UTF-8, and `bom` whether
    a byte order mark came first. `exotic` lists (detector, JSON Pointer, found).
    """

    values: list[Any] = field(default_factory=list)
    error: str | None = None
    encoding: str | None = None
    bom: bool = False
    exotic: list[tuple[str, str, str]] = field(default_factory=list)


def read(body: bytes) -> Reading:
    """Reads a message. Never raises; see `Reading`."""
    reading = Reading()
    text = _decode(body, reading)
    numbers = _Numbers()
    repeated: list[str] = []
    try:
        reading.values = [_parse(text, numbers.integer, numbers.real, _last_wins(repeated))]
    except RecursionError:
        return _read_deep(text, reading)
    except ValueError as problem:
        reading.error = _explain(problem)
        return reading
    if numbers.inexact or repeated or "\\u" in text or reading.encoding:
        _look_closer(text, reading, inexact=bool(numbers.inexact), repeated=bool(repeated))
    return reading


def read_shallow(body: bytes) -> Reading:
    """Reads a message as `read` does, and takes what lies deeper than `DEEPEST` for empty, whether or not it had to."""
    reading = Reading()
    return _read_deep(_decode(body, reading), reading)


def _decode(body: bytes, reading: Reading) -> str:
    encoding = json.detect_encoding(body)
    reading.bom = encoding in ("utf-8-sig", "utf-16", "utf-32")
    if not encoding.startswith("utf-8"):
        reading.encoding = encoding
    try:
        return body.decode(encoding)
    except UnicodeDecodeError:
        reading.encoding = f"broken {encoding.removesuffix('-sig')}"
        return body.decode("utf-8", "surrogateescape").removeprefix("\ufeff")


Pairs = list[tuple[str, Any]]


def _parse(text: str, integer: Callable[[str], Any], real: Callable[[str], Any], pairs: Callable[[Pairs], Any]) -> Any:
    decoder = json.JSONDecoder(parse_int=integer, parse_float=real, parse_constant=_refuse, object_pairs_hook=pairs)
    return decoder.decode(text)


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is no JSON value")


def _explain(problem: ValueError) -> str:
    if isinstance(problem, json.JSONDecodeError):
        return f"{problem.msg[0].lower()}{problem.msg[1:]}, at character {problem.pos}"
    return str(problem)


class _Numbers:
    """Number hooks for the parser; `inexact` collects the literals that a double does not give back."""

    def __init__(self) -> None:
        self.inexact: list[str] = []

    def integer(self, literal: str) -> int:
        if len(literal) <= 15:
            return int(literal)
        if len(literal) > _LONGEST_NUMBER:
            self.inexact.append(literal)
            return int(math.copysign(10, -1 if literal[0] == "-" else 1)) ** 399
        value = int(literal)
        if not fits_double(literal):
            self.inexact.append(literal)
        return value

    def real(self, literal: str) -> float:
        value = float(literal)
        if len(literal) > 15 or "e" in literal or "E" in literal:
            if not fits_double(literal):
                self.inexact.append(literal)
            return _as_written(literal, value)
        return value


def fits_double(literal: str) -> bool:
    """Whether a double gives the number back as it was written (0.1 does: the shortest text of its double is 0.1)."""
    if len(literal) > _LONGEST_NUMBER:
        return False
    value = float(literal)
    if math.isinf(value):
        return False
    try:
        return Decimal(literal) == Decimal(repr(value))
    except InvalidOperation:  # an exponent beyond 10**18: zero or out of range
        return not re.search("[1-9]", literal.lower().partition("e")[0])


def _as_written(literal: str, value: float) -> float:
    """The double on the same side of every bound as the number itself, where that is too large or too small for one."""
    if math.isinf(value):
        return math.copysign(_LARGEST, value)
    if value == 0 and re.search("[1-9]", literal.lower().partition("e")[0]):
        return math.copysign(_SMALLEST, value)
    return value


def _rounded(literal: str) -> float:
    value = float(literal)
    return math.copysign(_LARGEST, value) if math.isinf(value) else value


def _last_wins(repeated: list[str]) -> Callable[[Pairs], dict[str, Any]]:
    def members(pairs: Pairs) -> dict[str, Any]:
        result = dict(pairs)
        if len(result) != len(pairs):
            repeated.append("")
        return result

    return members


def _first_wins(pairs: Pairs) -> dict[str, Any]:
    return dict(reversed(pairs))


class _Literal(str):
    """A number as it is written."""

    __slots__ = ()


def _look_closer(text: str, reading: Reading, *, inexact: bool, repeated: bool) -> None:
    """Adds the further readings, and says where what is exotic stands."""
    numbers = _Numbers()
    if inexact:
        reading.values.append(_parse(text, lambda literal: _rounded_integer(literal), _rounded, dict))
    if repeated:
        reading.values.append(_parse(text, numbers.integer, numbers.real, _first_wins))
    _note(_parse(text, _Literal, _Literal, _Members), "", reading.exotic)
    if any(detector == "lone_surrogates" for detector, _, _ in reading.exotic) or reading.encoding:
        reading.values = [without_surrogates(value) for value in reading.values]


def _rounded_integer(literal: str) -> int:
    value = _rounded(literal)
    return int(value)


class _Members(list[tuple[str, Any]]):
    """An object as it is written, members of the same name included."""


def _note(value: Any, at: str, exotic: list[tuple[str, str, str]]) -> None:
    if isinstance(value, _Literal):
        if not fits_double(value):
            exotic.append(("double_range", at, value if len(value) <= 60 else f"a number of {len(value):,} characters"))
    elif isinstance(value, str):
        _note_text(value, at, exotic)
    elif isinstance(value, _Members):
        seen: set[str] = set()
        for name, member in value:
            there = f"{at}/{escape(name)}"
            if name in seen:
                exotic.append(("duplicate_members", there, f"a second member {name!r}"))
            seen.add(name)
            _note_text(name, there, exotic)
            _note(member, there, exotic)
    elif isinstance(value, list):
        for index, item in enumerate(value):
            _note(item, f"{at}/{index}", exotic)


def _note_text(text: str, at: str, exotic: list[tuple[str, str, str]]) -> None:
    if "\0" in text:
        exotic.append(("nul_characters", at.replace("\0", "\\u0000"), "a NUL character"))
    if lone := re.search("[\ud800-\udfff]", text):
        at = at.encode("utf-8", "backslashreplace").decode()
        if 0xDC80 <= ord(lone[0]) <= 0xDCFF:  # how surrogateescape carries a byte that is no UTF-8; _decode has told
            return
        exotic.append(("lone_surrogates", at, f"the lone surrogate U+{ord(lone[0]):04X}"))


def without_surrogates(value: Any) -> Any:
    """The value with every lone surrogate replaced by U+FFFD, one for one: validators refuse to look at them."""
    if isinstance(value, str):
        return re.sub("[\ud800-\udfff]", "\ufffd", value)
    if isinstance(value, dict):
        return {without_surrogates(name): without_surrogates(member) for name, member in value.items()}
    return [without_surrogates(item) for item in value] if isinstance(value, list) else value


def escape(name: str) -> str:
    """A member's name as a reference token of a JSON Pointer (RFC 6901)."""
    return name.replace("~", "~0").replace("/", "~1")


# ---------------------------------------------------------------------------------------------- without recursion

_TOKEN = re.compile(
    r"[ \t\n\r]*(?:([\[\]{},:])"
    r'|("[^"\\\x00-\x1f]*(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[^"\\\x00-\x1f]*)*")'
    r"|(-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?)"
    r"|(true|false|null)|(\Z))"
)
_CONSTANTS = {"true": True, "false": False, "null": None}


def _read_deep(text: str, reading: Reading) -> Reading:
    numbers, repeated = _Numbers(), list[str]()
    try:
        value = _parse_deep(text, numbers, repeated)
    except ValueError as problem:
        reading.error = _explain(problem)
        return reading
    reading.values = [without_surrogates(value)]
    reading.exotic += [("double_range", "", "a number that a double cannot hold")] if numbers.inexact else []
    reading.exotic += [("duplicate_members", "", "two members of the same name")] if repeated else []
    return reading


def _parse_deep(text: str, numbers: _Numbers, repeated: list[str]) -> Any:
    """Parses with a stack of its own: what is open, innermost last. Raises ValueError where the text is no JSON."""
    top: list[Any] = []
    open_ones: list[Any] = [top]
    keys: list[str | None] = [None]
    expected = "value"
    position = 0
    while True:
        token = _TOKEN.match(text, position)
        if token is None or (token.group(5) is not None and expected != "end"):
            raise ValueError(f"expected {expected}, at character {position}")
        position = token.end()
        mark, string, number, constant, end = token.groups()
        if end is not None:
            return top[0]
        holder = open_ones[-1]
        if mark in ("]", "}") and expected in (f"{mark} or value", f"{mark} or name", f", or {mark}"):
            open_ones.pop()
            keys.pop()
        elif mark == "," and expected.startswith(", or"):
            expected = "value" if isinstance(holder, list) else "name"
            continue
        elif mark == ":" and expected == ":":
            expected = "value"
            continue
        elif string is not None and expected.endswith("name"):
            keys[-1] = json.loads(string)
            if keys[-1] in holder:
                repeated.append("")
            expected = ":"
            continue
        elif expected.endswith("value") and (mark is None or mark in "[{"):
            value = _scalar(string, number, constant, numbers) if mark is None else [] if mark == "[" else {}
            _attach(holder, keys[-1], value, deep=len(open_ones) > DEEPEST)
            if mark is not None:
                open_ones.append(value)
                keys.append(None)
                expected = "] or value" if mark == "[" else "} or name"
                continue
        else:
            raise ValueError(f"expected {expected}, at character {token.start()}")
        holder = open_ones[-1]
        expected = "end" if len(open_ones) == 1 else ", or ]" if isinstance(holder, list) else ", or }"


def _scalar(string: str | None, number: str | None, constant: str | None, numbers: _Numbers) -> Any:
    if string is not None:
        return json.loads(string)
    if number is not None:
        return numbers.integer(number) if number.lstrip("-").isdigit() else numbers.real(number)
    return _CONSTANTS[str(constant)]


def _attach(holder: Any, key: str | None, value: Any, *, deep: bool) -> None:
    if isinstance(holder, dict):
        holder[key] = [] if deep and isinstance(value, list) else {} if deep and isinstance(value, dict) else value
    elif not (deep and holder):  # one item tells that the array is not empty
        holder.append([] if deep and isinstance(value, list) else {} if deep and isinstance(value, dict) else value)
