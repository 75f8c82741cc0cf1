"""Provides realistic values for a property: those that it has in plausible messages."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from functools import cache
from typing import Any

from brokerfuzz.generation.plausible import FURTHER_VALUES, MAKERS
from brokerfuzz.generation.plausible.draws import Draws
from brokerfuzz.schemas import Site, load_contract
from brokerfuzz.schemas.validation import judge_of

_NOW = datetime(2000, 1, 1, tzinfo=UTC)
_FEW, _MANY = 60, 240
"""The numbers of messages of each type whose values count: for one realistic value per site, and for plausible
messages.
"""
_WORDS = ["letter", "postcard", "brochure", "insert", "envelope", "reply card", "catalog", "poster"]


def values(message_type: str, site: Site, *, plausible: bool = False) -> Sequence[Any]:
    """Returns the realistic values that the schema of a site allows. If no plausible message has this site, they are
    those of properties with the same name, or common words. The result can be empty. With `plausible`, they include all
    values of `plausible_messages`.
    """
    is_valid = judge_of(site.schema)
    for pool in _pools_for(message_type, site, _MANY if plausible else _FEW):
        if fitting := [value for value in pool if is_valid(value)]:
            return fitting
    return []


def _pools_for(message_type: str, site: Site, count: int) -> Iterator[Sequence[Any]]:
    yield _pools(message_type, count).get(site.path, ())
    yield _pools_of_names().get(site.nearest_name, ())
    yield _WORDS


@cache
def plausible_messages(message_type: str, count: int = _MANY) -> Sequence[Any]:
    """Returns messages of seed 0. Own message types have none."""
    make = MAKERS.get(message_type)
    return [make(Draws(0, serial, _NOW)) for serial in range(count)] if make else []


@cache
def _pools(message_type: str, count: int) -> Mapping[str, Sequence[Any]]:
    """Maps each site to its values in plausible messages. The smallest numbers come first, so that the first values of
    all sites fit together: a minimum is below its maximum.
    """
    pools: dict[str, dict[Any, None]] = defaultdict(dict)
    for message in plausible_messages(message_type, count):
        for site, _, value in load_contract().sites[message_type][""].walk(message):
            if isinstance(value, str | int | float):
                pools[site.path][value] = None
    return {path: sorted(pool, key=_size) for path, pool in pools.items()}


def _size(value: Any) -> Any:
    return 0 if isinstance(value, str) else value


@cache
def _pools_of_names() -> Mapping[str, Sequence[Any]]:
    pools = defaultdict[str, list[Any]](list, {name: [*pool] for name, pool in FURTHER_VALUES.items()})
    for message_type in MAKERS:
        for path, pool in _pools(message_type, _FEW).items():
            pools[load_contract().sites[message_type][path].nearest_name] += pool
    return pools
