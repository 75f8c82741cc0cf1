"""Mutants are services with one bug each. Each mutant has a witness: a message to which the service gives a wrong
answer.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Literal, get_args

from benchmarks.fleet.messages import Answer, Behaviour, Message
from benchmarks.fleet.plain_messages import Ground

Kind = Literal["dropped", "loosened", "coerced", "tightened", "crashing", "misplaced", "interaction", "reader"]
KINDS: tuple[Kind, ...] = get_args(Kind)


@dataclass(frozen=True)
class Candidate:
    """A service that perhaps has a bug. For example, a service that rejects null has a bug only if the contract allows
    null. The service becomes a mutant only if it gives a wrong answer to one of the messages in `witnesses`.

    `mutation` describes the bug. `where` describes the place of the bug, and is empty if the bug has no place.
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
        return f"{self.mutation} {self.where}".strip()

    def proven(self, ground: Ground) -> "Mutant | None":
        """Returns None if the service gives correct answers to all messages in `witnesses`."""
        witness = ground.first_killer(self.behaviour, self.witnesses)
        return (
            None
            if witness is None
            else Mutant(self.kind, self.mutation, self.where, self.site, self.rule, self.behaviour, witness)
        )


@dataclass(frozen=True, eq=False)
class Mutant:
    """`rule` is the ID of the rule that the bug concerns, or None if the bug does not concern exactly one rule.
    `witness` is a message that shows the bug.
    """

    kind: Kind
    mutation: str
    where: str
    site: str
    rule: str | None
    behaviour: Behaviour = field(repr=False)
    witness: bytes = field(repr=False)

    @property
    def name(self) -> str:
        return f"{self.mutation} {self.where}".strip()

    def answer(self, message: Message) -> Answer:
        return self.behaviour(message)


def at_site(site: str) -> str:
    """Describes a site in words."""
    return f"at {site or 'the root'}"


ANYWHERE = "anywhere"
"""The value of `where` if a mutant has the same bug at several sites."""
