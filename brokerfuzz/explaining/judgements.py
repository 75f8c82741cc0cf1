"""Judges messages from files, and describes the verdicts.

If the user gives no message type, brokerfuzz judges the message as each type that matches its property names. If the
labels for several types differ, the user must specify the type.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from datetime import datetime
from typing import Any

import click

from brokerfuzz.contract_names import LABELS
from brokerfuzz.errors import InputError, quoted
from brokerfuzz.explaining.description import NOT_STATED, Description
from brokerfuzz.explaining.hints import hint_about
from brokerfuzz.inputs.files import InputMessage
from brokerfuzz.inputs.recognising import possible_types
from brokerfuzz.schemas import Contract, MessageType, Policies, Verdict, check
from brokerfuzz.schemas.json_reader import read_message
from brokerfuzz.schemas.judged_interpretations import source_of
from brokerfuzz.schemas.verdicts import violation
from brokerfuzz.wording import printable_as_in_python, table

_COLOURS = {"valid": "green", "invalid": "red", "unspecified": "yellow"}


@dataclass(frozen=True, slots=True)
class MessageJudgement:
    """A message with its verdict. `message_type` is None if several types are possible and lead to the same label."""

    message: InputMessage
    message_type: MessageType | None
    verdict: Verdict


def possible_types_of(
    message: InputMessage, message_type: MessageType | None, contract: Contract
) -> tuple[MessageType, ...]:
    """Returns the types that a message can have. Without a `message_type`, a case from a corpus has the type in the
    corpus. Raises `InputError` if the contract does not have this type.
    """
    stated_type = message_type or (message.record.message_type if message.record is not None else None)
    if stated_type is None:
        return possible_types(read_message(message.body).usual, contract)
    if stated_type not in contract.message_types:
        raise InputError(f"{message}, has the unknown message type {quoted(stated_type)}: use the contract that has it")
    return (stated_type,)


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

    Raises `InputError` if the possible message types lead to different labels.
    """
    record, possible = message.record, possible_types_of(message, message_type, contract)
    now = now or (record.now if record is not None else None)
    verdicts = [
        check(possible_type, message.body, now=now, contract=contract, policies=policies) for possible_type in possible
    ]
    if len({verdict.label for verdict in verdicts}) > 1:
        raise InputError(f"{message}, can be {' or '.join(possible)}: specify the message type with --message")
    broken = dict.fromkeys(entry for verdict in verdicts for entry in verdict.broken)
    touched = dict.fromkeys(entry for verdict in verdicts for entry in verdict.ambiguities)
    joined = Verdict(verdicts[0].label, tuple(broken), tuple(touched))
    return MessageJudgement(message, possible[0] if len(possible) == 1 else None, joined)


# --------------------------------------------------------------------------------------------------------- summaries


def judgement_summary(judgement: MessageJudgement, contract: Contract) -> Description:
    """The verdict, with colour codes, and the reasons."""
    message = judgement.message
    what = f" ({judgement.message_type})" if judgement.message_type else ""
    label = click.style(judgement.verdict.label, fg=_COLOURS[judgement.verdict.label])
    text = [f"{printable_as_in_python(message.name)}:{message.line}: {label}{what}"]
    text += map(printable_as_in_python, verdict_lines(judgement.verdict, contract))
    hint = hint_about(message.body, contract) if judgement.verdict.label == "invalid" else None
    if hint is not None:
        text.append(f"  hint: {hint}")
    data = {
        "name": message.name,
        "line": message.line,
        "message": judgement.message_type,
        **verdict_data(judgement.verdict, contract),
        "hint": hint,
    }
    return Description(text, data)


def verdict_lines(verdict: Verdict, contract: Contract) -> Iterator[str]:
    """Yields the reasons for a verdict. If several message types are possible, one value can break a rule of each."""
    rules: dict[tuple[str, str, str, str], list[str]] = {}
    for broken in verdict.broken:
        rules.setdefault((broken.at, broken.under, broken.found, broken.demanded), []).append(broken.rule)
    for (at, under, description, demanded), names in rules.items():
        interpretation = f" (under {under})" if under else ""
        yield f"  {at or 'the message'}: {violation(description, demanded)}{interpretation}"
        yield from (f"    rule {name} ({source_of(name, contract) or NOT_STATED})" for name in names)
    for touched in verdict.ambiguities:
        ambiguity = contract.ambiguity(touched.ambiguity)
        yield f"  {touched.at or 'the message'}: found {touched.found}; the contract leaves open: {ambiguity.question}"
        yield f"    ambiguity {touched.ambiguity} ({ambiguity.source})"


def verdict_data(verdict: Verdict, contract: Contract) -> dict[str, Any]:
    broken = [{**asdict(violation), "source": source_of(violation.rule, contract)} for violation in verdict.broken]
    touched = [{**asdict(touch), "source": contract.ambiguity(touch.ambiguity).source} for touch in verdict.ambiguities]
    return {"verdict": verdict.label, "broken": broken, "ambiguities": touched}


@dataclass
class JudgedMessages:
    """Counts the verdicts of messages, the messages that break each rule, and the invalid messages whose type is not
    recognised.
    """

    labels: Counter[str] = field(default_factory=Counter)
    broken: Counter[str] = field(default_factory=Counter)
    of_no_type: int = 0

    def add(self, judgement: MessageJudgement) -> None:
        self.labels[judgement.verdict.label] += 1
        if judgement.message_type is None:
            self.of_no_type += judgement.verdict.label == "invalid"
        else:
            self.broken.update({violation.rule for violation in judgement.verdict.broken})

    def summary(self) -> Description:
        """A table of the broken rules, and the number of messages by verdict in the last line."""
        broken = dict(sorted(self.broken.items(), key=lambda item: (-item[1], item[0])))
        rows = [(f"{number:,}", printable_as_in_python(rule)) for rule, number in broken.items()]
        rows += [(f"{self.of_no_type:,}", "(no message type is recognised)")] if self.of_no_type else []
        counts = {label: self.labels[label] for label in LABELS}
        total = ", ".join(f"{count:,} {label}" for label, count in counts.items())
        text = [*(table([("messages", "rule"), *rows]) if rows else ()), f"{self.labels.total():,} messages: {total}"]
        return Description(text, {"messages": counts, "broken": broken, "of_no_type": self.of_no_type})
