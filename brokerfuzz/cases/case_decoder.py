"""Decodes random cases from bytes: valid messages, messages with a fault, and probes of ambiguities.

The first bytes select the kind of case, the rule and the technique. The next bytes determine the message, and the last bytes select the
place of the fault or the probe. If all bytes are zero, the case has the simplest message and the first technique.
"""

from bisect import bisect
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cached_property, lru_cache
from itertools import accumulate
from typing import Any

from brokerfuzz.cases.breakable_places import breakable_places
from brokerfuzz.cases.brief_twins import brief
from brokerfuzz.cases.case import Broken, Case, clock, compact
from brokerfuzz.cases.changes import Steps, apply, places
from brokerfuzz.cases.faults import FaultMaker
from brokerfuzz.cases.message_builder import schema_with_place
from brokerfuzz.cases.probes import ProbeMaker
from brokerfuzz.cases.techniques import Technique
from brokerfuzz.contract_names import LABELS
from brokerfuzz.decoder import Read, Seeded, Source, Style, compile_decoder
from brokerfuzz.errors import ContractError
from brokerfuzz.schemas import Ambiguity, Contract, Label, MessageType, Rule, load_contract
from brokerfuzz.schemas.flattening import Schema, types_of

_SHARES: dict[Label, int] = {"valid": 4, "invalid": 5, "unspecified": 1}
"""The share of each verdict among the random cases, in tenths."""
_STATED_SHARE = 54
_STATED: Mapping[str, int] = {"required": 21, "bound": 16, "length": 11, "enum": 5, "not-in-future": 6}
_OTHERS: Mapping[str, int] = {"unknown property": 8, "type": 30, "integer range": 6, "syntax": 2}
"""The percentage of faults for each kind of rule that the contract does not state in words (for example, types are in tables).
These percentages are low, because almost all programs check such rules. The other 54 percent of the faults break rules that the
contract states in words (`_STATED`).
"""
_TOO_LARGE = ("message_size",)  # a message that touches this ambiguity is a megabyte long, so only the catalogue contains such a message
TAG = "random"


