"""Breaks a rule with each technique, in the smallest message in which the technique applies."""

from collections.abc import Iterator
from dataclasses import replace

from brokerfuzz.cases.case import NOW_TAG, Case
from brokerfuzz.cases.fault_variations import COMPLETE, ONLY, REQUIRED, SMALLEST, Neighbours
from brokerfuzz.cases.faults import FaultMaker
from brokerfuzz.cases.message_builder import schema_requiring
from brokerfuzz.schemas import Rule
from brokerfuzz.schemas.flattening import Schema, types_of

_SCALAR = {"boolean", "integer", "number", "string", "null"}


def faults_of_rule(maker: FaultMaker, rule: Rule) -> Iterator[Case]:
    """Yields a case for each technique that breaks the rule. Only time-dependent cases have a tag."""
    made = set[str]()
    for technique in maker.techniques(rule):
        for neighbours, given in _surroundings(maker, rule):
            case = maker.case(rule, technique, ONLY, neighbours, given=given)
            if case is not None and case.id not in made:
                made.add(case.id)
                yield replace(case, tags=tuple(tag for tag in case.tags if tag.startswith(NOW_TAG)))
                break


def _surroundings(maker: FaultMaker, rule: Rule) -> Iterator[tuple[Neighbours, Schema | None]]:
    """Yields descriptions of messages to try: the smallest message, messages with one more property, and a complete message.

    The smallest message is not always possible: a technique that copies a property needs an object with a property.
    """
    yield SMALLEST, None
    for site in maker.contract.sites[maker.message_type].values():
        if site.name and site.path.startswith(rule.site):
            for leaf in _leaves(site.schema):
                yield REQUIRED, schema_requiring(site.path, leaf)
    yield COMPLETE, None


def _leaves(schema: Schema) -> Iterator[Schema]:
    """If `schema` describes an array, yields three schemas: for at least 0, at least 1, and at least 2 items. For an array of
    objects, the third schema is omitted, because the contract does not say whether equal objects are allowed. If `schema` describes
    another type, yields a schema that allows everything.
    """
    if "array" in types_of(schema):
        yield from ({"minItems": size} for size in ((0, 1, 2) if types_of(schema.get("items", {})) <= _SCALAR else (0, 1)))
    else:
        yield {}
