"""Checks the arguments that users give to the strategies. Each error names the argument, its value, and a remedy."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime
from typing import Any, NoReturn, TypedDict

from hypothesis.errors import InvalidArgument
from hypothesis.strategies import SearchStrategy

from brokerfuzz.cases.case import clock
from brokerfuzz.cases.case_filters import matching, matching_rules
from brokerfuzz.cases.techniques import TECHNIQUES
from brokerfuzz.contract_names import LABELS
from brokerfuzz.errors import BrokerfuzzError, UnknownNameError, listed_values, quoted
from brokerfuzz.pointers import is_within, path_below
from brokerfuzz.schemas import Contract, Label, MessageType, Rule, Site
from brokerfuzz.schemas.keywords import Schema
from brokerfuzz.schemas.loading import known_contract
from brokerfuzz.schemas.verdicts import known_labels

Fields = Mapping[str, SearchStrategy[Any]]
"""Maps each pinned site (a position in a message type) to the strategy that generates the site's values."""

Ambiguities = str | Iterable[str] | None
"""`"all"`, a list of IDs, or None for no ambiguities."""


class ValueOptions(TypedDict, total=False):
    """The options of every strategy for valid values. `offer_requests` describes them."""

    plausible: bool
    ambiguities: Ambiguities
    contract: Contract | None
    fields: Fields | None


class FaultOptions(TypedDict, total=False):
    """The options of every strategy for cases. `invalid_offer_requests` describes them."""

    rules: Iterable[str] | None
    techniques: Iterable[str] | None
    parsed: bool
    now: datetime | None
    contract: Contract | None


class GeneratedCaseOptions(FaultOptions, total=False):
    """The options of strategies for cases that generate the messages themselves."""

    fields: Fields | None
    plausible: bool


LARGEST_MINIMUM, LARGEST_PRODUCT = 50, 100
"""The highest value of a `min_` argument, such as `min_clusters`, and of `min_clusters * min_products`. Hypothesis
limits the size of an example, and becomes slow well below its limit. Without such an argument, arrays have at most
`LONGEST_ARRAY` items.
"""


def reject(name: str, value: object, remedy: str) -> NoReturn:
    """Raises `InvalidArgument` for an argument with a wrong value."""
    raise InvalidArgument(f"{name}={quoted(value)}: {remedy}")


@contextmanager
def _rejecting(name: str = "", value: object = None) -> Iterator[None]:
    """Converts errors of brokerfuzz to `InvalidArgument`, which begins with the argument if it has a name."""
    try:
        yield
    except (BrokerfuzzError, TypeError) as problem:
        raise InvalidArgument(f"{name}={quoted(value)}: {problem}" if name else str(problem)) from problem


def contract_of(contract: Contract | None) -> Contract:
    with _rejecting():
        return known_contract(contract)


def message_type_of(message_type: Any, contract: Contract) -> MessageType:
    """Raises `InvalidArgument` if the contract has no such message type."""
    with _rejecting("message_type", message_type):
        return contract.known_message_type(message_type)


def flag(name: str, value: Any) -> bool:
    """Raises `InvalidArgument` if the argument is not a boolean."""
    return value if isinstance(value, bool) else reject(name, value, "use True or False")


def time_of(now: datetime | None) -> datetime | None:
    """None means the actual time when Hypothesis draws an example."""
    with _rejecting():
        return None if now is None else clock(now)


def labels(verdicts: Iterable[Label] | None) -> tuple[Label, ...]:
    """For None, returns all verdicts."""
    if verdicts is None:
        return LABELS
    with _rejecting():
        return tuple(known_labels(_several("verdicts", verdicts)))


# --------------------------------------------------------------------------------------------------- sizes and types


def check_limits(what: str, low: int, high: int | None, *, least: int = 0) -> None:
    """Raises `InvalidArgument` if the minimum or maximum size of an array (`low` or `high`) is not an integer of at
    least `least`. `low` must be at most `LARGEST_MINIMUM`, and at most `high`, unless `high` is None. `what` is the
    part of the argument names after `min_` and `max_`, such as `clusters`.
    """
    for name, value in ((f"min_{what}", low), (f"max_{what}", high)):
        if value is None and name.startswith("max_"):
            continue
        if not isinstance(value, int) or isinstance(value, bool) or value < least:
            reject(name, value, f"use a whole number of at least {least}")
    if high is not None and low > high:
        reject(f"min_{what}", low, f"this is greater than max_{what}={high!r}; lower min_{what} or raise max_{what}")
    if low > LARGEST_MINIMUM:
        reject(f"min_{what}", low, f"use at most {LARGEST_MINIMUM}, because Hypothesis limits the size of an example")


def check_possible(what: str, low: int, high: int | None, schema: Schema) -> None:
    """Raises `InvalidArgument` if the contract does not allow arrays of these sizes."""
    least, most = schema.get("minItems", 0), schema.get("maxItems")
    if most is not None and low > most:
        reject(f"min_{what}", low, f"the contract allows at most {most} items; lower min_{what}")
    if high is not None and high < least:
        reject(f"max_{what}", high, f"the contract requires at least {least} items; raise max_{what}")


