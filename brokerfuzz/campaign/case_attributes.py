"""Names the attributes of a case: what its message contains, and what is wrong with it.

`common_attributes` looks for attributes that all failing cases have in common, so an attribute must be something that a
program can treat differently. The attributes say what is at the sites of the contract. They do not say how brokerfuzz
generated the case.
"""

import re
from collections.abc import Collection, Iterator, Mapping
from typing import Any, Final, NamedTuple

from brokerfuzz.cases.case import Case
from brokerfuzz.pointers import steps_of, value_at
from brokerfuzz.schemas import Contract
from brokerfuzz.schemas.flattening import types_of
from brokerfuzz.schemas.sites import Site, join
from brokerfuzz.targets import Answer


class Attribute(NamedTuple):
    """`kind` is a key of `headline_words.WORDS`. Without a `site`, the attribute concerns any place of the message."""

    kind: str
    site: str = ""
    detail: str = ""


USUAL_LIMITS: Final = (20, 32, 50, 64, 100, 128, 255)
"""The lengths of strings at which many columns of databases end."""
TEXT_FEATURES: Final[Mapping[str, re.Pattern[str]]] = {
    "a character beyond U+FFFF": re.compile("[\U00010000-\U0010ffff]"),
    "a character beyond ASCII": re.compile("[^\x00-\x7f]"),
    "an apostrophe": re.compile("'"),
    "a quotation mark": re.compile('"'),
    "a quotation mark before a colon": re.compile('":'),
    "a backslash": re.compile(r"\\"),
    "a line break": re.compile("[\n\r]"),
    "a control character": re.compile("[\x00-\x1f\x7f]"),
    "a percent sign": re.compile("%"),
    "a less-than sign": re.compile("<"),
    "a brace": re.compile("[{}]"),
    "a dollar sign": re.compile(r"\$"),
    "a semicolon": re.compile(";"),
    "a slash": re.compile("/"),
    "a port": re.compile(r":\d+(?:/|\Z)"),
    "a question mark": re.compile(r"\?"),
    "a number sign": re.compile("#"),
    "a space at an end": re.compile(r"\A\s|\s\Z"),
    **{f"more than {most} characters": re.compile(rf"(?s).{{{most + 1}}}") for most in USUAL_LIMITS},
    "a lone surrogate": re.compile("[\ud800-\udfff]"),
    "a year before 1970": re.compile(r"\A(?:0\d\d\d|1[0-8]\d\d|19[0-6]\d)-\d\d-\d\d"),
}
_STRING: Final = re.compile(rb'"(?:[^"\\]|\\.)*"', re.DOTALL)
_ESCAPE: Final = re.compile(rb"\\.")
NOTATIONS: Final[Mapping[str, re.Pattern[bytes]]] = {
    "an exponent": re.compile(rb"[0-9][eE]"),
    "an exponent with a plus": re.compile(rb"[0-9][eE]\+"),
    "a negative exponent": re.compile(rb"[0-9][eE]-"),
    "the number -0": re.compile(rb"-0(?:\.0*)?(?![0-9.eE])"),
    "a fraction that ends with 0": re.compile(rb"\.[0-9]*0(?![0-9eE])"),
    "white space between values": re.compile(rb"\s"),
    "a line break between values": re.compile(rb"[\r\n]"),
    "an escape such as \\u0041": re.compile(rb"\\u"),
    "an escape such as \\n": re.compile(rb"\\[bfnrt]"),
}
"""Notations of values, in a message whose strings are reduced to their escapes."""
_LINE_OF_CODE: Final = re.compile(r"\((\S+:\d+)\)$")
"""Where an exception was raised, at the end of an answer such as `ValueError: day is out of range (service.py:20)`."""
_OF_FAULTS: Final = (
    "rule",
    "condition",
    "below",
    "later item",
    "item beyond ten",
    "nothing",
    "null",
    "missing",
    "present",
    "value",
    "notation",
    "other value",
)
_BITS: Final = ((1023, "beyond doubles"), (63, "beyond 64 bits"), (53, "beyond 53 bits"), (31, "beyond 32 bits"))


def attributes_of(case: Case, contract: Contract) -> Iterator[Attribute]:
    sites = contract.sites[case.message_type]
    yield from of_faults(case, sites)
    yield from _of_notation(case.body)
    try:
        yield from _of_value(case.value, "", sites)
    except (ValueError, RecursionError):  # not JSON, or nested too deeply
        return


