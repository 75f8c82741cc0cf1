"""Finds the open questions about each site (a position in a message type), and the values that touch them. Changes
values so that they touch none.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from copy import deepcopy
from functools import lru_cache
from typing import Any, NamedTuple

from brokerfuzz.generation.edge_values import LONGEST, PAST_INSTANTS
from brokerfuzz.generation.sources import Source, Style
from brokerfuzz.pointers import path_to
from brokerfuzz.schemas import Ambiguity, Contract, MessageType
from brokerfuzz.schemas.contract_entries import NOT_IN_FUTURE, path_of
from brokerfuzz.schemas.edge import EdgeTable
from brokerfuzz.schemas.flattening import types_of
from brokerfuzz.schemas.judging import matches
from brokerfuzz.schemas.keywords import Schema
from brokerfuzz.schemas.questions import Freedom, Question
from brokerfuzz.schemas.questions.equal_items import Distinct
from brokerfuzz.schemas.sites import Site

Settle = Callable[[Any, Source, int | None], Any]
"""A function that changes an object or array. Its last argument is the maximum number of items of an array."""


class SiteQuestion(NamedTuple):
    """A question at a site, and the ID of its ambiguity."""

    id: str
    question: Question


def fitting_sites(contract: Contract, message_type: MessageType, ambiguity: Ambiguity) -> list[Any]:
    """Returns the sites of an ambiguity. If the ambiguity relates several values, returns only the sites at which the
    schema gives these values the types that the question expects. A changed contract can allow other types.
    """
    sites = contract.sites[message_type]

    def fits(where: Any) -> bool:
        reads = ambiguity.question_at(where).reads if ambiguity.kind else {}
        expected = {path_to(steps, path_of(where)): types for steps, types in reads.items()}
        return all(
            site in sites and types_of(sites[site].schema) - {"null"} <= {*types} for site, types in expected.items()
        )

    return [where for where in (ambiguity.sites or {}).get(message_type, ()) if fits(where)]


@lru_cache(maxsize=64)
def _by_site(contract: Contract, message_type: MessageType) -> Mapping[str, Sequence[SiteQuestion]]:
    questions: dict[str, list[SiteQuestion]] = {}
    for ambiguity in contract.ambiguities:
        for where in fitting_sites(contract, message_type, ambiguity) if ambiguity.kind else ():
            questions.setdefault(path_of(where), []).append(SiteQuestion(ambiguity.id, ambiguity.question_at(where)))
    return questions


def questions_at(contract: Contract, message_type: MessageType, path: str) -> Sequence[SiteQuestion]:
    return _by_site(contract, message_type).get(path, ())


def asks(contract: Contract, message_type: MessageType, path: str, kind: type[Question]) -> bool:
    """Returns whether there is a question of this kind at a site."""
    return any(isinstance(question, kind) for _, question in questions_at(contract, message_type, path))


@lru_cache(maxsize=4096)
def plain_values_at(contract: Contract, message_type: MessageType, path: str) -> EdgeTable | None:
    """Returns the strings that touch no question about their notation, if there is one at a site. For timestamps that
    must not be in the future, they are past.
    """
    for rule in contract.semantics:
        if rule.message_type == message_type and rule.keyword == NOT_IN_FUTURE and rule.site == path:
            return PAST_INSTANTS
    plain = (question.plain for _, question in questions_at(contract, message_type, path))
    return next((table for table in plain if table is not None), None)


# ------------------------------------------------------------------------------------------------ ambiguous values

_OF_TYPE: Mapping[str, Mapping[str, Sequence[Any]]] = {
    "string": {
        "nul_characters": ("\0", "a\0b"),
        "lone_surrogates": ("\ud800", "a\udc00"),
        "string_length": ("b" * (LONGEST + 1), "b" * 5000),
    },
    "integer": {"integer_form": (1.0, 100.0, 2147483647.0)},
    "number": {"double_range": ((1 << 53) + 1, 10**22 + 1, -(1 << 64) - 1)},
}
"""Maps JSON types and detectors to values that touch ambiguities about all values of this type."""


def can_be_drawn(ambiguity: Ambiguity) -> bool:
    """Returns whether a value can touch the ambiguity: it is not about bytes, headers, sizes or the current time."""
    return ambiguity.kind is not None or any(ambiguity.detector in values for values in _OF_TYPE.values())


def ambiguous_values(contract: Contract, message_type: MessageType, site: Site, allowed: Collection[str]) -> list[Any]:
    """Returns strings and numbers that the schema of a site allows, and that touch only ambiguities in `allowed`."""
    asked = questions_at(contract, message_type, site.path)
    values: list[Any] = []
    for ambiguity_id, question in asked:
        if ambiguity_id in allowed and not question.reads:
            values += [value for _, value in question.probes(None, None)]
    if all(question.plain is None for _, question in asked):
        values += _of_every_type(contract, types_of(site.schema), allowed)
    forbidden = [question for ambiguity_id, question in asked if ambiguity_id not in allowed]
    return [
        value
        for value in values
        if matches(site.schema, value)
        and not any(isinstance(value, unwanted.python_types) and unwanted.touches(value) for unwanted in forbidden)
    ]


def _of_every_type(contract: Contract, types: Collection[str], allowed: Collection[str]) -> list[Any]:
    detectors = {ambiguity.detector for ambiguity in contract.ambiguities if ambiguity.id in allowed}
    return [
        value
        for json_type in types
        for detector, values in _OF_TYPE.get(json_type, {}).items()
        if detector in detectors
        for value in values
    ]


# ------------------------------------------------------------------------------------------------------------ repairs

_MOSTLY = (True, True, True, False)


def settling(contract: Contract, message_type: MessageType, site: Site, style: Style) -> Settle:
    """Returns a function that changes an object or array so that it touches no open question. It mostly does so for
    questions that messages may touch, and otherwise the result touches them.
    """
    asked = questions_at(contract, message_type, site.path)
    allowed = [question for ambiguity_id, question in asked if ambiguity_id in style.ambiguities]
    avoided = [question for ambiguity_id, question in asked if ambiguity_id not in style.ambiguities]
    if site.schema.get("uniqueItems") and not asked:
        avoided = [Distinct()]
    sites = contract.sites[message_type]
    pinned = [sites[pin] for pin in style.pinned if sites[pin].is_below(site)]
    free = Freedom(site.schema, {pin.steps[len(site.steps) :] for pin in pinned})
    below = {inner.path for inner in site.all() if inner is not site}

    def settle(value: Any, source: Source, most: int | None) -> Any:
        for question in allowed:
            if source.choose(_MOSTLY):
                question.repair(value, free)
            elif not free.pinned and not question.touches(value) and (most or not _has_wishes(source, below)):
                value = _touching(question, value, source, site.schema, most)
        for question in avoided:
            question.repair(value, free)
        return value

    return settle


def _has_wishes(source: Source, paths: Collection[str]) -> bool:
    """Returns whether a value at one of these sites must be present, or have a certain size."""
    return any(
        path in paths and (wish.state is not None or wish.least or wish.most is not None)
        for path, wish in source.wishes.items()
    )


def _touching(question: Question, value: Any, source: Source, schema: Schema, most: int | None) -> Any:
    """Returns a value that touches the question, with at most so many items, or the same value if there is none."""
    probes = [probe for _, probe in question.probes(value, None)]
    if most is not None:
        probes = [probe if len(probe) <= most else [*probe[: most - 1], probe[-1]] for probe in probes]
    fitting = [probe for probe in probes if matches(schema, probe)]
    if not fitting:
        return value
    chosen = source.choose(fitting)
    # an item that occurs twice must not stay one object, because repairs change single items
    return [deepcopy(item) for item in chosen] if isinstance(chosen, list) else deepcopy(chosen)