def check_not_pinned(what: str, low: int, high: int | None, outer: str, *, least: int = 0) -> None:
    """Raises `InvalidArgument` if the user limits the size of an array that is inside the pinned site `outer`. `least`
    is the default of `low`.
    """
    if low != least or high is not None:
        name, value = (f"min_{what}", low) if low != least else (f"max_{what}", high)
        reject(
            name,
            value,
            f"fields also pins {outer!r}, which determines the number of items; remove {name}, or do not pin {outer!r}",
        )


def all_known(name: str, values: Iterable[Any] | None, allowed: Collection[Any]) -> tuple[Any, ...] | None:
    """Raises `InvalidArgument` unless all values are in `known`."""
    if values is None:
        return None
    chosen = _several(name, values)
    for value in chosen:
        if value not in allowed:
            reject(name, value, f"use values from {', '.join(map(repr, allowed))}")
    return chosen


def _several(name: str, values: Iterable[Any]) -> tuple[Any, ...]:
    with _rejecting():
        chosen = tuple(listed_values(name, values))
    return chosen or reject(
        name, values, "the list is empty; add at least one value, or omit the argument to allow all values"
    )


# ------------------------------------------------------------------------------------------------------------ sites


def existing(path: str, sites: Mapping[str, Site], message_type: MessageType) -> Site:
    """Raises `InvalidArgument` if an own contract lacks a site that a strategy needs."""
    if path not in sites:
        raise InvalidArgument(
            f"the contract has no place {path!r} in {message_type}: use a strategy for another part of the message"
        )
    return sites[path]


def pinned_sites(fields: Fields | None, message_type: MessageType, above: Site) -> dict[str, SearchStrategy[Any]]:
    """Returns the pinned sites with their strategies. `fields` contains sites below the site `above`."""
    if fields is None:
        return {}
    if not isinstance(fields, Mapping):
        reject("fields", fields, "use a mapping from property names or sites to strategies")
    pinned: dict[str, SearchStrategy[Any]] = {}
    for path, strategy in fields.items():
        site = above.below.get(str(path))
        if site is None:
            kind, remedy = f"property of {message_type}", "`brokerfuzz rules` shows every site"
            reject("fields", path, str(UnknownNameError(kind, str(path), above.below, remedy)))
        if not isinstance(strategy, SearchStrategy):
            reject(f"fields[{path!r}]", strategy, "use a strategy; for a single value, st.just(value)")
        outer = next((other for other in fields if other != path and _is_inside(site, above.below.get(other))), None)
        if outer is not None:
            reject(
                "fields", path, f"this site is inside {outer!r}, which is also pinned; pin only one of the two sites"
            )
        pinned[site.path] = strategy
    return pinned


def _is_inside(site: Site, other: Site | None) -> bool:
    return other is not None and site.is_below(other)


# ----------------------------------------------------------------------------------------------------------- choices


def ambiguities_of(ambiguities: Ambiguities, contract: Contract, message_type: MessageType) -> frozenset[str]:
    """Returns the IDs of the ambiguities that messages can touch: none for None, all for `"all"`. In a list of IDs, `*`
    matches any characters, and `!` at the beginning excludes an ID.

    The result contains no ambiguities about bytes, message sizes or the current time, because these strategies
    generate only Python values.
    """
    ids = [
        ambiguity.id
        for ambiguity in contract.ambiguities
        if ambiguity.concerns(message_type) and ambiguity.kind and ambiguity.kind.can_be_drawn
    ]
    if ambiguities is None or ambiguities == "all":
        return frozenset(ids if ambiguities else ())
    remedy = 'use "all", or the ID of an ambiguity about values; `cases()` also generates messages about others'
    return frozenset(_matching("ambiguities", "ambiguity", ids, ambiguities, remedy) or ())


def chosen_rules(
    contract: Contract, message_type: MessageType, options: FaultOptions, pinned: Collection[str]
) -> tuple[Rule, ...]:
    """Pinned properties keep the values that the user specified. For this reason, the result contains no rules at
    pinned sites, and no rules whose condition depends on a pinned property.
    """
    rules = contract.rules[message_type]
    patterns = options.get("rules")
    chosen_ids: Collection[str] | None = None
    if patterns is not None:
        wanted = _several("rules", patterns)
        with _rejecting("rules", patterns):
            chosen_ids = matching_rules(rules, wanted)
    return tuple(
        rule for rule in rules if (chosen_ids is None or rule.id in chosen_ids) and not _is_settled(rule, pinned)
    )


def chosen_techniques(options: FaultOptions) -> frozenset[str] | None:
    """Returns the names of the selected techniques (None: all)."""
    remedy = "`brokerfuzz rules --techniques` lists them all"
    names = _matching("techniques", "technique", TECHNIQUES, options.get("techniques"), remedy)
    return None if names is None else frozenset(names)


def _matching(
    name: str, kind: str, known: Collection[str], patterns: Iterable[str] | None, remedy: str
) -> Collection[str] | None:
    if patterns is None:
        return None
    wanted = _several(name, patterns)
    with _rejecting(name, patterns):
        return matching(kind, known, wanted, remedy)


def _is_settled(rule: Rule, pinned: Collection[str]) -> bool:
    """Returns True if the rule, or the condition of the rule, is about a pinned property."""
    sites = [rule.site]
    if rule.condition:
        sites += [path_below(rule.condition.site, name) for name in rule.condition.when.get("properties", {})]
    return any(is_within(site, pin) for site in sites for pin in pinned)
