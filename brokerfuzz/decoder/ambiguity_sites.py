"""Which ambiguities concern a place."""

from collections.abc import Mapping
from functools import lru_cache

from brokerfuzz.decoder.value_pools import FOR_DETECTOR
from brokerfuzz.schemas import Contract, MessageType

Doubt = tuple[str, tuple[str, ...]]
"""(an ambiguity's detector, the names that its table gives behind the path)."""


@lru_cache(maxsize=64)
def doubts(contract: Contract, message_type: MessageType) -> Mapping[str, tuple[Doubt, ...]]:
    """The doubts at each path that an ambiguity names; a place that has none is not in it.

    A semantic rule that a point in time must not be in the future is a doubt called `past`.
    """
    found: dict[str, tuple[Doubt, ...]] = {}
    for ambiguity in contract.ambiguities:
        for where in (ambiguity.sites or {}).get(message_type, ()):
            path, *names = [where] if isinstance(where, str) else where
            found[path] = (*found.get(path, ()), (str(ambiguity.detector), tuple(names)))
    for rule in contract.semantics:
        if rule.message_type == message_type and rule.keyword == "not-in-future":
            found[rule.site] = (*found.get(rule.site, ()), ("past", ()))
    return found


def detectors_at(contract: Contract, message_type: MessageType, path: str) -> list[str]:
    """The detectors of the ambiguities that concern a place."""
    return [detector for detector, _ in doubts(contract, message_type).get(path, ())]


@lru_cache(maxsize=4096)
def spelling_at(contract: Contract, message_type: MessageType, path: str) -> str | None:
    """The detector, if any, for which `value_pools.FOR_DETECTOR` knows what is ordinary at a place; the narrowest, where there are several."""
    asked = detectors_at(contract, message_type, path)
    return next((detector for detector in FOR_DETECTOR if detector in asked), None)
