"""Mutants that reject valid messages, or crash on valid or invalid messages."""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from benchmarks.fleet import value_traits
from benchmarks.fleet.behaviours import crashes, rejects
from benchmarks.fleet.messages import Behaviour
from benchmarks.fleet.mutants import ANYWHERE, Candidate, Kind, at_site
from benchmarks.fleet.places import ABSENT, at, every, lacking, put, somewhere
from benchmarks.fleet.plain_messages import Ground, written
from benchmarks.fleet.value_traits import Trait
from brokerfuzz.schemas import Site
from brokerfuzz.schemas.flattening import Schema, types_of

_WRONG: tuple[Trait, ...] = (
    Trait("null", {"type": "null"}, None),
    Trait("a string", {"type": "string"}, "text"),
    Trait("a number", {"type": "number"}, 7),
    Trait("a boolean", {"type": "boolean"}, True),
    Trait("an array", {"type": "array"}, ["a"]),
    Trait("an object", {"type": "object"}, {"a": 1}),
)


def over_strict(ground: Ground) -> Iterator[Candidate]:
    yield from _of_traits(ground, "tightened", "rejects", rejects)
    for site in ground.sites.values():
        if site.name and not site.required:
            yield Candidate(
                "tightened",
                "demands",
                site.path,
                site.path,
                None,
                rejects(lacking(site.path)),
                ground.with_value(site.path, ABSENT),
            )
    yield from _equal_bounds(ground)


def fragile(ground: Ground) -> Iterator[Candidate]:
    yield from _of_traits(ground, "crashing", "crashes on", partial(crashes, accepted_only=True))
    for site in ground.sites.values():
        yield from _wrong_types(ground, site)
        if site.name:
            behaviour = crashes(lacking(site.path), accepted_only=not site.required)
            yield Candidate(
                "crashing",
                "crashes on a missing",
                site.path,
                site.path,
                None,
                behaviour,
                ground.with_value(site.path, ABSENT),
            )
        if site.schema.get("additionalProperties") is False:
            yield _unlisted(ground, site)


def _wrong_types(ground: Ground, site: Site) -> Iterator[Candidate]:
    allowed = types_of(site.schema) | ({"number"} if "integer" in types_of(site.schema) else set())
    for trait in _WRONG:
        if trait.trigger["type"] not in allowed:
            behaviour = crashes(somewhere(site.path, trait.trigger), accepted_only=False)
            mutation = f"crashes on {trait.name}, a wrong type,"
            yield Candidate(
                "crashing",
                mutation,
                at_site(site.path),
                site.path,
                None,
                behaviour,
                ground.with_value(site.path, trait.example),
            )


def _unlisted(ground: Ground, site: Site) -> Candidate:
    known = dict.fromkeys(site.schema.get("properties", {}), True)
    unlisted = {"type": "object", "not": {"properties": known, "additionalProperties": False}}
    bodies = [written(put(m, site.path, {**at(m, site.path), "unexpected": 1})) for m in ground.messages]
    behaviour = crashes(somewhere(site.path, unlisted), accepted_only=False)
    return Candidate(
        "crashing", "crashes on an unknown property", at_site(site.path), site.path, None, behaviour, bodies
    )


def _of_traits(ground: Ground, kind: Kind, verb: str, behave: Callable[[Schema], Behaviour]) -> Iterator[Candidate]:
    """For each site, yields a mutant for each `Trait` of its values. If a trait belongs to several sites, another
    mutant has the bug at all of them.
    """
    rows: dict[str, list[tuple[Site, Trait]]] = {}
    for site in ground.sites.values():
        for trait in _traits_of(ground, site):
            if any(_witnesses(ground, site, trait)):
                rows.setdefault(trait.name, []).append((site, trait))
                behaviour = behave(somewhere(site.path, trait.trigger))
                yield Candidate(
                    kind,
                    f"{verb} {trait.name}",
                    at_site(site.path),
                    site.path,
                    None,
                    behaviour,
                    _witnesses(ground, site, trait),
                )
    for name, everywhere in rows.items():
        if len(everywhere) > 1:
            behaviour = behave({"anyOf": [somewhere(site.path, trait.trigger) for site, trait in everywhere]})
            yield Candidate(kind, f"{verb} {name}", ANYWHERE, "", None, behaviour, _witnesses(ground, *everywhere[0]))


def _witnesses(ground: Ground, site: Site, trait: Trait) -> Iterator[bytes]:
    """Yields valid messages with the trait's example at the site."""
    return (body for body in ground.with_value(site.path, trait.example) if ground.reader(body).label == "valid")


def _traits_of(ground: Ground, site: Site) -> Iterator[Trait]:
    types = types_of(site.schema)
    if "null" in types:
        yield value_traits.NULL
    if "enum" in site.schema:
        yield from (Trait(f"{value!r}", {"const": value}, value) for value in site.schema["enum"])
    elif "string" in types:
        yield from _texts(ground, site)
    if types & {"integer", "number"}:
        yield from value_traits.NUMBERS
    if "boolean" in types:
        yield from value_traits.BOOLEANS
    if "array" in types:
        yield value_traits.EMPTY_ARRAY
        for words, most in (("more than one item", 1), ("more than ten items", 10), ("more than 50 items", 50)):
            yield value_traits.several(words, most, ground.items(site.path, most + 1))
    if "object" in types and site.path:
        yield value_traits.EMPTY_OBJECT


def _texts(ground: Ground, site: Site) -> tuple[Trait, ...]:
    for detector, table in (
        ("timestamp", value_traits.INSTANTS),
        ("cron", value_traits.CRONS),
        ("url", value_traits.URLS),
    ):
        if site.path in ground.doubtful(detector):
            return table
    return value_traits.TEXTS


def _equal_bounds(ground: Ground) -> Iterator[Candidate]:
    """Yields mutants that reject an object whose lower bound is equal to its upper bound."""
    for path, low, high in ground.ordered("ordered_numbers"):
        bodies = [written(put(m, path, {**at(m, path), low: 2, high: 2})) for m in ground.messages]
        yield Candidate(
            "tightened",
            f"rejects {low} equal to {high}",
            at_site(path),
            path,
            None,
            _rejects_equal(path, low, high),
            bodies,
        )


def _rejects_equal(path: str, low: str, high: str) -> Behaviour:
    def equal(value: Any) -> bool:
        return any(
            isinstance(o, dict) and o.get(low) is not None and o.get(low) == o.get(high) for o in every(value, path)
        )

    return lambda message: "rejected" if message.readable and equal(message.value) else message.conforming
