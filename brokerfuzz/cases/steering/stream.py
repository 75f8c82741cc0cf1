"""Generates random cases. A stream creates a few invalid or unspecified messages from each valid message."""

from collections.abc import Callable, Collection, Iterator, Sequence
from datetime import datetime
from itertools import count
from typing import NamedTuple

from brokerfuzz.cases.case import Case, confirmed
from brokerfuzz.cases.case_decoder import TAG
from brokerfuzz.cases.catalogue import catalogue
from brokerfuzz.cases.changes import Put, altered
from brokerfuzz.cases.steering.breakable_rules import breakables
from brokerfuzz.cases.steering.fault_injection import Breaking, breakers
from brokerfuzz.cases.steering.marks import Marks, marked_sites
from brokerfuzz.cases.steering.memory import Memory, News
from brokerfuzz.cases.steering.message import Claim, Message
from brokerfuzz.cases.steering.probing import Probing
from brokerfuzz.cases.steering.round_robin import random_of
from brokerfuzz.cases.steering.shapes import shaping
from brokerfuzz.cases.steering.source import BalancedSource
from brokerfuzz.contract_names import LABELS
from brokerfuzz.schemas import Contract, Label, MessageType, Rule, load_contract

_MADE: Sequence[tuple[str, ...]] = (("single", "double"), ("single", "double", "probe"), ("single", "double"), ("single", "single", "single"))
"""The kinds of cases that are created from a valid message. The first message uses the first tuple, the second message uses the
second tuple, and so on. After the last tuple, the first tuple is used again.
"""
_LABEL_OF: dict[str, Label] = {"single": "invalid", "double": "invalid", "probe": "unspecified"}
_BROKEN, _MESSAGES = 700, 285
"""Each shard (a part of the random cases) breaks rules about `_BROKEN` times, in about `_MESSAGES` valid messages. So shard 2
begins with the rule for turn `2 * _BROKEN`, and with the shape (see `shapes`) for message `2 * _MESSAGES`.
"""
_NEGLECTED_EVERY = 16
"""One of `_NEGLECTED_EVERY` messages is generated for the rule that `Breaking.neglected` returns, if there is one."""
_IN_VAIN = 1000
"""After `_IN_VAIN` messages in a row without a new case, the stream ends."""


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
    """Yields random cases. The rule, technique or ambiguity that has waited longest always comes next. The same seed and shard give
    the same cases, except for values that depend on `now`. If `now` is None, no verdict depends on the current time. Each
    random message gives these cases, if `verdicts` allows them:

    - the valid message itself
    - cases with one fault, whose `twin` (the valid counterpart) is the valid message
    - a case with two broken rules at two places, without a twin
    - a probe of an ambiguity

    No message occurs twice, and none is in the catalogue of this `strength`. Messages of different shards also differ, because each
    message contains a unique string (see `marks`). `rules` and `techniques` limit the faults (None: no limit). The iterator ends
    only if these limits allow no further messages.
    """
    return _CaseStream(
        message_type, seed, shard, tuple(verdicts), rules, techniques, now, contract or load_contract(), strength
    ).cases()  # fmt: skip


class _Base(NamedTuple):
    """A valid message as a case, with its mark (a unique string in the message, see `marks`)."""

    case: Case
    message: Message
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
        self._contract, self._now, self._first, self._verdicts = contract, now, shard * _MESSAGES, verdicts
        self._source = BalancedSource(random_of(seed, shard))
        rules = rules if "invalid" in verdicts else ()
        sites = marked_sites(contract, message_type)
        self._marks = Marks(sites, seed, shard) if sites else None
        memory = Memory(lambda: catalogue(message_type, now=now, contract=contract, strength=strength))
        self._memory = None if sites and breakables(contract, message_type, rules, techniques).keep_marks else memory
        self._breaking = Breaking(breakers(contract, message_type, seed, now, rules, techniques), contract, shard * _BROKEN)
        probing = Probing(contract, message_type, seed, now, shard)
        self._make: dict[str, Callable[[Message, News], tuple[Claim, Message] | None]]
        self._make = {"single": self._breaking.single, "double": self._breaking.double, "probe": probing.probe}

    def cases(self) -> Iterator[Case]:
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
        found = [base.case] if "valid" in self._verdicts else []
        news = News(base.case.body, base.mark, self._memory)
        for kind in kinds:
            made = self._make[kind](base.message, news)
            case = self._case(*made, base.case if kind == "single" else None) if made is not None else None
            if case is not None:
                found.append(case)
        return found

    def _base(self, number: int) -> _Base | None:
        """Returns the next valid message. Returns None if brokerfuzz has already generated the same message."""
        neglected = self._breaking.neglected() if not number % _NEGLECTED_EVERY and self._breaking else None
        value = shaping(self._contract, self._message_type).message(self._first + number, self._source, neglected)
        mark = self._marks.next() if self._marks is not None else None
        place = self._marks.place(value, neglected.site if neglected else None) if self._marks is not None else None
        message = Message(altered(value, place, Put(mark)) if place is not None else value)
        if place is None and not (self._memory is not None and self._memory.learn(message.body)):
            return None
        case = self._case(Claim((), "valid", (TAG,)), message)
        return _Base(case, message, mark.encode() if mark is not None and place is not None else None) if case is not None else None

    def _case(self, claim: Claim, message: Message, twin: Case | None = None) -> Case | None:
        claims = claim._asdict()
        return confirmed(self._message_type, message.body, contract=self._contract, now=self._now, twin=twin, **claims)
