"""Finds the message type that resembles a file most, if the file is none of the messages of the contract."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from brokerfuzz.schemas import MESSAGE_TYPES, Contract, MessageType
from brokerfuzz.schemas.json_reader import read


@dataclass(frozen=True, slots=True)
class ClosestType:
    """The message type, and the site of the object that has the most similar properties. The site of the whole message is empty."""

    message_type: MessageType
    site: str

    def __str__(self) -> str:
        return f"{self.site} of {self.message_type}" if self.site else self.message_type


def closest_type(body: bytes, contract: Contract) -> ClosestType | None:
    """Returns the most similar object of the contract, or None if the message has a type of the contract or resembles none.

    A message has a type if at least half of its properties are known there. Of an array, the first object counts.
    """
    message = read(body).usual
    found = next((item for item in message if isinstance(item, dict)), None) if isinstance(message, list) else message
    if not isinstance(found, dict) or (found is message and any(_has_type(found, contract.flat[one]) for one in MESSAGE_TYPES)):
        return None
    names = _plain(found)
    likeness = {
        ClosestType(message_type, path): _likeness(names, _plain(site.schema["properties"]))
        for message_type in MESSAGE_TYPES
        for path, site in contract.sites[message_type].items()
        if "properties" in site.schema
    }
    best = max(likeness, key=lambda one: likeness[one], default=None)
    return best if best is not None and likeness[best] else None


def _has_type(message: Mapping[str, Any], schema: Mapping[str, Any]) -> bool:
    known = {name.casefold() for name in schema.get("properties", {})}
    return 2 * sum(name.casefold() in known for name in message) >= len(message)


def _plain(names: Iterable[str]) -> set[str]:
    """Returns the names without case and punctuation, so that `offer_type` resembles `offerType`."""
    return {"".join(filter(str.isalnum, name)).casefold() for name in names}


def _likeness(names: set[str], known: set[str]) -> float:
    """Returns the share of common names among all names, from 0 to 1."""
    return len(names & known) / len(names | known)
