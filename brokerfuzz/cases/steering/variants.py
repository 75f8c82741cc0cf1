"""Clusters with a rule broken in them, or a silence asked about: made once, for all messages that are crossed of the cluster.

To break a rule anew costs five times as much as to cross a message. So the first shards of a seed break all of theirs anew, later ones fewer and
fewer: most of their faults were made in a cluster before, and stand beside members that they have not met.
"""

from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from functools import lru_cache
from random import Random
from threading import Lock
from typing import Any, Generic, NamedTuple, TypeVar

from brokerfuzz.cases.steering.breaking import Breach, Breaker, Breaking, breakers
from brokerfuzz.cases.steering.crossing import Cluster, Stock, stock
from brokerfuzz.cases.steering.memory import News
from brokerfuzz.cases.steering.message import Message
from brokerfuzz.cases.steering.placing import Site
from brokerfuzz.cases.steering.probing import Probe, Probed, Prober, Probing, Question, questions
from brokerfuzz.schemas import Contract, MessageType, Rule
from brokerfuzz.schemas.pieces import Piece

T = TypeVar("T")
R = TypeVar("R")

_ANEW, _FEWEST = 4, 128
"""Shards in which nothing is varied; from then on one message of two is not, one of three, and so on: one of so many in the end."""
_FAULTS, _PROBES = 16, 4
"""Things that are done to a cluster at the most: rules broken, and silences asked about."""
_DRAWN = 4
"""So often another variant is taken before one is made anew."""


def anew(shard: int) -> int:
    """One of so many messages of a shard has what is made of it made anew."""
    return min(max(shard - _ANEW + 2, 1), _FEWEST)


class Variant(NamedTuple, Generic[R]):
    """What becomes of a cluster: what was done to it, and the piece then."""

    done: R
    piece: Piece


class Choice(Generic[R]):
    """What a cluster may become: by each of these things that is not known to do nothing to it; and what it has become by some."""

    __slots__ = ("cluster", "made", "things")

    def __init__(self, cluster: Cluster, things: Iterable[int]) -> None:
        self.cluster, self.things, self.made = cluster, tuple(things), dict[int, Variant[R] | None]()


class Variants(Generic[T, R]):
    """The variants of the clusters of a stock, by so many things of each at the most. They are made when they are needed: the same ones, whoever
    needs them first.

    `things` are what can be done to a message, with the site of each; `do` does it to a cluster, and says what it did, and what became of it.
    """

    def __init__(self, stock: Stock, things: Sequence[tuple[Site, T]], do: Callable[[T, Message, int], tuple[R, Message] | None], most: int) -> None:
        self._reader, self._do, self._most = stock.reader, do, most
        self._things = [(site[0] if site else None, thing) for site, thing in things]
        self._choices: dict[Cluster, Choice[R]] = {}
        self._lock = Lock()
        self.things, self.things_of_clusters = len(things), sum(bool(site) for site, _ in things)

    def of(self, cluster: Cluster) -> Choice[R]:
        """The variants of a cluster."""
        known = self._choices.get(cluster)
        if known is not None:
            return known
        if cluster.parent is None:  # no cluster of the stock: it is soon forgotten, and is to be
            return Choice(cluster, ())
        return self._choices.setdefault(cluster, Choice(cluster, self._turns(cluster, cluster.parent)))

    def _turns(self, cluster: Cluster, parent: int) -> Sequence[int]:
        """The things that may be done to a cluster, from the one whose turn it is."""
        every = [number for number, (name, _) in enumerate(self._things) if name in cluster.piece.values]
        first = parent * self._most % len(every) if every else 0
        return [*every[first:], *every[:first]][: self._most]

    def variant(self, choice: Choice[R], thing: int) -> Variant[R] | None:
        """What a cluster becomes by a thing; None, and the thing is not a choice any more, where that does nothing to it."""
        if thing not in choice.made:
            with self._lock:
                if thing not in choice.made:
                    choice.made[thing] = self._made(choice.cluster, thing)
        found = choice.made[thing]
        if found is None:
            choice.things = tuple([other for other in choice.things if other != thing])
        return found

    def _made(self, cluster: Cluster, thing: int) -> Variant[R] | None:
        done = self._do(self._things[thing][1], Message(self._reader, [cluster.piece]), cluster.parent or 0)
        piece = done[1].piece if done is not None else None
        return Variant(done[0], piece.bare) if done is not None and piece is not None else None


