"""Messages crossed of others: each cluster of members comes from another one, and members that have to agree are in one cluster.

A message that is made anew costs thirty times as much, and what a program does with one member mostly does not depend on the others.
"""

from collections.abc import Iterator, Sequence
from datetime import datetime
from functools import lru_cache
from random import Random
from threading import Lock
from typing import NamedTuple

from brokerfuzz.cases.steering.marks import decided_by, marked_sites, within
from brokerfuzz.cases.steering.message import Message
from brokerfuzz.cases.steering.shapes import shaping
from brokerfuzz.cases.steering.source import TurningSource
from brokerfuzz.cases.steering.turns import random_of, shuffled
from brokerfuzz.decoder.doubts import doubts
from brokerfuzz.schemas import Contract, MessageType
from brokerfuzz.schemas.flattening import strangers, types_of
from brokerfuzz.schemas.pieces import APART_AND_VALID, EMPTY, Judgement, Piece, Pieces
from brokerfuzz.schemas.verdicts import VALID

_LEAST = 8
"""Groups of members, below which there is too little to cross."""
STOCK, _FIRST, _GROWTH = 512, 128, 4
"""Messages of a stock; those from which the first message is crossed, and how many more each other one may have its members from."""
_LAST = 32
"""Messages of a stream's own that others are crossed of."""
_CLUSTERS = 2
"""So many clusters the members come in, besides free texts, which are the first cluster."""
_SHIFTS = [(number, 16 * number) for number in range(_CLUSTERS + 1)]
"""Clusters, and where the bits of a random number begin that choose the parent of each."""


@lru_cache(maxsize=16)
def groups(contract: Contract, message_type: MessageType) -> Sequence[frozenset[str]]:
    """The members of a message in groups that have to agree: most are alone in theirs. None where the message has to agree as a whole."""
    root = contract.flat[message_type]
    bounds = [*_related(contract, message_type), *_conditional(contract, message_type)]
    if types_of(root) != {"object"} or {"enum", "const", *strangers(root)} & set(root) or not all(bounds):
        return ()
    found = [frozenset([name]) for name in root.get("properties", {})]
    for bound in bounds:
        tied = [group for group in found if group & bound]
        found = [group for group in found if not group & bound] + [frozenset[str]().union(*tied)]
    return found


def _related(contract: Contract, message_type: MessageType) -> Iterator[frozenset[str]]:
    """The members that each silence about the whole message is about; none where it is about all of them."""
    for _, names in doubts(contract, message_type).get("", ()):
        yield frozenset(names)


def _conditional(contract: Contract, message_type: MessageType) -> Iterator[frozenset[str]]:
    """What each condition of the whole message looks at, with what it demands something of; none where that cannot be told."""
    for rule in contract.rules[message_type]:
        if rule.condition is not None and not rule.condition.site:
            demanded = [name for name in contract.flat[message_type].get("properties", {}) if within(rule.site, name)]
            looked_at = [*decided_by(rule), *rule.condition.when.get("required", ())]
            yield frozenset([*looked_at, *demanded] if demanded and not strangers(rule.condition.when) else [])


class Cluster:
    """Members that messages have together: their piece, and the number of the message of the stock that they are from; None, if of no such.
    `is_valid`: apart from others, they are valid (the cluster of texts, with the one that is to be the mark)."""

    __slots__ = ("is_valid", "parent", "piece")

    def __init__(self, piece: Piece, parent: int | None, *, is_valid: bool) -> None:
        self.piece, self.parent, self.is_valid = piece, parent, is_valid


class Parent(NamedTuple):
    """A message in clusters, one for each of the stock's. Its `marked` text is in none."""

    clusters: Sequence[Cluster]
    marked: str


