"""Probes of silences in a message at hand: the silences and their sites take turns, and so do the probes of each."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from functools import lru_cache
from random import Random
from typing import Any

from brokerfuzz.cases.at_random import TAG
from brokerfuzz.cases.case import Case, clock
from brokerfuzz.cases.changes import places, value_at
from brokerfuzz.cases.probes import ProbeMaker
from brokerfuzz.cases.steering.memory import News
from brokerfuzz.cases.steering.message import Message
from brokerfuzz.cases.steering.placing import steps_of, way_to
from brokerfuzz.cases.steering.turns import Turns, shuffled
from brokerfuzz.schemas import Contract, MessageType, Silence

_LARGE = ("message_size", "string_length", "item_count")
"""What takes long messages to touch: the catalogue has it."""

Question = tuple[Silence, Any]
"""A silence, and one of its sites as its table gives it."""


@lru_cache(maxsize=16)
def questions(contract: Contract, message_type: MessageType) -> Sequence[Question]:
    """Every silence at every site where it can be probed."""
    maker = ProbeMaker(contract, message_type, clock(None))
    silences = [silence for silence in contract.silences if silence.detector not in _LARGE and next(maker.of_silence(silence), None) is not None]
    return [(silence, site) for silence in silences for site in maker.sites(silence)]


class Probing:
    """The questions of one stream, which take turns."""

    def __init__(self, contract: Contract, message_type: MessageType, now: datetime, random: Random, shard: int) -> None:
        self._maker = ProbeMaker(contract, message_type, now)
        self._turns = Turns(shuffled(questions(contract, message_type), random))
        self._shard = shard
        self._asked: Counter[tuple[str, str]] = Counter()

    def probe(self, message: Message, news: News) -> Case | None:
        """The message with the question in it that has waited longest of those that it has the place for."""
        return self._turns.take(lambda question: self._ask(question, message, news))

    def _ask(self, question: Question, message: Message, news: News) -> Case | None:
        silence, site = question
        path = self._maker.path(site)
        value = message.value
        there = places(value, path) if way_to(value, steps_of(path)[:1], 0) is not None else []
        if not there or value_at(value, there[0]) in (None, []):
            return None
        probes = list(self._maker.probes(silence, site, value))
        if not probes:
            return None
        asked = self._asked[silence.id, str(site)]
        self._asked[silence.id, str(site)] += 1
        name, steps, change = probes[(self._shard + asked) % len(probes)]
        probe = message.changed(steps, change)
        case = self._maker.case(silence, name, probe.body, probe.judged()) if news.is_new(probe.body) else None
        return replace(case, tags=(*case.tags, TAG)) if case else None
