"""A mutant is a service with one bug: it gives one answer to all messages with a certain property. A candidate is a
mutant with messages of which one may show the bug.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Literal, get_args

from benchmarks.fleet.messages import Answer, Break, Message

Family = Literal["dropped", "loosened", "coerced", "tightened", "crashing", "misplaced", "interaction", "reader"]
FAMILIES: tuple[Family, ...] = get_args(Family)


@dataclass(frozen=True, eq=False)
class Mutant:
    """A service that gives the answer `says` to all messages for which `when` is true, and otherwise the right one."""

    family: Family
    name: str
    says: Answer
    when: Callable[[Message], object]

    def answer(self, message: Message) -> Answer:
        is_wrong = self.says != message.conforming and self.when(message)
        return self.says if is_wrong else message.conforming

    def first_kill(self, messages: Iterable[Message]) -> int | None:
        """Returns the index of the first message that kills the mutant: the first one with a wrong answer."""
        return next((n for n, message in enumerate(messages) if message.contradicts(self.answer(message))), None)


Candidate = tuple[Mutant, Iterable[bytes]]


def forgiving(family: Family, name: str, excused: Callable[[Message, Break], object]) -> Mutant:
    """A service that accepts messages if it excuses everything that is wrong with them."""
    return Mutant(family, name, "accepted", lambda message: all(excused(message, one) for one in message.breaks))
