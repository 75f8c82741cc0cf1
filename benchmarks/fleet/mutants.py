"""Mutants: services with one bug each, and a message that proves the bug."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Literal, get_args

from benchmarks.fleet.messages import Answer, Behaviour, Message
from benchmarks.fleet.plain_messages import Ground

Kind = Literal["dropped", "loosened", "coerced", "tightened", "crashing", "misplaced", "interaction", "reader"]
KINDS: tuple[Kind, ...] = get_args(Kind)


@dataclass(frozen=True)
class Candidate:
    """A possible mutant. It is a mutant only if one of the `witnesses` gets a wrong answer from it.

    For example, a service that rejects null has no bug if null is not allowed. `mutation` describes the bug, and `where` its
    place (empty if the description is complete without it).
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
        """The description of the bug and its place."""
        return f"{self.mutation} {self.where}".strip()

    def proven(self, ground: Ground) -> "Mutant | None":
        """Returns the mutant, or None if no witness kills it."""
        witness = ground.first_killer(self.behaviour, self.witnesses)
        return None if witness is None else Mutant(self.kind, self.mutation, self.where, self.site, self.rule, self.behaviour, witness)


@dataclass(frozen=True, eq=False)
class Mutant:
    """A service with one bug: its `site`, the ID of its `rule` if it concerns one rule, and a message that shows the bug."""

    kind: Kind
    mutation: str
    where: str
    site: str
    rule: str | None
    behaviour: Behaviour = field(repr=False)
    witness: bytes = field(repr=False)

    @property
    def name(self) -> str:
        """The description of the bug and its place."""
        return f"{self.mutation} {self.where}".strip()

    def answer(self, message: Message) -> Answer:
        """Returns the answer of the service to a message."""
        return self.behaviour(message)


def at_site(site: str) -> str:
    """Returns a site in words."""
    return f"at {site or 'the root'}"


ANYWHERE = "anywhere"
"""The place of a mutation that is at all sites."""
