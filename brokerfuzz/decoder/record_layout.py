"""The layout of a record.

A record begins with one byte for each property of an object. After these bytes, it has a window for each property. The window contains the bytes of
the property's content: the properties of a nested object, or the first item of an array. So a single record with fixed positions describes everything
except further array items. Each further item has a record of its own. The bytes of an unused window are ignored, and no position changes if a window
becomes unused.
"""

from dataclasses import dataclass, field
from functools import cached_property

from brokerfuzz.schemas.flattening import Schema, conditions_of


@dataclass(eq=False)
class Outline:
    """The places directly inside a place, regardless of conditions: the properties of an object, or the items of an array."""

    props: "dict[str, Outline]" = field(default_factory=dict)
    items: "Outline | None" = None

    @cached_property
    def width(self) -> int:
        """The size of the window in bytes. A window contains a byte and an inner window for each property of an object, or for the first item of an
        array.
        """
        return sum(1 + prop.width for prop in self.props.values()) + (1 + self.items.width if self.items else 0)

    @cached_property
    def windows(self) -> dict[str, int]:
        """The start of the window of each property, relative to the window of the object."""
        found, position = {}, len(self.props)
        for name, prop in self.props.items():
            found[name] = position
            position += prop.width
        return found


def outline(*schemas: Schema) -> Outline:
    """Returns the outline of a place. It includes everything that any of these flat schemas describes."""
    parts = [*schemas]
    for schema in schemas:
        parts += [entry[branch] for entry in conditions_of(schema) for branch in ("then", "else") if branch in entry]
    names = dict.fromkeys(name for part in parts for name in part.get("properties", {}))
    props = {name: outline(*(part["properties"][name] for part in parts if name in part.get("properties", {}))) for name in names}
    items = [part["items"] for part in parts if "items" in part]
    return Outline(props, outline(*items) if items else None)
