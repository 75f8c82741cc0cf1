"""Finds the open questions about each site (a position in a message type), and the values that touch them. Changes
values so that they touch none.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from copy import deepcopy
from functools import lru_cache
from typing import Any, NamedTuple

from brokerfuzz.generation.edge_values import PAST_INSTANTS
from brokerfuzz.generation.sources import Source, Style
from brokerfuzz.pointers import path_to
from brokerfuzz.schemas import Ambiguity, Contract, MessageType
from brokerfuzz.schemas.contract_entries import NOT_IN_FUTURE, AskedSite
from brokerfuzz.schemas.edge import EdgeTable
from brokerfuzz.schemas.flattening import types_of
from brokerfuzz.schemas.keywords import Schema
from brokerfuzz.schemas.questions import AboutType, Freedom, Question
from brokerfuzz.schemas.questions.equal_items import Distinct
from brokerfuzz.schemas.sites import Site
from brokerfuzz.schemas.validation import matches

Settle = Callable[[Any, Source, int | None], Any]
"""A function that changes an object or array. Its last argument is the maximum number of items of an array."""


class SiteQuestion(NamedTuple):
    """A question at a site, and the ID of its ambiguity."""

    id: str
    question: Question


def fitting_sites(contract: Contract, message_type: MessageType, ambiguity: Ambiguity) -> list[AskedSite]:
    """Returns the sites of an ambiguity. If the ambiguity relates several values, returns only the sites at which the
    schema gives these values the types that the question expects. A changed contract can allow other types.
    """
    sites = contract.sites[message_type]

    def fits(asked: AskedSite) -> bool:
        expected = {path_to(steps, asked.path): types for steps, types in ambiguity.reads_at(asked).items()}
        return all(
            site in sites and types_of(sites[site].schema) - {"null"} <= {*types} for site, types in expected.items()
        )

    return [asked for asked in ambiguity.sites_in(message_type) if fits(asked)]


@lru_cache(maxsize=64)
def _by_site(contract: Contract, message_type: MessageType) -> Mapping[str, Sequence[SiteQuestion]]:
    questions: dict[str, list[SiteQuestion]] = {}
    for ambiguity in contract.ambiguities:
        for asked in fitting_sites(contract, message_type, ambiguity):
            question = ambiguity.question_at(asked, contract.sites[message_type][asked.path].schema)
            questions.setdefault(asked.path, []).append(SiteQuestion(ambiguity.id, question))
    return questions


def questions_at(contract: Contract, message_type: MessageType, path: str) -> Sequence[SiteQuestion]:
    return _by_site(contract, message_type).get(path, ())


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


@lru_cache(maxsize=4096)
def value_questions(contract: Contract, message_type: MessageType, site: Site) -> Sequence[SiteQuestion]:
    """Returns the questions about single values of a site. Questions about all values of a type are asked only if no
    question is about the notation of the strings there.
    """
    asked = [question for question in questions_at(contract, message_type, site.path) if not question.question.reads]
    if plain_values_at(contract, message_type, site.path) is None:
        asked += _about_types(contract, message_type, site)
    return asked


def _about_types(contract: Contract, message_type: MessageType, site: Site) -> Iterator[SiteQuestion]:
    types = types_of(site.schema)
    for ambiguity in contract.ambiguities:
        kind = ambiguity.kind
        if issubclass(kind, AboutType) and kind.json_type in types and ambiguity.concerns(message_type):
            question = kind((), ambiguity.options, site.schema)
            if question.is_open:
                yield SiteQuestion(ambiguity.id, question)


def touches_any(questions: Collection[Question], value: Any) -> bool:
    return any(isinstance(value, question.python_types) and question.touches(value) for question in questions)


def ambiguous_values(contract: Contract, message_type: MessageType, site: Site, allowed: Collection[str]) -> list[Any]:
    """Returns strings and numbers that the schema of a site allows, and that touch only ambiguities in `allowed`."""
    asked = value_questions(contract, message_type, site)
    forbidden = [question for ambiguity_id, question in asked if ambiguity_id not in allowed]
    values = [value for ambiguity_id, question in asked if ambiguity_id in allowed for value in question.values()]
    return [value for value in values if matches(site.schema, value) and not touches_any(forbidden, value)]


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
