"""Draws cases. Checks the options that all strategies for cases share."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Any, Final, Unpack

from hypothesis import reject
from hypothesis.errors import InvalidArgument
from hypothesis.strategies import DrawFn, SearchStrategy

from brokerfuzz.cases.case import Broken, Case, compact, supported_time
from brokerfuzz.cases.case_tags import RANDOM, TWIN_TAGS
from brokerfuzz.cases.fault_injector import FaultInjector
from brokerfuzz.cases.fault_wishes import breakable_places, joined, wishes_at, wishes_for
from brokerfuzz.cases.probes import ProbeMaker, questions
from brokerfuzz.cases.techniques import Technique
from brokerfuzz.errors import LabelError
from brokerfuzz.generation import Source, Wishes, node_of
from brokerfuzz.generation.sources import pins_of
from brokerfuzz.pointers import Steps
from brokerfuzz.schemas import Label, MessageType, Rule
from brokerfuzz.schemas.questions.sizes import MessageSize
from brokerfuzz.schemas.rule import JSON_RULE
from brokerfuzz.strategies import arguments
from brokerfuzz.strategies.definition import Draws
from brokerfuzz.strategies.drawn_values import DrawnValues
from brokerfuzz.strategies.hypothesis_source import hypothesis_source

_SHARES: Final[Mapping[Label, int]] = {"valid": 4, "invalid": 5, "unspecified": 1}
"""The share of each verdict among the cases, in tenths."""


@dataclass(frozen=True)
class DrawnCases:
    """The options of the strategies for cases. If `now` is None, cases are judged as of when they are drawn."""

    messages: DrawnValues
    rules: Sequence[Rule]
    techniques: Collection[str] | None
    parsed: bool
    now: datetime | None

    @classmethod
    def of(cls, message_type: MessageType, **options: Unpack[arguments.GeneratedCaseOptions]) -> "DrawnCases":
        """Raises `InvalidArgument` if an option is wrong."""
        messages = DrawnValues.of(
            message_type,
            contract=options.get("contract"),
            fields=options.get("fields"),
            plausible=options.get("plausible", False),
        )
        pinned = messages.style.pinned
        rules = arguments.chosen_rules(messages.contract, message_type, options, pinned)
        parsed = arguments.flag("parsed", options.get("parsed", False))
        if parsed:
            rules = tuple(rule for rule in rules if rule.keyword != JSON_RULE)
        now = options.get("now")
        checked_now = None if now is None else supported_time(now)
        cases = cls(messages, rules, arguments.chosen_techniques(options), parsed, checked_now)
        if not cases._breakable:
            limits = {**options, "fields": sorted(pinned)}
            names = ("rules", "techniques", "fields", "parsed")
            together = ", ".join(f"{name}={limits[name]!r}" for name in names if limits.get(name))
            raise InvalidArgument(
                f"{together}: no technique can break any of these rules; `brokerfuzz rules --techniques` lists what "
                "each technique can break"
            )
        return cases

    def draws(self, verdicts: Sequence[Label]) -> Draws[Any]:
        """Returns a function that draws a case with one of the verdicts. An invalid case is a `Broken`."""
        labels: list[Label] = [label for label in verdicts for _ in range(_SHARES[label] if len(verdicts) > 1 else 1)]
        proposals = self.messages.proposals()

        def draw_case(draw: DrawFn) -> Case:
            source = hypothesis_source(draw, proposals=proposals)
            label = source.choose(labels) if len(labels) > 1 else labels[0]
            try:
                return self._finished(self._case(label, source, self._injector()))
            except (LabelError, TypeError) as problem:
                pins = sorted(self.messages.style.pinned)
                if not pins:
                    raise
                raise InvalidArgument(
                    f"fields={pins}: a pinned value makes the message invalid or unspecified ({problem}); pin values "
                    "that the contract clearly allows"
                ) from problem

        return draw_case

    def draws_from(self, messages: SearchStrategy[Any]) -> Draws[Any]:
        """Returns a function that draws a valid message from a strategy and breaks a rule in it."""

        def draw_broken(draw: DrawFn) -> Case:
            injector = self._injector()
            twin = _twin_of(draw(messages), injector)
            return self._finished(self._breaking_any_rule(twin, hypothesis_source(draw), injector))

        return draw_broken

    def _injector(self) -> FaultInjector:
        return FaultInjector(self.messages.contract, self.messages.message_type, self.now or supported_time(None))

    @cached_property
    def _breakable(self) -> Sequence[Rule]:
        injector = self._injector()
        return [rule for rule in self.rules if injector.techniques(rule, self.techniques)]

    @cached_property
    def _groups(self) -> Sequence[Sequence[Rule]]:
        """Half of the faults break the rules that the contract states in words, each of them equally often. Almost all
        programs check the other rules, such as types.
        """
        stated: dict[int, list[Rule]] = {}
        for rule in self._breakable:
            if rule.validation_rule:
                stated.setdefault(rule.validation_rule, []).append(rule)
        return [*stated.values(), *[self._breakable] * max(1, len(stated))]

    def _case(self, label: Label, source: Source, injector: FaultInjector) -> Case | None:
        if label == "valid":
            return injector.valid(self._message(source, {}), (RANDOM,))
        if label == "unspecified":
            return self._probe(source, injector)
        rule = source.choose(source.choose(self._groups))
        message = self._message(source, wishes_for(injector.contract, rule))
        return self._broken(message, rule, source, injector)

    def _message(self, source: Source, wishes: Wishes) -> Any:
        messages = self.messages
        source.pins = pins_of(messages.wishes)
        source.wishes = joined(messages.wishes, wishes, source.pins)
        return node_of(messages.contract, messages.message_type, style=messages.style).draw(source)

    def _breaking_any_rule(self, twin: Case, source: Source, injector: FaultInjector) -> Broken | None:
        """Breaks one rule in a valid message. Returns None if no rule can be broken in this message."""
        contract, message = injector.contract, twin.value
        present = {rule.id for rule in self._breakable if breakable_places(contract, rule, message)}
        if not present:
            return None
        groups = [[rule for rule in group if rule.id in present] for group in self._groups]
        first = source.choose(source.choose([group for group in groups if group]))
        tried = (self._broken(message, rule, source, injector, twin) for rule in (first, *groups[-1]))
        return next((case for case in tried if case is not None), None)

    def _broken(
        self, message: Any, rule: Rule, source: Source, injector: FaultInjector, twin: Case | None = None
    ) -> Broken | None:
        """Tries all techniques. The first ones, which find most bugs, are more often the first to be tried."""
        techniques = injector.techniques(rule, self.techniques)
        numbers = range(len(techniques))

        def tried() -> Iterator[Technique]:
            preferred = min(source.choose(numbers), source.choose(numbers))
            yield from (*techniques[preferred:], *techniques[:preferred])

        return injector.break_rule(
            message,
            rule,
            tried(),
            choose_place=lambda places: _chosen_place(places, source),
            tags=(RANDOM,),
            twin=twin,
        )

    def _probe(self, source: Source, injector: FaultInjector) -> Case | None:
        contract, message_type = injector.contract, injector.message_type
        open_questions = questions(contract, message_type, (MessageSize,))
        if not open_questions:  # an own contract can leave nothing open
            return None
        maker = ProbeMaker(contract, message_type, injector.now)
        ambiguity, asked = source.choose(open_questions)
        message = self._message(source, wishes_at(contract, message_type, asked.path))
        probes = list(maker.probes(ambiguity, asked, message))
        return maker.case(source.choose(probes)) if probes else None

    def _finished(self, case: Case | None) -> Case:
        """If the user specified `parsed=True`, Hypothesis discards a case that is not JSON."""
        if case is None or (self.parsed and not _is_parsed(case)):
            reject()
        return case


def _twin_of(message: Any, injector: FaultInjector) -> Case:
    try:
        return Case.judged(
            injector.message_type, compact(message),
            claim="valid", tags=TWIN_TAGS, now=injector.now, contract=injector.contract,
        )  # fmt: skip
    except (LabelError, TypeError) as problem:
        raise InvalidArgument(
            f"messages: a message is not clearly valid ({problem}); use a strategy for valid messages"
        ) from problem


def _chosen_place(places: Sequence[Steps], source: Source) -> Steps:
    """Chooses an item of the outermost array, then an item of the next array, and so on. So Hypothesis can remove items
    of one array, and the chosen items of other arrays stay the same.
    """
    while len(places) > 1:
        depth = next(depth for depth, steps in enumerate(zip(*places, strict=False)) if len(set(steps)) > 1)
        item = source.choose(sorted({steps[depth] for steps in places}))
        places = [steps for steps in places if steps[depth] == item]
    return places[0]


def _is_parsed(case: Case) -> bool:
    try:
        case.value  # noqa: B018 - parses the body
    except (ValueError, RecursionError):
        return False
    return True
