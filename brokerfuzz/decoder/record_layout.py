"""Defines where the decoder finds the bytes of each property.

A record is a byte string that describes one object. A record begins with one byte for each property. Then the record has a window
for each property: the bytes of a nested object, or of the first item of an array. Each further item of an array has its own
record. The positions are always the same, even if the object does not have all properties.
"""

from dataclasses import dataclass, field
from functools import cached_property

from brokerfuzz.schemas.flattening import Schema, conditions_of


@dataclass(eq=False)
class Outline:
    """The nested structure of an object or array, without its values. The properties of every branch of a condition are included."""

    props: "dict[str, Outline]" = field(default_factory=dict)
    items: "Outline | None" = None

    @cached_property
    def width(self) -> int:
        """The number of bytes in the window of the object or array."""
        return sum(1 + prop.width for prop in self.props.values()) + (1 + self.items.width if self.items else 0)

    @cached_property
    def windows(self) -> dict[str, int]:
        """The start of the window of each property, counted from the start of the object's own window."""
        found, position = {}, len(self.props)
        for name, prop in self.props.items():
            found[name] = position
            position += prop.width
        return found


def outline(*schemas: Schema) -> Outline:
    """Returns the structure that any of the schemas describes."""
    parts = [*schemas]
    for schema in schemas:
        parts += [entry[branch] for entry in conditions_of(schema) for branch in ("then", "else") if branch in entry]
    names = dict.fromkeys(name for part in parts for name in part.get("properties", {}))
    props = {name: outline(*(part["properties"][name] for part in parts if name in part.get("properties", {}))) for name in names}
    items = [part["items"] for part in parts if "items" in part]
    return Outline(props, outline(*items) if items else None)
