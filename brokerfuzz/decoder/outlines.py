"""Where in a record everything lies.

A record holds an object's members, a byte each, and behind them a window for whatever lies within a member: the members of a nested
object, the first item of an array. So the first item of everything is spelled by fixed positions of one record; only further items
take records of their own. What lies in a window that is not used counts for nothing, and nothing moves when it is emptied.
"""

from dataclasses import dataclass, field
from functools import cached_property

from brokerfuzz.schemas.flattening import Schema, conditions_of


@dataclass(eq=False)
class Outline:
    """The places within a place, whatever condition holds: an object's members, an array's items."""

    members: "dict[str, Outline]" = field(default_factory=dict)
    items: "Outline | None" = None

    @cached_property
    def width(self) -> int:
        """Bytes of the place's window: of an object, a byte and a window a member; of an array, a byte and a window for its first item."""
        return sum(1 + member.width for member in self.members.values()) + (1 + self.items.width if self.items else 0)

    @cached_property
    def windows(self) -> dict[str, int]:
        """Where each member's window begins, counted from the object's own."""
        found, position = {}, len(self.members)
        for name, member in self.members.items():
            found[name] = position
            position += member.width
        return found


def outline(*schemas: Schema) -> Outline:
    """The outline of a place that any of these flat schemas may describe."""
    parts = [*schemas]
    for schema in schemas:
        parts += [entry[branch] for entry in conditions_of(schema) for branch in ("then", "else") if branch in entry]
    names = dict.fromkeys(name for part in parts for name in part.get("properties", {}))
    members = {name: outline(*(part["properties"][name] for part in parts if name in part.get("properties", {}))) for name in names}
    items = [part["items"] for part in parts if "items" in part]
    return Outline(members, outline(*items) if items else None)
