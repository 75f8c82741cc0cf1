"""Describes what can be chosen at a site of a message type."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from brokerfuzz.schemas.flattening import Schema

State = Literal["absent", "plain", "null", "drawn"]
"""The state of a property: it is absent, has its plainest value, is null, or has a value that the source draws."""


@dataclass(eq=False, slots=True)
class SiteChoices:
    """The states and the values of a site.

    `options` contains the values of an enumeration, `edges` contains valid values that programs often handle
    incorrectly, and `realistic` contains realistic ones. `unusual` is a value that programs may treat as missing. If
    `is_free`, each string or number that the schema allows touches no ambiguity. Settings give identifiers different
    values. `states` and `often` contain the possible states, the simplest first.
    """

    site: str
    schema: Schema
    optional: bool = False
    nullable: bool = False
    plain: Any = None
    options: Sequence[Any] = ()
    edges: Sequence[Any] = ()
    realistic: Sequence[Any] = ()
    unusual: Any = None
    is_free: bool = False
    is_identifier: bool = False
    states: Sequence[State] = ()
    often: Sequence[State] = ()
