"""Finds out which edges a valid value has (see `generation.edge_values`). A site can have an edge if its schema allows
at least one value with this edge.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import cache, lru_cache
from typing import Any

from brokerfuzz.generation import ABSENT, edge_values
from brokerfuzz.generation.edge_values import SIZES
from brokerfuzz.generation.nodes import values_at
from brokerfuzz.generation.site_questions import plain_values_at
from brokerfuzz.schemas import Contract, MessageType, Site
from brokerfuzz.schemas.edge import Edge
from brokerfuzz.schemas.flattening import KNOWN, composed_keywords_of, types_of
from brokerfuzz.schemas.keywords import Schema


class Edges:
    """Lists the edges of each site of a message type. Use `edges` to get an `Edges` object."""

    def __init__(self, contract: Contract, message_type: MessageType) -> None:
        self.contract = contract
        self.message_type: MessageType = message_type
        self._edges_by_type = {
            path: self._edges_at(path, site.schema) for path, site in contract.sites[message_type].items()
        }
        self._names_of_scalar = lru_cache(maxsize=4096, typed=True)(
            lambda path, value: [edge.name for edge in self.of_scalar(path, value)]
        )

    def of(self, path: str, value: Any) -> Iterator[str]:
        """Yields the names of the edges of a valid value. Null and the absence of a property are also edges."""
        if value is ABSENT:
            yield "absent"
        elif value is None:
            yield "null"
        elif path in self._edges_by_type:  # a changed contract does not describe all values
            schema = self.contract.sites[self.message_type][path].schema
            if isinstance(value, list):
                yield f"{max(size for size in SIZES if size <= len(value))}-items"
            elif isinstance(value, dict):
                yield from _of_objects(value, schema)
            elif "enum" in schema or isinstance(value, bool):
                yield listed_name(value)
            else:
                yield from self._names_of_scalar(path, value)

    def of_scalar(self, path: str, value: Any) -> list[Edge]:
        """Returns the edges of a string or a number. Other values, and those at unknown sites, have none."""
        site = self.contract.sites[self.message_type].get(path)
        if site is None or "enum" in site.schema:
            return []
        return [edge for edge in self._edges_by_type[path].get(type(value), ()) if edge.test(value, site.schema)]

    def listed(self, path: str) -> Mapping[str, Sequence[Any]]:
        """Maps the names of the edges of an enumeration or a boolean to the values."""
        listed: dict[str, list[Any]] = {}
        for value in self.contract.sites[self.message_type][path].schema.get("enum", (True, False)):
            listed.setdefault(listed_name(value), []).append(value)
        return listed

    def at(self, site: Site) -> list[str]:
        """Returns the names of all edges that a site can have."""
        schema, types = site.schema, types_of(site.schema)
        names = ["absent"] if site.name and not site.required else []
        if "enum" in schema:
            return [*names, *(listed_name(value) for value in schema["enum"])]
        names += ["null"] if "null" in types and len(types) < 7 else []
        if composed_keywords_of(schema) or len(types - {"null"}) != 1:
            return names
        if "array" in types:
            least, most = max(schema.get("minItems", 0), 0), schema.get("maxItems", SIZES[-1])
            return [*names, *(f"{size}-items" for size in SIZES if least <= size <= most)]
        if "object" in types:
            is_always_complete = len(schema.get("properties", {})) == len(schema.get("required", ()))
            return [*names, *(() if is_always_complete else ("only-required", "one-more", "every-property"))]
        if "boolean" in types:
            return [*names, *(listed_name(value) for value in schema.get(KNOWN, (True, False)))]
        shown = {name for value in self.values(site.path) for name in self.of(site.path, value)}
        possible = dict.fromkeys(edge.name for edges in self._edges_by_type[site.path].values() for edge in edges)
        return [*names, *(name for name in possible if name in shown)]

    def values(self, path: str) -> Sequence[Any]:
        """Returns values that together have all edges of a site, simplest first."""
        schema = self.contract.sites[self.message_type][path].schema
        if composed_keywords_of(schema) or "enum" in schema:
            return ()
        return values_at(self.contract, self.message_type, path)

    def _edges_at(self, path: str, schema: Schema) -> Mapping[type, Sequence[Edge]]:
        """Returns the edges of strings and numbers at a site, by their types in Python."""
        types = types_of(schema)
        texts = plain_values_at(self.contract, self.message_type, path) or edge_values.TEXTS
        numbers = edge_values.NUMBERS if "number" in types else edge_values.INTEGERS
        edges_by_type = {str: texts.edges} if "string" in types else {}
        return edges_by_type | ({int: numbers.edges, float: numbers.edges} if types & {"integer", "number"} else {})


def parts_of(root: Site, message: Any) -> Iterator[tuple[str, Any]]:
    """Yields each value of a message with its site, and `ABSENT` for each absent property."""
    for site, _, value in root.walk(message):
        yield site.path, value
        if isinstance(value, dict):
            yield from ((prop.path, ABSENT) for name, prop in site.properties.items() if name not in value)


def listed_name(value: Any) -> str:
    """Returns the name of an edge for a boolean or for a value of an enumeration, such as `true` or `=Email`."""
    return {True: "true", False: "false"}[value] if isinstance(value, bool) else f"={value}"


def _of_objects(value: dict[str, Any], schema: Schema) -> Iterator[str]:
    props, required = schema.get("properties", {}), schema.get("required", ())
    if len(props) == len(required):
        return
    more = len(value) - len(required)
    if more < 2:
        yield ("only-required", "one-more")[more]
    if len(value) == len(props):
        yield "every-property"


@cache
def edges(contract: Contract, message_type: MessageType) -> Edges:
    return Edges(contract, message_type)
