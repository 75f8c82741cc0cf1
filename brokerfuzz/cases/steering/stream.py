"""The stream of steered cases. From each valid message, the stream makes a few messages with faults or ambiguities."""

from collections.abc import Callable, Collection, Iterator, Sequence
from datetime import datetime
from itertools import count
from typing import NamedTuple

from brokerfuzz.cases.case import Case
from brokerfuzz.cases.catalogue import catalogue
from brokerfuzz.cases.changes import Put, altered
from brokerfuzz.cases.steering.breakable_rules import breakables
from brokerfuzz.cases.steering.claims import VALID_AT_RANDOM, Claim, ClaimChecker
from brokerfuzz.cases.steering.crossing import Crossed, Crossing, stock
from brokerfuzz.cases.steering.fault_injection import Breaking, breakers
from brokerfuzz.cases.steering.marks import Marks, marked_sites
from brokerfuzz.cases.steering.memory import Memory, News
from brokerfuzz.cases.steering.message import Message
from brokerfuzz.cases.steering.probing import Prober, Probing, questions
from brokerfuzz.cases.steering.round_robin import random_of
from brokerfuzz.cases.steering.shapes import shaping
from brokerfuzz.cases.steering.source import TurningSource
from brokerfuzz.cases.steering.variants import Varying, anew, faults, probes
from brokerfuzz.contract_names import LABELS
from brokerfuzz.decoder.value_pools import EARLIEST_NOW
from brokerfuzz.schemas import Contract, Label, MessageType, Rule, load_contract

_MADE: Sequence[tuple[str, ...]] = (("single", "double"), ("single", "double", "probe"), ("single", "double"), ("single", "single", "single"))
"""The cases to make from a message, in addition to the message itself. The messages use these entries in turn."""
_LABEL_OF: dict[str, Label] = {"single": "invalid", "double": "invalid", "probe": "unspecified"}
_BROKEN, _MESSAGES, _CROSSED = 700, 400, 285
"""The number of broken rules, of made messages and of crossed messages per thousand cases. A shard uses these numbers to estimate
the work of earlier shards.
"""
_FRESH, _LONGER, _RAREST = 128, 8, 1024
"""One message in `_FRESH` is newly generated. The others are crossed: they combine parts of earlier messages.

After every `_LONGER` shards, new messages become rarer, down to one in `_RAREST`.
"""
_WANTED = 16
"""One message in this many is generated for a rule that needs one."""
_IN_VAIN = 1000
"""A stream ends after this many messages in a row that give no new case."""


def steered_cases(
    message_type: MessageType,
    seed: int,
    *,
    shard: int = 0,
    verdicts: Collection[Label] = LABELS,
    rules: tuple[Rule, ...] | None = None,
    techniques: frozenset[str] | None = None,
    now: datetime | None = None,
    contract: Contract | None = None,
    strength: int = 2,
) -> Iterator[Case]:
    """Yields random cases, steered towards what has not been tested.

    The same seed and shard give the same cases, except for values that depend on `now`. If `now` is None, every verdict is true at
    any supported time. If `verdicts` allows them, each message
    gives these cases:

    - the valid message itself
    - single faults, whose `twin` (the valid counterpart) is the message
    - double faults (two rules broken at two places), without a twin
    - a probe of an ambiguity

    No message occurs twice, and none occurs in the catalogue of this `strength`. Messages of different shards differ, too, because
    each message contains a unique string (`marks`). `rules` and `techniques` limit the faults (None: all). The cases are endless,
    unless the limits leave only a finite number, for example `rules` whose faults are all in the catalogue.
    """
    return _CaseStream(
        message_type, seed, shard, tuple(verdicts), rules, techniques, now, contract or load_contract(), strength
    ).cases()  # fmt: skip


class _Base(NamedTuple):
    """A valid message, its case, and its mark as it occurs in the bytes."""

    case: Case
    message: Message | Crossed
    mark: bytes | None


