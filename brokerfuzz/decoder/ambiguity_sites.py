"""The ambiguities that concern a site."""

from collections.abc import Mapping
from functools import lru_cache

from brokerfuzz.decoder.value_pools import FOR_DETECTOR
from brokerfuzz.schemas import Contract, MessageType

Doubt = tuple[str, tuple[str, ...]]
"""An ambiguity that concerns a site: the name of the function that detects the ambiguity, and the names of the properties that it concerns."""


@lru_cache(maxsize=64)
def doubts(contract: Contract, message_type: MessageType) -> Mapping[str, tuple[Doubt, ...]]:
    """Maps each site that an ambiguity names to its doubts. The rule that a timestamp must not be in the future counts as a doubt
    with the detector `past`.
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
    """Returns the detectors of the ambiguities that concern a site."""
    return [detector for detector, _ in doubts(contract, message_type).get(path, ())]


@lru_cache(maxsize=4096)
def spelling_at(contract: Contract, message_type: MessageType, path: str) -> str | None:
    """Returns the detector at a site for which `value_pools.FOR_DETECTOR` has ordinary values. If there are several, returns the
    one that allows the fewest values. If there is none, returns None.
    """
    found = detectors_at(contract, message_type, path)
    return next((detector for detector in FOR_DETECTOR if detector in found), None)
