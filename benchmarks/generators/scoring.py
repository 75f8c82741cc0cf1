"""Scores a sample of messages: the shares of invalid and distinct messages, and the number of sites that the messages
reach.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from jsonschema_rs import Validator

from benchmarks.generators.messages import NOW, OFFER
from brokerfuzz.schemas import Site, check, load_contract
from brokerfuzz.schemas.sites import join
from brokerfuzz.schemas.structural_validation import registry_of, validator


@dataclass(frozen=True)
class Score:
    """`invalid` is the share (0 to 1) of messages that break the contract. `invalid_by_schema` is the share of messages
    that do not match the schema. `distinct` is the number of distinct messages divided by `count`. `sites` is the
    number of sites that have a value other than null in at least one message. `size` is the mean size in bytes.
    """

    count: int
    invalid: float
    invalid_by_schema: float
    distinct: float
    sites: int
    size: float


def score(bodies: Sequence[bytes]) -> Score:
    """Raises `ValueError` if the sample is empty."""
    if not bodies:
        raise ValueError("there is no message to judge")
    count = len(bodies)
    invalid = sum(check(OFFER, body, now=NOW).label == "invalid" for body in bodies)
    by_schema = sum(not _fits_schema(body) for body in bodies)
    size = sum(map(len, bodies)) / count
    return Score(count, invalid / count, by_schema / count, len(set(bodies)) / count, len(sites_reached(bodies)), size)


def sites_reached(bodies: Sequence[bytes]) -> set[str]:
    """A site is reached if at least one message has a value other than null at this site."""
    known = known_sites()
    return {site for body in bodies for site in _shown(_read(body), "", known)}


def known_sites() -> Mapping[str, Site]:
    return load_contract().sites[OFFER]


def _shown(value: Any, path: str, known: Mapping[str, Site]) -> Iterator[str]:
    if value is None or path not in known:
        return
    yield path
    if isinstance(value, dict):
        for name, prop in value.items():
            yield from _shown(prop, join(path, name), known)
    elif isinstance(value, list):
        for item in value:
            yield from _shown(item, path + "[]", known)


def _fits_schema(body: bytes) -> bool:
    """Returns False if the message is not JSON, or if its nesting is too deep."""
    try:
        return _schema_validator().is_valid(json.loads(body))
    except (ValueError, RecursionError):
        return False


@lru_cache(maxsize=1)
def _schema_validator() -> Validator:
    contract = load_contract()
    return validator(contract.schemas[OFFER], registry_of(contract.schemas))


def _read(body: bytes) -> Any:
    """Returns None if the message is not JSON, because an export can contain such messages."""
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        return None
