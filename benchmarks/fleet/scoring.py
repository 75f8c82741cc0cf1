"""How fast a list of messages tells the fleet's services from the conforming one."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from benchmarks.fleet.messages import Message
from benchmarks.fleet.mutants import KINDS, Kind, Mutant

MARKS = (50, 100, 200, 400, 800, 1200)
"""After how many messages the curve is read off."""


@dataclass(frozen=True)
class Score:
    """What a list of messages told: for each mutant the index of the first message that tells it apart, None where none does."""

    first: dict[Mutant, int | None]
    messages: int

    @property
    def told(self) -> int:
        """How many are told apart."""
        return sum(index is not None for index in self.first.values())

    @property
    def survivors(self) -> list[Mutant]:
        """Those that are not."""
        return [mutant for mutant, index in self.first.items() if index is None]

    def share_by(self, messages: int) -> float:
        """The share that is told apart by the first so many messages."""
        return sum(index is not None and index < messages for index in self.first.values()) / len(self.first)

    def curve(self) -> list[tuple[int, float]]:
        """(messages, share told) at the marks, and for all messages."""
        return [(mark, self.share_by(mark)) for mark in (*(m for m in MARKS if m < self.messages), self.messages)]

    def messages_for(self, share: float) -> int | None:
        """How many messages tell this share of the fleet apart; None where all do not."""
        found = sorted(index for index in self.first.values() if index is not None)
        needed = -int(-len(self.first) * share // 1)
        return found[needed - 1] + 1 if 0 < needed <= len(found) else None

    def by_kind(self) -> dict[Kind, tuple[int, int]]:
        """Of each kind, how many are told apart and how many there are."""
        told = Counter(mutant.kind for mutant, index in self.first.items() if index is not None)
        every = Counter(mutant.kind for mutant in self.first)
        return {kind: (told[kind], every[kind]) for kind in KINDS if every[kind]}


def score(mutants: Iterable[Mutant], messages: Sequence[Message]) -> Score:
    """Sends the messages to each mutant, until one tells it apart."""
    return Score({mutant: _first(mutant, messages) for mutant in mutants}, len(messages))


def _first(mutant: Mutant, messages: Sequence[Message]) -> int | None:
    for index, message in enumerate(messages):
        if message.tells(mutant.answer(message)):
            return index
    return None
