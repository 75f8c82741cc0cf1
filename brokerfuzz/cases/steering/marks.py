"""Marks: a text of its own in every message, by which no two messages are alike, in whatever shard; nor is any of the catalogue's.

It goes to a place that takes any text, another one each time. So nothing need be remembered of a million messages, no service sees
a duplicate of what it has taken already, and a line of its log tells which case it was.
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
    """The sites that take any text as long as a mark; of them, those that no ambiguity asks about and no condition."""
    deciding = {path for rule in contract.rules[message_type] for path in decided_by(rule)}
    return [
        path
        for path, site in contract.sites[message_type].items()
        if path not in deciding and not detectors_at(contract, message_type, path) and _takes_any_text(site.schema)
    ]


def _takes_any_text(schema: dict[str, Any]) -> bool:
    return "string" in types_of(schema) and not unsupported_keywords_of(schema) and matches(schema, _SHORTEST) and matches(schema, _LONGEST)


def decided_by(rule: Rule) -> Iterator[str]:
    """The sites whose values decide whether a conditional rule holds."""
    if rule.condition is not None:
        yield from (join(rule.condition.site, name) for name in rule.condition.when.get("properties", {}))


class Marks:
    """The marks of one stream."""

    def __init__(self, sites: Sequence[str], seed: int, shard: int) -> None:
        self._head = f"m{seed & 0xFFFFFFFF:x}.{shard:x}."
        self._sites = Turns(sites)
        self._number = 0

    def next(self) -> str:
        """The next mark."""
        self._number += 1
        return f"{self._head}{self._number:x}"

    def place(self, message: Any, aside_from: str | None = None) -> Steps | None:
        """Where a mark goes in the message; None where it has no place for one. Not within the site `aside_from`, if it can lie elsewhere."""
        steps = self._sites.take(lambda site: None if aside_from is not None and within(site, aside_from) else _to_text(message, site, self._number))
        return self.place(message) if steps is None and aside_from is not None else steps


def within(site: str, other: str) -> bool:
    """Whether a site is the other one, or lies within it."""
    return site == other or not other or site.startswith((f"{other}.", f"{other}[]"))


def _to_text(message: Any, site: str, turn: int) -> Steps | None:
    if type(message) is dict and message.get(site).__class__ is str:  # of a site at the top, which most are, its path is its name
        return (site,)
    steps = way_to(message, steps_of(site), turn) if "." in site or "[" in site else None
    return steps if steps and isinstance(value_at(message, steps), str) else None


def marked(body: bytes, mark: bytes | None) -> bool:
    """Whether the mark is in the bytes of a message, in whatever encoding of Unicode."""
    return mark is not None and (mark in body or mark in body.replace(b"\0", b""))
