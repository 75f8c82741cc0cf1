"""A mutant: a service with one bug, and a message that proves it to be one."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Literal, get_args

from benchmarks.fleet.messages import Answer, Behaviour, Message
from benchmarks.fleet.plain_messages import Ground

Kind = Literal["dropped", "loosened", "coerced", "tightened", "crashing", "misplaced", "interaction", "reader"]
KINDS: tuple[Kind, ...] = get_args(Kind)


@dataclass(frozen=True)
class Candidate:
    """A mutant, if one of the `witnesses` tells it from the conforming service: a null rejected where none may be is no bug.

    `mutation` says in words what is wrong, `where` at what (empty, where the mutation says it all).
    """

    kind: Kind
    mutation: str
    where: str
    site: str
    rule: str | None
    behaviour: Behaviour
    witnesses: Iterable[bytes]

    @property
    def name(self) -> str:
        """Both in words."""
        return f"{self.mutation} {self.where}".strip()

    def proven(self, ground: Ground) -> "Mutant | None":
        """The mutant, or None where no witness tells it apart."""
        witness = ground.is_told(self.behaviour, list(self.witnesses))
        return None if witness is None else Mutant(self.kind, self.mutation, self.where, self.site, self.rule, self.behaviour, witness)


@dataclass(frozen=True, eq=False)
class Mutant:
    """A service with one bug: what it is about (`site`, and the id of the `rule` where it is about one), and a message that shows it."""

    kind: Kind
    mutation: str
    where: str
    site: str
    rule: str | None
    behaviour: Behaviour = field(repr=False)
    witness: bytes = field(repr=False)

    @property
    def name(self) -> str:
        """What is wrong, and where."""
        return f"{self.mutation} {self.where}".strip()

    def answer(self, message: Message) -> Answer:
        """What it does with a message."""
        return self.behaviour(message)


def at_site(site: str) -> str:
    """A site in words."""
    return f"at {site or 'the root'}"


ANYWHERE = "anywhere"
"""Where a mutation is that is at all sites at once."""
