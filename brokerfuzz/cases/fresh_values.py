"""Gives one or several properties a different string in each message, for programs that reject repeated values.

For example, a service may reject an offer number that it already knows. The contract does not say whether such a
rejection is correct. Without fresh values, rejections of repeated values would look like findings. Only the string
changes: all other bytes of the message stay the same. A message is changed only if its verdict, its broken rules and
its ambiguities stay the same. An empty string never changes: a message with an empty number may show another problem
than a message with a number.

Messages that are not JSON in UTF-8 get fresh values, too. Otherwise, a target that wrongly accepts a comment would
reject this message when it is sent again, so the wrong answer would seem to be an accident. And with a policy that
allows UTF-16, a rejected number would look like a finding.

Commands that people run later contain the message with `MARK`, and replace `MARK` with a new value each time.
"""

import json
import os
import re
from collections.abc import Callable, Collection, Iterator
from itertools import chain, count
from secrets import token_hex

from brokerfuzz.cases.case import Case
from brokerfuzz.cases.case_tags import tagged_now
from brokerfuzz.errors import ReferenceDataError, UnknownNameError
from brokerfuzz.schemas import Contract, MessageType, Verdict, check
from brokerfuzz.schemas.flattening import types_of

_RUN, _NUMBERS = token_hex(4), count(1)
_LONG = 100
MARK = "-" + "0" * 19
"""Stands for the part of a message that is new each time. It is as long as a minus sign and the time in nanoseconds."""
_BIG_ENDIAN = (b"\xfe\xff", b"\0\0")
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\]:,]', re.DOTALL)
"""Finds strings, and the characters that separate values. Unlike a JSON parser, this expression also works in messages
with syntax errors.
"""


def _suffix() -> str:
    return f"-{_RUN}-{os.getpid():x}-{next(_NUMBERS)}"


def fresh_properties(message_type: MessageType, contract: Contract) -> list[str]:
    """Returns the top-level properties that are strings without an `enum`."""
    properties = contract.flat[message_type].get("properties", {})
    return [name for name, schema in properties.items() if "string" in types_of(schema) and "enum" not in schema]


def check_property(name: str, message_type: MessageType, contract: Contract) -> None:
    """`name` is the name of one property, or several names with commas. Raises `UnknownNameError` if no message type
    has such a property that can get fresh values. Raises `ReferenceDataError` if the reference data lists values of the
    property.
    """
    possible = list(
        chain.from_iterable(fresh_properties(known_type, contract) for known_type in contract.message_types)
    )
    for property_name in name.split(","):
        if property_name not in possible:
            raise UnknownNameError(
                "property",
                property_name,
                possible,
                "for --fresh, use a property of the message whose value is a string",
            )
        if contract.values is not None and property_name in contract.values.used(message_type):
            raise ReferenceDataError(
                f"the reference data lists the values of {property_name}, so this property cannot be fresh: remove "
                f"{property_name} from the reference data, or do not use --fresh {property_name}"
            )


class FreshValues:
    """Gives the property `name` of a message's top-level object a unique string. `name` can also be several names with
    commas, or empty. `verdict_of(case, body)` returns the verdict that the case has if its message is `body`. With
    `fills_empty`, empty strings change, too.
    """

    def __init__(self, name: str, verdict_of: Callable[[Case, bytes], Verdict], *, fills_empty: bool = False) -> None:
        self.name = name
        self._verdict_of = verdict_of
        self._fills_empty = fills_empty

    def changes(self, case: Case, body: bytes) -> bool:
        """Returns whether the body gets a new value each time that it is sent."""
        return self.of(case, body) is not body

    def changes_all(self, names: Collection[str], case: Case) -> bool:
        """Returns whether each string that the case has in these properties gets a new value."""
        all_names = ",".join([self.name, *names])
        all_fresh = FreshValues(all_names, self._verdict_of, fills_empty=True)
        return self.of(case, case.body, MARK) == all_fresh.of(case, case.body, MARK)

    def of(self, case: Case, body: bytes, suffix: str | None = None) -> bytes:
        """Returns the body with a fresh value, which ends in `suffix` (None: a suffix that no other message has).
        Returns the body unchanged if the property is not a string, or if the new value would change the verdict.
        """
        changed = _refreshed(body, self.name, suffix or _suffix(), fills_empty=self._fills_empty)
        if changed == body:
            return body
        is_same = _signature(self._verdict_of(case, changed)) == _signature(self._verdict_of(case, body))
        return changed if is_same else body


