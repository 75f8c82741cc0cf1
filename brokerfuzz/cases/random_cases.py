"""Generates random cases without end: valid messages, invalid ones with one fault each, and probes of ambiguities.

Rules, techniques and probes take turns: the one that has waited longest comes next. The cases depend only on the seed,
the shard and the contract, not on the answers of a target, so a resumed campaign generates the same cases as the
original campaign.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial
from itertools import count, islice
from random import Random
from typing import Any, Literal, TypedDict, TypeVar, Unpack, overload

from brokerfuzz.cases.case import Case, is_always_correct, supported_time
from brokerfuzz.cases.case_tags import RANDOM, now_tag
from brokerfuzz.cases.fault_injector import FaultInjector
from brokerfuzz.cases.fault_wishes import wishes_at, wishes_for
from brokerfuzz.cases.probes import ProbeMaker, questions
from brokerfuzz.cases.techniques import Technique
from brokerfuzz.contract_names import LABELS
from brokerfuzz.errors import quoted
from brokerfuzz.generation import RandomSource, Wishes, checked_draw, node_of
from brokerfuzz.generation.plausible.streams import PlausibleMessages, today
from brokerfuzz.schemas import Ambiguity, Contract, Label, MessageType, Rule, load_contract
from brokerfuzz.schemas.contract_entries import AskedSite
from brokerfuzz.schemas.loading import known_contract
from brokerfuzz.schemas.questions.sizes import OF_LONG_MESSAGES
from brokerfuzz.schemas.verdicts import known_labels
from brokerfuzz.typed import OfferCreationRequest, OfferPricingResponse, ProductListResponse

Waiting = TypeVar("Waiting", Rule, tuple[Ambiguity, AskedSite])

_FAULTS_PER_MESSAGE = 2
_PROBED_EVERY = 3
"""One of three valid messages is also probed, so about one tenth of the cases are unspecified."""
_WISHED_EVERY = 4
"""One of four valid messages fulfils the wishes of the rule that has waited longest, because few random messages may
suit it.
"""
_IN_VAIN = 1000
"""After this number of messages in a row without a new case that is wanted, a stream ends."""


def random_cases(
    message_type: MessageType,
    seed: int,
    *,
    shard: int = 0,
    verdicts: Collection[Label] = LABELS,
    rules: Sequence[Rule] | None = None,
    techniques: Collection[str] | None = None,
    now: datetime | None = None,
    contract: Contract | None = None,
    wanted: Callable[[Case], bool] = lambda case: True,
) -> Iterator[Case]:
    """Yields random cases. The same seed and shard give the same cases, except for values that depend on `now`. No case
    of a shard occurs twice. If `now` is None, there are no time-dependent cases, so every verdict is correct at every
    supported time.

    Each case with a fault has a twin, which is also yielded if `verdicts` contains `valid`. `rules` and `techniques`
    limit the faults (None: no limit). The iterator ends if no further case is possible that is `wanted`.
    """
    used_contract = contract or load_contract()
    stream = _Stream(
        used_contract, message_type, f"{seed} {shard}", verdicts, rules, techniques, now and supported_time(now)
    )
    if now is None and not used_contract.is_tested:  # a changed contract can have rules about the time anywhere
        return (case for case in stream.cases(wanted) if is_always_correct(case, used_contract))
    return stream.cases(wanted)


def plausible_cases(
    message_type: MessageType, seed: int, first: int, now: datetime | None, contract: Contract
) -> Iterator[Case]:
    """Yields plausible messages for demonstrations and load tests, from the serial number `first` on, with dates around
    `now` (None: today). No case occurs twice. Offers that are invalid at an earlier time have a tag that says so.
    """
    present = now or today()
    tags = (RANDOM, "plausible")
    injector, seen, repeated = FaultInjector(contract, message_type, present), set[str](), 0
    for message in PlausibleMessages(contract, message_type, seed, present).starting_at(first):
        case = injector.valid(message, tags)
        repeated += 1
        if case is not None and case.id not in seen:
            seen.add(case.id)
            repeated = 0
            yield case if is_always_correct(case, contract) else replace(case, tags=(*tags, now_tag(present)))
        if repeated == _IN_VAIN:
            return


class _Stream:
    def __init__(
        self,
        contract: Contract,
        message_type: MessageType,
        seed: str,
        verdicts: Collection[Label],
        rules: Sequence[Rule] | None,
        techniques: Collection[str] | None,
        now: datetime | None,
    ) -> None:
        self._contract, self._verdicts = contract, verdicts
        self._message_type: MessageType = message_type
        self._injector = FaultInjector(contract, message_type, now)
        self._probes = ProbeMaker(contract, message_type, now)
        self._random = Random(seed)
        self._source = RandomSource(self._random.getrandbits(64))
        self._node = node_of(contract, message_type)
        self._questions = list(questions(contract, message_type, OF_LONG_MESSAGES, has_clock=now is not None))
        self._random.shuffle(self._questions)
        if "unspecified" not in verdicts:
            self._questions = []
        self._rules: list[Rule] = []
        self._techniques: dict[str, list[Technique]] = {}
        if "invalid" in verdicts:
            self._break_rules(contract.rules[message_type] if rules is None else rules, techniques)
        self._turns = Counter[str]()
        self._seen: set[str] = set()

    def _break_rules(self, rules: Sequence[Rule], techniques: Collection[str] | None) -> None:
        for rule in rules:
            fitting = self._injector.techniques(rule, techniques)
            if fitting:
                self._random.shuffle(fitting)
                self._techniques[rule.id] = fitting
                self._rules.append(rule)
        self._random.shuffle(self._rules)

    def cases(self, wanted: Callable[[Case], bool]) -> Iterator[Case]:
        if "valid" not in self._verdicts and not self._rules and not self._questions:
            return
        number = last = 0
        while number - last < _IN_VAIN:
            number += 1
            for case in self._of_message(number):
                if case.id not in self._seen:
                    self._seen.add(case.id)
                    last = number if wanted(case) else last
                    yield case

    def _of_message(self, number: int) -> Iterator[Case]:
        """Yields a valid message, breaks the two rules that have waited longest and that can be broken in it, and
        probes the ambiguity that has waited longest and that the message can touch.
        """
        self._source.wishes = {} if number % _WISHED_EVERY else self._wishes()
        message = self._node.draw(self._source)
        twin = self._injector.valid(message, (RANDOM,))
        if twin is None:
            return
        if "valid" in self._verdicts:
            yield twin
        broken = _in_turn(self._rules, partial(self._broken, message, twin))
        yield from islice(broken, _FAULTS_PER_MESSAGE)
        if number % _PROBED_EVERY == 0 or not self._rules:
            yield from islice(_in_turn(self._questions, partial(self._probed, message)), 1)

    def _wishes(self) -> Wishes:
        if self._rules:
            return wishes_for(self._contract, self._rules[0])
        if self._questions:
            _, asked = self._questions[0]
            return wishes_at(self._contract, self._message_type, asked.path)
        return {}

    def _broken(self, message: Any, twin: Case, rule: Rule) -> Case | None:
        return self._injector.break_rule(
            message,
            rule,
            self._next_technique(rule),
            choose_place=lambda places: places[self._turn(rule.id) % len(places)],
            tags=(RANDOM,),
            twin=twin,
        )

    def _next_technique(self, rule: Rule) -> Iterator[Technique]:
        """Yields one technique. Its turn is over only if the message has a place where the rule can be broken."""
        techniques = self._techniques[rule.id]
        yield techniques[self._turn(f"technique {rule.id}") % len(techniques)]

    def _probed(self, message: Any, question: tuple[Ambiguity, AskedSite]) -> Case | None:
        ambiguity, asked = question
        places = self._contract.sites[self._message_type][asked.path].places(message)
        has_value = any(value not in (None, []) for _, value in places[:1])
        probes = list(self._probes.probes(ambiguity, asked, message)) if has_value else []
        if not probes:
            return None
        return self._probes.case(probes[self._turn(ambiguity.id) % len(probes)], RANDOM)

    def _turn(self, name: str) -> int:
        self._turns[name] += 1
        return self._turns[name] - 1


def _in_turn(waiting: list[Waiting], case_of: Callable[[Waiting], Case | None]) -> Iterator[Case]:
    """Yields a case for each rule or question that suits the message, and moves it to the end of the queue."""
    for candidate in tuple(waiting):
        case = case_of(candidate)
        if case is not None:
            waiting.remove(candidate)
            waiting.append(candidate)
            yield case


# ----------------------------------------------------------------------------------------------- the public iterators


class MessageOptions(TypedDict, total=False):
    plausible: bool
    now: datetime | None
    contract: Contract | None


@overload
def messages(
    message_type: Literal["offer-creation-request"], seed: int, **options: Unpack[MessageOptions]
) -> Iterator[OfferCreationRequest]: ...
@overload
def messages(
    message_type: Literal["product-list-response"], seed: int, **options: Unpack[MessageOptions]
) -> Iterator[ProductListResponse]: ...
@overload
def messages(
    message_type: Literal["offer-pricing-response"], seed: int, **options: Unpack[MessageOptions]
) -> Iterator[OfferPricingResponse]: ...
@overload
def messages(message_type: MessageType, seed: int, **options: Unpack[MessageOptions]) -> Iterator[Any]: ...
@overload
def messages(
    message_type: MessageType, seed: int, *, verdicts: Collection[Label], **options: Unpack[MessageOptions]
) -> Iterator[Case]: ...
def messages(
    message_type: MessageType,
    seed: int,
    *,
    verdicts: Collection[Label] | None = None,
    plausible: bool = False,
    now: datetime | None = None,
    contract: Contract | None = None,
) -> Iterator[Any]:
    """Returns an endless iterator over valid messages, or over cases with these `verdicts`.

    The same arguments give the same messages on every machine. Each message is a new object that you may change.
    `brokerfuzz.cases.compact` converts a message to bytes. `plausible=True` gives messages for demonstrations and load
    tests: unique numbers, values that belong together, and dates around `now` (None: today).

    `verdicts` contains one or more of `valid`, `invalid` and `unspecified`. Each case contains a message as bytes, and
    the message's verdict, faults and twin. `now` is the time for cases whose verdict depends on the current time. If
    `now` is None, there are no such cases, so every verdict is correct at any supported time. `contract` is a changed
    contract.

    Raises `UnknownNameError` for an unknown message type or verdict, `ClockError` for an unsupported `now`, and
    `TypeError` for other wrong arguments.

    >>> from brokerfuzz import messages
    >>> next(messages("offer-creation-request", seed=1, plausible=True))["number"]
    'OFF-53780878'
    """
    used_contract = known_contract(contract)
    used_contract.known_message_type(message_type)
    if not isinstance(seed, int):
        raise TypeError(f"seed={quoted(seed)}: use an integer")
    if verdicts is not None:
        return random_cases(message_type, seed, verdicts=known_labels(verdicts), now=now, contract=contract)
    time = now and supported_time(now)
    if plausible:
        return PlausibleMessages(used_contract, message_type, seed, time or today()).starting_at(0)
    draw, source = checked_draw(used_contract, message_type), RandomSource(seed)
    return (draw(source) for _ in count())
