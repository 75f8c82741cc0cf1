"""Defines the sites of a message type (the possible positions of values), which form a tree."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType
from typing import Any

from brokerfuzz.pointers import Steps, path_below, path_to
from brokerfuzz.schemas.keywords import Schema


@dataclass(frozen=True, eq=False)
class Site:
    """A position in a message type. `path` is `""` for the root and, for example, `data[].productId` for a property of
    an array item. It is a name for people, so no code takes it apart.

    `schema` is a flat schema (see `flattening`). `required` is True if the surrounding object must contain the
    property. `name` is the name of the property, which is empty for the root and for array items.
    """

    path: str
    schema: Schema
    required: bool = False
    name: str = ""
    parent: "Site | None" = field(default=None, repr=False)

    @cached_property
    def properties(self) -> Mapping[str, "Site"]:
        return {name: self.child(name, schema) for name, schema in self.schema.get("properties", {}).items()}

    @cached_property
    def items(self) -> "Site | None":
        return self.item(self.schema["items"]) if "items" in self.schema else None

    def child(self, name: str, schema: Schema) -> "Site":
        return Site(path_below(self.path, name), schema, name in self.schema.get("required", ()), name, self)

    def item(self, schema: Schema) -> "Site":
        return Site(path_below(self.path, 0), schema, parent=self)

    @cached_property
    def around(self) -> tuple["Site", ...]:
        """The sites around the site, outermost first."""
        return () if self.parent is None else (*self.parent.around, self.parent)

    @cached_property
    def steps(self) -> Steps:
        """The path from the root, with 0 for the items of arrays."""
        return () if self.parent is None else (*self.parent.steps, self.name or 0)

    @property
    def nearest_name(self) -> str:
        """The name of the property. For an item, the name of the array."""
        return self.name or (self.parent.nearest_name if self.parent else "")

    @property
    def is_deep(self) -> bool:
        """False for the message and its properties."""
        return len(self.steps) > 1

    @cached_property
    def arrays(self) -> list["Site"]:
        """The arrays that contain the site, outermost first."""
        return [above for above, step in zip(self.around, self.steps, strict=True) if step == 0]

    @cached_property
    def below(self) -> Mapping[str, "Site"]:
        """Maps the paths that begin here to the sites below this one."""
        depth = len(self.steps)
        return {path_to(site.steps[depth:]): site for site in self.all() if site is not self}

    def is_below(self, other: "Site") -> bool:
        return self.path == other.path or any(above.path == other.path for above in self.around)

    def at(self, steps: Steps) -> "Site | None":
        """Returns the site below this site to which a path leads, or None if the contract does not describe it."""
        site: Site | None = self
        for step in steps:
            if site is not None:
                site = site.items if isinstance(step, int) else site.properties.get(step)
        return site

    def all(self) -> Iterator["Site"]:
        """Yields the site and the sites below it in the order of the schema."""
        yield self
        for below in (*self.properties.values(), *([self.items] if self.items else ())):
            yield from below.all()

    def walk(self, value: Any, steps: Steps = ()) -> Iterator[tuple["Site", Steps, Any]]:
        """Yields each place of a value of this site, with its site and the value there. An object comes before its
        properties. Places that the contract does not describe are left out.
        """
        yield self, steps, value
        if isinstance(value, dict):
            for name, prop in value.items():
                if name in self.properties:
                    yield from self.properties[name].walk(prop, (*steps, name))
        elif isinstance(value, list) and self.items is not None:
            for index, item in enumerate(value):
                yield from self.items.walk(item, (*steps, index))

    def places(self, message: Any) -> list[tuple[Steps, Any]]:
        """Returns all places of a message that belong to the site, with their values."""
        if self.parent is None:
            return [((), message)]
        places: list[tuple[Steps, Any]] = []
        for steps, value in self.parent.places(message):
            if not self.name and isinstance(value, list):
                places += [((*steps, index), item) for index, item in enumerate(value)]
            elif self.name and isinstance(value, dict) and self.name in value:
                places.append(((*steps, self.name), value[self.name]))
        return places


def schema_at(sites: Mapping[str, Site], path: str) -> Schema:
    """Returns the schema of a site, or an empty one if the contract does not describe it."""
    return sites[path].schema if path in sites else {}


def sites_of(schema: Schema) -> Mapping[str, Site]:
    """Maps the paths of the sites of a message type to the sites."""
    return MappingProxyType({site.path: site for site in Site("", schema).all()})
