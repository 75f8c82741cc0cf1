"""Valid edges: messages that the contract permits and over-strict programs refuse.

Many edges travel in one message, as every text empty at once: whatever refuses it, the shrinker finds the one that matters.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import orjson

from brokerfuzz.cases.building import ABSENT, PLAIN, Choose, Plan, build, towards
from brokerfuzz.cases.case import Case, compact
from brokerfuzz.decoder import pools
from brokerfuzz.decoder.doubts import spelling_at
from brokerfuzz.schemas import Contract, MessageType, Site
from brokerfuzz.schemas.flattening import Schema, strangers, types_of

SIZES = (0, 2, 11)


@dataclass(frozen=True)
class EdgeMaker:
    """Makes the valid cases of a message type's catalogue, against a time."""

    contract: Contract
    message_type: MessageType
    now: datetime

    def every(self) -> Iterator[Case]:
        """Plain messages first, then packed edges, then one state of one member at a time, then spellings of one message."""
        return (case for case in self._all() if case is not None)

    def _all(self) -> Iterator[Case | None]:
        yield self._case("complete", Plan())
        yield self._case("only-required", Plan(full=False))
        yield from self._enum_members()
        yield from self._packed()
        yield from self._sizes()
        yield from self._one_at_a_time()
        yield from self._spellings()

    def _case(self, edge: str, plan: Plan) -> Case | None:
        return self._judged(edge, compact(build(self.contract, self.message_type, plan)))

    def _judged(self, edge: str, body: bytes) -> Case | None:
        return Case.confirmed(self.message_type, body, claim="valid", tags=(f"edge:{edge}",), now=self.now, contract=self.contract)

    @property
    def _sites(self) -> list[Site]:
        return list(self.contract.sites[self.message_type].values())

    def _enum_members(self) -> Iterator[Case | None]:
        """Each member of each enumeration, in a complete message and in one that has only what is required."""
        for site in self._sites:
            for member in site.schema.get("enum", ()):
                for full, name in ((True, "complete"), (False, "bare")):
                    leaf = towards(site.path, {"enum": [member]})
                    yield self._case(f"{name}-{site.path}={member}", Plan(full=full).narrow(leaf))

    def _packed(self) -> Iterator[Case | None]:
        """Every place at once in the same state: null, absent where that can be, each value of its type's pool."""
        yield self._case("all-null", Plan(choose=_null_where_allowed))
        yield self._case("all-false", Plan(choose=lambda path, schema: False if types_of(schema) & {"boolean"} else PLAIN))
        yield self._case("backwards", Plan(backwards=True))
        for name, members in (("text", {"string"}), ("integer", {"integer"}), ("number", {"number"})):
            pooled = [self._pool(site.schema) for site in self._sites if types_of(site.schema) - {"null"} == members and self._free(site)]
            for number in range(max(map(len, pooled), default=0)):
                yield self._case(f"{name}-{number}", Plan(choose=self._nth(members, number), sizes={}))
        for number in range(max(len(pools.INSTANTS), len(pools.URLS))):
            yield self._case(f"ordinary-{number}", Plan(choose=self._ordinary(number)))

    def _free(self, site: Site) -> bool:
        return "enum" not in site.schema and not strangers(site.schema) and spelling_at(self.contract, self.message_type, site.path) is None

    def _pool(self, schema: Schema) -> list[Any]:
        types = types_of(schema)
        if "string" in types:
            return [*pools.texts(schema.get("minLength", 0), schema.get("maxLength"))]
        if "number" in types:
            low, high = schema.get("minimum", float("-inf")), schema.get("maximum", float("inf"))
            return [*pools.numbers(low, high, decimal=True)] if _simple(schema) else []
        return [*pools.integers(schema.get("minimum", -(1 << 31)), schema.get("maximum", (1 << 31) - 1))] if _simple(schema) else []

    def _nth(self, types: set[str], number: int) -> Choose:
        """The value of this number from every pool of these types, in turn where a pool is shorter."""
        sites = {site.path: self._pool(site.schema) for site in self._sites if types_of(site.schema) - {"null"} == types and self._free(site)}

        def choose(path: str, schema: Schema) -> Any:
            return sites[path][number % len(sites[path])] if sites.get(path) else PLAIN

        return choose

    def _ordinary(self, number: int) -> Choose:
        def choose(path: str, schema: Schema) -> Any:
            detector = spelling_at(self.contract, self.message_type, path)
            ordinary = pools.FOR_DETECTOR[detector] if detector else ()
            return ordinary[number % len(ordinary)] if ordinary else PLAIN

        return choose

    def _sizes(self) -> Iterator[Case | None]:
        """Every array with no item, two and eleven, as far as its bounds allow; nested ones one at a time."""
        arrays = [site for site in self._sites if "array" in types_of(site.schema)]
        for site in arrays:
            for size in SIZES:
                if site.schema.get("minItems", 0) <= size <= site.schema.get("maxItems", size) and not (size == 0 and self._must_hold_items(site)):
                    case = self._case(f"{size}-items-{site.path}", Plan(sizes={site.path: size}))
                    yield case

    def _must_hold_items(self, site: Site) -> bool:
        unconditional = [rule for rule in self.contract.rules[self.message_type] if rule.condition is None]
        return any(rule.site == site.path and rule.keyword == "minItems" for rule in unconditional)

    def _one_at_a_time(self) -> Iterator[Case | None]:
        """Each optional member alone absent, alone null, and alone there beside what is required."""
        for site in self._sites:
            if not site.name:
                continue
            if not site.required:
                yield self._case(f"absent-{site.path}", Plan(choose=_only(site.path, ABSENT)))
                yield self._case(f"alone-{site.path}", Plan(full=False).narrow(towards(site.path)))
            if "null" in types_of(site.schema):
                yield self._case(f"null-{site.path}", Plan(choose=_only(site.path, None)))

    def _spellings(self) -> Iterator[Case | None]:
        """One message in other clothes: white space, escapes, orders."""
        message = build(self.contract, self.message_type, Plan())
        yield self._judged("indented", orjson.dumps(message, option=orjson.OPT_INDENT_2))
        yield self._judged("white-space", b" \r\n\t" + compact(message).replace(b'":', b'"\t: \n').replace(b',"', b' ,\r\n"') + b"\n ")
        yield self._judged("sorted-members", orjson.dumps(message, option=orjson.OPT_SORT_KEYS))
        yield self._judged("escaped-letters", _escaped(compact(message)))
        yield self._judged("escaped-slashes", compact(message).replace(b"/", b"\\/"))


def _null_where_allowed(path: str, schema: Schema) -> Any:
    return None if "null" in types_of(schema) else PLAIN


def _only(path: str, state: Any) -> Choose:
    return lambda there, schema: state if there == path else PLAIN


def _simple(schema: Schema) -> bool:
    return not {"multipleOf", "exclusiveMinimum", "exclusiveMaximum"} & set(schema)


def _escaped(body: bytes) -> bytes:
    """The letters of the first name and of the first text value written as Unicode escapes."""
    pieces = body.split(b'"')
    for index in (1, 3):
        pieces[index] = "".join(f"\\u{ord(letter):04x}" for letter in pieces[index].decode()).encode()
    return b'"'.join(pieces)
