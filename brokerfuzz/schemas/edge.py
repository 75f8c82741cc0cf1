"""Defines edges: ways in which a valid value can be unusual, such as an empty string."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from brokerfuzz.schemas.keywords import Schema

EdgeTest = Callable[[Any, Schema], bool]
LONGEST = 255
"""The length of the longest string that touches no ambiguity where the contract has no maximum, in characters."""


class Edge(NamedTuple):
    """`predicate` follows a name in findings: `comments is empty`. The edges `shortest`, `longest`, `lowest` and
    `highest` have no fixed values: they depend on the schema.
    """

    name: str
    predicate: str
    test: EdgeTest
    values: Sequence[Any] = ()


class EdgeTable(NamedTuple):
    """`usual` are ordinary values, the plainest first."""

    usual: Sequence[Any]
    edges: Sequence[Edge]

    @property
    def values(self) -> Sequence[Any]:
        """All values, the plainest first."""
        return (*self.usual, *(value for edge in self.edges for value in edge.values))


def any_of(letters: str) -> EdgeTest:
    wanted_letters = frozenset(letters)
    return lambda text, schema: not wanted_letters.isdisjoint(text)


def some_letter(is_one: Callable[[str], bool]) -> EdgeTest:
    return lambda text, schema: any(map(is_one, text))
