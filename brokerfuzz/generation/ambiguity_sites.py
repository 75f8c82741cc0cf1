"""Finds the ambiguities that concern each site (a position in a message type)."""

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from functools import lru_cache
from typing import Any, NamedTuple

from brokerfuzz.generation.edge_values import OF_DETECTOR
from brokerfuzz.schemas import Ambiguity, Contract, MessageType
from brokerfuzz.schemas.flattening import types_of
from brokerfuzz.schemas.sites import join


class SiteAmbiguity(NamedTuple):
    """An ambiguity at a site. `names` are the properties that its detector compares. The detector `past` belongs to no
    ambiguity, so its `id` is empty.
    """

    id: str
    detector: str
    names: tuple[str, ...] = ()


_NUMBERS = frozenset({"integer", "number"})


def fitting_sites(contract: Contract, message_type: MessageType, ambiguity: Ambiguity) -> list[Any]:
    """Returns the sites of an ambiguity. If the ambiguity relates several values, returns only the sites at which the
    schema gives these values the types that generators and repairs expect. A changed contract can allow other types.
    """
    known = contract.sites[message_type]

    def fits(where: Any) -> bool:
        path, *names = [where] if isinstance(where, str) else where
        expected = _expected_types(str(ambiguity.detector), path, names)
        return all(
            site in known and types_of(known[site].schema) - {"null"} <= types for site, types in expected.items()
        )

    return [where for where in (ambiguity.sites or {}).get(message_type, ()) if fits(where)]


def _expected_types(detector: str, path: str, names: Sequence[str]) -> Mapping[str, AbstractSet[str]]:
    match detector:
        case "ordered_numbers":
            return {path: {"object"}, **{join(path, name): _NUMBERS for name in names}}
        case "ordered_instants":
            return {path: {"object"}, **{join(path, name): {"string"} for name in names}}
        case "within_range":
            quantities, *limits = (join(path, name) for name in names)
            return {path: {"object"}, quantities: {"array"}, **dict.fromkeys([f"{quantities}[]", *limits], _NUMBERS)}
        case "distinct":
            return {
                path: {"array"},
                **{f"{path}[].{name}": {"string"} for name in names},
                **({f"{path}[]": {"object"}} if names else {}),
            }
        case "envelope":
            return {
                path: {"object"},
                join(path, "failureMessages"): {"array"},
                join(path, "operationWasSuccessful"): {"boolean"},
            }
        case "arithmetic" | "rounding":
            offers = join(path, "offers")
            prices = [
                *(f"{offers}[].{name}" for name in ("unitPrice", "quantity", "extendedPrice")),
                join(path, "totalExtendedPrice"),
            ]
            return {path: {"object"}, offers: {"array"}, f"{offers}[]": {"object"}, **dict.fromkeys(prices, _NUMBERS)}
        case _:
            return {}


@lru_cache(maxsize=64)
def ambiguities_by_site(contract: Contract, message_type: MessageType) -> Mapping[str, tuple[SiteAmbiguity, ...]]:
    """Maps each site to the ambiguities that concern it. A timestamp that must not be in the future also gets the
    detector `past`, so that the generator draws only past timestamps.
    """
    found: dict[str, tuple[SiteAmbiguity, ...]] = {}
    for ambiguity in contract.ambiguities:
        for where in fitting_sites(contract, message_type, ambiguity):
            path, *names = [where] if isinstance(where, str) else where
            one = SiteAmbiguity(ambiguity.id, str(ambiguity.detector), tuple(names))
            found[path] = (*found.get(path, ()), one)
    for rule in contract.semantics:
        if rule.message_type == message_type and rule.keyword == "not-in-future":
            found[rule.site] = (*found.get(rule.site, ()), SiteAmbiguity("", "past"))
    return found


def detectors_at(contract: Contract, message_type: MessageType, path: str) -> list[str]:
    return [one.detector for one in ambiguities_by_site(contract, message_type).get(path, ())]


@lru_cache(maxsize=4096)
def notation_detector_at(contract: Contract, message_type: MessageType, path: str) -> str | None:
    """Returns the detector of an ambiguity about the notation of strings at a site (such as timestamps or URLs). For
    timestamps that must not be in the future, returns `past` instead of `timestamp`.
    """
    found = detectors_at(contract, message_type, path)
    return next((detector for detector in OF_DETECTOR if detector in found), None)
