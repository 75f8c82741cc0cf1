"""Reads the manifest of a contract, `messages.json`: its message types, their directions and their routes."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, get_args

from brokerfuzz.errors import ContractError, quoted
from brokerfuzz.wording import listed

Direction = Literal["request", "response"]
_NAME = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")
_ROUTE = re.compile(r"(?P<method>[A-Z]+) (?P<path>/[!-~]*)")
_PARAMETER = re.compile(r"(\{[^{}/]*\})")
_EXAMPLE = '"order-status-response": {"direction": "response", "route": "GET /orders"}'
LONGEST_NAME = 60


@dataclass(frozen=True)
class Transfer:
    """How a message type is transferred: in a request, or in a response to a request. The contract of brokerfuzz
    contains no methods and no paths, so `method` and `path` are those of the reference service, and examples in
    exported files.
    """

    direction: Direction
    method: str
    path: str

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


def is_name(text: str) -> bool:
    """Returns whether a message type can have this name."""
    return _NAME.fullmatch(text) is not None and len(text) <= LONGEST_NAME


def transfers_of(content: Any, path: Path) -> Mapping[str, Transfer]:
    """Maps each message type in a manifest to its transfer. Raises `ContractError` if the manifest is wrong."""
    if not isinstance(content, dict) or not content:
        raise ContractError(f"{path} must contain a JSON object with at least one message type, such as {_EXAMPLE}")
    found = {name: _transfer(name, entry, path) for name, entry in content.items()}
    names: dict[tuple[Direction, str], str] = {}
    for name, one in found.items():
        if (other := names.setdefault((one.direction, one.route), name)) != name:
            raise ContractError(f"{path} has the route {one.route} for {other} and for {name}: change one of them")
    return found


def _transfer(name: str, entry: Any, path: Path) -> Transfer:
    if not is_name(name):
        raise ContractError(
            f"{path} has the message type {quoted(name)}: use at most {LONGEST_NAME} lower-case letters, digits and "
            "hyphens, such as order-status-response"
        )
    if not isinstance(entry, dict) or entry.keys() != {"direction", "route"}:
        raise ContractError(f"{path} describes {name} wrongly: write its direction and route, as in {_EXAMPLE}")
    if entry["direction"] not in get_args(Direction):
        raise ContractError(
            f"{path} has the direction {quoted(entry['direction'])} for {name}: use {listed(get_args(Direction), 'or')}"
        )
    route = _ROUTE.fullmatch(entry["route"]) if isinstance(entry["route"], str) else None
    if route is None:
        raise ContractError(
            f"{path} has the route {quoted(entry['route'])} for {name}: use a method and a path, such as GET /orders"
        )
    return Transfer(entry["direction"], route["method"], route["path"])
