"""Where in a record everything lies.

A record holds an object's properties, a byte each, and behind them a window for whatever lies within a property: the properties of a nested
object, the first item of an array. So the first item of everything is spelled by fixed positions of one record; only further items
take records of their own. What lies in a window that is not used counts for nothing, and nothing moves when it is emptied.
"""

from dataclasses import dataclass, field
from functools import cached_property

from brokerfuzz.schemas.flattening import Schema, conditions_of


@dataclass(eq=False)
class Outline:
    """The places within a place, whatever condition holds: an object's properties, an array's items."""

    props: "dict[str, Outline]" = field(default_factory=dict)
    items: "Outline | None" = None

    @cached_property
    def width(self) -> int:
        """Bytes of the place's window: of an object, a byte and a window a property; of an array, a byte and a window for its first item."""
        return sum(1 + prop.width for prop in self.props.values()) + (1 + self.items.width if self.items else 0)

    @cached_property
    def windows(self) -> dict[str, int]:
        """Where each property's window begins, counted from the object's own."""
        found, position = {}, len(self.props)
        for name, prop in self.props.items():
            found[name] = position
            position += prop.width
        return found


def outline(*schemas: Schema) -> Outline:
    """The outline of a place that any of these flat schemas may describe."""
    parts = [*schemas]
    for schema in schemas:
        parts += [entry[branch] for entry in conditions_of(schema) for branch in ("then", "else") if branch in entry]
    names = dict.fromkeys(name for part in parts for name in part.get("properties", {}))
    props = {name: outline(*(part["properties"][name] for part in parts if name in part.get("properties", {}))) for name in names}
    items = [part["items"] for part in parts if "items" in part]
    return Outline(props, outline(*items) if items else None)
