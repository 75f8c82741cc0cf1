"""Measures strategies for invalid messages: which rules their examples break, after how many examples, and with which kinds of faults.

The broken rules come from the oracle's verdict on each example.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from statistics import median
from typing import Any, NamedTuple

from benchmarks.examples.effort import Effort
from benchmarks.examples.sources import INVALID, RUN
from benchmarks.generators.drawing import examples
from benchmarks.generators.messages import NOW, OFFER
from brokerfuzz.cases.case import Case
from brokerfuzz.pointers import steps_of
from brokerfuzz.schemas import MESSAGE_TYPES, MessageType, load_contract

KINDS = ("off by one", "required", "enum", "clock", "type", "unknown property", "JSON syntax", "other bound")


class Faults(NamedTuple):
    """`first` maps each broken rule to the number of the first example that breaks the rule. The first example has the number 1."""

    first: dict[str, int]
    kinds: Counter[str]


def run(message_type: MessageType, count: int, seed: int) -> Faults:
    faults = Faults({}, Counter())
    for index, case in enumerate(examples(INVALID[message_type](now=NOW), count, seed_number=seed), 1):
        for broken in case.verdict.broken:
            faults.first.setdefault(broken.rule, index)
        faults.kinds[kind_of(case)] += 1
    return faults


def kind_of(case: Case) -> str:
    fault = case.faults[0]
    rule = load_contract().rules_by_id[fault.rule]
    match rule.keyword:
        case "json":
            return "JSON syntax"
        case "additionalProperties":
            return "unknown property"
        case "not-in-future":
            return "clock"
        case "minimum" | "maximum":
            return "off by one" if abs(_value_at(case.value, fault.at) - rule.value) <= 1 else "other bound"
        case "minLength" | "minItems":
            return "off by one" if len(_value_at(case.value, fault.at)) == rule.value - 1 else "other bound"
        case keyword:
            return keyword


def _value_at(value: Any, at: str) -> Any:
    for step in steps_of(at):
        value = value[int(step)] if isinstance(value, list) else value[step]
    return value


def discovery(effort: Effort) -> str:
    seeds = range(1, effort.runs + 1)
    short = effort.results(run, [(OFFER, RUN, seed) for seed in seeds])
    head = f"How many of {effort.runs} runs break each validation rule of the contract, and each rule that it states ({RUN} examples per run)"
    lines = [head, *_validation_rules(short)]
    for message_type in MESSAGE_TYPES:
        found = effort.results(run, [(message_type, effort.examples, seed) for seed in seeds])
        lines += _rules(message_type, found, effort.examples)
    return "\n".join(lines)


def validation_rules() -> dict[int, list[str]]:
    """Maps the number of each validation rule in the text of the contract to the IDs of the single rules that it states."""
    stated: dict[int, list[str]] = {}
    for rule in load_contract().rules[OFFER]:
        if rule.citation and rule.citation.validation_rule:
            stated.setdefault(rule.citation.validation_rule, []).append(rule.id)
    return dict(sorted(stated.items()))


def runs_that_break(rules: Sequence[str], found: Sequence[Faults]) -> int:
    return sum(any(rule in faults.first for rule in rules) for faults in found)


def medians(message_type: MessageType, found: Sequence[Faults], limit: int) -> dict[str, float]:
    """For each rule, counts the examples up to the first example that breaks the rule. Returns the median of all runs. A run
    without such an example counts as `limit` + 1.
    """
    rules = load_contract().rules[message_type]
    return {rule.id: median(faults.first.get(rule.id, limit + 1) for faults in found) for rule in rules}


def shares(found: Sequence[Faults]) -> dict[str, float]:
    kinds: Counter[str] = sum((faults.kinds for faults in found), Counter())
    return {kind: kinds[kind] / kinds.total() for kind in KINDS}


def _validation_rules(found: Sequence[Faults]) -> Iterator[str]:
    for number, rules in validation_rules().items():
        parts = ", ".join(f"{rule.partition('/')[2]} {runs_that_break([rule], found)}" for rule in rules)
        yield f"  {number}  {runs_that_break(rules, found):>3}  {parts}"


def _rules(message_type: MessageType, found: Sequence[Faults], limit: int) -> Iterator[str]:
    indexes = medians(message_type, found, limit)
    late = [rule.partition("/")[2] for rule, index in indexes.items() if index > limit]
    yield f"{message_type}: number of examples until a rule is broken (median of all runs), {limit} examples per run"
    yield f"  {len(indexes) - len(late)} of {len(indexes)} rules within {limit} examples; half of the rules within {median(indexes.values()):.0f}"
    if late:
        yield f"  not within {limit} examples: {', '.join(late)}"
    yield "  kinds of faults: " + ", ".join(f"{kind} {share:.1%}" for kind, share in shares(found).items())
