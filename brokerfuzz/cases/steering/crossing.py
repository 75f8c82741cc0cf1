"""Messages crossed of others: each cluster of properties comes from another one, and properties that have to agree are in one cluster.

A message that is made anew costs thirty times as much, and what a program does with one property mostly does not depend on the others.
"""

from collections.abc import Iterator, Sequence
from datetime import datetime
from functools import lru_cache
from random import Random
from threading import Lock
from typing import NamedTuple

from brokerfuzz.cases.case import compact
from brokerfuzz.cases.steering.marks import decided_by, marked_sites, within
from brokerfuzz.cases.steering.message import Message
from brokerfuzz.cases.steering.round_robin import random_of, shuffled
from brokerfuzz.cases.steering.shapes import shaping
from brokerfuzz.cases.steering.source import TurningSource
from brokerfuzz.decoder.ambiguity_sites import doubts
from brokerfuzz.schemas import Contract, MessageType
from brokerfuzz.schemas.flattening import conditions_of, types_of, unsupported_keywords_of
from brokerfuzz.schemas.pieces import APART_AND_VALID, EMPTY, Piece, Pieces
from brokerfuzz.schemas.verdicts import VALID

_LEAST = 8
"""Groups of properties, below which there is too little to cross."""
STOCK, _FIRST, _GROWTH = 512, 128, 4
"""Messages of a stock; those from which the first message is crossed, and how many more each other one may have its properties from."""
_LAST = 32
"""Messages of a stream's own that others are crossed of."""
_CLUSTERS = 2
"""So many clusters the properties come in, besides free texts, which are the first cluster."""


@lru_cache(maxsize=16)
def groups(contract: Contract, message_type: MessageType) -> Sequence[frozenset[str]]:
    """The properties of a message in groups that have to agree: most are alone in theirs. None where the message has to agree as a whole."""
    root = contract.flat[message_type]
    bounds = [*_related(contract, message_type), *_conditional(contract, message_type)]
    if types_of(root) != {"object"} or {"enum", "const", *unsupported_keywords_of(root)} & set(root) or not all(bounds):
        return ()
    found = [frozenset([name]) for name in root.get("properties", {})]
    for bound in bounds:
        tied = [group for group in found if group & bound]
        found = [group for group in found if not group & bound] + [frozenset[str]().union(*tied)]
    return found


def _related(contract: Contract, message_type: MessageType) -> Iterator[frozenset[str]]:
    """The properties that each ambiguity about the whole message is about; none where it is about all of them."""
    for _, names in doubts(contract, message_type).get("", ()):
        yield frozenset(names)


def _conditional(contract: Contract, message_type: MessageType) -> Iterator[frozenset[str]]:
    """What each condition of the whole message looks at, with what it demands something of; none where that cannot be told."""
    for rule in contract.rules[message_type]:
        if rule.condition is not None and not rule.condition.site:
            demanded = [name for name in contract.flat[message_type].get("properties", {}) if within(rule.site, name)]
            looked_at = [*decided_by(rule), *rule.condition.when.get("required", ())]
            yield frozenset([*looked_at, *demanded] if demanded and not unsupported_keywords_of(rule.condition.when) else [])


class Cluster:
    """Properties that messages have together: their piece, its text before that of others (`before_others`), and the number of the message of the
    stock
    that they are from; None, if of no such."""

    __slots__ = ("parent", "piece", "text")

    def __init__(self, piece: Piece, parent: int | None) -> None:
        self.piece, self.text, self.parent = piece, before_others(piece.text), parent


def before_others(text: bytes) -> bytes:
    """The text of properties, as it stands in a message before that of others: such texts are joined without more ado."""
    return text and text + b","


class _Parent(NamedTuple):
    """A message in clusters, one for each of the stock's. Its `marked` text is in none. `is_valid`: each cluster is, apart from the others."""

    clusters: Sequence[Cluster]
    marked: str
    is_valid: bool


