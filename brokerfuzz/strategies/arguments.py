"""Checks the arguments that users give to the strategies. Each error says which value is wrong, and names a remedy."""

from collections.abc import Collection, Iterable, Mapping
from datetime import datetime
from typing import Any, NoReturn, TypedDict

from hypothesis.errors import InvalidArgument
from hypothesis.strategies import SearchStrategy

from brokerfuzz.cases.case_filters import matching, matching_rules
from brokerfuzz.cases.techniques import TECHNIQUES
from brokerfuzz.errors import UnknownNameError, listed_values, quoted
from brokerfuzz.pointers import is_within
from brokerfuzz.schemas import Contract, MessageType, Rule, Site
from brokerfuzz.schemas.flattening import types_of

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


def flag(name: str, value: Any) -> bool:
    """Raises `InvalidArgument` if the argument is not a boolean."""
    return value if isinstance(value, bool) else reject(name, value, "use True or False")


def several(name: str, values: Iterable[Any] | None) -> tuple[Any, ...]:
    """Returns the values of an argument that lists some, or no values for None. Raises an error for an empty list."""
    if values is None:
        return ()
    return tuple(listed_values(name, values)) or reject(
        name, values, "the list is empty; add at least one value, or omit the argument to allow all values"
    )


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


def check_possible(what: str, low: int, high: int | None, array: Site) -> None:
    """Raises `InvalidArgument` if the contract does not allow arrays of these sizes."""
    if low and "array" not in types_of(array.schema):
        reject(f"min_{what}", low, f"the contract allows no array at {array.path}; use another strategy")
    least, most = array.schema.get("minItems", 0), array.schema.get("maxItems")
    if most is not None and low > most:
        reject(f"min_{what}", low, f"the contract allows at most {most} items; lower min_{what}")
    if high is not None and high < least:
        reject(f"max_{what}", high, f"the contract requires at least {least} items; raise max_{what}")


def check_not_pinned(what: str, low: int, high: int | None, outer: str, *, least: int = 0) -> None:
    """Raises `InvalidArgument` if the user limits the size of an array that is inside the pinned site `outer`. `least`
    is the default of `low`.
    """
    for name, value, default in ((f"min_{what}", low, least), (f"max_{what}", high, None)):
        if value != default:
            remedy = f"which determines the number of items; remove {name}, or do not pin {outer!r}"
            reject(name, value, f"fields also pins {outer!r}, {remedy}")


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
    sites: dict[str, Site] = {}
    for path, strategy in fields.items():
        if str(path) not in above.below:
            kind, remedy = f"property of {message_type}", "`brokerfuzz rules` shows every site"
            reject("fields", path, str(UnknownNameError(kind, str(path), above.below, remedy)))
        if not isinstance(strategy, SearchStrategy):
            reject(f"fields[{path!r}]", strategy, "use a strategy; for a single value, st.just(value)")
        sites[path] = above.below[path]
    for path, site in sites.items():
        outer = next((other for other in sites if other != path and site.is_below(sites[other])), None)
        if outer is not None:
            remedy = f"this site is inside {outer!r}, which is also pinned; pin only one of the two sites"
            reject("fields", path, remedy)
    return {site.path: fields[path] for path, site in sites.items()}


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
        if ambiguity.concerns(message_type) and ambiguity.kind.can_be_drawn
    ]
    if ambiguities == "all":
        return frozenset(ids)
    remedy = 'use "all", or the ID of an ambiguity about values; `cases()` also generates messages about others'
    return frozenset(matching("ambiguity", ids, several("ambiguities", ambiguities), remedy) or ())


def chosen_rules(
    contract: Contract, message_type: MessageType, options: FaultOptions, pinned: Collection[str]
) -> tuple[Rule, ...]:
    """Pinned properties keep the values that the user specified. For this reason, the result contains no rules at
    pinned sites, and no rules whose condition depends on a pinned property.
    """
    rules = contract.rules[message_type]
    chosen_ids = matching_rules(rules, several("rules", options.get("rules")))
    return tuple(
        rule for rule in rules if (chosen_ids is None or rule.id in chosen_ids) and not _is_settled(rule, pinned)
    )


def chosen_techniques(options: FaultOptions) -> Collection[str] | None:
    """Returns the names of the selected techniques (None: all)."""
    remedy = "`brokerfuzz rules --techniques` lists them all"
    return matching("technique", TECHNIQUES, several("techniques", options.get("techniques")), remedy)


def _is_settled(rule: Rule, pinned: Collection[str]) -> bool:
    """Returns True if the rule, or the condition of the rule, is about a pinned property."""
    sites = [rule.site, *(rule.condition.deciding_sites if rule.condition else ())]
    return any(is_within(site, pin) for site in sites for pin in pinned)
