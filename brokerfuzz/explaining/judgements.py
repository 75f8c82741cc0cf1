"""Judges messages from files, and describes the verdicts as JSON and as text.

If the user gives no message type, brokerfuzz judges the message as each type that matches its property names. If the
labels for several types differ, the user must specify the type. If the message is a case from a corpus, brokerfuzz also
compares the new verdict with the verdict in the corpus.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any

from brokerfuzz.cases.record_reader import CaseRecord
from brokerfuzz.errors import InputError
from brokerfuzz.explaining.closest_types import ClosestType, closest_type
from brokerfuzz.explaining.listings import NOT_STATED
from brokerfuzz.inputs import InputMessage
from brokerfuzz.schemas import MESSAGE_TYPES, Contract, MessageType, Policies, Verdict, check
from brokerfuzz.schemas.flattening import types_of
from brokerfuzz.schemas.json_reader import read
from brokerfuzz.schemas.judged_interpretations import source_of
from brokerfuzz.schemas.verdicts import violation


@dataclass(frozen=True, slots=True)
class MessageJudgement:
    """A message with its verdict. `message_type` is None if several types are possible and lead to the same label.

    If the message matches no message type of the contract, `closest` is the most similar type, and `verdict` contains
    the violations of this type's rules.
    """

    message: InputMessage
    message_type: MessageType | None
    verdict: Verdict
    closest: ClosestType | None = None

    @property
    def agrees(self) -> bool:
        """True if the new verdict and the verdict in the corpus are equal, or if the message is not from a corpus."""
        return self.message.record is None or _agrees(self.message.record, self.verdict)

    @property
    def is_finding(self) -> bool:
        """A message from a corpus is a finding if its verdict differs from the verdict in the corpus. Any other message
        is a finding if it is invalid.
        """
        return not self.agrees if self.message.record else self.verdict.label == "invalid"


def judge(
    message: InputMessage,
    message_type: MessageType | None = None,
    *,
    contract: Contract,
    now: datetime | None = None,
    policies: Policies | None = None,
) -> MessageJudgement:
    """Judges a message as if the current time were `now` (default: the time for which a case from a corpus was
    generated, otherwise the actual time).

    Raises `InputError` if the possible message types lead to different labels, or if `message_type` contradicts the
    corpus.
    """
    record = message.record
    if record is not None:
        if message_type not in (None, record.message_type):
            raise InputError(
                f"{message.name}, line {message.line}, has the message type {record.message_type}: remove --message, "
                "or use "
                f"--message {record.message_type}"
            )
        verdict = check(
            record.message_type,
            message.body,
            now=now or record.now,
            contract=contract,
            policies=policies,
            headers=record.headers,
        )
        return MessageJudgement(message, record.message_type, verdict)
    closest = None if message_type else closest_type(message.body, contract)
    possible = (
        (message_type,)
        if message_type
        else (closest.message_type,)
        if closest
        else possible_types(message.body, contract)
    )
    verdicts = [check(one, message.body, now=now, contract=contract, policies=policies) for one in possible]
    if len({verdict.label for verdict in verdicts}) > 1:
        raise InputError(
            f"{message.name}, line {message.line}, can be {' or '.join(possible)}: specify the message type with "
            "--message"
        )
    return MessageJudgement(message, possible[0] if len(possible) == 1 else None, _joined(verdicts), closest)


def possible_types(body: bytes, contract: Contract) -> tuple[MessageType, ...]:
    """Returns the message types that match a message best: those with the fewest unknown properties.

    If several message types have equally few unknown properties, those with the fewest wrong values match best. For
    example, a string is a wrong value for a number.
    """
    message = read(body).usual
    if not isinstance(message, dict):
        return MESSAGE_TYPES
    misfits = {message_type: _misfits(message, message_type, contract) for message_type in MESSAGE_TYPES}
    return tuple(message_type for message_type in MESSAGE_TYPES if misfits[message_type] == min(misfits.values()))


def _misfits(props: Mapping[str, Any], message_type: MessageType, contract: Contract) -> tuple[int, int]:
    """Returns the number of unknown properties, and the number of known properties whose value has a wrong JSON
    type.
    """
    known = {
        name.casefold(): types_of(prop) for name, prop in contract.flat[message_type].get("properties", {}).items()
    }
    types = [known[name.casefold()] & _types(value) for name, value in props.items() if name.casefold() in known]
    return len(props) - len(types), sum(not fitting for fitting in types)


def _types(value: Any) -> frozenset[str]:
    match value:
        case None:
            return frozenset(["null"])
        case bool():
            return frozenset(["boolean"])
        case int() | float() | Decimal():
            return frozenset(["number", "integer"])
        case str():
            return frozenset(["string"])
        case list():
            return frozenset(["array"])
        case _:
            return frozenset(["object"])


def _joined(verdicts: list[Verdict]) -> Verdict:
    broken = dict.fromkeys(entry for verdict in verdicts for entry in verdict.broken)
    touched = dict.fromkeys(entry for verdict in verdicts for entry in verdict.ambiguities)
    return Verdict(verdicts[0].label, tuple(broken), tuple(touched))


def _agrees(record: CaseRecord, verdict: Verdict) -> bool:
    broken, touched = {entry.rule for entry in verdict.broken}, {entry.ambiguity for entry in verdict.ambiguities}
    claimed = {fault.rule for fault in record.faults}
    return verdict.label == record.label and touched == set(record.ambiguities) and (broken == claimed or not claimed)


# -------------------------------------------------------------------------------------------------------- reporting


def data(judgement: MessageJudgement, contract: Contract) -> dict[str, Any]:
    message, verdict, closest = judgement.message, judgement.verdict, judgement.closest
    said: dict[str, Any] = {
        "name": message.name,
        "line": message.line,
        "message": judgement.message_type,
        "closest": None if closest is None else {"message": closest.message_type, "site": closest.site},
        "verdict": verdict.label,
        "broken": [
            {
                "rule": b.rule,
                "at": b.at,
                "under": b.under,
                "found": b.found,
                "demanded": b.demanded,
                "source": source_of(b.rule, contract),
            }
            for b in verdict.broken
        ],
        "ambiguities": [
            {"ambiguity": t.ambiguity, "at": t.at, "found": t.found, "source": contract.ambiguity(t.ambiguity).source}
            for t in verdict.ambiguities
        ],
    }
    return {**said, "record": {"verdict": message.record.label, "agrees": judgement.agrees}} if message.record else said


def lines(judgement: MessageJudgement, contract: Contract) -> Iterator[str]:
    for (at, under, found, demanded), rules in _rules_by_violation(judgement.verdict).items():
        interpretation = f" (under {under})" if under else ""
        yield f"  {at or 'the message'}: {violation(found, demanded)}{interpretation}"
        yield from (f"    rule {rule} ({source_of(rule, contract) or NOT_STATED})" for rule in rules)
    for t in judgement.verdict.ambiguities:
        ambiguity = contract.ambiguity(t.ambiguity)
        yield f"  {t.at or 'the message'}: found {t.found}; the contract leaves open: {ambiguity.question}"
        yield f"    ambiguity {t.ambiguity} ({ambiguity.source})"
    if (record := judgement.message.record) is not None and not judgement.agrees:
        said = " ".join([record.label, *sorted({*(fault.rule for fault in record.faults), *record.ambiguities})])
        yield f"  the corpus says {said}: the corpus was changed, or it was generated for another contract"


def _rules_by_violation(verdict: Verdict) -> dict[tuple[str, str, str, str], list[str]]:
    """Maps each violation (its place, interpretation, invalid value and requirement) to the IDs of the broken rules. If
    several message types are possible, one value can break a rule of each type.
    """
    found: dict[tuple[str, str, str, str], list[str]] = {}
    for entry in verdict.broken:
        found.setdefault((entry.at, entry.under, entry.found, entry.demanded), []).append(entry.rule)
    return found