class _Taking(Generic[T, R]):
    """Takes variants for one stream: by the thing that was done least often."""

    def __init__(self, variants: Variants[T, R], random: Random) -> None:
        self._variants, self._random = variants, random
        self._done = [0] * variants.things
        self._last: tuple[Sequence[Cluster], _Offered[R]] = ((), ())

    def is_of_whole(self) -> bool:
        """Whether next comes what is done to no cluster: as often as each other thing."""
        return self._random.getrandbits(16) % (self._variants.things or 1) >= self._variants.things_of_clusters

    def offered(self, clusters: Sequence[Cluster]) -> "_Offered[R]":
        """What the clusters of a message, of which several cases are made, may become: also what has turned out to be no choice meanwhile."""
        if clusters is not self._last[0]:
            self._last = clusters, [(choice := self._variants.of(cluster), choice.things) for cluster in clusters]
        return self._last[1]

    def take(self, offered: "_Offered[R]", but: int | None = None) -> tuple[int, Variant[R]] | None:
        """What was done least often of all that is offered, and the number of the cluster, which is not `but`."""
        things = tuple[int, ...]()
        for number, (_, some) in enumerate(offered):
            if number != but:
                things += some
        while things:
            least = min(things, key=self._done.__getitem__)
            number = 0
            while least not in offered[number][1]:
                number += 1
            variant = self._variants.variant(offered[number][0], least)
            if variant is not None:
                self._done[least] += 1
                return number, variant
            things = tuple([thing for thing in things if thing != least])
        return None


_Offered = Sequence[tuple[Choice[R], tuple[int, ...]]]
"""Choices of clusters, and the things of each at the time."""


class Varying:
    """Varies the crossed messages of one stream. `breaking` and `probing` do what is done to no cluster."""

    def __init__(self, faults: Variants[Breaker, Breach], probes: Variants[Question, Probe], breaking: Breaking, probing: Probing,
                 random: Random) -> None:  # fmt: skip
        self._faults, self._probes, self._breaking, self._probing = _Taking(faults, random), _Taking(probes, random), breaking, probing

    def single(self, message: Message, clusters: Sequence[Cluster], news: News) -> tuple[list[Breach], Message] | None:
        """A rule broken in one of the message's clusters, as in each message that has it, and the message with that in it."""
        if self._faults.is_of_whole():
            return self._breaking.single(message, news)
        one = _new(self._faults, message, clusters, news)
        return ([one[0]], one[1]) if one is not None else None

    def double(self, message: Message, clusters: Sequence[Cluster], news: News) -> tuple[list[Breach], Message] | None:
        """Two rules broken so, each in a cluster of its own, and the message with both in it."""
        offered = self._faults.offered(clusters)
        one = self._faults.take(offered)
        if one is None:
            return None
        for _ in range(_DRAWN):
            other = self._faults.take(offered, but=one[0])
            if other is not None:
                broken = message.with_pieces((one[0], one[1].piece), (other[0], other[1].piece))
                if news.is_new(broken.body):
                    return [one[1].done, other[1].done], broken
        return None

    def probe(self, message: Message, clusters: Sequence[Cluster], news: News) -> Probed | None:
        """A silence asked about in one of the message's clusters so, and the message with that in it."""
        if self._probes.is_of_whole():
            return self._probing.probe(message, news)
        one = _new(self._probes, message, clusters, news)
        return Probed(*one) if one is not None else None


def _new(taking: _Taking[Any, R], message: Message, clusters: Sequence[Cluster], news: News) -> tuple[R, Message] | None:
    """What was done in one of a message's clusters, and the message with that in it, which is new."""
    for _ in range(_DRAWN):
        taken = taking.take(taking.offered(clusters))
        if taken is not None and news.is_new((varied := message.with_pieces((taken[0], taken[1].piece))).body):
            return taken[1].done, varied
    return None


@lru_cache(maxsize=2)
def faults(
    contract: Contract, message_type: MessageType, seed: int, now: datetime, rules: tuple[Rule, ...] | None, techniques: frozenset[str] | None
) -> Variants[Breaker, Breach]:
    """The faults of a seed's clusters."""
    some = breakers(contract, message_type, seed, now, rules, techniques)
    return Variants(stock(contract, message_type, seed, now), [(breaker.site, breaker) for breaker in some], Breaker.broken, _FAULTS)


@lru_cache(maxsize=2)
def probes(contract: Contract, message_type: MessageType, seed: int, now: datetime) -> Variants[Question, Probe]:
    """The probes of a seed's clusters."""
    prober = Prober(contract, message_type, now)
    some = [(prober.site(question), question) for question in questions(contract, message_type, seed)]
    return Variants(stock(contract, message_type, seed, now), some, prober.asked, _PROBES)
