"""Mutants that check a rule too loosely, or convert values of a wrong type."""

from collections.abc import Callable, Iterable, Iterator
from datetime import timedelta
from functools import partial

from benchmarks.fleet import unknown_properties
from benchmarks.fleet.behaviours import forgets_the_clock, forgives
from benchmarks.fleet.leniencies import COERCIONS, NULL, Leniency, bounds, enums
from benchmarks.fleet.messages import Message
from benchmarks.fleet.mutants import ANYWHERE, Candidate, Kind, at_site
from benchmarks.fleet.places import at, mended, put
from benchmarks.fleet.plain_messages import CLOCK_RULE, Ground, written
from benchmarks.fleet.unknown_properties import Unlisted
from brokerfuzz.schemas import Rule, Site
from brokerfuzz.schemas.flattening import Schema, types_of
from brokerfuzz.schemas.instants import instant, spell


def candidates(ground: Ground) -> Iterator[Candidate]:
    for kind, leniencies_of in _FAMILIES:
        rows: dict[str, list[tuple[Site, Leniency]]] = {}
        for site in ground.sites.values():
            for leniency in leniencies_of(site.schema):
                rows.setdefault(leniency.name, []).append((site, leniency))
                yield _lenient(ground, kind, [(site, leniency)])
        yield from (_lenient(ground, kind, everywhere) for everywhere in rows.values() if len(everywhere) > 1)
    yield from _unlisted(ground)
    for rule in ground.rules:
        if rule.keyword == CLOCK_RULE:
            yield from _clocks(ground, rule)


def _loosenings(schema: Schema) -> Iterable[Leniency]:
    yield NULL
    if types_of(schema) & {"integer", "number"}:
        yield from bounds(schema)
    if "enum" in schema:
        yield from enums(schema)


def _coercions(schema: Schema) -> Iterable[Leniency]:
    for json_type, makers in COERCIONS.items():
        if json_type in types_of(schema) and "enum" not in schema:
            for maker in makers:
                yield from maker(schema)


_FAMILIES: tuple[tuple[Kind, Callable[[Schema], Iterable[Leniency]]], ...] = (
    ("loosened", _loosenings),
    ("coerced", _coercions),
)


def _lenient(ground: Ground, kind: Kind, where: list[tuple[Site, Leniency]]) -> Candidate:
    schema = ground.schema
    for site, leniency in reversed(
        where
    ):  # deeper sites first, because the paths below a changed schema no longer exist
        schema = mended(schema, site.path, partial(_either, leniency.extra))
    path, words = _whereabouts([site for site, _ in where])
    bodies = [body for site, leniency in where for body in ground.with_value(site.path, leniency.example)]
    rule = _rule_at(ground, *where[0]) if len(where) == 1 else None
    return Candidate(kind, f"accepts {where[0][1].name}", words, path, rule, forgives(path, schema), bodies)


def _whereabouts(found: list[Site]) -> tuple[str, str]:
    """Returns the common path of the sites, and a description of this path."""
    return (found[0].path, at_site(found[0].path)) if len(found) == 1 else ("", ANYWHERE)


def _either(extra: Schema, schema: Schema) -> Schema:
    return {"anyOf": [schema, extra]}


def _rule_at(ground: Ground, site: Site, leniency: Leniency) -> str | None:
    """Returns the first rule that `leniency.example` breaks at the site."""
    for body in ground.with_value(site.path, leniency.example):
        for rule in ground.broken(body):
            return rule
    return None


def _unlisted(ground: Ground) -> Iterator[Candidate]:
    names = {name for site in ground.sites.values() for name in site.schema.get("properties", {})}
    rows: dict[str, list[tuple[Site, Unlisted]]] = {}
    for site in ground.sites.values():
        if site.schema.get("additionalProperties") is False:
            for prop in (
                *unknown_properties.ANYWHERE,
                *unknown_properties.by_names(site.schema.get("properties", {}), names),
            ):
                rows.setdefault(prop.name, []).append((site, prop))
                yield _open(ground, [(site, prop)])
    yield from (_open(ground, everywhere) for everywhere in rows.values() if len(everywhere) > 1)


def _open(ground: Ground, where: list[tuple[Site, Unlisted]]) -> Candidate:
    schema = ground.schema
    for site, prop in where:
        schema = mended(schema, site.path, prop.opened)
    bodies = [
        written(put(m, site.path, {**at(m, site.path), prop.prop: prop.value}))
        for site, prop in where
        for m in ground.messages
    ]
    path, words = _whereabouts([site for site, _ in where])
    rule = (
        next(rule.id for rule in ground.rules if rule.site == path and rule.keyword == "additionalProperties")
        if len(where) == 1
        else None
    )
    return Candidate(
        "loosened",
        f"accepts unknown properties ({where[0][1].name})",
        words,
        path,
        rule,
        forgives(path, schema),
        bodies,
    )


def _clocks(ground: Ground, rule: Rule) -> Iterator[Candidate]:
    def late(message: Message) -> timedelta:
        text = at(message.value, rule.site)
        when = instant(text) if isinstance(text, str) else None
        return when - message.now if when else timedelta()

    def year(message: Message) -> int:
        return int(at(message.value, rule.site)[:4])

    now = ground.now
    ways: tuple[tuple[str, Callable[[Message], bool], timedelta], ...] = (
        ("less than ten minutes", lambda m: late(m) < timedelta(minutes=10), timedelta(minutes=6)),
        ("up to an hour", lambda m: late(m) <= timedelta(hours=1), timedelta(hours=1)),
        ("up to the width of the world's time zones", lambda m: late(m) <= timedelta(hours=14), timedelta(hours=5)),
        ("up to a day", lambda m: late(m) <= timedelta(days=1), timedelta(hours=23)),
        ("today", lambda m: at(m.value, rule.site)[:10] == spell(now)[:10], _later_today(ground)),
        ("this year", lambda m: year(m) == now.year, timedelta(days=1)),
        ("up to 30 days", lambda m: late(m) <= timedelta(days=30), timedelta(days=7)),
        ("up to a year", lambda m: late(m) <= timedelta(days=366), timedelta(days=300)),
        ("more than a day", lambda m: late(m) > timedelta(days=1), timedelta(days=400)),
        ("more than ten years", lambda m: late(m) > timedelta(days=3653), timedelta(days=20_000)),
        ("the year 9999", lambda m: year(m) == 9999, timedelta(days=365 * 8000)),
        ("with a fraction of a second", lambda m: "." in at(m.value, rule.site), timedelta(days=1, milliseconds=500)),
        ("without a fraction of a second", lambda m: "." not in at(m.value, rule.site), timedelta(days=1)),
    )
    for name, takes, later in ways:
        text = _spelled(ground, later)
        behaviour = forgets_the_clock(takes)
        yield Candidate(
            "loosened",
            f"accepts timestamps in the future, {name},",
            at_site(rule.site),
            rule.site,
            rule.id,
            behaviour,
            ground.with_value(rule.site, text),
        )


def _later_today(ground: Ground) -> timedelta:
    return ground.now.replace(hour=23, minute=59, second=59) - ground.now


def _spelled(ground: Ground, later: timedelta) -> str:
    if later.days > 365 * 7000:
        return "9999-12-31T23:59:59Z"
    text = spell(ground.now + later)
    return text.replace("Z", ".5Z") if later.microseconds else text
