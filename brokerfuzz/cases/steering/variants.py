"""Clusters with a rule broken in them, or an ambiguity asked about: made once, for all messages that are crossed of the cluster.

To break a rule anew costs ten times as much as to cross a message. So the first shards of a seed break all of theirs anew, later ones fewer and
fewer: most of their faults were made in a cluster before, and stand beside properties that they have not met.
"""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from functools import lru_cache, partial
from itertools import count, cycle
from random import Random
from threading import Lock
from typing import Any, Generic, NamedTuple, TypeVar

from brokerfuzz.cases.case import Case, confirmed_by
from brokerfuzz.cases.steering.claims import Claim, ClaimChecker
from brokerfuzz.cases.steering.crossing import Cluster, Crossed, Stock, before_others
from brokerfuzz.cases.steering.fault_injection import Breach, Breaker, Breaking, breakers
from brokerfuzz.cases.steering.memory import News
from brokerfuzz.cases.steering.message import Message
from brokerfuzz.cases.steering.probing import Prober, Probing, Question, questions
from brokerfuzz.schemas import Contract, MessageType, Rule
from brokerfuzz.schemas.pieces import Judgement, Piece, summed

T = TypeVar("T")
R = TypeVar("R")

_ANEW, _FEWEST = 4, 1024
"""Shards in which nothing is varied; from then on one message of two is not, one of four, and so on: one of so many in the end."""
_FAULTS, _PROBES = 4, 1
"""Things that are done to a cluster at the most: rules broken, and ambiguities asked about."""
_DRAWN = 8
"""So often another variant is taken before one is made anew."""


def anew(shard: int) -> int:
    """One of so many messages of a shard has what is made of it made anew."""
    return min(1 << min(max(shard - _ANEW + 1, 0), 32), _FEWEST)


class Variant(NamedTuple, Generic[R]):
    """What becomes of a cluster: what was done to it, what is said of that, and its text then, before that of others. `told` is the judgement on a
    message that is apart, and valid besides: it confirms what is said. None where only the whole message tells: it takes the `piece` then."""

    done: R
    claim: Claim
    text: bytes
    told: Judgement | None
    piece: Piece | None


class Choice(Generic[R]):
    """What a cluster may become: by each of these things that is not known to do nothing to it; and what it has become by some. Of each thing,
    how many clusters it was given to before: the ways to do it take turns."""

    __slots__ = ("cluster", "made", "things", "turns")

    def __init__(self, cluster: Cluster, turns: Mapping[int, int]) -> None:
        self.cluster, self.things, self.turns, self.made = cluster, tuple(turns), turns, dict[int, Variant[R] | None]()


