"""The oracle judges the bytes of a message and returns a verdict.

A JSON Schema validator (jsonschema-rs) checks the structure. This module adds the rules that the schemas cannot
express, and the ambiguities. The oracle shares only the classes of open questions with the
generators, so that it detects their mistakes instead of repeating them.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from functools import cache
from itertools import chain
from typing import Any

from brokerfuzz.contract_names import MessageType
from brokerfuzz.errors import quoted
from brokerfuzz.schemas.ambiguity_scan import Inspection, Scan
from brokerfuzz.schemas.contract import Contract, Policies, PolicyValues
from brokerfuzz.schemas.contract_entries import Ambiguity, AskedSite
from brokerfuzz.schemas.json_reader import Interpretation, Reading, read_fully, read_message
from brokerfuzz.schemas.judged_interpretations import JudgedInterpretation, verdict_of
from brokerfuzz.schemas.loading import known_contract
from brokerfuzz.schemas.questions import AboutBytes, Question
from brokerfuzz.schemas.questions.clock import NearNow
from brokerfuzz.schemas.questions.encodings import Encoding, OverlongUtf8
from brokerfuzz.schemas.questions.json_texts import DoubleRange, DuplicateProperties
from brokerfuzz.schemas.rule import JSON_RULE
from brokerfuzz.schemas.structural_violations import StructureChecker
from brokerfuzz.schemas.verdicts import NOT_JSON, Touched, Verdict, Violation

NamedMeanings = Sequence[tuple[str, tuple[bool, ...]]]
"""The allowed interpretations of an ambiguity: the name of each interpretation, and its meanings."""
_USUAL_MEANING: NamedMeanings = [("", (False,))]
_NO_POLICIES = Policies()


def check(
    message_type: MessageType | str,
    body: Any,
    *,
    now: datetime | None = None,
    contract: Contract | None = None,
    policies: PolicyValues | None = None,
) -> Verdict:
    """Returns the verdict on a message. The function accepts any bytes.

    - `body`: the bytes of the message, or a Python value that `json.dumps` accepts, such as a dictionary.
    - `now`: the time that counts as the current time (default: the actual current time). A time without a time zone is
      in UTC.
    - `policies`: maps the ID of an ambiguity to the interpretations that you allow (see `Contract.check_policies`). The
      oracle judges the message under every allowed interpretation. A message is invalid if it breaks a rule under every
      allowed interpretation, and valid if it breaks no rule under any of them. If a policy allows only `rejected`, a
      message that touches the ambiguity breaks the rule `ambiguity/ID`.

    Raises `UnknownNameError` if a message type, an ambiguity or an interpretation is unknown, and `TypeError` if the
    body is a string, or a Python value that cannot be written as JSON.

    >>> from brokerfuzz import check
    >>> print(check("offer-creation-request", b'{"number": "A", "offerType": "Email", "orderMinimum": 0}'))
    invalid
      breaks offer-creation-request/orderMinimum:minimum at /orderMinimum: expected at least 1, found 0
    """
    checked_contract = known_contract(contract)
    rulebook = rulebook_of(checked_contract, checked_contract.known_message_type(message_type))
    return rulebook.judge(
        bytes(body) if isinstance(body, bytes | bytearray | memoryview) else _bytes_of(body),
        now=aware(now),
        policies=rulebook.contract.check_policies(policies) if policies else _NO_POLICIES,
    )


def aware(now: datetime | None) -> datetime:
    """Adds UTC to a time without a time zone. For None, returns the current time."""
    if now is None:
        return datetime.now(UTC)
    if not isinstance(now, datetime):
        raise TypeError(f"now={quoted(now)} is not a datetime: use, for example, datetime(2026, 1, 1, tzinfo=UTC)")
    return now if now.utcoffset() is not None else now.replace(tzinfo=UTC)


def _bytes_of(value: Any) -> bytes:
    if isinstance(value, str):
        raise TypeError(
            f"body={quoted(value)} is not bytes: use body.encode() for a message, or json.dumps(body).encode() for a "
            "JSON string"
        )
    try:
        return json.dumps(value, separators=(",", ":")).encode()
    except (TypeError, ValueError, RecursionError) as problem:
        raise TypeError(
            f"body={quoted(value)} cannot be written as JSON ({problem}): use bytes, or a value that json.dumps accepts"
        ) from None


def _joined(*names: str) -> str:
    """Combines the names of interpretations, which can be empty."""
    return ", ".join(filter(None, names))


@cache
def rulebook_of(contract: Contract, message_type: MessageType) -> "Rulebook":
    return Rulebook(contract, message_type)


class Rulebook:
    """The rules and ambiguities of one message type, prepared for judging messages."""

    def __init__(self, contract: Contract, message_type: MessageType) -> None:
        self.contract = contract
        self._json = next(rule for rule in contract.rules[message_type] if rule.keyword == JSON_RULE)
        self._structure = StructureChecker(contract, message_type)
        concerned = [ambiguity for ambiguity in contract.ambiguities if ambiguity.concerns(message_type)]
        self._ambiguities = {ambiguity.kind: ambiguity for ambiguity in concerned}
        self._about_bytes = [*_about_bytes(concerned)]
        self._usual_tolerance = self._tolerance({})
        self._scan = Scan(contract, message_type)

    def judge(self, body: bytes, *, now: datetime, policies: Policies) -> Verdict:
        readings = self._readings(body, policies)
        if policies and any(reading.has_unread_values for _, reading in readings):
            policies = self._without_both(policies)
        outcomes = chain.from_iterable(self._judge_reading(name, reading, now, policies) for name, reading in readings)
        return verdict_of([*outcomes], policies, self.contract)

    def _readings(self, body: bytes, policies: Policies) -> list[tuple[str, Reading]]:
        """Returns the parsed message. Overlong UTF-8 can be decoded or replaced, so there can be two."""
        usual = read_message(body)
        overlong = next((notation for notation in usual.exotic if notation[0] is OverlongUtf8), None)
        ambiguity = self._ambiguities.get(OverlongUtf8)
        if overlong is None or ambiguity is None:
            return [("", usual)]
        decoded = read_message(OverlongUtf8.decoded(body))
        decoded.exotic.append(overlong)
        allowed = policies.get(ambiguity.id, ambiguity.interpretations)
        readings = {"decoded": decoded, "replaced": usual}
        return [(f"{ambiguity.id}={name}", readings[name]) for name in readings if name in allowed] or [("", usual)]

    def _without_both(self, policies: Policies) -> Policies:
        """Removes a policy about duplicate properties that allows `both`. If more than two properties have the same
        name, `both` does not say what they must be.
        """
        ambiguity = self._ambiguities.get(DuplicateProperties)
        if ambiguity is None or "both" not in policies.get(ambiguity.id, ()):
            return policies
        return Policies({name: allowed for name, allowed in policies.items() if name != ambiguity.id})

    def _judge_reading(
        self, name: str, reading: Reading, now: datetime, policies: Policies
    ) -> list[JudgedInterpretation]:
        try:
            outcomes = self._judge_interpretations(reading, now, policies)
        except (ValueError, RecursionError):  # nested too deeply for the validator
            reading = read_fully(reading.body)
            outcomes = self._judge_interpretations(reading, now, policies)
        if everywhere := self._touched_everywhere(reading):
            for outcome in outcomes:
                outcome.touched.extend(everywhere)
        return [outcome._replace(name=_joined(name, outcome.name)) for outcome in outcomes] if name else outcomes

    def _judge_interpretations(self, reading: Reading, now: datetime, policies: Policies) -> list[JudgedInterpretation]:
        if reading.error is not None:
            broken = Violation(self._json.id, "", f"{NOT_JSON}{reading.error}", self._json.demand)
            return [JudgedInterpretation("", [broken], [])]
        tolerance = self._tolerance(policies) if policies else self._usual_tolerance
        if not reading.exotic:
            return [self._judge_values([reading.usual], reading, Inspection(now, tolerance))]
        outcomes = []
        for number_name, roundings in self._allowed_interpretations(DoubleRange, reading, policies):
            for property_name, choices in self._allowed_interpretations(DuplicateProperties, reading, policies):
                interpretations = (Interpretation(rounded, first) for rounded in roundings for first in choices)
                values = [reading.values[interpretation] for interpretation in interpretations]
                outcome = self._judge_values(values, reading, Inspection(now, tolerance))
                outcomes.append(outcome._replace(name=_joined(property_name, number_name)))
        return outcomes

    def _allowed_interpretations(
        self, kind: type[DoubleRange | DuplicateProperties], reading: Reading, policies: Policies
    ) -> NamedMeanings:
        """Returns the allowed interpretations of an ambiguity. If a policy allows only `rejected`, the message is
        always invalid. In this case, the function returns the usual interpretation.
        """
        if not any(kind is noted for noted, _, _ in reading.exotic):
            return _USUAL_MEANING
        ambiguity = self._ambiguities.get(kind)
        names = policies.get(ambiguity.id, ambiguity.interpretations) if ambiguity else tuple(kind.meanings)
        allowed = [
            (f"{ambiguity.id}={name}" if ambiguity else "", meanings)
            for name, meanings in kind.meanings.items()
            if name in names
        ]
        return allowed[:2] or _USUAL_MEANING  # `both` is the third, and follows from the verdicts on `last` and `first`

    def _judge_values(self, values: Sequence[Any], reading: Reading, inspection: Inspection) -> JudgedInterpretation:
        """Judges one interpretation of a message. `values` contains the parsed message. For the interpretation `both`,
        `values` contains several parsed messages, and all of them must comply with the contract.
        """
        broken: list[Violation] = []
        for value in values:
            self._scan(value, inspection)
            broken += self._structure.violations(value, len(reading.body))
        broken += inspection.broken
        if not reading.exotic:
            return JudgedInterpretation("", broken, inspection.touched)
        once = list({(violation.rule, violation.at): violation for violation in broken}.values())
        return JudgedInterpretation("", once, inspection.touched).as_written(
            {at: number for kind, at, number in reading.exotic if kind is DoubleRange}
        )

    def _tolerance(self, policies: Mapping[str, Sequence[str]]) -> tuple[int, int]:
        """Returns the lowest and the highest allowed clock tolerance, in seconds."""
        ambiguity = self._ambiguities.get(NearNow)
        if ambiguity is None:
            return 0, 0
        seconds = [*map(int, policies.get(ambiguity.id, ambiguity.interpretations))]
        return min(seconds), max(seconds)

    def _touched_everywhere(self, reading: Reading) -> list[Touched]:
        """Returns the ambiguities that concern all interpretations, such as those of the encoding."""
        touched = [
            Touched(ambiguity.id, "", question.found(reading.body))
            for ambiguity, question in self._about_bytes
            if question.touches(reading.body)
        ]
        for kind, at, description in reading.exotic:
            if kind in self._ambiguities:
                touched.append(Touched(self._ambiguities[kind].id, at, description))
        return touched


def _about_bytes(ambiguities: Sequence[Ambiguity]) -> Iterator[tuple[Ambiguity, Question]]:
    """Yields the questions about bytes, except those about encodings, which the reader has asked."""
    for ambiguity in ambiguities:
        if issubclass(ambiguity.kind, AboutBytes) and not issubclass(ambiguity.kind, Encoding):
            yield ambiguity, ambiguity.question_at(AskedSite(""))
