"""Defines a case: a message as bytes, its verdict, and the reason for the verdict."""

import json
import re
from bisect import bisect
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cache, cached_property
from hashlib import sha256
from typing import Any

import orjson

from brokerfuzz.cases.case_tags import NOW_TAG, TWIN_TAGS, tagged_edge, tagged_now
from brokerfuzz.cases.message_diff import difference
from brokerfuzz.cases.rule_names import rule_named, rule_names
from brokerfuzz.errors import ClockError, LabelError, quoted
from brokerfuzz.generation.edge_values import EARLIEST_NOW, LATEST_NOW
from brokerfuzz.schemas import Contract, Label, MessageType, Verdict, check, load_contract
from brokerfuzz.schemas.json_parser import integer
from brokerfuzz.schemas.json_reader import is_compact_json
from brokerfuzz.schemas.known_values import KNOWN_VALUES
from brokerfuzz.schemas.oracle import aware
from brokerfuzz.wording import listed, printable_as_in_python


@dataclass(frozen=True, slots=True)
class Fault:
    """A rule that a message breaks: the ID of the rule, the place as a JSON Pointer, and the name of the technique.

    >>> from brokerfuzz.corpus import load
    >>> load("offer-creation-request", verdicts=["invalid"], rules=["*orderMinimum:minimum"], techniques=["one-below"])[
    ...     0
    ... ].faults
    (Fault(rule='offer-creation-request/orderMinimum:minimum', at='/orderMinimum', technique='one-below'),)
    """

    rule: str
    at: str
    technique: str


Splice = tuple[int, int, bytes]
"""The difference between a case and its twin: `(start, end, other)`. In the twin, `other` replaces the bytes
`body[start:end]` of the case.
"""


