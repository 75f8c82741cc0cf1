"""Adds a probe of an ambiguity to a random message. The ambiguities, their sites and their probes take turns."""

from collections import Counter
from collections.abc import Sequence
from datetime import datetime
from functools import lru_cache
from typing import Any

from brokerfuzz.cases.case_decoder import TAG
from brokerfuzz.cases.changes import places, value_at
from brokerfuzz.cases.probes import ProbeMaker
from brokerfuzz.cases.steering.claims import Claim
from brokerfuzz.cases.steering.memory import News
from brokerfuzz.cases.steering.message import Message
from brokerfuzz.cases.steering.round_robin import Turns, random_of, shuffled
from brokerfuzz.cases.steering.site_paths import steps_of, way_to
from brokerfuzz.schemas import Ambiguity, Contract, MessageType

_LARGE = ("message_size", "string_length", "item_count")
"""The detectors of ambiguities that need long messages. Random cases do not probe these ambiguities."""

Question = tuple[Ambiguity, Any]
"""An ambiguity and one of its sites, as in `ambiguities.json`."""


@lru_cache(maxsize=16)
def _questions(contract: Contract, message_type: MessageType, now: datetime | None) -> Sequence[Question]:
    maker = ProbeMaker(contract, message_type, now)
    ambiguities = [
        ambiguity for ambiguity in contract.ambiguities if ambiguity.detector not in _LARGE and next(maker.of_ambiguity(ambiguity), None) is not None
    ]
    return [(ambiguity, site) for ambiguity in ambiguities for site in maker.sites(ambiguity)]


def questions(contract: Contract, message_type: MessageType, seed: int, now: datetime | None) -> Sequence[Question]:
    """Returns each ambiguity with each site where a message can touch it. The seed determines the order."""
    return shuffled(_questions(contract, message_type, now), random_of(seed))


class Prober:
    """Adds a probe of an ambiguity to a message."""

    def __init__(self, contract: Contract, message_type: MessageType, now: datetime | None) -> None:
        self._maker = ProbeMaker(contract, message_type, now)

    def asked(self, question: Question, message: Message, number: int) -> tuple[Claim, Message] | None:
        """Returns the message with the probe that has this number. Returns None if the probe is not possible in the message."""
        ambiguity, site = question
        path = self._maker.path(site)
        value = message.value
        there = places(value, path) if way_to(value, steps_of(path)[:1], 0) is not None else []
        if not there or value_at(value, there[0]) in (None, []):
            return None
        probes = list(self._maker.probes(ambiguity, site, value))
        if not probes:
            return None
        name, steps, change = probes[number % len(probes)]
        return Claim((), ambiguity.id, (*self._maker.tags(ambiguity, name), TAG)), message.changed(steps, change)


class Probing:
    """Lets the ambiguities take turns in the messages of one shard."""

    def __init__(self, prober: Prober, questions: Sequence[Question], shard: int) -> None:
        self._prober = prober
        self._turns = Turns(questions)
        self._shard = shard
        self._asked: Counter[tuple[str, str]] = Counter()

    def probe(self, message: Message, news: News) -> tuple[Claim, Message] | None:
        """Adds a probe to the message. Among the ambiguities that the message can touch, the one that has waited longest comes next."""
        return self._turns.take(lambda question: self._ask(question, message, news))

    def _ask(self, question: Question, message: Message, news: News) -> tuple[Claim, Message] | None:
        ambiguity, site = question
        asked = self._asked[ambiguity.id, str(site)]
        probed = self._prober.asked(question, message, self._shard + asked)
        if probed is None:
            return None
        self._asked[ambiguity.id, str(site)] += 1
        return probed if news.is_new(probed[1].body) else None
