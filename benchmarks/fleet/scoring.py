from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from benchmarks.fleet.messages import Message
from benchmarks.fleet.mutants import KINDS, Kind, Mutant

MARKS = (50, 100, 200, 400, 800, 1200)
"""The share of killed mutants is measured after these numbers of messages."""


@dataclass(frozen=True)
class Score:
    """`first` maps each mutant to the index of the first message that kills the mutant, or to None."""

    first: dict[Mutant, int | None]
    messages: int

    @property
    def killed(self) -> int:
        return sum(index is not None for index in self.first.values())

    @property
    def survivors(self) -> list[Mutant]:
        return [mutant for mutant, index in self.first.items() if index is None]

    def share_by(self, messages: int) -> float:
        """Returns the share (0 to 1) of mutants that the first `messages` messages kill."""
        return sum(index is not None and index < messages for index in self.first.values()) / len(self.first)

    def curve(self) -> list[tuple[int, float]]:
        """Each pair consists of a number n, and the share of mutants that the first n messages kill. The last pair is about all messages."""
        return [(mark, self.share_by(mark)) for mark in (*(m for m in MARKS if m < self.messages), self.messages)]

    def messages_for(self, share: float) -> int | None:
        """Returns the number of messages after which this share (0 to 1) of the mutants is killed. Returns None if all messages
        together kill a smaller share.
        """
        found = sorted(index for index in self.first.values() if index is not None)
        needed = -int(-len(self.first) * share // 1)
        return found[needed - 1] + 1 if 0 < needed <= len(found) else None

    def by_kind(self) -> dict[Kind, tuple[int, int]]:
        """Maps each kind of mutant to the number of killed mutants and the number of all mutants."""
        killed = Counter(mutant.kind for mutant, index in self.first.items() if index is not None)
        every = Counter(mutant.kind for mutant in self.first)
        return {kind: (killed[kind], every[kind]) for kind in KINDS if every[kind]}


def score(mutants: Iterable[Mutant], messages: Sequence[Message]) -> Score:
    return Score({mutant: _first(mutant, messages) for mutant in mutants}, len(messages))


def _first(mutant: Mutant, messages: Sequence[Message]) -> int | None:
    for index, message in enumerate(messages):
        if message.contradicts(mutant.answer(message)):
            return index
    return None