@dataclass(frozen=True, repr=False)
class Case:
    """A message with its verdict and the reason for the verdict.

    `faults` lists the rules that the message breaks on purpose. `tags` say where the case comes from and what it tests
    (`catalogue`, `edge:empty-string`, `probe:cron-syntax`, ...). `twin` is the valid counterpart: the same message
    without the fault.

    `str()` returns a short description, such as `breaks orderMinimum minimum one-below` (see `rule_names`). `repr()`
    returns Python code that creates the same case without its tags.

    >>> from brokerfuzz import Case
    >>> case = Case.judged("offer-creation-request", b'{"number": "A", "offerType": "Email"}')
    >>> (case.label, case.id)
    ('valid', '3d601a9355120501')
    """

    message_type: MessageType
    body: bytes
    verdict: Verdict
    faults: tuple[Fault, ...] = ()
    tags: tuple[str, ...] = ()
    twin: "Case | None" = None
    _missing_twin: str | None = field(default=None, kw_only=True)
    """The ID of the twin, if the case comes from a corpus that does not contain the twin."""
    _contract: Contract | None = field(default=None, kw_only=True, compare=False)
    """The changed contract that was used to judge the case, or None."""

    def __repr__(self) -> str:
        names = rule_names(self._contract or load_contract(), self.message_type)
        options: dict[str, Any] = {
            "faults": [f"{names.get(fault.rule, fault.rule)} {fault.technique}" for fault in self.faults],
            "twin": self.twin and _splice(self.body, self.twin.body),
            "tags": [tag for tag in self.tags if tag.startswith(NOW_TAG)],
        }
        arguments = [repr(self.message_type), repr(self.body)]
        arguments += [f"{name}={value!r}" for name, value in options.items() if value]
        if self._contract is not None:
            arguments.append(f"contract=load_contract({str(self._contract.folder)!r})")
        return f"Case.judged({', '.join(arguments)})"

    def __str__(self) -> str:
        if self.label == "valid":
            return f"{self.label} {self.message_type} {tagged_edge(self.tags) or self.id}"
        if self.label == "unspecified":
            touches = [f"{touch.ambiguity} at {touch.at or 'the root'}" for touch in self.verdict.ambiguities]
            return f"touches {listed(touches)}"
        names = rule_names(self._contract or load_contract())
        faults = [f"{names.get(fault.rule, fault.rule)} {fault.technique}" for fault in self.faults]
        broken = dict.fromkeys(names.get(violation.rule, violation.rule) for violation in self.verdict.broken)
        return f"breaks {listed(faults or broken)}"

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        """Prints comments that explain the case and its difference from the twin, and then the code from `repr`."""
        reasons = [line.strip() for line in str(self.verdict).splitlines()[1:]]
        differences = difference(self.twin.body, self.body) if self.twin else []
        for line in (str(self), *reasons, *differences):
            printer.text(f"# {printable_as_in_python(line)}")
            printer.break_()
        printer.text(repr(self))

    @cached_property
    def id(self) -> str:
        """Sixteen hexadecimal digits that identify the message. Equal messages have equal IDs on every machine."""
        return message_id(self.message_type, self.body)

    @cached_property
    def is_compact(self) -> bool:
        """True if the message is compact JSON. A compact message fits on one line of a text file."""
        return is_compact_json(self.body)

    @property
    def twin_id(self) -> str | None:
        """The ID of the twin, even if the twin itself is not available."""
        return self.twin.id if self.twin else self._missing_twin

    @property
    def label(self) -> Label:
        """The verdict in one word: `valid`, `invalid` or `unspecified`."""
        return self.verdict.label

    @property
    def value(self) -> Any:
        """The message as a Python object. Raises `ValueError` if the message is not JSON. An integer of more than 4,300
        digits, which Python does not convert, becomes the largest double.
        """
        return json.loads(self.body, parse_int=integer)

    @classmethod
    def judged(
        cls,
        message_type: MessageType,
        body: bytes,
        *,
        twin: "Case | Splice | None" = None,
        faults: Sequence[Fault | str] = (),
        claim: str | None = None,
        tags: Sequence[str] = (),
        now: datetime | None = None,
        contract: Contract | None = None,
    ) -> "Case":
        """Creates a case and checks that its verdict is the expected one. A case with a twin is a `Broken`.

        With `faults`, the message must break exactly the rules of these faults. A fault can be a string that consists
        of the short name of a rule and a technique, such as `"orderMinimum minimum one-below"`. For
        a message that breaks no rule, `claim` is `"valid"`, or the ID of an ambiguity. For an ID, the verdict must be
        `"unspecified"` because of this ambiguity.

        `twin` is a case, or a tuple `(start, end, other)`: in the twin, `other` replaces the bytes `body[start:end]`.
        `now` is the time that counts as the present (default: the time in the tag `now:TIME`, or the actual time).

        Raises `LabelError` if the verdict of the oracle is not the expected one, or if the twin is not valid. Raises
        `TypeError` if the body is not bytes.
        """
        if not isinstance(body, bytes):
            raise TypeError(
                f"body={quoted(body)} is not bytes: use body.encode() for a string, or json.dumps(body).encode() for "
                "a value"
            )
        now = tagged_now(tags) if now is None else now
        verdict = check(message_type, body, now=now, contract=contract)
        placed = tuple(_placed(faults, verdict, message_type, contract or load_contract()))
        if not confirmed_by(verdict, placed, claim):
            expected = f"the faults {quoted(placed)}" if placed else f"the label or ambiguity {quoted(claim)}"
            raise LabelError(
                f"the message should have {expected}, but the verdict of the oracle is {verdict.brief}: {body[:300]!r}"
            )
        if isinstance(twin, tuple):
            start, end, other = twin
            restored = body[:start] + other + body[end:]
            twin = Case.judged(message_type, restored, tags=TWIN_TAGS, now=now, contract=contract)
        changed = None if contract is None or contract.is_tested else contract
        if twin is None:
            return Case(message_type, body, verdict, placed, tuple(tags), _contract=changed)
        if twin.label != "valid":
            raise LabelError(
                f"a twin must be valid, but the verdict of the oracle is {twin.verdict.brief}: {twin.body[:300]!r}"
            )
        return Broken(message_type, body, verdict, placed, tuple(tags), twin=twin, _contract=changed)


@dataclass(frozen=True, repr=False)
class Broken(Case):
    """A case with a twin. The twin is the same message without the fault.

    >>> from brokerfuzz.corpus import load
    >>> case = load("offer-creation-request", verdicts=["invalid"], rules=["*orderMinimum:minimum"])[0]
    >>> (str(case), case.twin.label)
    ('breaks orderMinimum minimum one-below', 'valid')
    """

    twin: Case = field(kw_only=True)


