from collections.abc import Iterable, Iterator
from functools import reduce
from typing import Any

from benchmarks.fleet.behaviours import forgets_the_clock, forgives, reads
from benchmarks.fleet.mutants import Candidate
from benchmarks.fleet.places import mended, steps_of, without
from benchmarks.fleet.plain_messages import CLOCK_RULE, Ground
from brokerfuzz.schemas import Condition, Rule
from brokerfuzz.schemas.flattening import Schema
from brokerfuzz.schemas.sites import JSON_RULE


def candidates(ground: Ground) -> Iterator[Candidate]:
    """Each mutant omits the check of one rule or of several rules, always or only under a condition."""
    for rule in ground.rules:
        yield _dropped(ground, rule)
    yield from _conditions(ground)
    yield from _under_conditions(ground)


def lacks(schema: Schema, rule: Rule) -> Schema:
    if rule.condition is None:
        return _lacks(schema, rule.site, rule.keyword)
    condition, below = (
        rule.condition,
        ".".join(steps_of(rule.site)[len(steps_of(rule.condition.site)) :]).replace(".[]", "[]"),
    )

    def change(holder: Schema) -> Schema:
        return {**holder, "allOf": [_branch_lacks(entry, condition, below, rule.keyword) for entry in holder["allOf"]]}

    return mended(schema, condition.site, change)


def _branch_lacks(entry: Schema, condition: Condition, below: str, keyword: str) -> Schema:
    branch = "then" if condition.holds else "else"
    return (
        {**entry, branch: _lacks(entry[branch], below, keyword)}
        if entry["if"] == condition.when and branch in entry
        else entry
    )


def _lacks(schema: Schema, path: str, keyword: str) -> Schema:
    if keyword != "required":
        return mended(schema, path, lambda there: without(there, keyword))
    above, _, name = path.rpartition(".")
    return mended(
        schema,
        above,
        lambda there: {**there, "required": [other for other in there.get("required", ()) if other != name]},
    )


def _dropped(ground: Ground, rule: Rule) -> Candidate:
    where = f"{rule.site or 'the root'}:{rule.id.partition(':')[2]}"
    if rule.keyword == JSON_RULE:
        return Candidate(
            "dropped",
            "does not check",
            where,
            "",
            rule.id,
            reads(_as_if_nothing_were_wrong(ground)),
            [b'{"number": "A", '],
        )
    behaviour = (
        forgets_the_clock(lambda _: True)
        if rule.keyword == CLOCK_RULE
        else forgives(rule.site, lacks(ground.schema, rule))
    )
    return Candidate(
        "dropped",
        "does not check",
        where,
        rule.site,
        rule.id,
        behaviour,
        ground.with_value(rule.site, ground.breach(rule)),
    )


def _as_if_nothing_were_wrong(ground: Ground) -> Any:
    body = next(ground.with_value("number", "A"))
    return lambda _: body


def _of_conditions(ground: Ground) -> dict[str, list[Rule]]:
    found: dict[str, list[Rule]] = {}
    for rule in ground.rules:
        if rule.condition is not None:
            found.setdefault(rule.condition.label, []).append(rule)
    return found


def _breaches(ground: Ground, rules: Iterable[Rule]) -> list[bytes]:
    return [body for rule in rules for body in ground.with_value(rule.site, ground.breach(rule))]


def _conditions(ground: Ground) -> Iterator[Candidate]:
    for label, rules in _of_conditions(ground).items():
        nothing = forgives(_top(rules), reduce(lacks, rules, ground.schema))
        yield Candidate(
            "dropped", "does not check anything", f"@{label}", rules[0].site, None, nothing, _breaches(ground, rules)
        )
        for kept in rules:
            others = [rule for rule in rules if rule is not kept]
            only = forgives(_top(rules), reduce(lacks, others, ground.schema))
            yield Candidate(
                "dropped",
                "checks only",
                f"{kept.site}:{kept.keyword} @{label}",
                others[0].site,
                None,
                only,
                _breaches(ground, others),
            )


def _top(rules: list[Rule]) -> str:
    """Returns the common prefix of the sites of the rules."""
    first, last = min(rule.site for rule in rules), max(rule.site for rule in rules)
    return first[: next((n for n, pair in enumerate(zip(first, last, strict=False)) if pair[0] != pair[1]), len(first))]


def _under_conditions(ground: Ground) -> Iterator[Candidate]:
    """Yields mutants that check an unconditional rule only if a condition of the contract is met, or only if it is not
    met. The rule is inside a property that also has conditional rules: for example, `productClusters`.
    """
    for rules in _of_conditions(ground).values():
        condition = rules[0].condition
        assert condition is not None
        tops = {steps_of(rule.site)[0] for rule in rules}
        for rule in ground.rules:
            if rule.condition is None and rule.site and steps_of(rule.site)[0] in tops and condition.site == "":
                for when, words in ((condition.when, "unless"), ({"not": condition.when}, "if")):
                    loose = {"anyOf": [ground.schema, {"allOf": [when, lacks(ground.schema, rule)]}]}
                    mutation = f"checks only {words} @{condition.label}"
                    yield Candidate(
                        "dropped",
                        mutation,
                        f"{rule.site}:{rule.keyword}",
                        rule.site,
                        rule.id,
                        forgives(rule.site, loose),
                        _breaches(ground, [rule]),
                    )