class _Parents(NamedTuple):
    """Messages that others take clusters from: those of each kind, with where the bits of a random number begin that choose one; which text of each
    is marked; whether all clusters are valid, apart from each other."""

    clusters: Sequence[tuple[int, Sequence[Cluster]]]
    marked: Sequence[str]
    are_valid: bool

    def and_also(self, others: "_Parents") -> "_Parents":
        """These, and others."""
        pairs = zip(self.clusters, others.clusters, strict=True)
        clusters = [(shift, [*some, *more]) for (shift, some), (_, more) in pairs]
        return _Parents(clusters, [*self.marked, *others.marked], self.are_valid and others.are_valid)


def _together(parents: Sequence[_Parent]) -> _Parents:
    clusters = [(16 * number, [parent.clusters[number] for parent in parents]) for number in range(_CLUSTERS + 1)]
    return _Parents(clusters, [parent.marked for parent in parents], all(parent.is_valid for parent in parents))


class Stock:
    """Messages that those of a seed have their properties from, in whatever shard. There are none where messages cannot be crossed.

    They are made as they are needed, one after the other: the same ones, whoever needs them first.
    """

    def __init__(self, contract: Contract, message_type: MessageType, seed: int, now: datetime) -> None:
        random = random_of(seed, 0)
        texts, bound = marked_sites(contract, message_type), groups(contract, message_type)
        self._texts = [name for name in texts if frozenset([name]) in bound]
        others = shuffled([group for group in bound if group.isdisjoint(self._texts)], random)
        dealt = [frozenset[str]().union(*others[number::_CLUSTERS]) for number in range(_CLUSTERS)]
        self.clusters = [frozenset(self._texts), *dealt] if self._texts and len(bound) >= _LEAST else []
        self._parents: list[_Parent] = []
        self._halves: dict[int, _Parents] = {}
        self._marked: dict[tuple[str, int], bytes] = {}
        self._conditional = {name for name in self._texts if conditions_of(contract.sites[message_type][name].schema)}
        self.reader, self._source, self._make = Pieces(contract, message_type, now), TurningSource(random), shaping(contract, message_type).message
        self._is_apart = self.reader.are_apart([*[[name] for name in self._texts], *self.clusters[1:]])
        self._lock = Lock()

    def __bool__(self) -> bool:
        """Whether there is anything to cross."""
        return bool(self.clusters)

    def parents(self, count: int) -> Sequence[_Parent]:
        """The first messages of the stock, so many at least."""
        if len(self._parents) < count:
            with self._lock:
                for number in range(len(self._parents), count):
                    message = Message.of_value(self.reader, self._make(number, self._source))
                    self._parents.append(self.parent(message, number, is_of_stock=True))
        return self._parents

    def among(self, count: int, others: Sequence[_Parent]) -> _Parents:
        """So many messages of the stock, and others, to take clusters from."""
        return _together([*self.parents(count)[:count], *others])

    def half(self, which: int, others: Sequence[_Parent]) -> _Parents:
        """Every other message of the stock, from the first or the second on, and others, to take clusters from."""
        if which not in self._halves:
            self._halves[which] = _together(self.parents(STOCK)[which::2])
        return self._halves[which].and_also(_together(others)) if others else self._halves[which]

    def parent(self, message: Message, number: int, *, is_of_stock: bool = False) -> _Parent:
        """A message as a parent of others; the text that becomes their mark follows from a number."""
        props, marked = message.props, self._texts[number % len(self._texts)]
        clusters, is_valid = list[Cluster](), self._is_apart
        for names in self.clusters:
            pieces = {name: piece for name, piece in props.items() if name in names and name != marked}
            piece = self.reader.together(pieces) if pieces else EMPTY
            other = props.get(marked, EMPTY) if marked in names else EMPTY
            is_valid = is_valid and self.reader.are_valid([piece, other], names)
            clusters.append(Cluster(piece, number if is_of_stock else None))
        return _Parent(clusters, marked, is_valid)

    def marked(self, name: str, mark: str) -> bytes | None:
        """How a property of this name that is a mark ends a message; None where it is to be read with the message. A text that is marked takes any
        of a
        length (`marked_sites`), if no condition asks about it, so one of each is read, and the others are not."""
        if name in self._conditional:
            return None
        head = self._marked.get((name, len(mark)))
        if head is None:
            piece = self.reader.read_once(name, compact(mark))
            is_valid = piece is not None and piece.verdict is VALID and piece.is_compact
            head = self._marked[name, len(mark)] = b"%b:" % compact(name) if is_valid else b""
        return b'%b"%b"}' % (head, mark.encode()) if head else None


