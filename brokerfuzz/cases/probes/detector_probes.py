"""Generates probes of the ambiguities that no class of questions describes: notations of numbers and strings, repeated
properties, encodings, sizes, times in the near future, and values that the target does not know.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import islice
from typing import Any

from orjson import Fragment

from brokerfuzz.cases.case import compact
from brokerfuzz.cases.changes import Change, Put, Rewrite, apply, first_parts
from brokerfuzz.generation.edge_values import LONGEST
from brokerfuzz.pointers import Steps
from brokerfuzz.schemas import Ambiguity
from brokerfuzz.schemas.ambiguity_detectors import NEAR_NOW
from brokerfuzz.schemas.flattening import KNOWN, types_of
from brokerfuzz.schemas.instants import spell
from brokerfuzz.schemas.json_reader import faulty_utf_8
from brokerfuzz.schemas.keywords import Schema
from brokerfuzz.schemas.known_values import DETECTOR
from brokerfuzz.schemas.sites import Site
from brokerfuzz.wording import counted

Probe = tuple[str, Steps, Change]
"""A probe: its name, its place, and the change to the message."""


@dataclass(frozen=True, slots=True)
class ProbeContext:
    """The arguments of a function that generates probes.

    `where` is an entry of `ambiguities.json`: the path of the site, or an array such as `["", "availableStartDate",
    "availableEndDate"]` (a path and property names). `message` is an ordinary message, `steps` is the path to the
    place, and `present` is the value there. If `now` is None, the function that gets these arguments must not generate
    probes whose verdict depends on the current time.
    """

    ambiguity: Ambiguity
    where: Any
    site: Site
    message: Any
    steps: Steps
    present: Any
    now: datetime | None

    @property
    def schema(self) -> Schema:
        return self.site.schema

    def put(self, name: str, value: Any) -> Probe:
        return name, self.steps, Put(value)


Make = Callable[[ProbeContext], Iterator[Probe]]


def json_strings(values: Mapping[str, str]) -> Make:
    """Returns a function that generates a probe for each string, in JSON notation without quotes."""
    return lambda context: (context.put(name, Fragment(f'"{value}"')) for name, value in values.items())


def literal(values: Mapping[str, str]) -> Make:
    """Returns a function that generates a probe for each number in `values`. The message contains the number exactly as
    `values` spells it. Negative numbers are skipped if the minimum is 0 or more.
    """
    return lambda context: (
        context.put(name, Fragment(value))
        for name, value in values.items()
        if not value.startswith("-") or context.schema.get("minimum", -1) < 0
    )


# ----------------------------------------------------------------------------------------------- numbers, strings

_DOUBLES = {
    "long-integer": "9007199254740993",
    "too-fine": "0.1234567890123456789",
    "too-small": "1e-400",
    "too-large": "1e400",
    "endlessly-large": "0.4e00669999999999999999999999999999999999",
    "thousands-of-digits": "1" * 5000,
    "long-integer-below-zero": "-237462374673276894279832749832423479823",
}
_SURROGATES = {
    "high": r"\ud800",
    "low": r"\udc00",
    "high-and-letter": r"\ud800abc",
    "high-and-other-escape": r"\ud888\u1234",
    "reversed": r"\ude00\ud83d",
}
_NULS = {"inside": r"a\u0000b", "behind": r"a\u0000", "alone": r"\u0000"}


def _integer_forms(context: ProbeContext) -> Iterator[Probe]:
    yield context.put("fraction-of-zero", Fragment(f"{context.present}.0"))
    yield context.put("exponent", Fragment(f"{context.present}e0"))
    yield context.put("negative-exponent", Fragment(f"{context.present * 10}e-1"))


# -------------------------------------------------------------------------------------------------------- properties


def _twice(context: ProbeContext) -> Iterator[Probe]:
    if isinstance(context.message, dict) and context.message:  # an own contract may require no property
        yield from _twice_in_message(context)
    for steps, held in _within(context.message):
        below, inner = next(iter(held.items()))
        other = f"{inner}-2" if isinstance(inner, str) else None
        yield "other-value-within", steps, Put(Fragment(compact(held)[:-1] + b"," + compact({below: other})[1:]))


def _twice_in_message(context: ProbeContext) -> Iterator[Probe]:
    name, value = next(iter(context.message.items()))
    yield "same-value", (), _behind({name: value})
    yield "null-last", (), _behind({name: None})
    yield "null-first", (), Rewrite(lambda body: compact({name: None})[:-1] + b"," + body[1:])
    if name.isalnum() and name.isascii():
        escaped = f'"\\u{ord(name[0]):04x}{name[1:]}":'.encode()
        yield "escaped-name", (), Rewrite(lambda body: body[:-1] + b"," + escaped + compact(value) + b"}")
    if isinstance(value, str):
        yield "other-string-last", (), _behind({name: f"{value}-2"})
    for listed, schema in context.schema.get("properties", {}).items():
        other_values = [prop for prop in schema.get("enum", ()) if prop != context.message.get(listed)]
        if other_values and listed in context.message:
            yield "other-value-of-enumeration-last", (), _behind({listed: other_values[-1]})


def _behind(prop: dict[str, Any]) -> Rewrite:
    return Rewrite(lambda body: body[:-1] + b"," + compact(prop)[1:])


def _within(message: Any) -> list[tuple[Steps, dict[str, Any]]]:
    """Returns the first inner object that is not empty, with its path, if there is one."""
    for step, value in first_parts(message):
        if isinstance(value, dict) and value:
            return [((step,), value)]
        if isinstance(value, list):
            for steps, held in _within(value):
                return [((step, *steps), held)]
    return []


# ------------------------------------------------------------------------------------------------------ encodings

_ENCODINGS = {
    "utf-16": (b"\xff\xfe", "utf-16-le"),
    "utf-16-be-marked": (b"\xfe\xff", "utf-16-be"),
    "utf-16-le": (b"", "utf-16-le"),
    "utf-16-be": (b"", "utf-16-be"),
    "utf-32": (b"\xff\xfe\0\0", "utf-32-le"),
    "utf-32-be": (b"", "utf-32-be"),
}
"""The encodings of a whole message, each with its byte order mark and its name in Python."""
_BYTES = {
    "latin-1": b"\xe9",
    "lone-continuation": b"\x81",
    "two-of-three": b"\xe2\x82",
    "surrogate": b"\xed\xa0\x80",
    "surrogate-pair": b"\xed\xa0\xbd\xed\xb8\x80",
    "nul-of-java": b"\xc0\x80",
    "overlong": b"\xc0\xaf",
    "past-unicode": b"\xf4\x90\x80\x80",
    "last-byte": b"\xff",
}
"""Byte sequences that are not valid UTF-8. Each probe puts one sequence into a string."""


def _encoded(family: str) -> Make:
    """Returns a function that generates probes in the encodings whose names begin with `family`."""
    return lambda _: (
        (name, (), _encoding(mark, encoding))
        for name, (mark, encoding) in _ENCODINGS.items()
        if encoding.startswith(family)
    )


def _faulty_utf_8(context: ProbeContext) -> Iterator[Probe]:
    texts = (
        steps
        for site, steps, value in context.site.walk(context.message)
        if isinstance(value, str) and "enum" not in site.schema
    )
    for steps in islice(texts, 1):
        for name, raw in _BYTES.items():
            if faulty_utf_8(raw) == context.ambiguity.detector:
                yield name, steps, _with_bytes(context.message, steps, raw)


def _encoding(mark: bytes, encoding: str) -> Rewrite:
    return Rewrite(lambda body: mark + body.decode().encode(encoding))


def _with_bytes(message: Any, steps: Steps, raw: bytes) -> Rewrite:
    return Rewrite(lambda _: apply(message, steps, Put("@@raw@@")).replace(b"@@raw@@", raw))


def _marked(context: ProbeContext) -> Iterator[Probe]:
    yield "utf-8-mark", (), Rewrite(lambda body: b"\xef\xbb\xbf" + body)


# ---------------------------------------------------------------------------------------------------------- sizes


def _long(context: ProbeContext) -> Iterator[Probe]:
    limit = context.ambiguity.options["limit"]
    for name, text in (
        (f"{limit + 1}-characters", "b" * (limit + 1)),
        (f"{limit + 1}-emoji", "🧪" * (limit + 1)),
        ("1025-characters", "b" * 1025),
        ("65536-characters", "b" * 65_536),
    ):
        yield context.put(name, text)


def _many(context: ProbeContext) -> Iterator[Probe]:
    limit, items = context.ambiguity.options["limit"], context.present
    if not isinstance(items, list) or not items:
        return
    for size in (limit + 1, 10 * limit) if not isinstance(items[0], dict) else (limit + 1,):
        yield context.put(
            f"{size}-items", [_numbered(context.schema.get("items", {}), items[0], number) for number in range(size)]
        )


def _numbered(schema: Schema, item: Any, number: int) -> Any:
    """Puts `number` into the array item, so that all items are different."""
    if isinstance(item, str):
        return f"{item}-{number}"
    if not isinstance(item, dict):
        return number + 1
    props = schema.get("properties", {})
    for kind in ("string", "number", "integer"):
        for name, value in item.items():
            if value is not None and kind in types_of(props.get(name, {})):
                return {**item, name: f"{value}-{number}" if kind == "string" else number + 1}
    return item


def _large(context: ProbeContext) -> Iterator[Probe]:
    yield "white-space", (), Rewrite(lambda body: body + b" " * (context.ambiguity.options["limit"] + 1))


# -------------------------------------------------------------------------------------------------------------- times


def _near_now(context: ProbeContext) -> Iterator[Probe]:
    """Generates times in the near future. A program usually accepts times up to 0, 30, 60, 120 or 300 seconds ahead of
    its clock. Each generated time is between two of these limits.
    """
    if context.now is None:
        return
    for seconds in (1, 45, 90, 290):
        name = f"in-{counted(seconds, 'second').replace(' ', '-')}"
        yield context.put(name, spell(context.now + timedelta(seconds=seconds)))


# --------------------------------------------------------------------------------------------------- unknown values

_TEXTS: Mapping[str, str] = {
    "word": "unknown", "empty": "", "blank": " ", "digits": "0", "null-string": "null", "longest": "a" * LONGEST,
    "letters-beyond-ascii": "\u00e9\u6f22", "control-characters": "\t\n", "quote": "'",
}  # fmt: skip
_INTEGERS: Mapping[str, int] = {"zero": 0, "one": 1, "negative": -1, "highest": (1 << 31) - 1}
_NUMBERS: Mapping[str, float] = {**_INTEGERS, "fraction": 0.5}


def _unknown(context: ProbeContext) -> Iterator[Probe]:
    """Generates extreme values, and values similar to a known one."""
    known_values = context.schema.get(KNOWN) or context.schema.get("enum", ())
    for name, value in {**_extreme(context), **_similar(known_values[0] if known_values else None)}.items():
        if value not in known_values:
            yield context.put(name, value)


def _extreme(context: ProbeContext) -> Mapping[str, Any]:
    types = types_of(context.schema)
    return _TEXTS if "string" in types else _NUMBERS if "number" in types else _INTEGERS if "integer" in types else {}


def _similar(known_value: Any) -> Mapping[str, Any]:
    if isinstance(known_value, str):
        changed = {
            "other-case": known_value.swapcase(),
            "padded": f" {known_value} ",
            "with-suffix": f"{known_value}-0",
        }
        return {**changed, "without-end": known_value[:-1]} if len(known_value) > 1 else changed
    return (
        {"one-more": known_value + 1}
        if isinstance(known_value, int | float) and not isinstance(known_value, bool)
        else {}
    )


MAKERS: Mapping[str, Make] = {
    "integer_form": _integer_forms,
    "double_range": literal(_DOUBLES),
    "duplicate_properties": _twice,
    "lone_surrogates": json_strings(_SURROGATES),
    "nul_characters": json_strings(_NULS),
    "byte_order_mark": _marked,
    "utf_16": _encoded("utf-16"),
    "utf_32": _encoded("utf-32"),
    "surrogates_in_utf_8": _faulty_utf_8,
    "overlong_utf_8": _faulty_utf_8,
    "not_utf_8": _faulty_utf_8,
    "string_length": _long,
    "item_count": _many,
    "message_size": _large,
    NEAR_NOW: _near_now,
    DETECTOR: _unknown,
}
"""Maps each detector (the name of a function that finds an ambiguity) to the function that generates probes of the
ambiguity.
"""
