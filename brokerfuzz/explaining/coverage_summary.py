"""Coverages: what the messages of files cover of the contract, and what is left to cover, as data.

Each message is judged from its bytes. What a corpus says of its faults is taken for true where the verdict bears it out; the faults of other
messages are recognised, as far as they can be.
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
from brokerfuzz.cases.covering.technique_recognition import Recogniser
from brokerfuzz.contract_names import LABELS
from brokerfuzz.errors import InputError
from brokerfuzz.explaining.judgements import MessageJudgement, judge, told_types
from brokerfuzz.inputs import InputMessage, messages, ours
from brokerfuzz.schemas import MESSAGE_TYPES, Contract, MessageType
from brokerfuzz.schemas.json_reader import read


@dataclass
class Coverage:
    """What messages cover, by message type, and how much of the input was left out."""

    contract: Contract
    strength: int = 2
    now: datetime | None = None
    tallies: dict[MessageType, Tally] = field(default_factory=dict)
    others: Counter[str] = field(default_factory=Counter)
    """How many bodies of each recording are no messages of the contract."""
    untold: int = 0
    """How many messages may be of several types."""
    first_untold: str = ""
    """The first of them, by file and line."""

    @property
    def messages(self) -> int:
        """How many messages were counted."""
        return sum(tally.messages for tally in self.tallies.values())

    def score(self, *kinds: str) -> Score:
        """How many goals of these kinds are covered, of the message types that there are messages of."""
        return sum((tally.score(*kinds) for tally in self.tallies.values()), Score(0, 0))

    def add(self, message: InputMessage, message_type: MessageType) -> None:
        """Counts a message of a type."""
        judgement = judge(message, message_type, contract=self.contract, now=self.now)
        if message_type not in self.tallies:
            self.tallies[message_type] = Tally(self.contract, message_type, self._present, self.strength)
            self._recognisers[message_type] = Recogniser(self.contract, message_type, self._present)
        case = Case(message_type, message.body, judgement.verdict, self._faults(judgement, message_type))
        self.tallies[message_type].add(case, _source(message))

    def _faults(self, judgement: MessageJudgement, message_type: MessageType) -> tuple[Fault, ...]:
        record = judgement.message.record
        if record is not None and record.faults and judgement.agrees:
            return record.faults
        return self._recognisers[message_type].faults(judgement.message.body, judgement.verdict)

    @cached_property
    def _present(self) -> datetime:
        return clock(self.now)

    @cached_property
    def _recognisers(self) -> dict[MessageType, Recogniser]:
        return {}


Progress = Callable[[int], None]


def measure(
    names: Iterable[str], *, contract: Contract, message_type: MessageType | None = None, lines: bool = False, now: datetime | None = None,
    strength: int = 2, progress: Progress | None = None,
) -> Coverage:  # fmt: skip
    """What the messages of files cover. `progress` is called with the number of messages counted so far.

    Raises `InputError` where a file cannot be read, or holds no message that can be counted; `CorpusError`, `StrengthError`, `ClockError`.
    """
    coverage = Coverage(contract, strength, now)
    for name in names:
        before, first = coverage.messages, None
        for message in ours(messages(name, lines=lines), contract, message_type, coverage.others):
            first = first or message
            told = _told(message, message_type, contract)
            if told is None:
                coverage.untold += 1
                coverage.first_untold = coverage.first_untold or _source(message)
                continue
            coverage.add(message, told)
            if progress:
                progress(coverage.messages)
        if coverage.messages == before:
            raise _nothing_in(name, first, coverage.others[name])
    coverage.tallies = {name: coverage.tallies[name] for name in MESSAGE_TYPES if name in coverage.tallies}
    return coverage


def _source(message: InputMessage) -> str:
    return f"{message.name}:{message.line}"


def _told(message: InputMessage, message_type: MessageType | None, contract: Contract) -> MessageType | None:
    """The type of a message; None where it may be of several."""
    if message.record is not None:
        return message_type or message.record.message_type
    if message_type is not None or not message.body.strip():
        return message_type if message.body.strip() else None
    possible = told_types(message.body, contract)
    return possible[0] if len(possible) == 1 else None


def _nothing_in(name: str, first: InputMessage | None, others: int) -> InputError:
    """Why a file has no message that can be counted."""
    if others:
        return InputError(f"{name} holds {others:,} bodies, and none is a message of the contract: name a recording of its traffic")
    if first is None or not first.body.strip():
        return InputError(f"{name} is empty: name a file that holds messages")
    reading = read(first.body)
    if reading.error:
        return InputError(f"{name} holds no JSON ({reading.error}): name a corpus, or say with --message what the bytes were meant to be")
    if isinstance(reading.values[0], list):
        return InputError(f"{name} holds an array, which no message is: write its items a line each (`jq -c '.[]'` does), and add --ndjson")
    return InputError(f"{name} holds no message whose type can be told: say with --message which it is")


# ------------------------------------------------------------------------------------------------------------- data


def data(coverage: Coverage) -> dict[str, Any]:
    """What `--json` prints."""
    return {
        "messages": {name: _of_type(tally) for name, tally in coverage.tallies.items()},
        "left_out": {"other_traffic": coverage.others.total(), "type_unknown": coverage.untold},
    }


def _of_type(tally: Tally) -> dict[str, Any]:
    scores = {kind: tally.score(kind) for kind in KINDS}
    return {
        "messages": tally.messages,
        "verdicts": {label: tally.verdicts[label] for label in LABELS},
        "goals": {kind: {"covered": score.covered, "all": score.all} for kind, score in scores.items()},
        "sites": [{"site": site, **{kind: _names(tally, goals) for kind, goals in kinds.items()}} for site, kinds in tally.by_site.items()],
    }


def _names(tally: Tally, goals: Sequence[Goal]) -> dict[str, list[str]]:
    return {
        "covered": [goal.name for goal in goals if goal in tally.first],
        "missing": [goal.name for goal in goals if goal not in tally.first],
    }
