"""Provides realistic values for a property: those that it has in plausible messages."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from functools import cache
from typing import Any

from brokerfuzz.generation.plausible import FURTHER_VALUES, MAKERS
from brokerfuzz.generation.plausible.draws import Draws
from brokerfuzz.schemas import Site, load_contract
from brokerfuzz.schemas.judging import judge_of

_NOW = datetime(2000, 1, 1, tzinfo=UTC)
_MESSAGES = 60
"""The number of messages of each type whose values count."""
_WORDS = ["letter", "postcard", "brochure", "insert", "envelope", "reply card", "catalog", "poster"]


def values(message_type: str, site: Site) -> Sequence[Any]:
    """Returns the realistic values that the schema of a site allows. If no plausible message has this site, they are
    those of properties with the same name, or common words. The result can be empty.
    """
    allows = judge_of(site.schema)
    for pool in (_pools().get((message_type, site.path)), _pools_of_names().get(site.nearest_name), _WORDS):
        if fitting := [value for value in pool or () if allows(value)]:
            return fitting
    return []


@cache
def _pools() -> Mapping[tuple[str, str], Sequence[Any]]:
    """Maps each message type and site to the values in plausible messages. The smallest numbers come first, so that the
    first values of all sites fit together: a minimum is below its maximum.
    """
    found: dict[tuple[str, str], dict[Any, None]] = defaultdict(dict)
    for message_type, make in MAKERS.items():
        root = load_contract().sites[message_type][""]
        for serial in range(_MESSAGES):
            for site, _, value in root.walk(make(Draws(0, serial, _NOW))):
                if isinstance(value, str | int | float):
                    found[message_type, site.path][value] = None
    return {place: sorted(pool, key=_size) for place, pool in found.items()}


def _size(value: Any) -> Any:
    return 0 if isinstance(value, str) else value


@cache
def _pools_of_names() -> Mapping[str, Sequence[Any]]:
    found = defaultdict[str, list[Any]](list, {name: [*pool] for name, pool in FURTHER_VALUES.items()})
    for (message_type, path), pool in _pools().items():
        found[load_contract().sites[message_type][path].nearest_name] += pool
    return found
