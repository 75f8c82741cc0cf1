"""Generates valid cases with edges: unusual values and notations that the contract allows, but that strict programs may reject.

One message contains many edges: for example, all strings are empty. If a target rejects the message, brokerfuzz shrinks the message
and so finds the edge that causes the rejection.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import orjson

from brokerfuzz.cases.case import Case, compact, confirmed
from brokerfuzz.cases.changes import places, value_at
from brokerfuzz.cases.covering.edges import SIZES, edges
from brokerfuzz.cases.fault_variations import null_where_allowed
from brokerfuzz.cases.message_builder import ABSENT, PLAIN, Choose, MessagePlan, build, schema_requiring, schema_with_place
from brokerfuzz.decoder.ambiguity_sites import ambiguities_by_site, detectors_at
from brokerfuzz.schemas import Contract, MessageType, Site
from brokerfuzz.schemas.flattening import KNOWN, Schema, types_of, unsupported_keywords_of
from brokerfuzz.schemas.sites import join


@dataclass(frozen=True)
class EdgeMaker:
    """Generates the valid cases with edges for the catalogue of a message type."""

    contract: Contract
    message_type: MessageType
    now: datetime

    def every(self) -> Iterator[Case]:
        return (case for case in self._all() if case is not None)

    def _all(self) -> Iterator[Case | None]:
        yield self._case("complete", MessagePlan())
        yield self._case("only-required", MessagePlan(full=False))
        yield from self._packed()
        yield from self._sizes()
        yield from self._bare_objects()
        yield from self._enum_values()
        yield from self._one_at_a_time()
        yield from self._nulls_in_later_items()
        yield from self._spellings()

    def _case(self, edge: str, plan: MessagePlan) -> Case | None:
        return self._judged(edge, compact(build(self.contract, self.message_type, plan)))

    def _judged(self, edge: str, body: bytes) -> Case | None:
        return confirmed(self.message_type, body, claim="valid", tags=(f"edge:{edge}",), now=self.now, contract=self.contract)

    @property
    def _sites(self) -> list[Site]:
        return list(self.contract.sites[self.message_type].values())

    def _packed(self) -> Iterator[Case | None]:
        """Yields messages that have many edges: all values null, all booleans false, all properties in reverse order, or all values
        at an edge.
        """
        yield self._case("all-null", MessagePlan(choose=null_where_allowed))
        yield self._case("all-false", MessagePlan(choose=lambda path, schema: False if types_of(schema) & {"boolean"} else PLAIN))
        yield self._case("backwards", MessagePlan(backwards=True))
        pools = {site.path: self._values(site) for site in self._sites}
        for schema in self._schemas():
            for number in range(max(map(len, pools.values()), default=0)):
                yield self._case(f"values-{number}", MessagePlan(choose=self._nth(pools, number), narrowed=schema))

    def _schemas(self) -> list[Schema]:
        """Returns schemas for messages. Together, these messages contain every site.

        Each schema after the first requires a site that the earlier messages lack. If two properties are the minimum and the
        maximum of the numbers in an array, one more schema sets both properties to null, so that the array can contain any number.
        """
        unlimited = [
            schema_requiring(path, {"properties": {name: {"type": ["null"]} for name in names[1:]}})
            for path, asked in ambiguities_by_site(self.contract, self.message_type).items()
            for detector, names in asked
            if detector == "within_range"
        ]
        schemas: list[Schema] = [{}]
        lacking = list(self.contract.sites[self.message_type])
        while lacking:
            message = build(self.contract, self.message_type, MessagePlan(narrowed=schemas[-1]))
            left = [path for path in lacking if not places(message, path)]
            if left == lacking:  # no message can contain the first of these sites
                left = left[1:]
                schemas.pop()
            lacking = left
            if lacking:
                schemas.append(schema_with_place(self.contract, self.message_type, lacking[0]))
        return [*schemas, *unlimited]

    def _values(self, site: Site) -> list[Any]:
        if "enum" in site.schema:
            return list(site.schema["enum"])
        scalar = types_of(site.schema) & {"string", "integer", "number", "boolean"}
        return list(edges(self.contract, self.message_type).values(site.path)) if scalar and not unsupported_keywords_of(site.schema) else []

    def _nth(self, pools: Mapping[str, list[Any]], number: int) -> Choose:
        """Returns a function that chooses the value at the index `number` in each property's pool. If one time must be later than
        another, the function chooses the next value for the later time.
        """
        later = {
            join(path, names[1])
            for path, asked in ambiguities_by_site(self.contract, self.message_type).items()
            for detector, names in asked
            if detector == "ordered_instants"
        }

        def choose(path: str, schema: Schema) -> Any:
            return pools[path][(number + (path in later)) % len(pools[path])] if pools.get(path) else PLAIN

        return choose

    def _sizes(self) -> Iterator[Case | None]:
        """Yields messages for each nesting depth and each size: in a message, all arrays at this depth have 0, 2, 11 or 100 items."""
        arrays = [site for site in self._sites if "array" in types_of(site.schema)]
        for depth in sorted({site.path.count("[]") for site in arrays}):
            for size in SIZES:
                level = [s for s in arrays if s.path.count("[]") == depth and s.schema.get("minItems", 0) <= size <= s.schema.get("maxItems", size)]
                if level and size != 1:
                    sizes = {site.path: size for site in level}
                    for schema in self._schemas() if size else [{}]:
                        yield self._case(f"{size}-items-{depth}-deep", MessagePlan(sizes=sizes, narrowed=schema))

    def _bare_objects(self) -> Iterator[Case | None]:
        """Yields messages in which all objects at one depth have only their required properties."""
        sites = self.contract.sites[self.message_type]
        for depth in sorted({path.count(".") for path, site in sites.items() if site.name}):
            yield self._case(f"only-required-{depth}-deep", MessagePlan(choose=_without_optional(sites, depth)))

    def _enum_values(self) -> Iterator[Case | None]:
        """Yields each value of each enumeration twice: in a complete message, and in a message with only the required properties."""
        for site in self._sites:
            for value in site.schema.get("enum", ()):
                for full, name in ((True, "complete"), (False, "bare")):
                    leaf = schema_requiring(site.path, {"enum": [value]})
                    yield self._case(f"{name}-{site.path}={value}", MessagePlan(full=full).narrow(leaf))

    def _one_at_a_time(self) -> Iterator[Case | None]:
        """Yields up to three messages for each property: without the property, with no other optional property, and with null as
        the property's value.
        """
        for site in self._sites:
            if not site.name:
                continue
            if not site.required:
                yield self._case(f"absent-{site.path}", MessagePlan(choose=_only(site.path, ABSENT)))
                yield self._case(f"alone-{site.path}", MessagePlan(full=False).narrow(schema_requiring(site.path)))
            if "null" in types_of(site.schema):
                yield self._case(f"null-{site.path}", MessagePlan(choose=_only(site.path, None)))

    def _nulls_in_later_items(self) -> Iterator[Case | None]:
        """Yields messages in which the second, the third or the eleventh item of an array is an object with as many nulls as possible."""
        for site in self._sites:
            props = site.schema.get("items", {}).get("properties", {})
            nullable = [name for name, schema in props.items() if "null" in types_of(schema)]
            for index in (1, 2, 10) if nullable else ():
                message = build(self.contract, self.message_type, MessagePlan().narrow(_with_items(site.path, index + 1)))
                found = places(message, site.path)
                items = value_at(message, found[0]) if found else None
                if isinstance(items, list) and len(items) > index and isinstance(items[index], dict):
                    items[index].update(dict.fromkeys(nullable))
                    case = Case.judged(
                        self.message_type,
                        compact(message),
                        tags=(f"edge:nulls-in-item-{index + 1}-{site.path}",),
                        now=self.now,
                        contract=self.contract,
                    )
                    yield case if case.label == "valid" else None

    def _spellings(self) -> Iterator[Case | None]:
        message = build(self.contract, self.message_type, MessagePlan())
        for name, spell in SPELLINGS.items():
            yield self._judged(name, spell(compact(message)))
        yield from self._literals("string", TEXT_LITERALS, lambda number: f"@@{number}@@")
        yield from self._literals("number", NUMBER_LITERALS, lambda number: 90000.25 + number)

    def _literals(self, json_type: str, literals: Sequence[str], placeholder: Callable[[int], Any]) -> Iterator[Case | None]:
        """Yields messages that together contain all `literals`, each at a different property. `placeholder` creates a unique
        value for each of these properties. In the finished message, a literal replaces this value.
        """
        fits = self.free_sites(json_type)
        for start in range(0, len(literals), len(fits) or len(literals)):
            some = dict(zip(fits, literals[start:], strict=False))
            placeholders = {path: placeholder(number) for number, path in enumerate(some)}
            body = compact(build(self.contract, self.message_type, MessagePlan(choose=_chosen(placeholders))))
            for path, literal in some.items():
                body = body.replace(compact(placeholders[path]), literal.encode())
            yield self._judged(f"spelled-{json_type}s-{start}", body)

    def free_sites(self, json_type: str) -> list[str]:
        """Returns the paths of the sites where every value of the type `json_type` is valid and touches no ambiguity."""
        return [site.path for site in self._sites if types_of(site.schema) - {"null"} == {json_type} and self._is_free(site)]

    def _is_free(self, site: Site) -> bool:
        bound = {"enum", KNOWN, "minimum", "exclusiveMinimum", "multipleOf", "maxLength"} & set(site.schema)
        return not bound and not unsupported_keywords_of(site.schema) and not detectors_at(self.contract, self.message_type, site.path)


def _last_first(body: bytes) -> bytes:
    *first, last = orjson.loads(body).items()
    return compact(dict([last, *first]))


def _with_items(path: str, size: int) -> Schema:
    return schema_requiring(path, {"minItems": size})


def _without_optional(sites: Mapping[str, Site], depth: int) -> Choose:
    return lambda path, schema: ABSENT if path.count(".") == depth and sites[path].name and not sites[path].required else PLAIN


def _only(path: str, state: Any) -> Choose:
    return lambda there, schema: state if there == path else PLAIN


def _within_texts(change: Callable[[str], str]) -> Callable[[bytes], bytes]:
    """Returns a function that applies `change` to the first property name and to the first string of a message."""

    def rewrite(body: bytes) -> bytes:
        pieces = body.split(b'"')
        for index in (1, 3):
            pieces[index] = change(pieces[index].decode()).encode()
        return b'"'.join(pieces)

    return rewrite


def _white_space(body: bytes) -> bytes:
    return b" \r\n\t" + body.replace(b'":', b'"\t: \n').replace(b',"', b' ,\r\n"') + b"\n "


def _chosen(values: Mapping[str, Any]) -> Choose:
    return lambda path, schema: values.get(path, PLAIN)


SPELLINGS: Mapping[str, Callable[[bytes], bytes]] = {
    "sorted-properties": lambda body: orjson.dumps(orjson.loads(body), option=orjson.OPT_SORT_KEYS),
    "last-property-first": _last_first,
    "indented": lambda body: orjson.dumps(orjson.loads(body), option=orjson.OPT_INDENT_2),
    "white-space": _white_space,
    "newline-behind": lambda body: body + b"\n",
    "escaped-letters": _within_texts(lambda text: "".join(f"\\u{ord(letter):04x}" for letter in text)),
    "escaped-letters-in-capitals": _within_texts(lambda text: "".join(f"\\u{ord(letter):04X}" for letter in text)),
    "escaped-first-letter": _within_texts(lambda text: f"\\u{ord(text[0]):04x}{text[1:]}"),
    "escaped-slashes": lambda body: body.replace(b"/", b"\\/"),
}
"""Functions that change the bytes of a message, but not the meaning of the message."""
TEXT_LITERALS: Sequence[str] = [
    f'"{text}"' for text in (
        r"\"\\\/\b\f\n\r\t", r"\u002c\u0022\u005C", r"\u0012\u001f", r"\u00A0\u00e9", r"\u0123\u0821\uA66D\ua66d", r"\\u0000", r"\\a\\n",
        "/* no comment */", "// nor this", r"\ud83e\uddea", r"\uD834\uDD1E\ud834\udd1e", r"\uDBFF\uDFFF", r"\uFFFE\uFDD0", r"\uD83F\uDFFE",
        "\uffff", "\U0010ffff", "\x7f", "\u2028\u2029", "\u03c0\u20ac\U0001d11e", r"\u200B\u2064", "[1,2]", "{}", "\ufffd",
    )
]  # fmt: skip
"""Strings in JSON notation that RFC 8259 allows: with escapes, with Unicode noncharacters, or with text that looks like code."""
NUMBER_LITERALS: Sequence[str] = (
    "0e1", "0e+1", "0E-1", "-0", "-0.0", "0e999", "1E22", "1E+2", "1E-2", "1e2", "123e45", "123.456e78", "1.0e+28", "-1.0e+28",
    "100000000000000000000", "1.50",
)  # fmt: skip
"""Numbers in notations that RFC 8259 allows."""