@dataclass(frozen=True, eq=False)
class CaseDecoder:
    """Decodes cases of one message type from bytes. Use `case_decoder` to create a decoder."""

    contract: Contract
    message_type: MessageType
    labels: tuple[Label, ...]
    rules: tuple[Rule, ...]
    techniques: frozenset[str] | None
    style: Style

    def read(self, source: Source, now: datetime | None) -> Case:
        """If `now` is None, the decoder generates no time-dependent case."""
        kinds = [label for label in self.labels for _ in range(_SHARES[label])]
        kind = kinds[source.choose(len(kinds))] if len(self.labels) > 1 else kinds[0]
        if kind == "valid":
            return Case.judged(self.message_type, compact(self._message("", source)), claim="valid", tags=(TAG,), now=now, contract=self.contract)
        return self._fault(source, now) if kind == "invalid" else self._probe(source, now)

    # --------------------------------------------------------------------------------------------------- faults

    def _fault(self, source: Source, now: datetime | None) -> Case:
        maker = self.faults(now)
        rule = self.next_rule(source)
        techniques = self.techniques_for(rule, maker)
        preferred = _early_index(source.choose(256), len(techniques))
        place = f"{rule.site}@{rule.condition.label if rule.condition else ''}"  # rules at the same place share a message decoder
        message = self._message(place, source, lambda: maker.breakable_schema(rule))
        found = places(message, rule.site)
        steps = _one_of(found, source)
        for technique in (*techniques[preferred:], *techniques[:preferred]):
            case = maker.broken(message, steps, rule, technique, (TAG,))
            if case is not None:
                return brief(case, maker, self.style)
        plain = maker.case(rule, techniques[0])
        assert plain is not None, "this is a bug: the technique does not break its rule in a simple message"
        return plain

    def broken(self, message: Any, source: Source, now: datetime) -> Broken | None:
        """Breaks one rule in a valid message. Returns None if no rule can be broken in this message."""
        maker = self.faults(now)
        there = {rule.id: found for rule in self.rules if (found := breakable_places(rule, message))}
        if not there:
            return None
        chosen = replace(self, rules=tuple(rule for rule in self.rules if rule.id in there))
        first, turn = chosen.next_rule(source), source.choose(256)
        for rule in (first, *(rule for rule in chosen.rules if rule is not first)):
            techniques, found = self.techniques_for(rule, maker), there[rule.id]
            preferred = _early_index(turn, len(techniques))
            for technique in (*techniques[preferred:], *techniques[:preferred]):
                case = maker.broken(message, found[turn % len(found)], rule, technique, (TAG,))
                if case is not None:
                    return case
        return None

    def next_rule(self, source: Source) -> Rule:
        """Chooses a rule. Some kinds of rules are chosen more often than others."""
        rules, sums = self._weighted_rules
        if not rules:
            raise ContractError(f"brokerfuzz cannot break any rule of {self.message_type} in a plain message: simplify its schema")
        return rules[bisect(sums, int.from_bytes(source.take(2)) * sums[-1] >> 16)]  # Hypothesis prefers small integers, but not small bytes

    @cached_property
    def _weighted_rules(self) -> tuple[Sequence[Rule], Sequence[int]]:
        """Returns the rules, and for each rule the sum of all weights up to this rule. The rules that the contract states in words
        get most of the cases, even if there are only a few such rules.

        Two kinds of rules occur twice in the returned rules, so that they get more cases:

        - Rules about the type of a required property. Some programs accept null as the value of such a property.
        - Rules that require a property. An object or array that is always required, such as `data`, is an exception: without this
          property, few different messages are possible.
        """
        kinds = {rule: _kind_of_rule(rule) for rule in self.rules}
        sites = self.contract.sites[self.message_type]
        twice = [
            rule for rule in self.rules
            if (kinds[rule] == "type" and sites[rule.site].required)
            or (kinds[rule] == "required" and (rule.condition or not types_of(sites[rule.site].schema) & {"array", "object"}))
        ]  # fmt: skip
        rules = sorted((*self.rules, *twice), key=lambda rule: [*_STATED, *_OTHERS].index(kinds[rule]))
        stated = sum(_STATED[kind] for kind in {*kinds.values()} & {*_STATED})
        numbers = Counter(kinds[rule] for rule in rules)
        shares = {kind: _STATED_SHARE * _STATED[kind] / stated if kind in _STATED else _OTHERS[kind] for kind in numbers}
        return rules, list(accumulate(max(1, round(1000 * shares[kinds[rule]] / numbers[kinds[rule]])) for rule in rules))

    def techniques_for(self, rule: Rule, maker: FaultMaker) -> list[Technique]:
        return [technique for technique in maker.techniques(rule) if self.techniques is None or technique.name in self.techniques]

    def faults(self, now: datetime | None) -> FaultMaker:
        """Returns the `FaultMaker` for the time `now`. The objects for different times share a cache of messages."""
        return replace(_fault_maker(self.contract, self.message_type, now is not None), now=now)

    # --------------------------------------------------------------------------------------------------- probes

    def _probe(self, source: Source, now: datetime | None) -> Case:
        maker = ProbeMaker(self.contract, self.message_type, now)
        questions = _questions(self.contract, self.message_type, now is not None)
        if not questions:
            others = tuple(label for label in self.labels if label != "unspecified")
            if not others:
                raise ContractError(f"the contract leaves no question about {self.message_type} open: remove 'unspecified' from the verdicts")
            return replace(self, labels=others).read(source, now)
        ambiguity, site = questions[source.choose(len(questions))]
        path = maker.path(site)
        message = self._message(path, source, lambda: schema_with_place(self.contract, self.message_type, path))
        probes = list(maker.probes(ambiguity, site, message))
        if not probes:
            return next(maker.of_ambiguity(ambiguity))
        name, steps, change = probes[source.choose(256) % len(probes)]
        case = maker.case(ambiguity, name, apply(message, steps, change)) or next(maker.of_ambiguity(ambiguity))
        return replace(case, tags=(*case.tags, TAG))

    # -------------------------------------------------------------------------------------------------- messages

    def _message(self, key: str, source: Source, narrowed: Callable[[], Schema] | None = None) -> Any:
        decoders = _message_decoders(self.contract, self.message_type, self.style)
        if key not in decoders:
            decoders[key] = compile_decoder(self.contract, self.message_type, narrowed=narrowed() if narrowed else None, style=self.style)
        return decoders[key](source)