def confirmed(message_type: MessageType, body: bytes, *, contract: Contract, **claims: Any) -> Case | None:
    """Returns the case that `Case.judged` creates with these arguments. Returns None if the contract was changed and
    the verdict is unexpected.

    The rules of a changed contract may contradict each other. For example, a contract may require an array with three
    different items, but allow only two values. With the built-in contract, an unexpected verdict is a bug, so this
    function raises `LabelError`.

    With reference data, this function also returns None if the message contains an unknown value, unless the case tests
    this value.
    """
    try:
        case: Case = Case.judged(message_type, body, contract=contract, **claims)
    except LabelError:
        if contract.is_tested:
            raise
        return None
    return case if contract.values is None or _tests_unknown_values(case, claims.get("claim")) else None


def _tests_unknown_values(case: Case, claim: str | None) -> bool:
    faulty = {fault.at for fault in case.faults}
    return claim == KNOWN_VALUES or all(
        touch.at in faulty for touch in case.verdict.ambiguities if touch.ambiguity == KNOWN_VALUES
    )


def _placed(
    faults: Sequence[Fault | str], verdict: Verdict, message_type: MessageType, contract: Contract
) -> Iterator[Fault]:
    """Converts strings such as `orderMinimum minimum one-below` to faults at the places of the verdict."""
    broken = list(verdict.broken)
    for fault in faults:
        if isinstance(fault, Fault):
            yield fault
            continue
        name, _, technique = fault.rpartition(" ")
        rule = rule_named(name, contract, message_type)
        place = next((entry for entry in broken if entry.rule == rule.id), None)
        if place is not None:
            broken.remove(place)
        yield Fault(rule.id, place.at if place else "", technique)


def confirmed_by(verdict: Verdict, faults: Sequence[Fault], claim: str | None) -> bool:
    """Returns whether the verdict is the expected one. For `faults` and `claim`, see `Case.judged`."""
    if faults and {entry.rule for entry in verdict.broken} != {fault.rule for fault in faults}:
        return False
    return (
        not claim
        or claim == verdict.label
        or (verdict.label == "unspecified" and claim in {touch.ambiguity for touch in verdict.ambiguities})
    )


def _splice(body: bytes, twin: bytes) -> Splice:
    start = _common_prefix_length(body, twin)
    end = _common_prefix_length(body[start:][::-1], twin[start:][::-1])
    return start, len(body) - end, twin[start : len(twin) - end]


def _common_prefix_length(first: bytes, second: bytes) -> int:
    shorter = min(len(first), len(second))
    return bisect(range(shorter), False, key=lambda index: first[: index + 1] != second[: index + 1])


def message_id(message_type: MessageType, body: bytes) -> str:
    digest = _begun(message_type).copy()
    digest.update(body)
    digits: str = digest.hexdigest()
    return digits[:16]


@cache
def _begun(message_type: MessageType) -> Any:
    """Returns a hash of the message type, because copying a hash is faster than creating one."""
    return sha256(f"{message_type}\n".encode())


def supported_time(now: datetime | None) -> datetime:
    """Returns `now` (None: the current time) in UTC and in whole seconds.

    Raises `ClockError` for a time before 2001 or after 9900. Some cases contain fixed times that must be in the past or
    in the future.
    """
    when = aware(now).replace(microsecond=0)
    if when < EARLIEST_NOW:
        raise ClockError(f"now={when.isoformat()} is too early: use {EARLIEST_NOW:%Y-%m-%d} or later")
    if when > LATEST_NOW:
        raise ClockError(f"now={when.isoformat()} is too late: use {LATEST_NOW:%Y-%m-%d} or earlier")
    return when


def is_always_correct(case: Case, contract: Contract) -> bool:
    """Returns whether the verdict is also correct at the earliest and at the latest supported time."""
    return all(
        check(case.message_type, case.body, now=now, contract=contract) == case.verdict
        for now in (EARLIEST_NOW, LATEST_NOW)
    )


def compact(value: Any) -> bytes:
    """Converts a value to compact JSON: in UTF-8, without white space, with the properties in their given order.

    Raises `TypeError` for integers with more than 64 bits and for strings with lone surrogates.
    """
    return orjson.dumps(value)


_UNUSUAL = re.compile(rb"[^ -\[\]-~]")
"""A byte that is not printable ASCII, or the backslash of an escape."""


def rank_for_reading(case: Case) -> tuple[bool, int]:
    """Returns a sort key. Messages with escapes or unusual characters come last, and long messages come after short
    ones. Of messages with the same number of digits in their length, the order does not change: the simplest techniques
    come first.
    """
    return _UNUSUAL.search(case.body) is not None, len(str(len(case.body)))
