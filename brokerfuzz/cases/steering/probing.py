"""Adds a probe of an ambiguity to a random message. The ambiguity and the site that have waited longest come next. The probes
of an ambiguity at a site are used one after another.
"""

from collections import Counter
from collections.abc import Sequence
from datetime import datetime
from functools import lru_cache
from typing import Any

from brokerfuzz.cases.case_decoder import TAG
from brokerfuzz.cases.changes import places, value_at
from brokerfuzz.cases.probes import ProbeMaker
from brokerfuzz.cases.steering.memory import News
from brokerfuzz.cases.steering.message import Claim, Message
from brokerfuzz.cases.steering.round_robin import Turns, random_of, shuffled
from brokerfuzz.cases.steering.site_paths import steps_of, way_to
from brokerfuzz.schemas import Ambiguity, Contract, MessageType

_LARGE = ("message_size", "string_length", "item_count")
"""The detectors of ambiguities that need long messages. Random cases do not probe these ambiguities."""

Question = tuple[Ambiguity, Any]
"""An ambiguity and one of its sites, as in `ambiguities.json`."""


@lru_cache(maxsize=16)
def _questions(contract: Contract, message_type: MessageType, now: datetime | None) -> Sequence[Question]:
    return ProbeMaker(contract, message_type, now).questions(_LARGE)


class Probing:
    """Adds probes to the messages of one shard. The seed determines the order of the ambiguities."""

    def __init__(self, contract: Contract, message_type: MessageType, seed: int, now: datetime | None, shard: int) -> None:
        self._maker = ProbeMaker(contract, message_type, now)
        self._turns = Turns(shuffled(_questions(contract, message_type, now), random_of(seed)))
        self._shard = shard
        self._asked: Counter[tuple[str, str]] = Counter()

    def probe(self, message: Message, news: News) -> tuple[Claim, Message] | None:
        """Adds a probe of an ambiguity to the message."""
        return self._turns.take(lambda question: self._probe_at(question, message, news))

    def _probe_at(self, question: Question, message: Message, news: News) -> tuple[Claim, Message] | None:
        """Adds a probe of this ambiguity at this site. Returns None if no probe is possible, or if the result is not new."""
        ambiguity, site = question
        value, path = message.value, self._maker.path(site)
        there = places(value, path) if way_to(value, steps_of(path)[:1], 0) is not None else []
        if not there or value_at(value, there[0]) in (None, []):
            return None
        probes = list(self._maker.probes(ambiguity, site, value))
        if not probes:
            return None
        name, steps, change = probes[(self._shard + self._asked[ambiguity.id, str(site)]) % len(probes)]
        self._asked[ambiguity.id, str(site)] += 1
        probed = message.changed(steps, change)
        return (Claim((), ambiguity.id, (*self._maker.tags(ambiguity, name), TAG)), probed) if news.is_new(probed.body) else None
