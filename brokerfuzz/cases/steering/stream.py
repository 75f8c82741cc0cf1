"""The stream of steered cases: one message after the other, each valid, then broken or in doubt in a few ways."""

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from itertools import count
from random import Random
from typing import Any

from brokerfuzz.cases.at_random import TAG
from brokerfuzz.cases.case import Case, clock, compact, now_tag
from brokerfuzz.cases.catalogue import ALL_LABELS, catalogue
from brokerfuzz.cases.steering.breakables import breakables, towards
from brokerfuzz.cases.steering.breaking import Break, Breaking
from brokerfuzz.cases.steering.marks import Marks, marked, marked_sites
from brokerfuzz.cases.steering.memory import Memory
from brokerfuzz.cases.steering.placing import placement
from brokerfuzz.cases.steering.probing import Probing
from brokerfuzz.cases.steering.shapes import shapes, shaping
from brokerfuzz.cases.steering.source import TurningSource
from brokerfuzz.schemas import Contract, Label, MessageType, Rule, load_contract

_MADE: Sequence[tuple[str, ...]] = (("single", "double"), ("single", "double", "probe"), ("single", "double"), ("single", "single", "single"))
"""What is made of one message after the other, besides itself."""
_LABEL_OF: dict[str, Label] = {"single": "invalid", "double": "invalid", "probe": "unspecified"}
_BROKEN, _MESSAGES = 700, 400
"""Rules broken, and messages made, in a thousand cases: what a shard takes for granted of those before it."""
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


@dataclass(frozen=True)
class _Base:
    """A valid message, and what is new of it: bytes that have its mark and were not made of it yet."""

    case: Case
    message: Any
    new: Callable[[bytes], bool]


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
        self._source = TurningSource(_random(seed, shard))
        sites = marked_sites(contract, message_type)
        self._marks = Marks(sites, seed, shard) if sites else None
        self._memory = Memory(lambda: catalogue(message_type, now=now, contract=contract, strength=strength))
        found = breakables(contract, message_type, rules, techniques) if "invalid" in verdicts else ()
        lasting = [(rule, ways) for rule, _, ways in found if ways]
        self._unmarked = not sites or (bool(found) and not lasting)
        broken = lasting or [(rule, ways) for rule, ways, _ in found]
        self._breaking = Breaking(broken, contract, now, _random(seed), shard * _BROKEN)
        self._probing = Probing(contract, message_type, now, _random(seed), shard)
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
        wanting = self._breaking.wanting() if self._breaking.turns else None
        message = self._message(number, wanting)
        mark = self._marks.put(message, wanting.site if wanting else None) if self._marks else None
        body = compact(message)
        made = {body}

        def new(other: bytes) -> bool:
            if other in made or not (marked(other, mark) or (self._unmarked and self._memory.learn(other))):
                return False
            made.add(other)
            return True

        if mark is None and not (self._unmarked and self._memory.learn(body)):
            return None
        case = Case.confirmed(self._message_type, body, claim="valid", tags=(TAG,), now=self._now, contract=self._contract)
        return _Base(case, message, new) if case else None

    def _message(self, number: int, wanting: Rule | None) -> Any:
        """The next message: made for the rule that wants one, else of the shape whose turn it is."""
        decode = shaping(self._contract, self._message_type).message
        every = shapes(self._contract, self._message_type)
        shape = every[(self._shard * _MESSAGES + number) % len(every)]
        self._source.dial(shape.full, shape.long)
        if wanting is None:
            return decode(shape.ground, shape.narrowed, self._source)
        place = f"{wanting.site}@{wanting.condition.label if wanting.condition else ''}"
        return decode(place, towards(self._contract, self._message_type, wanting), self._source)

    # ---------------------------------------------------------------------------------------------------- faults

    def _faulty(self, base: _Base, made: tuple[list[Break], bytes] | None) -> Case | None:
        """The case of rules broken in a message, whose twin it is where it is one rule."""
        if made is None:
            return None
        broken, body = made
        tags = [TAG, *(f"at:{placement(base.message, one.steps)}" for one in broken)]
        if any(one.rule in self._contract.semantics for one in broken):
            tags.append(now_tag(self._now))
        return Case.confirmed(
            self._message_type, body, faults=[one.fault for one in broken], tags=tuple(dict.fromkeys(tags)),
            twin=base.case if len(broken) == 1 else None, now=self._now, contract=self._contract,
        )  # fmt: skip


def _random(*seeds: int) -> Random:
    """A generator for these seeds, the same on every platform."""
    return Random(int.from_bytes(sha256(" ".join(map(str, seeds)).encode()).digest()))