class Stock:
    """Messages that those of a seed have their members from, in whatever shard. There are none where messages cannot be crossed.

    They are made as they are needed, one after the other: the same ones, whoever needs them first.
    """

    def __init__(self, contract: Contract, message_type: MessageType, seed: int, now: datetime) -> None:
        random = random_of(seed, 0)
        texts, bound = marked_sites(contract, message_type), groups(contract, message_type)
        self._texts = [name for name in texts if frozenset([name]) in bound]
        others = shuffled([group for group in bound if group.isdisjoint(self._texts)], random)
        dealt = [frozenset[str]().union(*others[number::_CLUSTERS]) for number in range(_CLUSTERS)]
        self.clusters = [frozenset(self._texts), *dealt] if self._texts and len(bound) >= _LEAST else []
        self._parents: list[Parent] = []
        self.reader, self._source, self._make = Pieces(contract, message_type, now), TurningSource(random), shaping(contract, message_type).message
        self._is_apart = self.reader.are_apart([*[[name] for name in self._texts], *self.clusters[1:]])
        self._lock = Lock()

    def __bool__(self) -> bool:
        """Whether there is anything to cross."""
        return bool(self.clusters)

    def parents(self, count: int) -> Sequence[Parent]:
        """The first messages of the stock, so many at least."""
        if len(self._parents) < count:
            with self._lock:
                for number in range(len(self._parents), count):
                    message = Message.of_value(self.reader, self._make(number, self._source))
                    self._parents.append(self.parent(message, number, is_of_stock=True))
        return self._parents

    def parent(self, message: Message, number: int, *, is_of_stock: bool = False) -> Parent:
        """A message as a parent of others; the text that becomes their mark follows from a number."""
        members, marked, clusters = message.members, self._texts[number % len(self._texts)], list[Cluster]()
        for names in self.clusters:
            pieces = {name: piece for name, piece in members.items() if name in names and name != marked}
            piece, mark = self.reader.together(pieces) if pieces else EMPTY, members.get(marked, EMPTY) if marked in names else EMPTY
            is_valid = self._is_apart and self.reader.are_valid([piece, mark], names)
            clusters.append(Cluster(piece, number if is_of_stock else None, is_valid=is_valid))
        return Parent(clusters, marked)

    def judged(self, message: Message, clusters: Sequence[Cluster], mark: Piece) -> Judgement:
        """What the oracle says of a message of clusters and a mark: it has looked at each, and where they are apart, that is all."""
        texts, one, other = clusters
        if texts.is_valid and one.is_valid and other.is_valid and mark.verdict is VALID and len(message.body) <= self.reader.largest:
            return APART_AND_VALID
        return message.judged()


@lru_cache(maxsize=4)
def stock(contract: Contract, message_type: MessageType, seed: int, now: datetime) -> Stock:
    """The stock of a seed, made once."""
    return Stock(contract, message_type, seed, now)


class Crossing:
    """Crosses messages of a stock, and of those that a stream made anew last."""

    def __init__(self, stock: Stock, random: Random, before: int) -> None:
        """`before` is how many messages earlier shards have made, more or less: the more, the more of the stock is used."""
        self._stock, self._bits, self._used = stock, random.getrandbits, _FIRST + _GROWTH * before
        self._last: list[Parent] = []
        self._every: list[Parent] = []
        self._learnt = 0

    def learn(self, message: Message) -> None:
        """Takes a message for a parent of others, in place of the oldest that was learnt where they are many."""
        if message.members:
            at = self._learnt % _LAST
            self._last[at : at + 1] = [self._stock.parent(message, self._learnt)]
            self._learnt += 1
            self._every = []

    def crossed(self) -> Parent:
        """The clusters of the next message, and the name of the one text which that lacks: it is to be its mark."""
        if self._used < STOCK or not self._every:
            self._used = used = min(self._used + _GROWTH, STOCK)
            self._every = [*self._stock.parents(used)[:used], *self._last]
        bits, parents, count = self._bits(16 * (_CLUSTERS + 1)), self._every, len(self._every)
        clusters = [parents[(bits >> shift & 0xFFFF) % count].clusters[number] for number, shift in _SHIFTS]
        return Parent(clusters, parents[(bits & 0xFFFF) % count].marked)
