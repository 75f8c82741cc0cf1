"""Puts a unique string, the mark, into every random message.

A mark contains the seed, the shard and the number of the message, for example `m7.0.1f`. With marks, all messages are different, and
you can see in the log of a service which messages it received. A mark replaces a string that may have any value.
"""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any

from brokerfuzz.cases.changes import Steps, value_at
from brokerfuzz.cases.steering.round_robin import Turns
from brokerfuzz.cases.steering.site_paths import steps_of, way_to
from brokerfuzz.decoder.ambiguity_sites import detectors_at
from brokerfuzz.decoder.condition_matching import matches
from brokerfuzz.schemas import Contract, MessageType, Rule
from brokerfuzz.schemas.flattening import types_of, unsupported_keywords_of
from brokerfuzz.schemas.sites import join

_SHORTEST, _LONGEST = "m0.0.1", "mffffffff.ffffff.ffffffff"


@lru_cache(maxsize=16)
def marked_sites(contract: Contract, message_type: MessageType) -> Sequence[str]:
    """Returns the sites where every string is valid, and where no ambiguity and no condition depends on the string."""
    deciding = {path for rule in contract.rules[message_type] for path in condition_sites(rule)}
    return [
        path
        for path, site in contract.sites[message_type].items()
        if path not in deciding and not detectors_at(contract, message_type, path) and _allows_any_string(site.schema)
    ]


def _allows_any_string(schema: dict[str, Any]) -> bool:
    return "string" in types_of(schema) and not unsupported_keywords_of(schema) and matches(schema, _SHORTEST) and matches(schema, _LONGEST)


def condition_sites(rule: Rule) -> Iterator[str]:
    """Yields the sites whose values decide whether a conditional rule applies."""
    if rule.condition is not None:
        yield from (join(rule.condition.site, name) for name in rule.condition.when.get("properties", {}))


class Marks:
    """Generates the marks for the messages of one shard, and finds a place for each mark."""

    def __init__(self, sites: Sequence[str], seed: int, shard: int) -> None:
        self._head = f"m{seed & 0xFFFFFFFF:x}.{shard:x}."
        self._sites = Turns(sites)
        self._number = 0

    def next(self) -> str:
        self._number += 1
        return f"{self._head}{self._number:x}"

    def place(self, message: Any, aside_from: str | None = None) -> Steps | None:
        """Returns a place for the mark in the message. Returns None if the message has no place for a mark.

        If possible, the place is not inside the site `aside_from`.
        """

        def found(site: str) -> Steps | None:
            return None if aside_from is not None and within(site, aside_from) else _to_string(message, site, self._number)

        steps = self._sites.take(found)
        return self.place(message) if steps is None and aside_from is not None else steps


def within(site: str, other: str) -> bool:
    """Returns whether `site` equals `other` or is inside `other`."""
    return site == other or not other or site.startswith((f"{other}.", f"{other}[]"))


def _to_string(message: Any, site: str, turn: int) -> Steps | None:
    if type(message) is dict and type(message.get(site)) is str:  # most sites are properties of the message itself
        return (site,)
    steps = way_to(message, steps_of(site), turn) if "." in site or "[" in site else None
    return steps if steps and isinstance(value_at(message, steps), str) else None


def marked(body: bytes, mark: bytes | None) -> bool:
    """Returns whether the message contains the mark. The message may have any Unicode encoding."""
    return mark is not None and (mark in body or mark in body.replace(b"\0", b""))
