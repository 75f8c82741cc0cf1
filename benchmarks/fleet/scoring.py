from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from benchmarks.fleet.messages import Message
from benchmarks.fleet.mutants import Mutant


@dataclass(frozen=True)
class Score:
    """`first` maps each mutant to the index of the first message that kills the mutant, or to None."""

    first: dict[Mutant, int | None]

    @property
    def killed(self) -> int:
        return sum(index is not None for index in self.first.values())

    @property
    def survivors(self) -> list[Mutant]:
        return [mutant for mutant, index in self.first.items() if index is None]

    def share_by(self, messages: int) -> float:
        """Returns the share (0 to 1) of mutants that the first `messages` messages kill."""
        return sum(index is not None and index < messages for index in self.first.values()) / len(self.first)


def score(mutants: Iterable[Mutant], messages: Sequence[Message]) -> Score:
    return Score({mutant: _first(mutant, messages) for mutant in mutants})


def _first(mutant: Mutant, messages: Sequence[Message]) -> int | None:
    for index, message in enumerate(messages):
        if message.contradicts(mutant.answer(message)):
            return index
    return None
