"""Measures what the messages in files cover: rules, techniques, edges (unusual valid values) and ambiguities.

brokerfuzz judges each message. If a message is a case from a corpus, the techniques in the corpus that break a rule
count, too.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

import click

from brokerfuzz.cases.case import Case, supported_time
from brokerfuzz.cases.covering.goals import GOAL_KINDS, Goal
from brokerfuzz.cases.covering.tally import Score, Tally
from brokerfuzz.contract_names import LABELS
from brokerfuzz.errors import InputError
from brokerfuzz.explaining.description import Description
from brokerfuzz.explaining.hints import hint_about
from brokerfuzz.explaining.judgements import judge, possible_types_of
from brokerfuzz.inputs.files import InputMessage, contract_messages
from brokerfuzz.schemas import Contract, MessageType
from brokerfuzz.schemas.json_reader import read_message
from brokerfuzz.wording import plural, table

ROOT = "(root)"


@dataclass
class Coverage:
    """`other_bodies` counts the bodies in each file with recorded traffic that are not messages of the contract."""

    tallies: dict[MessageType, Tally] = field(default_factory=dict)
    other_bodies: Counter[str] = field(default_factory=Counter)
    ambiguous_types: list[str] = field(default_factory=list)
    """The files and lines of messages that were not counted, because they match several message types."""

    @property
    def messages(self) -> int:
        return sum(tally.messages for tally in self.tallies.values())

    @property
    def score(self) -> Score:
        """The number of covered goals and the number of all goals. Message types without messages do not count."""
        return sum((tally.score_of(tally.goals) for tally in self.tallies.values()), Score(0, 0))

    def summary(self, *, missing: bool = False) -> Description:
        """A table with a row for each site, with colour codes. With `missing`, the text lists the goals that no message
        covers.
        """
        text: list[str] = []
        for tally in self.tallies.values():
            if missing:
                text += map(tally.full_name, tally.missing())
            else:
                text += [*([""] if text else []), *_table(tally)]
        data = {
            "messages": {name: _data(tally) for name, tally in self.tallies.items()},
            "left_out": {"other_traffic": self.other_bodies.total(), "type_unknown": len(self.ambiguous_types)},
        }
        return Description(text, data)


def measure(
    names: Iterable[str],
    *,
    contract: Contract,
    message_type: MessageType | None = None,
    lines: bool = False,
    now: datetime | None = None,
    counting: Callable[[Iterator[InputMessage]], Iterator[InputMessage]],
) -> Coverage:
    """`counting` gets the messages, and shows the progress.

    Raises `InputError` if a file cannot be read or contains no messages. Raises `CorpusError` if a corpus is invalid,
    and `ClockError` if `now` is invalid.
    """
    coverage, present = Coverage(), supported_time(now)
    for name in names:
        before, first = coverage.messages, None
        messages = contract_messages(name, contract, message_type, coverage.other_bodies, lines=lines)
        for message in counting(messages):
            first = first or message
            possible = possible_types_of(message, message_type, contract)
            is_empty = message.record is None and not message.body.strip()
            if len(possible) != 1 or is_empty:
                coverage.ambiguous_types.append(f"{message.name}:{message.line}")
                continue
            known_type = possible[0]
            judgement = judge(message, known_type, contract=contract, now=now)
            tally = coverage.tallies.setdefault(known_type, Tally(contract, known_type, present))
            broken = {entry.rule for entry in judgement.verdict.broken}
            recorded_faults = message.record.faults if message.record is not None else ()
            faults = tuple(fault for fault in recorded_faults if fault.rule in broken)
            tally.add(Case(known_type, message.body, judgement.verdict, faults))
        if first is not None and coverage.messages == before:
            raise _not_recognised(name, first, contract)
    coverage.tallies = {name: coverage.tallies[name] for name in contract.message_types if name in coverage.tallies}
    return coverage


def _not_recognised(name: str, first: InputMessage, contract: Contract) -> InputError:
    if not first.body.strip():
        return InputError(f"{name} is empty: specify a file that contains messages")
    reading = read_message(first.body)
    if reading.error:
        remedy = "specify a corpus, or add --message TYPE if this is an invalid message of this type"
        return InputError(f"{name} is not JSON ({reading.error}): {remedy}")
    remedy = hint_about(first.body, contract) or "specify the message type with --message"
    return InputError(f"{name} contains no message of a recognisable type: {remedy}")


# ---------------------------------------------------------------------------------------------------------- summary


def _table(tally: Tally) -> Iterator[str]:
    """A cell such as `3/5` contains the number of covered goals and the number of all goals."""
    yield click.style(tally.title, bold=True)
    scores = {kind: tally.score(kind) for kind in GOAL_KINDS}
    rows = [(plural(kind), str(score), f"{score.percent} %") for kind, score in scores.items()]
    for line, score in zip(table(rows, numbers=True), scores.values(), strict=True):
        yield click.style(f"  {line}", fg=_colour(score))
    yield ""
    sites = [
        [site or ROOT, *(str(tally.score_of(kinds.get(kind, ()))) for kind in GOAL_KINDS)]
        for site, kinds in tally.by_site.items()
    ]
    for line in table([["site", *map(plural, GOAL_KINDS)], *sites], numbers=True):
        yield f"  {line}"


def _colour(score: Score) -> str:
    return "green" if score.covered == score.all else "yellow" if score.covered else "red"


def _data(tally: Tally) -> dict[str, Any]:
    scores = {kind: tally.score(kind) for kind in GOAL_KINDS}
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
        "covered": [goal.name for goal in goals if goal in tally.covered],
        "missing": [goal.name for goal in goals if goal not in tally.covered],
    }
