"""Finds the ambiguities that concern each site (a position in a message type)."""

from collections.abc import Mapping
from functools import lru_cache

from brokerfuzz.decoder.value_pools import FOR_DETECTOR
from brokerfuzz.schemas import Contract, MessageType

SiteAmbiguity = tuple[str, tuple[str, ...]]
"""An ambiguity at a site: the name of its detector, and the names of the properties that the detector compares."""


@lru_cache(maxsize=64)
def ambiguities_by_site(contract: Contract, message_type: MessageType) -> Mapping[str, tuple[SiteAmbiguity, ...]]:
    """Maps each site to the ambiguities that concern it. A timestamp that must not be in the future also gets the detector
    `past`, so that the decoder generates only past timestamps.
    """
    found: dict[str, tuple[SiteAmbiguity, ...]] = {}
    for ambiguity in contract.ambiguities:
        for where in (ambiguity.sites or {}).get(message_type, ()):
            path, *names = [where] if isinstance(where, str) else where
            found[path] = (*found.get(path, ()), (str(ambiguity.detector), tuple(names)))
    for rule in contract.semantics:
        if rule.message_type == message_type and rule.keyword == "not-in-future":
            found[rule.site] = (*found.get(rule.site, ()), ("past", ()))
    return found


def detectors_at(contract: Contract, message_type: MessageType, path: str) -> list[str]:
    return [detector for detector, _ in ambiguities_by_site(contract, message_type).get(path, ())]


@lru_cache(maxsize=4096)
def notation_detector_at(contract: Contract, message_type: MessageType, path: str) -> str | None:
    """Returns the detector of an ambiguity about the notation of strings at a site (such as timestamps or URLs). For timestamps
    that must not be in the future, returns `past` instead of `timestamp`.
    """
    found = detectors_at(contract, message_type, path)
    return next((detector for detector in FOR_DETECTOR if detector in found), None)


@lru_cache(maxsize=4096)
def concerning(contract: Contract, message_type: MessageType, path: str) -> Mapping[str, str]:
    """Returns the ambiguities that concern the site `path`. The ID of each ambiguity is mapped to the name of the ambiguity's detector."""
    found = {}
    for ambiguity in contract.ambiguities:
        for where in (ambiguity.sites or {}).get(message_type, ()):
            if path == (where if isinstance(where, str) else where[0]):
                found[ambiguity.id] = str(ambiguity.detector)
    return found