class Variants(Generic[T, R]):
    """The variants of the clusters of a stock, by so many things of each at the most. They are made when they are needed: the same ones, whoever
    needs them first.

    `things` are what can be done to a message, each with the properties of which it needs one, which are in one cluster; with none, where it is
    done to
    no cluster. `has_place` tells whether it may be done to a cluster's properties; `do` does it to a cluster, and says what it did, and what became
    of
    it; `say` is what is said of a message then. A thing that was given to the fewest clusters is given first, and is done to each in its next way:
    all things come about as often, and so do the ways of each.
    """

    def __init__(
        self,
        stock: Stock,
        things: Sequence[tuple[frozenset[str], T]],
        has_place: Callable[[T, Any], bool],
        do: Callable[[T, Message, int], tuple[R, Message] | None],
        say: Callable[[R], Claim],
        most: int,
    ) -> None:
        self._stock, self._has_place, self._do, self._say, self._most = stock, has_place, do, say, most
        self._things = things
        slots = [_slot(stock, names) for names, _ in things]
        self.of_whole = [thing for slot, (_, thing) in zip(slots, things, strict=True) if slot is None]
        """What is done to no cluster, but to the message."""
        self.slots = _evenly([*(slot for slot in slots if slot is not None), *[None] * -(-len(self.of_whole) // 2)])
        """The clusters, by number, whose turn it is: each as often as there are things that are done in it; None for what is done in none, which
        comes half as often: it takes thirty times as long."""
        self.largest = stock.reader.largest
        self.choices: dict[Cluster, Choice[R]] = {}
        """The variants of the clusters that were dealt with already: see `of`."""
        self._dealt, self._given = 0, [0] * len(things)
        self._lock = Lock()

    def __len__(self) -> int:
        """How many things there are."""
        return len(self._things)

    def of(self, cluster: Cluster) -> Choice[R]:
        """The variants of a cluster: none, if it is not of the stock. Such a one is soon forgotten, and is to be."""
        if cluster not in self.choices:
            if cluster.parent is None:
                return Choice(cluster, {})
            self._deal(cluster.parent)
        return self.choices[cluster]

    def _deal(self, last: int) -> None:
        """Gives things to the clusters of the stock's messages up to this one."""
        parents = self._stock.parents(last + 1)
        with self._lock:
            for number in range(self._dealt, last + 1):
                for cluster in parents[number].clusters:
                    self.choices[cluster] = Choice(cluster, self._rarest(cluster, number))
            self._dealt = max(self._dealt, last + 1)

    def _rarest(self, cluster: Cluster, number: int) -> Mapping[int, int]:
        """The things that may be done to a cluster, and were given to the fewest: to how many."""
        value = cluster.piece.values
        every = [number for number, (names, thing) in enumerate(self._things) if not names.isdisjoint(value) and self._has_place(thing, value)]
        chosen = sorted(_from(every, number), key=self._given.__getitem__)[: self._most]
        turns = {thing: self._given[thing] for thing in chosen}
        for thing in chosen:
            self._given[thing] += 1
        return turns

    def variant(self, choice: Choice[R], thing: int) -> Variant[R] | None:
        """What a cluster becomes by a thing; None, and the thing is not a choice any more, where that does nothing to it."""
        if thing not in choice.made:
            with self._lock:
                if thing not in choice.made:
                    choice.made[thing] = self._made(choice.cluster, thing, choice.turns[thing])
        found = choice.made[thing]
        if found is None:
            choice.things = tuple([other for other in choice.things if other != thing])
        return found

    def _made(self, cluster: Cluster, thing: int, turn: int) -> Variant[R] | None:
        reader, former = self._stock.reader, cluster.piece
        done = self._do(self._things[thing][1], Message(reader, [former]), turn)
        parts = done[1].parts() if done is not None else None
        if done is None or parts is None:
            return None
        claim, told = self._say(done[0]), reader.judgement_of(parts, former)
        text = before_others(b",".join([part.text for part in parts.values()]))
        if told is not None and confirmed_by(told.verdict, claim.faults, claim.ambiguity):
            return Variant(done[0], claim, text, told, None)
        return Variant(done[0], claim, text, None, reader.together(parts).bare)


def _slot(stock: Stock, props: frozenset[str]) -> int | None:
    return next((number for number, names in enumerate(stock.clusters) if not names.isdisjoint(props)), None)


def _from(things: Sequence[T], number: int) -> Sequence[T]:
    """The things in their order, from the one of this number on, round and round."""
    first = number % len(things) if things else 0
    return [*things[first:], *things[:first]]


def _evenly(slots: Sequence[int | None]) -> Sequence[int | None]:
    """The same, each spread over all of them."""
    turns = {slot: count() for slot in slots}
    order = sorted(((next(turns[slot]) + 0.5) / slots.count(slot), number) for number, slot in enumerate(slots))
    return [slots[number] for _, number in order]


class _Taking(Generic[T, R]):
    """Takes variants for one stream: clusters take turns, and of what is done to one comes what was done least often."""

    def __init__(self, variants: Variants[T, R], random: Random) -> None:
        self._variants, self.slots = variants, cycle(_from(variants.slots, random.getrandbits(16)) or [None])
        self._done = [0] * len(variants)
        self._times, self._known = self._done.__getitem__, variants.choices.get

    def take(self, clusters: Sequence[Cluster], slot: int | None, but: int | None = None) -> tuple[int, Variant[R]] | None:
        """A variant of the cluster of this number, which is not `but`, or of the next one that has one; its number."""
        for _ in range(_DRAWN):
            if slot is not None and slot != but:
                cluster = clusters[slot]
                choice = self._known(cluster) or self._variants.of(cluster)
                while choice.things:
                    least = min(choice.things, key=self._times)
                    variant = choice.made.get(least) or self._variants.variant(choice, least)
                    if variant is not None:
                        self._done[least] += 1
                        return slot, variant
            slot = next(self.slots)
        return None


class Varying:
    """Varies the crossed messages of one stream. `breaking` and `probing` do what is done to no cluster.

    Of such a message, its news, and the twin of the case, if it is to have one: `single` is a rule broken in one of its clusters, as in each message
    that has that, `probe` an ambiguity asked about in one so.
    """

    def __init__(self, faults: Variants[Breaker, Breach], probes: Variants[Question, Claim], breaking: Breaking, probing: Probing,
                 judge: ClaimChecker, random: Random) -> None:  # fmt: skip
        self.single = partial(self._one, _Taking(faults, random), breaking.single)
        self._doubles = _Taking(faults, random)
        self.probe = partial(self._one, _Taking(probes, random), probing.probe)
        self._judge, self._largest = judge, faults.largest
        self._type: MessageType = judge.message_type

    def double(self, crossed: Crossed, news: News, twin: Case | None) -> Case | None:
        """Two rules broken so, each in a cluster of its own."""
        clusters, is_apart = crossed.clusters, crossed.judgement.is_apart
        taking, texts = self._doubles, crossed.texts.copy()
        taken = taking.take(clusters, next(taking.slots))
        if taken is None:
            return None
        first, one = taken
        texts[1 + first] = one.text
        for _ in range(_DRAWN):
            taken = taking.take(clusters, next(taking.slots), first)
            if taken is None:
                return None
            second, other = taken
            unbroken, texts[1 + second] = texts[1 + second], other.text
            body = b"".join(texts)
            if not news.is_other(body):
                texts[1 + second] = unbroken
                continue
            claim = one.done.and_also(other.done)
            if is_apart and one.told is not None and other.told is not None and len(body) <= self._largest:
                return Case.known(self._type, body, summed(one.told, other.told), claim.faults, claim.tags, twin)
            return self._judge.case(claim, crossed.message.with_pieces(body, {first: one.piece, second: other.piece}), twin)
        return None

    def _one(self, taking: _Taking[Any, Any], of_whole: Callable[[Message, News], tuple[Claim, Message] | None], crossed: Crossed, news: News,
             twin: Case | None) -> Case | None:  # fmt: skip
        slot = next(taking.slots)
        if slot is None:
            made = of_whole(crossed.message, news)
            return self._judge.case(*made, twin) if made is not None else None
        for _ in range(_DRAWN):
            taken = taking.take(crossed.clusters, slot)
            if taken is None:
                return None
            slot, (_, claim, text, told, piece) = taken
            texts = crossed.texts.copy()
            texts[1 + slot] = text
            body = b"".join(texts)
            if news.is_other(body):
                if told is not None and crossed.judgement.is_apart and len(body) <= self._largest:
                    return Case.known(self._type, body, told, claim.faults, claim.tags, twin)
                return self._judge.case(claim, crossed.message.with_pieces(body, {slot: piece}), twin)
            slot = next(taking.slots)
        return None


@lru_cache(maxsize=2)
def faults(
    known: Stock,
    contract: Contract,
    message_type: MessageType,
    seed: int,
    now: datetime | None,
    rules: tuple[Rule, ...] | None,
    techniques: frozenset[str] | None,
) -> Variants[Breaker, Breach]:
    """The faults of the clusters of a seed's stock."""
    beside = max(known.clusters, key=len)  # where a property is added that the contract does not know
    some = [
        (beside if not breaker.site and breaker.rule.keyword == "additionalProperties" else breaker.props, breaker)
        for breaker in breakers(contract, message_type, seed, now, rules, techniques)
    ]
    return Variants(known, some, Breaker.has_place_in, Breaker.broken, lambda breach: breach.claim, _FAULTS)


@lru_cache(maxsize=2)
def probes(known: Stock, contract: Contract, message_type: MessageType, seed: int, now: datetime | None) -> Variants[Question, Claim]:
    """The probes of the clusters of a seed's stock."""
    prober = Prober(contract, message_type, now)
    some = [(prober.props(question), question) for question in questions(contract, message_type, seed, now)]
    return Variants(known, some, prober.has_place_in, prober.asked, lambda claim: claim, _PROBES)
