"""Finds the message type that is most similar to a message of an unknown type."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from brokerfuzz.schemas import MESSAGE_TYPES, Contract, MessageType
from brokerfuzz.schemas.json_reader import read


@dataclass(frozen=True, slots=True)
class ClosestType:
    """The object in the contract that is most similar to a message. `site` is the place of this object in the message
    type. If the object is the whole message of this type, `site` is empty.
    """

    message_type: MessageType
    site: str

    def __str__(self) -> str:
        return f"{self.site} of {self.message_type}" if self.site else self.message_type


def closest_type(body: bytes, contract: Contract) -> ClosestType | None:
    """Returns the object in the contract that is most similar to the message. If the message is an array, only its
    first object is compared.

    Returns None if no object is similar, or if the message already has a type. A message has a type if the type's
    schema contains at least half of the message's properties.
    """
    message = read(body).usual
    found = next((item for item in message if isinstance(item, dict)), None) if isinstance(message, list) else message
    if not isinstance(found, dict) or (
        found is message and any(_has_type(found, contract.flat[one]) for one in MESSAGE_TYPES)
    ):
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
    """Returns the names in lower case without punctuation, so that `offer_type` and `offerType` are equal."""
    return {"".join(filter(str.isalnum, name)).casefold() for name in names}


def _likeness(names: set[str], known: set[str]) -> float:
    """Returns the similarity of two sets of names: the number of common names divided by the number of all names."""
    return len(names & known) / len(names | known)