def fault_attributes_of(case: Case, contract: Contract) -> Iterator[Attribute]:
    """Yields only attributes that say where the fault is, and what is around it: strings and numbers say nothing."""
    return (one for one in attributes_of(case, contract) if one.kind in _OF_FAULTS)


def attributes_of_answer(answer: Answer) -> Iterator[Attribute]:
    if answer.kind == "crashed" and (found := _LINE_OF_CODE.search(answer.reason)):
        yield Attribute("line", detail=found[1])


def of_faults(case: Case, sites: Mapping[str, Site]) -> Iterator[Attribute]:
    for fault in case.faults:
        yield Attribute("rule", fault.rule)
        if condition := fault.rule.partition("@")[2]:
            yield Attribute("condition", condition)
        path = ""
        for step in steps_of(fault.at):
            if step.isdecimal():
                yield from _of_index(path, int(step))
                path += "[]"
            else:
                path = join(path, step)
            yield Attribute("below", path)
        if path in sites and _is_nothing(case, fault.at, types_of(sites[path].schema)):
            yield Attribute("nothing", path)


def _of_notation(body: bytes) -> Iterator[Attribute]:
    written = _STRING.sub(lambda string: b"".join(_ESCAPE.findall(string[0])), body)
    for name, pattern in NOTATIONS.items():
        if pattern.search(written):
            yield Attribute("notation", detail=name)


def _is_nothing(case: Case, pointer: str, types: Collection[str]) -> bool:
    """Returns whether the place of a fault contains no value, null, or an empty array or string."""
    try:
        value = value_at(case.value, pointer)
    except (KeyError, IndexError):
        return True
    except (ValueError, TypeError, RecursionError):
        return False
    return value is None or (value == [] and "array" in types) or (value == "" and "string" in types)


def _of_index(array: str, index: int) -> Iterator[Attribute]:
    if index > 0:
        yield from _here_and_anywhere("later item", array)
    if index >= 10:
        yield from _here_and_anywhere("item beyond ten", array)


def _here_and_anywhere(kind: str, site: str, detail: str = "") -> tuple[Attribute, Attribute]:
    return Attribute(kind, site, detail), Attribute(kind, "", detail)


def _of_value(value: Any, path: str, sites: Mapping[str, Site]) -> Iterator[Attribute]:
    match value:
        case None:
            yield from _here_and_anywhere("null", path)
        case bool():
            yield from _here_and_anywhere("value", path, "true" if value else "false")
        case int() | float():
            yield from _of_number(value, path)
        case str():
            yield from _of_text(value, path, sites)
        case list():
            yield from _of_array(value, path, sites)
        case dict():
            yield from _of_object(value, path, sites)


def _of_number(value: float, path: str) -> Iterator[Attribute]:
    if value in (0, 1):
        yield from _here_and_anywhere("value", path, str(int(value)))
    if value < 0:
        yield from _here_and_anywhere("negative", path)
    if isinstance(value, float) and not value.is_integer():
        yield from _here_and_anywhere("fraction", path)
    for bits, name in _BITS:
        if abs(value) >= 2**bits:
            yield from _here_and_anywhere("size", path, name)


def _of_text(value: str, path: str, sites: Mapping[str, Site]) -> Iterator[Attribute]:
    if not value:
        yield from _here_and_anywhere("empty", path, "string")
    if path in sites and "enum" in sites[path].schema:
        yield Attribute("value", path, _quoted(value))
        yield from (Attribute("other value", path, _quoted(one)) for one in sites[path].schema["enum"] if one != value)
        return
    for name, pattern in TEXT_FEATURES.items():
        if pattern.search(value):
            yield from _here_and_anywhere("text", path, name)


def _quoted(value: Any) -> str:
    return f'"{str(value)[:40]}"'


def _of_array(items: list[Any], path: str, sites: Mapping[str, Site]) -> Iterator[Attribute]:
    if not items:
        yield from _here_and_anywhere("empty", path, "array")
    if len(items) > 1:
        yield Attribute("several items", path)
    if len(items) > 10:
        yield from _here_and_anywhere("more than ten items", path)
    for item in items:
        yield from _of_value(item, f"{path}[]", sites)


def _of_object(props: dict[str, Any], path: str, sites: Mapping[str, Site]) -> Iterator[Attribute]:
    if path in sites:
        for name in sites[path].schema.get("properties", ()):
            below = join(path, name)
            if name not in props:
                yield Attribute("missing", below)
            elif not sites[below].required:  # that a required property is present says nothing
                yield Attribute("present", below)
    for name, value in props.items():
        if (below := join(path, name)) in sites:
            yield from _of_value(value, below, sites)
