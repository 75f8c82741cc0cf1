"""Generates a case for each edge at each site. Each case is the smallest message that has the edge."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from itertools import islice
from typing import Any

from brokerfuzz.cases.case import Case, compact
from brokerfuzz.cases.changes import places, value_at
from brokerfuzz.cases.covering.edges import Edges, edges, spelled
from brokerfuzz.cases.edges import NUMBER_LITERALS, SPELLINGS, TEXT_LITERALS, EdgeMaker
from brokerfuzz.cases.message_builder import PLAIN, Choose, MessagePlan, build, default_choice, schema_requiring
from brokerfuzz.schemas import Contract, MessageType, Site
from brokerfuzz.schemas.flattening import Schema, types_of

_FAILED: Schema = {"properties": {"data": {"type": ["null"]}}}
"""A schema for failed responses. Only failed responses have failure messages."""


@dataclass(frozen=True)
class EssentialEdges:
    contract: Contract
    message_type: MessageType
    now: datetime

    @cached_property
    def _known(self) -> Edges:
        return edges(self.contract, self.message_type)

    def of_message(self) -> Iterator[Case]:
        complete, smallest = self._built(full=True), self._built()
        yield from self._valid(compact(complete), "edge:complete")
        yield from self._valid(compact(smallest), "edge:only-required")
        for name, spell in SPELLINGS.items():
            bodies = [body for body in map(compact, (smallest, complete)) if spell(body) != body]
            yield from self._valid(spell(bodies[0]), f"edge:{name}") if bodies else ()
        yield from self._literals("string", TEXT_LITERALS, "@@0@@")
        yield from self._literals("number", NUMBER_LITERALS, 90000.25)

    def _literals(self, json_type: str, literals: Sequence[str], placeholder: Any) -> Iterator[Case]:
        """Yields a case for each of the `literals`. In the message, the literal replaces the value `placeholder`."""
        free = EdgeMaker(self.contract, self.message_type, self.now).free_sites(json_type)
        for path in sorted(free, key=lambda path: not self.contract.sites[self.message_type][path].required)[:1]:
            body = compact(self._built(schema_requiring(path), choose=_choosing(path, placeholder)))
            for number, literal in enumerate(literals):
                yield from self._valid(body.replace(compact(placeholder), literal.encode()), f"edge:spelled-{json_type}-{number}")

    def of_site(self, site: Site) -> Iterator[Case]:
        """Yields a case for each edge of the site. If an earlier case already has the edge, no further case is generated."""
        shown = set[str]()
        for edge in self._known.at(site):
            for case in islice(self._showing(site, edge), 1) if edge not in shown else ():
                shown |= self._shown(case.value, site)
                yield case

    def _showing(self, site: Site, edge: str) -> Iterator[Case]:
        tag = ":".join(filter(None, ("edge", site.path, edge)))
        for message in self._messages(site, edge):
            yield from self._valid(compact(message), tag) if edge in self._shown(message, site) else ()

    def _shown(self, message: Any, site: Site) -> set[str]:
        found = places(message, site.path)
        return {name for steps in found for name in self._known.of(site.path, value_at(message, steps))} if found else {"absent"}

    def _valid(self, body: bytes, *tags: str) -> Iterator[Case]:
        case = Case.judged(self.message_type, body, tags=tags, now=self.now, contract=self.contract)
        yield from [case] if case.label == "valid" else []

    # ------------------------------------------------------------------------------------------------------- messages

    def _messages(self, site: Site, edge: str) -> Iterator[Any]:
        """Yields messages that may have the edge, the smallest first. The caller must check each message, because the builder
        may replace a value that contradicts another property.
        """
        types = types_of(site.schema) - {"null"}
        if edge == "absent":
            yield self._built(schema_requiring(site.path.rpartition(".")[0]))
        elif edge != "null" and types == {"object"}:
            yield from (self._built(schema_requiring(site.path, leaf)) for leaf in _of_object(site.schema, edge))
        elif edge != "null" and types == {"array"}:
            yield from self._of_size(site, int(edge.removesuffix("-items")))
        else:
            for value in self._values(site, edge):
                yield from self._of_value(site, value)

    def _of_value(self, site: Site, value: Any) -> Iterator[Any]:
        """Yields messages with `value` at the site. In the last message, all numbers are `value`, and each array has one item. So
        even a number that must be a sum is correct.
        """
        there = schema_requiring(site.path)
        yield self._built(there, choose=_choosing(site.path, value))
        yield self._built(there, _FAILED, choose=_choosing(site.path, value))
        arrays = [path for path, other in self.contract.sites[self.message_type].items() if "array" in types_of(other.schema)]
        yield self._built(there, choose=lambda path, schema: value if _is_number(schema) else PLAIN, sizes=dict.fromkeys(arrays, 1))

    def _of_size(self, site: Site, size: int) -> Iterator[Any]:
        """Yields messages in which the array at the site has `size` items. The contract may not say whether equal items are
        allowed. In some messages, all items are therefore different: an optional property has another value in each item.
        """
        there, sizes = schema_requiring(site.path, {"minItems": size, "maxItems": size}), {site.path: size}
        yield self._built(there, sizes=sizes)
        yield self._built(there, _FAILED, sizes=sizes)
        for name in site.schema.get("items", {}).get("properties", {}):
            yield self._built(there, schema_requiring(site.path, {"items": {"required": [name]}}), sizes=sizes)
        yield self._built(there, full=True, sizes=sizes)

    def _values(self, site: Site, edge: str) -> Iterator[Any]:
        if edge == "null":
            yield None
        elif "enum" in site.schema or "boolean" in types_of(site.schema):
            yield from (value for value in site.schema.get("enum", (True, False)) if spelled(value) == edge)
        else:
            yield from (value for value in self._known.values(site.path) if edge in self._known.of(site.path, value))

    def _built(self, *schemas: Schema, full: bool = False, choose: Choose = default_choice, sizes: Mapping[str, int] | None = None) -> Any:
        plan = MessagePlan(full=full, choose=choose, sizes=sizes or {}, realistic=full)
        return build(self.contract, self.message_type, plan.narrow(*schemas))


def _choosing(path: str, value: Any) -> Choose:
    return lambda there, schema: value if there == path else PLAIN


def _is_number(schema: Schema) -> bool:
    return bool(types_of(schema) & {"integer", "number"})


def _of_object(schema: Schema, edge: str) -> Iterator[Schema]:
    """Yields schemas for objects with only the required properties, with one more property, or with all properties. `edge` selects
    one of the three kinds.
    """
    optional = [name for name in schema["properties"] if name not in schema.get("required", ())]
    if edge == "one-more":
        yield from ({"type": ["object"], "required": [name]} for name in optional)
    else:
        yield {"type": ["object"], "required": optional if edge == "every-property" else []}
