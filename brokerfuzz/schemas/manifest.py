"""Reads the manifest of a contract, `messages.json`: its message types, their directions, routes and identifiers."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, get_args

from jsonschema_rs import validator_for

from brokerfuzz.errors import ContractError
from brokerfuzz.shapes import problem_in

Direction = Literal["request", "response"]
_NAME = "[a-z][a-z0-9]*(-[a-z0-9]+)*"
_PARAMETER = re.compile(r"(\{[^{}/]*\})")
_EXAMPLE = '"order-status-response": {"direction": "response", "route": "GET /orders"}'
_LONGEST_NAME = 60


@dataclass(frozen=True)
class Transfer:
    """How a message type is transferred: in a request, or in a response to a request. The contract of brokerfuzz
    contains no methods and no paths, so `method` and `path` are those of the reference service, and examples in
    exported files.

    `identifiers` are the properties that identify a message. The contract does not say whether two messages may have
    the same ones.
    """

    direction: Direction
    method: str
    path: str
    identifiers: tuple[str, ...] = ()

    @property
    def is_request(self) -> bool:
        return self.direction == "request"

    @property
    def route(self) -> str:
        return f"{self.method} {self.path}"

    @property
    def path_pattern(self) -> str:
        """A regular expression for the path. A part in braces, such as `{id}`, matches anything except slashes."""
        return "".join("[^/]+" if part.startswith("{") else re.escape(part) for part in _PARAMETER.split(self.path))


_MANIFEST = validator_for(
    {
        "type": "object",
        "minProperties": 1,
        "propertyNames": {"pattern": f"^{_NAME}$", "maxLength": _LONGEST_NAME},
        "additionalProperties": {
            "type": "object",
            "required": ["direction", "route"],
            "properties": {
                "direction": {"enum": get_args(Direction)},
                "route": {"type": "string", "pattern": "^[A-Z]+ /[!-~]*$"},
                "identifiers": {"type": "array", "items": {"type": "string"}, "uniqueItems": True},
            },
            "additionalProperties": False,
        },
    }
)


def transfers_of(content: Any, path: Path) -> Mapping[str, Transfer]:
    """Maps each message type in a manifest to its transfer. Raises `ContractError` if the manifest is wrong."""
    if problem := problem_in(content, _MANIFEST):
        raise ContractError(
            f"{path} is wrong ({problem}): list message types in lower-case letters, digits and hyphens, each with its "
            f"direction and route, such as {_EXAMPLE}"
        )
    transfers = {name: _transfer_of(entry) for name, entry in content.items()}
    names: dict[tuple[Direction, str], str] = {}
    for name, transfer in transfers.items():
        if (other := names.setdefault((transfer.direction, transfer.route), name)) != name:
            raise ContractError(f"{path} has the route {transfer.route} for {other} and for {name}: change one of them")
    return transfers


def _transfer_of(entry: Mapping[str, Any]) -> Transfer:
    method, path = entry["route"].split(" ", 1)
    return Transfer(entry["direction"], method, path, tuple(entry.get("identifiers", ())))
