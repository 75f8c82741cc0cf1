"""Judgements: messages of files with the oracle's verdict, as data and for people.

A message whose type nobody names is judged as every type that it may be by the names of its properties: only where these verdicts
differ has the type to be named. A message of a corpus is held against its record besides.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from brokerfuzz.errors import InputError
from brokerfuzz.explaining.explanations import PINNED
from brokerfuzz.inputs import InputMessage, RecordedVerdict
from brokerfuzz.schemas import MESSAGE_TYPES, Contract, MessageType, Policies, Verdict, check
from brokerfuzz.schemas.flattening import types_of
from brokerfuzz.schemas.json_reader import read


@dataclass(frozen=True, slots=True)
class MessageJudgement:
    """A verdict on a message. `message_type` is None where several are possible, which agree on the verdict."""

    message: InputMessage
    message_type: MessageType | None
    verdict: Verdict

    @property
    def agrees(self) -> bool:
        """Whether the record of a corpus says the same; it does where there is none."""
        return self.message.record is None or _agrees(self.message.record, self.verdict)

    @property
    def is_finding(self) -> bool:
        """Whether something is wrong: an invalid message, or in a corpus, where some are meant to be, a record that is not true."""
        return not self.agrees if self.message.record else self.verdict.label == "invalid"


def judge(
    message: InputMessage,
    message_type: MessageType | None = None,
    *,
    contract: Contract,
    now: datetime | None = None,
    policies: Policies | None = None,
) -> MessageJudgement:
    """The judgement of a message; `now` is the present where it is None, in a corpus the time that the record was made at.

    Raises `InputError` where it may be of several types and they do not agree, or where `message_type` is not the record's.
    """
    record = message.record
    if record is not None:
        if message_type not in (None, record.message_type):
            raise InputError(f"{message.name}, line {message.line}, is the record of a case of {record.message_type}: leave --message out")
        verdict = check(record.message_type, message.body, now=now or record.now, contract=contract, policies=policies, headers=record.headers)
        return MessageJudgement(message, record.message_type, verdict)
    possible = (message_type,) if message_type else told_types(message.body, contract)
    verdicts = [check(one, message.body, now=now, contract=contract, policies=policies) for one in possible]
    if len({verdict.label for verdict in verdicts}) > 1:
        raise InputError(f"{message.name}, line {message.line}, may be {' or '.join(possible)}: say which, with --message")
    return MessageJudgement(message, possible[0] if len(possible) == 1 else None, _joined(verdicts))


def told_types(body: bytes, contract: Contract) -> tuple[MessageType, ...]:
    """The message types that a message may be of: those that know most of its properties, and of these those whose types fit the most."""
    values = read(body).values
    if not values or not isinstance(values[0], dict):
        return MESSAGE_TYPES
    misfits = {message_type: _misfits(values[0], message_type, contract) for message_type in MESSAGE_TYPES}
    return tuple(message_type for message_type in MESSAGE_TYPES if misfits[message_type] == min(misfits.values()))


def _misfits(props: Mapping[str, Any], message_type: MessageType, contract: Contract) -> tuple[int, int]:
    """(how many properties the root has no name for, in whatever letters; how many have no type that is theirs)."""
    known = {name.casefold(): types_of(prop) for name, prop in contract.flat[message_type].get("properties", {}).items()}
    types = [known[name.casefold()] & _types(value) for name, value in props.items() if name.casefold() in known]
    return len(props) - len(types), sum(not fitting for fitting in types)


def _types(value: Any) -> frozenset[str]:
    match value:
        case None:
            return frozenset(["null"])
        case bool():
            return frozenset(["boolean"])
        case int() | float():
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


def _agrees(record: RecordedVerdict, verdict: Verdict) -> bool:
    broken, touched = {entry.rule for entry in verdict.broken}, {entry.ambiguity for entry in verdict.ambiguities}
    return verdict.label == record.label and touched == record.ambiguities and (broken == record.rules or not record.rules)


# --------------------------------------------------------------------------------------------------------- telling


def data(judgement: MessageJudgement, contract: Contract) -> dict[str, Any]:
    """The judgement as JSON has it."""
    message, verdict = judgement.message, judgement.verdict
    said: dict[str, Any] = {
        "name": message.name,
        "line": message.line,
        "message": judgement.message_type,
        "verdict": verdict.label,
        "broken": [
            {"rule": b.rule, "at": b.at, "found": b.found, "demanded": b.demanded, "source": source_of(b.rule, contract)} for b in verdict.broken
        ],
        "ambiguities": [
            {"ambiguity": t.ambiguity, "at": t.at, "found": t.found, "source": contract.ambiguity(t.ambiguity).source} for t in verdict.ambiguities
        ],
    }
    return {**said, "record": {"verdict": message.record.label, "agrees": judgement.agrees}} if message.record else said


def lines(judgement: MessageJudgement, contract: Contract) -> Iterator[str]:
    """The reasons for people, a rule or an ambiguity each."""
    for (at, found, demanded), rules in _alike(judgement.verdict).items():
        yield f"  {at or 'the message'}: found {found}, demanded {demanded}"
        yield from (f"    rule {rule} ({source_of(rule, contract) or 'a changed contract'})" for rule in rules)
    for t in judgement.verdict.ambiguities:
        ambiguity = contract.ambiguity(t.ambiguity)
        yield f"  {t.at or 'the message'}: found {t.found}; the contract does not say: {ambiguity.question}"
        yield f"    ambiguity {t.ambiguity} ({ambiguity.source})"
    if (record := judgement.message.record) is not None and not judgement.agrees:
        said = " ".join([record.label, *sorted(record.rules | record.ambiguities)])
        yield f"  its record says {said}: it was changed, or made for another contract"


def source_of(rule: str, contract: Contract) -> str | None:
    """The place in the contract that demands a rule, or that leaves open an ambiguity that the user settled."""
    if rule.startswith(PINNED):
        return contract.ambiguity(rule.removeprefix(PINNED)).source
    known = contract.rules_by_id.get(rule)
    return known.source if known else None


def _alike(verdict: Verdict) -> dict[tuple[str, str, str], list[str]]:
    """(at, found, demanded) -> the rules that say so: several, where a message may be of several types."""
    found: dict[tuple[str, str, str], list[str]] = {}
    for entry in verdict.broken:
        found.setdefault((entry.at, entry.found, entry.demanded), []).append(entry.rule)
    return found