@lru_cache(maxsize=4)
def stock(contract: Contract, message_type: MessageType, seed: int, now: datetime) -> Stock:
    """The stock of a seed, made once."""
    return Stock(contract, message_type, seed, now)


class Crossed:
    """A message of clusters, one for each of the stock's, and of a mark: its body, and the texts that that is joined of: a brace, those of the
    clusters, the mark's with a brace."""

    __slots__ = ("_message", "_reader", "body", "clusters", "judgement", "mark", "marked", "texts")

    def __init__(self, stock: Stock, clusters: Sequence[Cluster], marked: str, mark: str, *, are_valid: bool) -> None:
        """`are_valid`: the clusters are, apart from each other; then, if the mark is too, that is all that there is to say of the message."""
        self._reader, self.clusters, self.marked, self.mark = stock.reader, clusters, marked, mark
        self._message: Message | None = None
        self.texts = [b"{", *[cluster.text for cluster in clusters]]
        written = stock.marked(marked, mark) if are_valid else None
        if written is not None:
            self.texts.append(written)
            self.body, self.judgement = b"".join(self.texts), APART_AND_VALID
        if written is None or len(self.body) > stock.reader.largest:
            self.texts[len(clusters) + 1 :] = [self.message.texts[-1] + b"}"]
            self.body, self.judgement = self.message.body, self.message.judged()

    @property
    def message(self) -> Message:
        """The message in pieces."""
        if self._message is None:
            mark = self._reader.read_once(self.marked, compact(self.mark))
            assert mark is not None, "a mark is a plain text"
            self._message = Message(self._reader, [*(cluster.piece for cluster in self.clusters), mark])
        return self._message


class Crossing:
    """Crosses messages of a stock, and of those that a stream made anew last."""

    def __init__(self, stock: Stock, random: Random, before: int, half: int | None) -> None:
        """`before` is how many messages earlier shards have made, more or less: the more, the more of the stock is used; `half`, if it is one of
        the stock's halves, 0 or 1, that alone is."""
        self._stock, self._bits, self._used = stock, random.getrandbits, _FIRST + _GROWTH * before
        self._last: list[_Parent] = []
        self._learnt, self._half = 0, half
        self._parents: _Parents | None = None

    def learn(self, message: Message) -> None:
        """Takes a message for a parent of others, in place of the oldest that was learnt where they are many."""
        if message.props:
            at = self._learnt % _LAST
            self._last[at : at + 1] = [self._stock.parent(message, self._learnt)]
            self._learnt += 1
            self._parents = None

    def crossed(self, mark: str) -> Crossed:
        """The next message."""
        if self._half is not None and self._parents is None:
            self._parents = self._stock.half(self._half, self._last)
        elif self._parents is None or (self._half is None and self._used < STOCK):
            self._used = min(self._used + _GROWTH, STOCK)
            self._parents = self._stock.among(self._used, self._last)
        clusters, marked, are_valid = self._parents
        bits, count = self._bits(16 * (_CLUSTERS + 1)), len(marked)
        chosen = [some[(bits >> shift & 0xFFFF) % count] for shift, some in clusters]
        return Crossed(self._stock, chosen, marked[(bits & 0xFFFF) % count], mark, are_valid=are_valid)
