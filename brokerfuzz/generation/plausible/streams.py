"""Streams of plausible messages. They are adapted to an own contract, in which properties can be new, missing or
different.
"""

import json
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from itertools import count
from typing import Any
from zlib import crc32

from brokerfuzz.errors import ContractError
from brokerfuzz.generation.checked_draws import checked_draw
from brokerfuzz.generation.nodes import ABSENT, node_of
from brokerfuzz.generation.plausible import MAKERS
from brokerfuzz.generation.plausible.draws import Draws
from brokerfuzz.generation.site_questions import questions_at
from brokerfuzz.generation.sources import PropertyState, RandomSource, SiteChoices, Style
from brokerfuzz.schemas import Contract, MessageType, check, load_contract
from brokerfuzz.schemas.flattening import KNOWN
from brokerfuzz.schemas.questions import Freedom
from brokerfuzz.schemas.sites import Site
from brokerfuzz.schemas.validation import matches


def today() -> datetime:
    """Returns the beginning of this day, so that a seed gives the same messages all day."""
    return datetime.now(UTC).replace(hour=0, minute=0, second=0, microsecond=0)


class PlausibleMessages:
    """The plausible messages of a type and a seed, with times around `now`. With an own contract, they have the values
    of the usual messages where the contract allows them, and simple values everywhere else, also for own types.
    """

    def __init__(self, contract: Contract, message_type: MessageType, seed: int, now: datetime) -> None:
        self._make = MAKERS.get(message_type)
        self._seed, self._now = seed, now
        self._fitting = None if contract.is_tested else _Fitting(contract, message_type, now)

    def starting_at(self, serial: int) -> Iterator[Any]:
        """Yields the messages with this and all higher serial numbers."""
        for number in count(serial):
            message = self._make(Draws(self._seed, number, self._now)) if self._make else ABSENT
            yield message if self._fitting is None else self._fitting.of(message, f"{self._seed} {number}")


# ------------------------------------------------------------------------------------------------------ own contracts

_STYLE = Style(plausible=True)


class _SimpleSource(RandomSource):
    """Chooses ordinary values: all properties are present and not null, arrays are short, and numbers are small."""

    def state(self, choices: SiteChoices, /) -> PropertyState:
        return "drawn" if "drawn" in choices.states else choices.states[-1]

    def repeat(self, low: int, high: int, /, *, often: bool = False) -> Sequence[int]:
        return range(min(max(self.choose((1, 1, 2, 2, 3)), low), high))

    def integer(self, low: int, high: int, edges: Sequence[int], /) -> int:
        number: int = edges[0] + self.choose(range(1, 50))
        return min(max(number, low), high)

    def number(self, low: float, high: float, edges: Sequence[float], /) -> float:
        amount = round(edges[0] + self.choose(range(1, 5000)) / 100, 2)
        return amount if low <= amount <= high else edges[0]

    def text(self, low: int, high: int, edges: Sequence[str], often: Sequence[str], /) -> str:
        return edges[0]


class _Fitting:
    """Adapts messages to a contract. The values of new properties suit their names, as far as brokerfuzz knows them."""

    def __init__(self, contract: Contract, message_type: MessageType, now: datetime) -> None:
        self._contract, self._now = contract, now
        self._message_type: MessageType = message_type
        self._draw = checked_draw(contract, message_type, _STYLE)
        self._sites = contract.sites[message_type]
        self._usual_sites = load_contract().sites.get(message_type, {})

    def of(self, message: Any, seed: str) -> Any:
        """Returns a valid message that has the values of `message` where the contract allows them. `message` is
        `ABSENT` if there is no usual message of this type.
        """
        source, root = _SimpleSource(crc32(seed.encode())), self._sites[""]
        try:
            fitted = self._drawn(root, source) if message is ABSENT else self._fitted(message, root, source)
            if self._is_valid(fitted):
                return fitted
            return self._draw(source)
        except ContractError:  # hardly any message is valid
            return self._draw(RandomSource(crc32(seed.encode())))

    def _is_valid(self, message: Any) -> bool:
        body = json.dumps(message).encode()
        return check(self._message_type, body, now=self._now, contract=self._contract).label == "valid"

    def _fitted(self, value: Any, site: Site, source: RandomSource) -> Any:
        schema = site.schema
        if isinstance(value, dict) and "properties" in schema:
            value = self._object(value, site, source)
        elif isinstance(value, list) and site.items is not None:
            value = self._array(value, site, site.items, source)
        elif value in schema.get(KNOWN, (value,)) and matches(schema, value):
            return value
        else:
            return self._drawn(site, source)
        for _, question in questions_at(self._contract, self._message_type, site.path):
            question.repair(value, Freedom(schema))
        return value

    def _object(self, value: dict[str, Any], site: Site, source: RandomSource) -> dict[str, Any]:
        """Adds the properties that are new or required in the own contract, and leaves out those that it does not
        have.
        """
        properties = {}
        for name, prop in site.properties.items():
            if name in value:
                properties[name] = self._fitted(value[name], prop, source)
            elif prop.path not in self._usual_sites or prop.required:
                properties[name] = self._drawn(prop, source)
        return {name: fitted for name, fitted in properties.items() if fitted is not ABSENT}

    def _array(self, value: list[Any], site: Site, item: Site, source: RandomSource) -> list[Any]:
        items = [self._fitted(old, item, source) for old in value[: site.schema.get("maxItems")]]
        return items + [self._drawn(item, source) for _ in range(len(items), site.schema.get("minItems", 0))]

    def _drawn(self, site: Site, source: RandomSource) -> Any:
        return node_of(self._contract, self._message_type, site.path, _STYLE).at(source)
