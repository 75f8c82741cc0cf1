"""Streams of plausible messages, also for own contracts."""

from collections.abc import Iterator
from datetime import UTC, datetime
from itertools import count
from typing import Any

from brokerfuzz.generation.nodes import ABSENT
from brokerfuzz.generation.plausible.draws import Draws
from brokerfuzz.generation.plausible.fitting import Fitting
from brokerfuzz.generation.plausible.makers import MAKERS
from brokerfuzz.schemas import Contract, MessageType, load_contract


def today() -> datetime:
    """Returns the beginning of this day, so that a seed gives the same messages all day."""
    return datetime.now(UTC).replace(hour=0, minute=0, second=0, microsecond=0)


class PlausibleMessages:
    """The plausible messages of a type and a seed, with times around `now`. With an own contract, they have the values
    of the usual messages where the contract allows them, and simple values everywhere else, also for own types.
    """

    def __init__(self, contract: Contract, message_type: MessageType, seed: int, now: datetime) -> None:
        self._make = MAKERS.get(message_type, _no_usual_message)
        self._seed, self._now = seed, now
        self._fitting = None if contract is load_contract() else Fitting(contract, message_type, now)

    def starting_at(self, serial: int) -> Iterator[Any]:
        """Yields the messages with this and all higher serial numbers."""
        for number in count(serial):
            message = self._make(Draws(self._seed, number, self._now))
            yield message if self._fitting is None else self._fitting.of(message, f"{self._seed} {number}")


def _no_usual_message(draws: Draws) -> Any:
    return ABSENT
