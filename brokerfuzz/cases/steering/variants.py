"""Clusters with a rule broken in them, or a silence asked about: made once, for all messages that are crossed of the cluster.

To break a rule anew costs three times as much as to cross a message. So the first shards of a seed break all of theirs anew, later ones fewer and
fewer: most of their faults were made in a cluster before, and stand beside members that they have not met.
"""

from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from functools import lru_cache
from random import Random
from typing import Generic, TypeVar

from brokerfuzz.cases.steering.breaking import Breach, Breaker, Breaking, breakers
from brokerfuzz.cases.steering.crossing import STOCK, Origin, Stock, stock
from brokerfuzz.cases.steering.memory import News
from brokerfuzz.cases.steering.message import Message
from brokerfuzz.cases.steering.placing import Site
from brokerfuzz.cases.steering.probing import Probe, Prober, Probing, Question, questions
from brokerfuzz.schemas import Contract, MessageType, Rule
from brokerfuzz.schemas.pieces import Piece

T = TypeVar("T")
R = TypeVar("R")

_ANEW, _FEWEST = 4, 16
"""Shards in which nothing is varied; from then on one message of two is not, one of three, and so on: one of so many in the end."""
_DEEPEST, _DEEPER = 8, 4
"""Variants of a cluster at the most; shards after which it has one more."""
_DRAWN = 4
"""So often another variant is drawn before one is made anew."""


def anew(shard: int) -> int:
    """One of so many messages of a shard has what is made of it made anew."""
    return min(max(shard - _ANEW + 2, 1), _FEWEST)


class Variants(Generic[T, R]):
    """The variants of the clusters of a stock, made as they are needed: the same ones, whoever needs them first.

    `things` are what can be done to a message, with the site of each; `do` does it to a cluster, and says what it did, and what became of it.
    """

    def __init__(self, stock: Stock, things: Iterable[tuple[Site, T]], do: Callable[[T, Message, int], tuple[R, Message] | None]) -> None:
        self._stock, self._do = stock, do
        self._things = [[thing for site, thing in things if site and site[0] in names] for names in stock.clusters]
        self._made: dict[tuple[int, int, int], tuple[R, Piece] | None] = {}
        self._clusters = [cluster for cluster, some in enumerate(self._things) for _ in some]

    def __len__(self) -> int:
        """How many things there are to do."""
        return len(self._clusters)

    def drawn(self, origins: Sequence[Origin], bits: int, depth: int) -> tuple[int, R, Piece] | None:
        """One of the variants of a message's clusters: the number of the cluster's piece in the message, what was done, and the piece then.

        Each thing comes as often as each other, wherever it is done. None where this cluster is not in the message, or has no such variant.
        """
        if not self._clusters:
            return None
        wanted = self._clusters[(bits & 0xFFFF) % len(self._clusters)]
        for number, (cluster, parent) in enumerate(origins):
            if cluster == wanted and parent is not None:
                made = self._of(cluster, parent, (bits >> 16 & 0xFFFF) % depth)
                return (number, *made) if made is not None else None
        return None

    def _of(self, cluster: int, parent: int, number: int) -> tuple[R, Piece] | None:
        key = cluster, parent, number
        if key not in self._made:
            self._made[key] = self._make(cluster, parent, number * STOCK + parent)
        return self._made[key]

    def _make(self, cluster: int, parent: int, turn: int) -> tuple[R, Piece] | None:
        """The variant by the first thing, from the one whose turn it is, that can be done to the cluster."""
        message, things = self._stock.cluster(parent, cluster), self._things[cluster]
        for number in range(turn, turn + len(things)):
            done = self._do(things[number % len(things)], message, turn // len(things)) if message is not None else None
            if done is not None and (piece := done[1].piece) is not None:
                return done[0], piece
        return None


class Varying:
    """Varies the crossed messages of one stream. `breaking` and `probing` do what is done to no cluster, as often as each other thing is done."""

    def __init__(self, faults: Variants[Breaker, Breach], probes: Variants[Question, Probe], breaking: Breaking, probing: Probing,
                 random: Random, shard: int) -> None:  # fmt: skip
        self._faults, self._probes, self._breaking, self._probing = faults, probes, breaking, probing
        self._bits, self._depth = random.getrandbits, min(1 + shard // _DEEPER, _DEEPEST)

    def single(self, message: Message, origins: Sequence[Origin], news: News) -> tuple[list[Breach], Message] | None:
        """A rule that was broken before in one of the message's clusters, and the message with that in it."""
        if self._is_of_whole(len(self._faults), len(self._breaking)):
            return self._breaking.single(message, news)
        one = self._new(self._faults, message, origins, news)
        return ([one[0]], one[1]) if one is not None else None

    def double(self, message: Message, origins: Sequence[Origin], news: News) -> tuple[list[Breach], Message] | None:
        """Two rules that were broken before, each in a cluster of its own, and the message with both in it."""
        one = self._drawn(self._faults, origins)
        if one is None:
            return None
        for _ in range(_DRAWN):
            other = self._drawn(self._faults, origins)
            if other is not None and one[0] != other[0]:
                broken = message.with_pieces({one[0]: one[2], other[0]: other[2]})
                if news.is_new(broken.body):
                    return [one[1], other[1]], broken
        return None

    def probe(self, message: Message, origins: Sequence[Origin], news: News) -> Probe | None:
        """A silence that was asked about before in one of the message's clusters, and the message with that in it."""
        if self._is_of_whole(len(self._probes), len(self._probing)):
            return self._probing.probe(message, news)
        one = self._new(self._probes, message, origins, news)
        return one[0]._replace(message=one[1]) if one is not None else None

    def _new(self, variants: Variants[T, R], message: Message, origins: Sequence[Origin], news: News) -> tuple[R, Message] | None:
        for _ in range(_DRAWN):
            drawn = self._drawn(variants, origins)
            if drawn is not None and news.is_new((varied := message.with_pieces({drawn[0]: drawn[2]})).body):
                return drawn[1], varied
        return None

    def _drawn(self, variants: Variants[T, R], origins: Sequence[Origin]) -> tuple[int, R, Piece] | None:
        return variants.drawn(origins, self._bits(32), self._depth)

    def _is_of_whole(self, clusters: int, whole: int) -> bool:
        return self._bits(16) % (clusters + whole or 1) >= clusters


@lru_cache(maxsize=4)
def faults(
    contract: Contract, message_type: MessageType, seed: int, now: datetime, rules: tuple[Rule, ...] | None, techniques: frozenset[str] | None
) -> Variants[Breaker, Breach]:
    """The faults of a seed's clusters."""
    some = breakers(contract, message_type, seed, now, rules, techniques)
    return Variants(stock(contract, message_type, seed, now), [(breaker.site, breaker) for breaker in some], Breaker.broken)


@lru_cache(maxsize=4)
def probes(contract: Contract, message_type: MessageType, seed: int, now: datetime) -> Variants[Question, Probe]:
    """The probes of a seed's clusters."""
    prober = Prober(contract, message_type, now)

    def asked(question: Question, message: Message, number: int) -> tuple[Probe, Message] | None:
        probe = prober.asked(question, message, number)
        return (probe, probe.message) if probe is not None else None

    some = [(prober.site(question), question) for question in questions(contract, message_type, seed)]
    return Variants(stock(contract, message_type, seed, now), some, asked)
