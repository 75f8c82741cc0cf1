"""The stream of steered cases: one message after the other, each valid, then broken or in doubt in a few ways."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from itertools import count
from typing import Any, NamedTuple

from brokerfuzz.cases.at_random import TAG
from brokerfuzz.cases.case import Case, Fault, clock, compact
from brokerfuzz.cases.catalogue import ALL_LABELS, catalogue
from brokerfuzz.cases.changes import Put
from brokerfuzz.cases.steering.breakables import breakables
from brokerfuzz.cases.steering.breaking import Breaking, breakers
from brokerfuzz.cases.steering.crossing import Cluster, Crossing, stock
from brokerfuzz.cases.steering.marks import Marks, marked_sites
from brokerfuzz.cases.steering.memory import Memory, News
from brokerfuzz.cases.steering.message import Message
from brokerfuzz.cases.steering.probing import Prober, Probing, questions
from brokerfuzz.cases.steering.shapes import shaping
from brokerfuzz.cases.steering.source import TurningSource
from brokerfuzz.cases.steering.turns import random_of
from brokerfuzz.cases.steering.variants import Varying, anew, faults, probes
from brokerfuzz.errors import LabelError
from brokerfuzz.schemas import Contract, Label, MessageType, Rule, load_contract
from brokerfuzz.schemas.pieces import Judgement

_MADE: Sequence[tuple[str, ...]] = (("single", "double"), ("single", "double", "probe"), ("single", "double"), ("single", "single", "single"))
"""What is made of one message after the other, besides itself."""
_LABEL_OF: dict[str, Label] = {"single": "invalid", "double": "invalid", "probe": "unspecified"}
_BROKEN, _MESSAGES = 700, 400
"""Rules broken, and messages made, in a thousand cases: what a shard takes for granted of those before it."""
_FRESH, _LONGER, _RAREST = 128, 8, 512
"""One message of so many is made anew, the others are crossed of those before; after so many shards of a seed fewer, to one of so many."""
_AT_ONCE = 16
"""Messages that are made, and judged, at once."""
_IN_VAIN = 1000
"""Messages of which nothing new could be made, in a row: a stream ends then."""


def steered_cases(
    message_type: MessageType,
    seed: int,
    *,
    shard: int = 0,
    verdicts: Collection[Label] = ALL_LABELS,
    rules: tuple[Rule, ...] | None = None,
    techniques: frozenset[str] | None = None,
    now: datetime | None = None,
    contract: Contract | None = None,
    strength: int = 2,
) -> Iterator[Case]:
    """Random cases, steered to what has not been there: the same for a seed and shard, but for what follows `now`.

    Of each message come, as far as `verdicts` want them: itself, valid; single faults, whose `twin` it is; double faults (two rules broken, at two
    places; no twin); a probe of a silence. No message comes twice, nor one of the catalogue of this `strength`; those of
    other shards differ too, by a text of its own in each (`marks`). `rules` and `techniques` limit the faults; None: all.

    The cases have no end, but where so little is wanted that it is finite (`rules` whose every fault the catalogue has). Raises `ClockError`.
    """
    return _Stream(
        message_type, seed, shard, tuple(verdicts), rules, techniques, clock(now), contract or load_contract(), strength
    ).cases()  # fmt: skip


class _Made(NamedTuple):
    """A message, its mark as it is in its bytes, and the clusters of it that may be varied: none, if what is made of it is to be made anew."""

    message: Message
    mark: bytes | None
    clusters: Sequence[Cluster] = ()


class _Base(NamedTuple):
    """A valid message, and its case."""

    case: Case
    made: _Made


class _Claim(NamedTuple):
    """A message made of another one, and what its case is to say: see `Case.of_judgement`."""

    message: Message
    faults: Sequence[Fault]
    claim: str | None
    tags: tuple[str, ...]
    twin: Case | None


class _Stream:
    def __init__(
        self,
        message_type: MessageType,
        seed: int,
        shard: int,
        verdicts: tuple[Label, ...],
        rules: tuple[Rule, ...] | None,
        techniques: frozenset[str] | None,
        now: datetime,
        contract: Contract,
        strength: int,
    ) -> None:
        self._message_type: MessageType = message_type
        self._contract, self._shard, self._verdicts = contract, shard, verdicts
        self._source = TurningSource(random_of(seed, shard))
        sites = marked_sites(contract, message_type)
        self._marks = Marks(sites, seed, shard) if sites else None
        self._memory = Memory(lambda: catalogue(message_type, now=now, contract=contract, strength=strength))
        rules = rules if "invalid" in verdicts else ()
        self._unmarked = not sites or not breakables(contract, message_type, rules, techniques).leave_marks
        broken, asked = breakers(contract, message_type, seed, now, rules, techniques), questions(contract, message_type, seed)
        self._prober = Prober(contract, message_type, now)
        self._breaking, self._probing = Breaking(broken, contract, shard * _BROKEN), Probing(self._prober, asked, shard)
        known = stock(contract, message_type, seed, now)
        self._varying = Varying(
            faults(contract, message_type, seed, now, rules, techniques),
            probes(contract, message_type, seed, now),
            Breaking([breaker for breaker in broken if not breaker.site], contract, shard * _BROKEN),
            Probing(self._prober, [question for question in asked if not self._prober.site(question)], shard),
            random_of(seed, shard, 2),
        ) if known else None  # fmt: skip
        self._reader = known.reader
        self._crossing = Crossing(known, random_of(seed, shard, 1), shard * _MESSAGES) if known else None
        self._made_anew = 0
        self._anew, self._fresh = anew(shard), min(_FRESH * (1 + shard // _LONGER), _RAREST)
        self._makers: dict[str, Callable[[_Base, News], _Claim | None]]
        self._makers = {"single": self._single, "double": self._double, "probe": self._probe}

    def cases(self) -> Iterator[Case]:
        """The cases, message by message."""
        labels = [label for label in self._verdicts if label != "invalid" or self._breaking]
        wanted = [tuple(kind for kind in kinds if _LABEL_OF[kind] in labels) for kinds in _MADE]
        wanted = [kinds for kinds in wanted if kinds or "valid" in self._verdicts]
        in_vain = 0
        for first in count(0, _AT_ONCE) if wanted else ():
            given = False
            for case in self._of_messages({number: wanted[number % len(wanted)] for number in range(first, first + _AT_ONCE)}):
                given = True
                yield case
            in_vain = 0 if given else in_vain + _AT_ONCE
            if in_vain >= _IN_VAIN:
                return

    def _of_messages(self, wanted: Mapping[int, Sequence[str]]) -> Iterator[Case]:
        """The cases of messages, by their numbers: all are made before they are judged, for each of the two is faster by itself."""
        made = [one for number, base in self._bases(wanted) for one in self._made_of(base, wanted[number])]
        judged = iter([one.message.judged() for one in made if not isinstance(one, Case)])
        for one in made:
            case = one if isinstance(one, Case) else self._case(one.message.body, next(judged), *one[1:])
            if case is not None:
                yield case

    def _bases(self, numbers: Iterable[int]) -> Iterator[tuple[int, _Base]]:
        wanting = self._breaking.wanting() if self._breaking else None
        made = []
        for number in numbers:
            made.append((number, self._message(number, wanting)))
            wanting = None
        judged = [one.message.judged() for _, one in made]
        for (number, one), judgement in zip(made, judged, strict=True):
            body = one.message.body
            if one.mark is None and not (self._unmarked and self._memory.learn(body)):
                continue
            case = self._case(body, judgement, (), "valid", (TAG,))
            if case is not None:
                yield number, _Base(case, one)

    def _made_of(self, base: _Base, kinds: Sequence[str]) -> Iterator[_Claim | Case]:
        if "valid" in self._verdicts:
            yield base.case
        if kinds:
            news = News(base.made.message.body, base.made.mark, self._memory.learn if self._unmarked else None)
            yield from (one for kind in kinds if (one := self._makers[kind](base, news)) is not None)

    def _single(self, base: _Base, news: News) -> _Claim | None:
        """A rule broken in a message, which is the twin."""
        message, _, clusters = base.made
        varied = self._varying.single(message, clusters, news) if self._varying is not None and clusters else None
        made = varied or self._breaking.single(message, news)
        if made is None:
            return None
        [(fault, at, now)], broken = made
        return _Claim(broken, (fault,), None, (TAG, at, *now), base.case)

    def _double(self, base: _Base, news: News) -> _Claim | None:
        """Two rules broken in a message."""
        message, _, clusters = base.made
        varied = self._varying.double(message, clusters, news) if self._varying is not None and clusters else None
        made = varied or self._breaking.double(message, news)
        if made is None:
            return None
        both, broken = made
        tags = dict.fromkeys((TAG, *[one.at for one in both], *[tag for one in both for tag in one.now]))
        return _Claim(broken, [one.fault for one in both], None, tuple(tags), None)

    def _probe(self, base: _Base, news: News) -> _Claim | None:
        """A silence asked about in a message."""
        message, _, clusters = base.made
        varied = self._varying.probe(message, clusters, news) if self._varying is not None and clusters else None
        made = varied or self._probing.probe(message, news)
        return _Claim(made.message, (), made.probe.silence.id, self._prober.tags(made.probe), None) if made else None

    # -------------------------------------------------------------------------------------------------- messages

    def _message(self, number: int, wanting: Rule | None) -> _Made:
        """The next message: made for a rule that wants one; else crossed of those before, or made anew."""
        mark = self._marks.next() if self._marks is not None else None
        if mark is not None and wanting is None and self._crossing is not None and number % self._fresh:
            return self._crossed(mark, self._crossing, varied=bool(number % self._anew))
        value = shaping(self._contract, self._message_type).message(self._shard * _MESSAGES + self._made_anew, self._source, wanting)
        self._made_anew += 1
        message = Message.of_value(self._reader, value)
        if self._crossing is not None:
            self._crossing.learn(message)
        place = self._marks.place(value, wanting.site if wanting else None) if self._marks else None
        return _Made(message, None) if mark is None or place is None else _Made(message.changed(place, Put(mark)), mark.encode())

    def _crossed(self, mark: str, crossing: Crossing, *, varied: bool) -> _Made:
        clusters, marked = crossing.crossed()
        piece = self._reader.read_once(marked, compact(mark))
        assert piece is not None, "a mark is a plain text"
        return _Made(Message(self._reader, [*[cluster.piece for cluster in clusters], piece]), mark.encode(), clusters if varied else ())

    def _case(self, body: bytes, judgement: Judgement, *claims: Any) -> Case | None:
        """The case of a message; None where the oracle does not confirm what a changed contract's is to say: see `Case.confirmed`."""
        try:
            return Case.of_judgement(self._message_type, body, judgement, *claims)
        except LabelError:
            if self._contract is load_contract():
                raise
            return None
