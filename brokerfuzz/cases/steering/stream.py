"""The stream of steered cases: one message after the other, each valid, then broken or in doubt in a few ways."""

from collections.abc import Callable, Collection, Iterator, Sequence
from datetime import datetime
from functools import partial
from itertools import count
from typing import Any

from brokerfuzz.cases.at_random import TAG
from brokerfuzz.cases.case import Case, clock, compact, now_tag
from brokerfuzz.cases.catalogue import ALL_LABELS, catalogue
from brokerfuzz.cases.changes import Put
from brokerfuzz.cases.steering.breakables import breakables
from brokerfuzz.cases.steering.breaking import Break, Breaking
from brokerfuzz.cases.steering.crossing import Crossing, stock
from brokerfuzz.cases.steering.marks import Marks, marked, marked_sites
from brokerfuzz.cases.steering.memory import Memory
from brokerfuzz.cases.steering.message import Message
from brokerfuzz.cases.steering.placing import placement
from brokerfuzz.cases.steering.probing import Probing
from brokerfuzz.cases.steering.shapes import shaping
from brokerfuzz.cases.steering.source import TurningSource
from brokerfuzz.cases.steering.turns import random_of
from brokerfuzz.schemas import Contract, Label, MessageType, Rule, load_contract
from brokerfuzz.schemas.pieces import Pieces

_MADE: Sequence[tuple[str, ...]] = (("single", "double"), ("single", "double", "probe"), ("single", "double"), ("single", "single", "single"))
"""What is made of one message after the other, besides itself."""
_LABEL_OF: dict[str, Label] = {"single": "invalid", "double": "invalid", "probe": "unspecified"}
_BROKEN, _MESSAGES = 700, 400
"""Rules broken, and messages made, in a thousand cases: what a shard takes for granted of those before it."""
_FRESH = 64
"""One message of so many is made anew, the others are crossed of those before."""
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


class _Base:
    """A valid message, and what was made of it."""

    __slots__ = ("_is_new", "_made", "case", "message")

    def __init__(self, case: Case, message: Message, is_new: Callable[[bytes], bool]) -> None:
        """`is_new` tells whether bytes are none of another message's."""
        self.case, self.message, self._is_new = case, message, is_new
        self._made = {message.body}

    def new(self, body: bytes) -> bool:
        """Whether these bytes were not made before; they are now."""
        if body in self._made or not self._is_new(body):
            return False
        self._made.add(body)
        return True


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
        self._contract, self._now, self._shard, self._verdicts = contract, now, shard, verdicts
        self._source = TurningSource(random_of(seed, shard))
        sites = marked_sites(contract, message_type)
        self._marks = Marks(sites, seed, shard) if sites else None
        self._memory = Memory(lambda: catalogue(message_type, now=now, contract=contract, strength=strength))
        found = breakables(contract, message_type, rules, techniques) if "invalid" in verdicts else ()
        lasting = [(rule, ways) for rule, _, ways in found if ways]
        self._unmarked = not sites or (bool(found) and not lasting)
        broken = lasting or [(rule, ways) for rule, ways, _ in found]
        self._breaking = Breaking(broken, contract, now, random_of(seed), shard * _BROKEN)
        self._probing = Probing(contract, message_type, now, random_of(seed), shard)
        self._reader = Pieces(contract, message_type, now)
        self._crossing = Crossing(stock(contract, message_type, seed, now), random_of(seed, shard, 1))
        self._made_anew = 0
        self._makers: dict[str, Callable[[_Base], Case | None]] = {
            "single": lambda base: self._faulty(base, self._breaking.single(base.message, base.new)),
            "double": lambda base: self._faulty(base, self._breaking.double(base.message, base.new)),
            "probe": lambda base: self._probing.probe(base.message, base.new),
        }

    def cases(self) -> Iterator[Case]:
        """The cases, message by message."""
        labels = [label for label in self._verdicts if label != "invalid" or self._breaking.turns]
        wanted = [tuple(kind for kind in kinds if _LABEL_OF[kind] in labels) for kinds in _MADE]
        wanted = [kinds for kinds in wanted if kinds or "valid" in self._verdicts]
        in_vain = 0
        for number in count() if wanted else ():
            given = False
            for case in self._of_message(number, wanted[number % len(wanted)]):
                given = True
                yield case
            in_vain = 0 if given else in_vain + 1
            if in_vain == _IN_VAIN:
                return

    def _of_message(self, number: int, kinds: Sequence[str]) -> Iterator[Case]:
        base = self._base(number)
        if base is None:
            return
        if "valid" in self._verdicts:
            yield base.case
        for kind in kinds:
            case = self._makers[kind](base)
            if case is not None:
                yield case

    # -------------------------------------------------------------------------------------------------- messages

    def _base(self, number: int) -> _Base | None:
        message, mark = self._message(number)
        if mark is None and not (self._unmarked and self._memory.learn(message.body)):
            return None
        case = self._case(message, claim="valid", tags=(TAG,))
        return _Base(case, message, partial(self._is_new, mark)) if case else None

    def _is_new(self, mark: bytes | None, body: bytes) -> bool:
        return marked(body, mark) or (self._unmarked and self._memory.learn(body))

    def _message(self, number: int) -> tuple[Message, bytes | None]:
        """The next message, and its mark as it is in its bytes: made for a rule that wants one; else crossed of those before, or made anew."""
        wanting = self._breaking.wanting() if self._breaking.turns else None
        mark = self._marks.next() if self._marks else None
        if mark is not None and wanting is None and self._crossing and number % _FRESH:
            return self._crossed(mark), mark.encode()
        value = shaping(self._contract, self._message_type).message(self._shard * _MESSAGES + self._made_anew, self._source, wanting)
        message = Message.of_value(self._reader, value)
        self._made_anew += 1
        self._crossing.learn(message)
        place = self._marks.place(message.value, wanting.site if wanting else None) if self._marks else None
        return (message.changed((place, Put(mark))), mark.encode()) if mark and place else (message, None)

    def _crossed(self, mark: str) -> Message:
        pieces, marked = self._crossing.crossed()
        piece = self._reader.read_once(marked, compact(mark))
        assert piece is not None, "a mark is a plain text"
        return Message.of_pieces(self._reader, [*pieces, piece])

    # ---------------------------------------------------------------------------------------------------- faults

    def _faulty(self, base: _Base, made: tuple[list[Break], Message] | None) -> Case | None:
        """The case of rules broken in a message, whose twin it is where it is one rule."""
        if made is None:
            return None
        broken, message = made
        tags = [TAG, *(f"at:{placement(base.message.value, one.steps)}" for one in broken)]
        if any(one.rule in self._contract.semantics for one in broken):
            tags.append(now_tag(self._now))
        twin = base.case if len(broken) == 1 else None
        return self._case(message, faults=[one.fault for one in broken], tags=tuple(dict.fromkeys(tags)), twin=twin)

    def _case(self, message: Message, **claims: Any) -> Case | None:
        return Case.confirmed(self._message_type, message.body, judgement=message.judged(), now=self._now, contract=self._contract, **claims)
