"""Clusters with a rule broken in them, or a silence asked about: made once, for all messages that are crossed of the cluster.

To break a rule anew costs three times as much as to cross a message. So the first shards of a seed break all of theirs anew, later ones fewer and
fewer: most of their faults were made in a cluster before, and stand beside members that they have not met.
"""

from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from functools import lru_cache
from itertools import islice
from random import Random
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

_ANEW, _FEWEST = 4, 16
"""Shards in which nothing is varied; from then on one message of two is not, one of three, and so on: one of so many in the end."""
_MOST, _LONGER = 8, 4
"""Variants of a cluster at the most; shards after which it has one more."""
_DRAWN = 4
"""So often another variant is taken before one is made anew."""


def anew(shard: int) -> int:
    """One of so many messages of a shard has what is made of it made anew."""
    return min(max(shard - _ANEW + 2, 1), _FEWEST)


class Variant(NamedTuple, Generic[R]):
    """What becomes of a cluster: the number of the thing that was done to it, what that said, and the piece then."""

    thing: int
    done: R
    piece: Piece


class Choice(NamedTuple, Generic[R]):
    """The variants of a cluster, each by another thing: the numbers of those, and what became of it by each."""

    things: tuple[int, ...]
    variants: Sequence[Variant[R]]

    def of(self, thing: int) -> Variant[R]:
        """The variant by a thing."""
        return self.variants[self.things.index(thing)]


_NONE = Choice[Any]((), ())


class Variants(Generic[T, R]):
    """The variants of the clusters of a stock, made as they are needed: the same ones, whoever needs them first.

    `things` are what can be done to a message, with the site of each; `do` does it to a cluster, and says what it did, and what became of it.
    """

    def __init__(self, stock: Stock, things: Sequence[tuple[Site, T]], do: Callable[[T, Message, int], tuple[R, Message] | None]) -> None:
        self._reader, self._do = stock.reader, do
        numbered = [(number, site[0], thing) for number, (site, thing) in enumerate(things) if site]
        self._things = [[(number, thing) for number, name, thing in numbered if name in names] for names in stock.clusters]
        self._made: dict[Cluster, Choice[R]] = {}
        self.things, self.things_of_clusters = len(things), len(numbered)

    def of(self, cluster: Cluster) -> Choice[R]:
        """The variants of a cluster."""
        found = self._made.get(cluster)
        if found is None:
            variants = list(islice(self._all(cluster), _MOST))
            found = self._made[cluster] = Choice(tuple([variant.thing for variant in variants]), variants)
        return found

    def _all(self, cluster: Cluster) -> Iterator[Variant[R]]:
        parent, things = cluster.parent, self._things[cluster.number]
        if parent is None:
            return
        message = Message(self._reader, [cluster.piece])
        for turn in range(parent * _MOST, parent * _MOST + len(things)):
            number, thing = things[turn % len(things)]
            done = self._do(thing, message, parent)
            if done is not None and (piece := done[1].piece) is not None:
                yield Variant(number, done[0], piece.bare)


class Varying:
    """Varies the crossed messages of one stream. `breaking` and `probing` do what is done to no cluster, as often as each other thing is done."""

    def __init__(self, faults: Variants[Breaker, Breach], probes: Variants[Question, Probe], breaking: Breaking, probing: Probing,
                 random: Random, shard: int) -> None:  # fmt: skip
        self._faults, self._probes, self._breaking, self._probing = faults, probes, breaking, probing
        self._random, self._most = random, min(1 + shard // _LONGER, _MOST)
        self._broken, self._asked = [0] * faults.things, [0] * probes.things

    def single(self, message: Message, clusters: Sequence[Cluster], news: News) -> tuple[list[Breach], Message] | None:
        """A rule that was broken before in one of the message's clusters, and the message with that in it."""
        if self._is_of_whole(self._faults):
            return self._breaking.single(message, news)
        one = self._new(self._faults, self._broken, message, clusters, news)
        return ([one[0]], one[1]) if one is not None else None

    def double(self, message: Message, clusters: Sequence[Cluster], news: News) -> tuple[list[Breach], Message] | None:
        """Two rules that were broken before, each in a cluster of its own, and the message with both in it."""
        one = self._least(self._faults, self._broken, clusters)
        if one is None:
            return None
        for _ in range(_DRAWN):
            other = self._least(self._faults, self._broken, clusters, but=one[0])
            if other is not None:
                broken = message.with_pieces({one[0]: one[1].piece, other[0]: other[1].piece})
                if news.is_new(broken.body):
                    return [one[1].done, other[1].done], broken
        return None

    def probe(self, message: Message, clusters: Sequence[Cluster], news: News) -> Probed | None:
        """A silence that was asked about before in one of the message's clusters, and the message with that in it."""
        if self._is_of_whole(self._probes):
            return self._probing.probe(message, news)
        one = self._new(self._probes, self._asked, message, clusters, news)
        return Probed(*one) if one is not None else None

    def _new(self, variants: Variants[T, R], done: list[int], message: Message, clusters: Sequence[Cluster], news: News) -> tuple[R, Message] | None:
        for _ in range(_DRAWN):
            least = self._least(variants, done, clusters)
            if least is not None and news.is_new((varied := message.with_pieces({least[0]: least[1].piece})).body):
                return least[1].done, varied
        return None

    def _least(self, variants: Variants[T, R], done: list[int], clusters: Sequence[Cluster], but: int | None = None) -> tuple[int, Variant[R]] | None:
        """The variant of one of a message's clusters by the thing that was done least often, and the number of its piece, which is not `but`."""
        choices, things, most = list[Choice[R]](), tuple[int, ...](), self._most
        for number, cluster in enumerate(clusters):
            choices.append(variants.of(cluster) if number != but else _NONE)
            things += choices[-1].things[:most]
        if not things:
            return None
        least = min(things, key=done.__getitem__)
        done[least] += 1
        number = 0
        while least not in choices[number].things[:most]:
            number += 1
        return number, choices[number].of(least)

    def _is_of_whole(self, variants: Variants[Any, Any]) -> bool:
        return self._random.getrandbits(16) % (variants.things or 1) >= variants.things_of_clusters


@lru_cache(maxsize=2)
def faults(
    contract: Contract, message_type: MessageType, seed: int, now: datetime, rules: tuple[Rule, ...] | None, techniques: frozenset[str] | None
) -> Variants[Breaker, Breach]:
    """The faults of a seed's clusters."""
    some = breakers(contract, message_type, seed, now, rules, techniques)
    return Variants(stock(contract, message_type, seed, now), [(breaker.site, breaker) for breaker in some], Breaker.broken)


@lru_cache(maxsize=2)
def probes(contract: Contract, message_type: MessageType, seed: int, now: datetime) -> Variants[Question, Probe]:
    """The probes of a seed's clusters."""
    prober = Prober(contract, message_type, now)
    some = [(prober.site(question), question) for question in questions(contract, message_type, seed)]
    return Variants(stock(contract, message_type, seed, now), some, prober.asked)