def renewed(case: Case, name: str, contract: Contract) -> Case:
    """Returns the case with values that no other case has: they end in the ID of the case, so the same case gets the
    same values on every machine. Its twin gets other values.
    """
    twin = None if case.twin is None else renewed(case.twin, name, contract)

    def verdict_of(case: Case, body: bytes) -> Verdict:
        if body is case.body:
            return case.verdict
        return check(case.message_type, body, now=tagged_now(case.tags), contract=contract)

    body = FreshValues(name, verdict_of).of(case, case.body, f"-{case.id}")
    if body is case.body and (twin is None or twin is case.twin):
        return case
    return Case.judged(case.message_type, body, twin=twin, faults=case.faults, tags=case.tags, contract=contract)


def marked(body: bytes, name: str) -> bytes:
    """Returns the body with `MARK` at the end of the property `name`, or unchanged if the body is not UTF-8."""
    return _refreshed(body, name, MARK) if json.detect_encoding(body) == "utf-8" else body


def _refreshed(message: bytes, name: str, suffix: str, *, fills_empty: bool = False) -> bytes:
    """Returns the message with fresh values. If a property occurs several times, equal values stay equal."""
    encoding = _encoding(message)
    errors = "surrogateescape" if encoding == "utf-8" else "surrogatepass"
    try:
        text = message.decode(encoding, errors)
    except UnicodeDecodeError:
        return message
    parts, end = [], 0
    names = name.split(",") if name else []
    for literal in _string_values(text, names, fills_empty=fills_empty):
        parts += [text[end : literal.start()], _rewritten(literal[0], suffix)]
        end = literal.end()
    return "".join([*parts, text[end:]]).encode(encoding, errors) if parts else message


def _encoding(message: bytes) -> str:
    """Returns an encoding that keeps every byte of the message, including a byte order mark."""
    detected = json.detect_encoding(message)
    if detected in ("utf-16", "utf-32"):
        return f"{detected}-{'be' if message.startswith(_BIG_ENDIAN) else 'le'}"
    return detected.removesuffix("-sig")


def _string_values(text: str, names: Collection[str], *, fills_empty: bool) -> Iterator[re.Match[str]]:
    """Yields the string values of the properties `names` of the outermost object."""
    depth, key, before = 0, "", ""
    for token in _TOKEN.finditer(text):
        mark = token[0]
        if mark in "{[":
            depth += 1
        elif mark in "}]":
            depth -= 1
        elif depth == 1 and mark[0] == '"' and (fills_empty or mark != '""') and before == ":" and _read(key) in names:
            yield token
        if mark != ":":
            key = mark
        before = mark


def _rewritten(literal: str, suffix: str) -> str:
    """Appends the suffix to a string in JSON notation. A long string loses its end, and gets other escapes."""
    value = _read(literal)
    if len(value) < _LONG:
        return f'{literal[:-1]}{suffix}"'
    return json.dumps(value[: -len(suffix)] + suffix)


def _read(literal: str) -> str:
    """Returns the value of a string in JSON notation, or its characters if the notation is invalid."""
    try:
        return str(json.loads(literal, strict=False))
    except ValueError:
        return literal[1:-1]


def _signature(verdict: Verdict) -> tuple[object, ...]:
    """Returns the facts about a message that must stay the same."""
    return verdict.label, {entry.rule for entry in verdict.broken}, {entry.ambiguity for entry in verdict.ambiguities}