@lru_cache(maxsize=64)
def _message_decoders(contract: Contract, message_type: MessageType, style: Style) -> dict[str, Read]:
    """Returns a cache that maps places to compiled message decoders. Case decoders for different verdicts, rules and techniques
    share this cache.
    """
    return {}


@lru_cache(maxsize=16)
def _fault_maker(contract: Contract, message_type: MessageType, has_clock: bool) -> FaultMaker:
    return FaultMaker(contract, message_type, clock(None) if has_clock else None)


def _one_of(found: Sequence[Steps], source: Source) -> Steps:
    """Returns one of the paths in `found`. `source` chooses an item of the outermost array, then an item of the next array, and so
    on. So Hypothesis can remove items of one array, and the chosen items of other arrays stay the same.
    """
    while len(found) > 1:
        depth = next(depth for depth, steps in enumerate(zip(*found, strict=False)) if len(set(steps)) > 1)
        items = sorted({steps[depth] for steps in found})
        item = items[source.choose(256) % len(items)]
        found = [steps for steps in found if steps[depth] == item]
    return found[0]


def _early_index(byte: int, count: int) -> int:
    """Converts a random byte to an index below `count`. Most indices are small, because the first techniques find most bugs."""
    return byte**5 * count >> 40


def _kind_of_rule(rule: Rule) -> str:
    if rule.keyword in ("minimum", "maximum") and rule.value in (-(1 << 31), (1 << 31) - 1):
        return "integer range"
    known = {"type": "type", "additionalProperties": "unknown property", "json": "syntax", "minLength": "length", "minItems": "length"}
    return known.get(rule.keyword, rule.keyword if rule.keyword in _STATED else "bound")


@lru_cache(maxsize=16)
def _questions(contract: Contract, message_type: MessageType, has_clock: bool) -> Sequence[tuple[Ambiguity, Any]]:
    return ProbeMaker(contract, message_type, clock(None) if has_clock else None).questions(_TOO_LARGE)


@lru_cache(maxsize=64)
def case_decoder(
    contract: Contract,
    message_type: MessageType,
    labels: tuple[Label, ...] = LABELS,
    rules: tuple[Rule, ...] | None = None,
    techniques: frozenset[str] | None = None,
    style: Style | None = None,
) -> CaseDecoder:
    """Returns a decoder for cases with these verdicts, rules and techniques (None: all). The decoder ignores a rule that no
    selected technique can break.
    """
    decoder = CaseDecoder(contract, message_type, labels, contract.rules[message_type] if rules is None else rules, techniques, style or Style())
    maker = decoder.faults(clock(None))
    breakable = tuple(rule for rule in decoder.rules if decoder.techniques_for(rule, maker))
    return replace(decoder, rules=breakable)


def random_cases(
    message_type: MessageType,
    seed: int,
    *,
    verdicts: Collection[Label] = LABELS,
    now: datetime | None = None,
    contract: Contract | None = None,
) -> Iterator[Case]:
    """Yields random cases without end. The same seed gives the same cases, except for values that depend on `now`.

    If `now` is None, there are no time-dependent cases, so every verdict is correct at every supported time. The twin of an invalid
    case is not yielded separately: use the attribute `twin`.
    """
    decoder = case_decoder(contract or load_contract(), message_type, tuple(label for label in LABELS if label in verdicts))
    source, instant = Seeded(seed), None if now is None else clock(now)
    while True:
        yield decoder.read(source, instant)