class _CaseStream:
    def __init__(
        self,
        message_type: MessageType,
        seed: int,
        shard: int,
        verdicts: tuple[Label, ...],
        rules: tuple[Rule, ...] | None,
        techniques: frozenset[str] | None,
        now: datetime | None,
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
        broken, asked = breakers(contract, message_type, seed, now, rules, techniques), questions(contract, message_type, seed, now)
        prober = Prober(contract, message_type, now)
        self._breaking, self._probing = Breaking(broken, contract, shard * _BROKEN), Probing(prober, asked, shard)
        known = stock(contract, message_type, seed, now or EARLIEST_NOW)
        self._judge = ClaimChecker(contract, message_type)
        self._make: dict[str, Callable[[Message, News], tuple[Claim, Message] | None]]
        self._make = {"single": self._breaking.single, "double": self._breaking.double, "probe": self._probing.probe}
        self._vary: dict[str, Callable[[Crossed, News, Case | None], Case | None]] = {}
        if known:
            varied, doubted = faults(known, contract, message_type, seed, now, rules, techniques), probes(known, contract, message_type, seed, now)
            of_whole = Breaking(varied.of_whole, contract, shard * _BROKEN), Probing(prober, doubted.of_whole, shard)
            varying = Varying(varied, doubted, *of_whole, self._judge, random_of(seed, shard, 2))
            self._vary = {"single": varying.single, "double": varying.double, "probe": varying.probe}
        self._reader = known.reader
        self._made_anew = 0
        self._anew, self._fresh = anew(shard), min(_FRESH * (1 + shard // _LONGER), _RAREST)
        half = shard % 2 if self._anew > 1 else None  # two workers then each make only their own half of the variants
        self._crossing = Crossing(known, random_of(seed, shard, 1), shard * _MESSAGES, half) if known else None
        self._before = shard * _CROSSED if self._anew > 1 else 0

    def cases(self) -> Iterator[Case]:
        """Yields the cases, message by message."""
        labels = [label for label in self._verdicts if label != "invalid" or self._breaking]
        every = [tuple(kind for kind in kinds if _LABEL_OF[kind] in labels) for kinds in _MADE]
        wanted = [kinds for kinds in every if kinds or "valid" in self._verdicts]
        last = 0
        for number in count() if wanted else ():
            made = self._of_message(number, wanted[number % len(wanted)])
            if made:
                last = number
                yield from made
            elif number - last >= _IN_VAIN:
                return

    def _of_message(self, number: int, kinds: Sequence[str]) -> Sequence[Case]:
        base = self._base(number)
        if base is None:
            return ()
        case, message, mark = base
        found = [case] if "valid" in self._verdicts else []
        news = News(case.body, mark, self._memory.learn if self._unmarked else None)
        varied = message if isinstance(message, Crossed) and (self._before + number) % self._anew else None
        for kind in kinds:
            twin = case if kind == "single" else None
            made = self._vary[kind](varied, news, twin) if varied is not None else None
            if made is None:
                anew = self._make[kind](message if isinstance(message, Message) else message.message, news)
                made = self._judge.case(*anew, twin) if anew is not None else None
            if made is not None:
                found.append(made)
        return found

    # -------------------------------------------------------------------------------------------------- messages

    def _base(self, number: int) -> _Base | None:
        """Returns the next message. It is generated for a rule that needs a message, crossed from earlier messages, or newly
        generated. Returns None if the message occurred before.
        """
        wanting = self._breaking.wanting() if not number % _WANTED and self._breaking else None
        mark = self._marks.next() if self._marks is not None else None
        if mark is not None and wanting is None and self._crossing is not None and (self._before + number) % self._fresh:
            crossed = self._crossing.crossed(mark)
            case = self._judge.of(VALID_AT_RANDOM, crossed.body, crossed.judgement)
            return _Base(case, crossed, mark.encode()) if case is not None else None
        value = shaping(self._contract, self._message_type).message(self._shard * _MESSAGES + self._made_anew, self._source, wanting)
        self._made_anew += 1
        place = self._marks.place(value, wanting.site if wanting else None) if self._marks else None
        marking = (place, Put(mark)) if place is not None else None
        if self._crossing is not None:
            message = Message.of_value(self._reader, value)
            self._crossing.learn(message)
            message = message.changed(*marking) if marking else message
        else:  # the unmarked message is not needed, so it is parsed only once
            message = Message.of_value(self._reader, altered(value, *marking) if marking else value)
        if marking is None and not (self._unmarked and self._memory.learn(message.body)):
            return None
        case = self._judge.case(VALID_AT_RANDOM, message)
        return _Base(case, message, mark.encode() if mark and marking else None) if case is not None else None
