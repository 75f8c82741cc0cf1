"""Measures what the messages in files cover: rules, techniques, edges (unusual valid values), ambiguities and pairs of
states.

brokerfuzz judges each message. If a message is a case from a corpus, and its verdict in the corpus is correct, the
techniques that the corpus specifies count, too. No techniques count for other messages.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from typing import Any

from brokerfuzz.cases.case import Case, Fault, clock
from brokerfuzz.cases.covering.goals import KINDS, Goal
from brokerfuzz.cases.covering.tally import Score, Tally
from brokerfuzz.contract_names import LABELS
from brokerfuzz.errors import InputError
from brokerfuzz.explaining.closest_types import closest_type
from brokerfuzz.explaining.judgements import MessageJudgement, judge, possible_types
from brokerfuzz.inputs import InputMessage, contract_messages, messages
from brokerfuzz.schemas import MESSAGE_TYPES, Contract, MessageType
from brokerfuzz.schemas.json_reader import read


@dataclass
class Coverage:
    contract: Contract
    now: datetime | None = None
    tallies: dict[MessageType, Tally] = field(default_factory=dict)
    others: Counter[str] = field(default_factory=Counter)
    """Maps the name of each file with recorded traffic to the number of bodies that are not messages of the
    contract.
    """
    ambiguous_type: int = 0
    """The number of messages that were not counted because they match several message types."""
    first_ambiguous_type: str = ""
    """The file and the line of the first message that matches several message types."""

    @property
    def messages(self) -> int:
        return sum(tally.messages for tally in self.tallies.values())

    def score(self, *kinds: str) -> Score:
        """Returns the number of covered goals and the number of all goals, for these `kinds` of goals. Message types
        without messages do not count.
        """
        return sum((tally.score(*kinds) for tally in self.tallies.values()), Score(0, 0))

    def add(self, message: InputMessage, message_type: MessageType) -> None:
        judgement = judge(message, message_type, contract=self.contract, now=self.now)
        if message_type not in self.tallies:
            self.tallies[message_type] = Tally(self.contract, message_type, self._present)
        case = Case(message_type, message.body, judgement.verdict, _faults(judgement))
        self.tallies[message_type].add(case, _source(message))

    @cached_property
    def _present(self) -> datetime:
        return clock(self.now)


def _faults(judgement: MessageJudgement) -> tuple[Fault, ...]:
    record = judgement.message.record
    return record.faults if record is not None and judgement.agrees else ()


Progress = Callable[[int], None]


def measure(
    names: Iterable[str], *, contract: Contract, message_type: MessageType | None = None, lines: bool = False,
    now: datetime | None = None,
    progress: Progress | None = None,
) -> Coverage:  # fmt: skip
    """`progress` is called after each message with the number of counted messages.

    Raises `InputError` if a file cannot be read or contains no messages. Raises `CorpusError` if a corpus is invalid,
    and `ClockError` if `now` is invalid.
    """
    coverage = Coverage(contract, now)
    for name in names:
        before, first = coverage.messages, None
        for message in contract_messages(messages(name, lines=lines), contract, message_type, coverage.others):
            first = first or message
            known_type = _type_of(message, message_type, contract)
            if known_type is None:
                coverage.ambiguous_type += 1
                coverage.first_ambiguous_type = coverage.first_ambiguous_type or _source(message)
                continue
            coverage.add(message, known_type)
            if progress:
                progress(coverage.messages)
        if coverage.messages == before:
            raise _nothing_in(name, first, coverage.others[name], contract)
    coverage.tallies = {name: coverage.tallies[name] for name in MESSAGE_TYPES if name in coverage.tallies}
    return coverage


def _source(message: InputMessage) -> str:
    return f"{message.name}:{message.line}"


def _type_of(message: InputMessage, message_type: MessageType | None, contract: Contract) -> MessageType | None:
    """Returns the type of a message, or None if several types match or the message is empty."""
    if message.record is not None:
        return message_type or message.record.message_type
    if message_type is not None or not message.body.strip():
        return message_type if message.body.strip() else None
    possible = possible_types(message.body, contract)
    return possible[0] if len(possible) == 1 else None


def _nothing_in(name: str, first: InputMessage | None, others: int, contract: Contract) -> InputError:
    if others:
        return InputError(f"{name} contains recorded traffic, but no message of the contract: specify another file")
    if first is None or not first.body.strip():
        return InputError(f"{name} is empty: specify a file that contains messages")
    reading = read(first.body)
    if reading.error:
        return InputError(
            f"{name} is not JSON ({reading.error}): specify a corpus, or add --message TYPE if this is an invalid "
            "message of this type"
        )
    if isinstance(reading.usual, list):
        remedy = "write one item per line (`jq -c '.[]'`), and add --ndjson"
        return InputError(f"{name} contains an array, but the contract has no messages that are arrays: {remedy}")
    closest = closest_type(first.body, contract)
    resembling = "" if closest is None else f"; the closest is {closest}"
    return InputError(
        f"{name} contains no message of a recognisable type{resembling}: specify the message type with --message"
    )


# ------------------------------------------------------------------------------------------------------------- data


def data(coverage: Coverage) -> dict[str, Any]:
    return {
        "messages": {name: _of_type(tally) for name, tally in coverage.tallies.items()},
        "left_out": {"other_traffic": coverage.others.total(), "type_unknown": coverage.ambiguous_type},
    }


def _of_type(tally: Tally) -> dict[str, Any]:
    scores = {kind: tally.score(kind) for kind in KINDS}
    return {
        "messages": tally.messages,
        "verdicts": {label: tally.verdicts[label] for label in LABELS},
        "goals": {kind: {"covered": score.covered, "all": score.all} for kind, score in scores.items()},
        "sites": [
            {"site": site, **{kind: _names(tally, goals) for kind, goals in kinds.items()}}
            for site, kinds in tally.by_site.items()
        ],
    }


def _names(tally: Tally, goals: Sequence[Goal]) -> dict[str, list[str]]:
    return {
        "covered": [goal.name for goal in goals if goal in tally.first],
        "missing": [goal.name for goal in goals if goal not in tally.first],
    }
