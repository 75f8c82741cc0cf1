"""A mutant: a service with one bug, and a message that proves it to be one."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Literal, get_args

from benchmarks.fleet.ground import Ground
from benchmarks.fleet.messages import Answer, Behaviour, Message

Kind = Literal["dropped", "loosened", "coerced", "tightened", "crashing", "misplaced", "interaction", "reader"]
KINDS: tuple[Kind, ...] = get_args(Kind)


@dataclass(frozen=True)
class Candidate:
    """A mutant, if one of the `witnesses` tells it from the conforming service: a null refused where none may be is no bug."""

    kind: Kind
    name: str
    site: str
    rule: str | None
    behaviour: Behaviour
    witnesses: Iterable[bytes]

    def proven(self, ground: Ground) -> "Mutant | None":
        """The mutant, or None where no witness tells it apart."""
        witness = ground.is_told(self.behaviour, list(self.witnesses))
        return None if witness is None else Mutant(self.kind, self.name, self.site, self.rule, self.behaviour, witness)


@dataclass(frozen=True, eq=False)
class Mutant:
    """A service with one bug: what it is about (`site`, and the id of the `rule` where it is about one), and a message that shows it."""

    kind: Kind
    name: str
    site: str
    rule: str | None
    behaviour: Behaviour = field(repr=False)
    witness: bytes = field(repr=False)

    def answer(self, message: Message) -> Answer:
        """What it does with a message."""
        return self.behaviour(message)
