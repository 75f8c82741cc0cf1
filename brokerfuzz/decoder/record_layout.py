"""Defines the layout of a record: a byte string from which the decoder reads an object. The first byte determines whether the
value is an object or null. Then the record has one byte for each property of the object. After these bytes come the bytes for
the properties of nested objects. If a nested object is absent, the decoder ignores its bytes, so that all other positions stay
the same. Each object in an array has its own record.
"""

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from brokerfuzz.schemas.flattening import Schema, conditions_of


@dataclass(eq=False)
class Outline:
    """Describes which properties or items a value can have. The outline of an object contains the outline of each property,
    including the properties in the branches of conditions. The outline of an array contains the outline of the items.
    """

    props: "dict[str, Outline]" = field(default_factory=dict)
    items: "Outline | None" = None

    @cached_property
    def width(self) -> int:
        """The number of bytes for the properties of an object and of its nested objects."""
        return sum(1 + prop.width for prop in self.props.values())

    @cached_property
    def shape(self) -> tuple[Any, ...]:
        """A hashable value that describes the structure."""
        return tuple((name, prop.shape) for name, prop in self.props.items()), self.items and self.items.shape

    @cached_property
    def nested_starts(self) -> dict[str, int]:
        """Maps each property of an object to the position of the first byte for its nested properties. The byte of the object's
        first property has the position 0.
        """
        found, position = {}, len(self.props)
        for name, prop in self.props.items():
            found[name] = position
            position += prop.width
        return found


def outline(*schemas: Schema) -> Outline:
    parts = [*schemas]
    for schema in schemas:
        parts += [entry[branch] for entry in conditions_of(schema) for branch in ("then", "else") if branch in entry]
    names = dict.fromkeys(name for part in parts for name in part.get("properties", {}))
    props = {name: outline(*(part["properties"][name] for part in parts if name in part.get("properties", {}))) for name in names}
    items = [part["items"] for part in parts if "items" in part]
    return Outline(props, outline(*items) if items else None)
