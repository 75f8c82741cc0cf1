"""Generates valid cases with edges: unusual values and notations that the contract allows, but that strict programs may
reject.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cached_property
from typing import Any

import orjson

from brokerfuzz.cases.case import Case, compact
from brokerfuzz.cases.covering.edges import Edges, edges
from brokerfuzz.cases.covering.goals import edges_of
from brokerfuzz.cases.fault_wishes import joined, wishes_at
from brokerfuzz.generation import COMPLETE, REQUIRED, SETTINGS, SMALLEST, Setting, Wish, Wishes, message
from brokerfuzz.generation.site_questions import plain_values_at, questions_at
from brokerfuzz.schemas import Contract, MessageType, Site
from brokerfuzz.schemas.flattening import KNOWN, composed_keywords_of, types_of
from brokerfuzz.schemas.validation import matches

_TEXT, _NUMBER = "@@0@@", 90000.25
"""Placeholders, which a literal replaces in the bytes of a message."""
_STATES: Wishes = {"absent": Wish(state="absent"), "null": Wish(state="null")}


@dataclass(frozen=True)
class ValidCases:
    contract: Contract
    message_type: MessageType
    now: datetime | None

    # ------------------------------------------------------------------------------------------- for both scopes

    def of_message(self) -> Iterator[Case]:
        """Yields the complete and the smallest message, and all ways to write a message."""
        complete, smallest = self._message(COMPLETE), self._message(SMALLEST)
        yield from self._valid(compact(complete), "complete")
        yield from self._valid(compact(smallest), "only-required")
        for name, rewrite in REWRITINGS.items():
            messages = (smallest, self._message(replace(COMPLETE, name=name)))
            bodies = [body for body in map(compact, messages) if rewrite(body) != body]
            yield from self._valid(rewrite(bodies[0]), name) if bodies else ()
        yield from self._literals("string", TEXT_LITERALS, _TEXT)
        yield from self._literals("number", NUMBER_LITERALS, _NUMBER)

    def of_site(self, site: Site, shown: Iterable[str] = ()) -> Iterator[Case]:
        """Yields a case for each edge of the site, except those in `shown` and those of an earlier case."""
        seen = {*shown}
        for edge in self._edges.at(site):
            case = None if edge in seen else self._case_with(site, edge)
            if case is not None:
                seen |= self._edges_in(case.value, site)
                yield case

    def _message(self, setting: Setting, *wishes: Wishes) -> Any:
        return message(self.contract, self.message_type, setting, joined(*wishes))

    def _valid(self, body: bytes, edge: str) -> Iterator[Case]:
        case = Case.judged(self.message_type, body, tags=(f"edge:{edge}",), now=self.now, contract=self.contract)
        if case.label == "valid":
            yield case

    def _literals(self, json_type: str, literals: Sequence[str], placeholder: Any) -> Iterator[Case]:
        free = self._free_sites(json_type)
        if not free:
            return
        path = min(free, key=lambda path: not self._sites[path].required)
        body = compact(self._message(SMALLEST, self._at(path), {path: Wish(options=[placeholder])}))
        for number, literal in enumerate(literals):
            yield from self._valid(
                body.replace(compact(placeholder), literal.encode()), f"spelled-{json_type}-{number}"
            )

    def _free_sites(self, json_type: str) -> list[str]:
        """Returns the sites where every value of the type `json_type` is valid and touches no ambiguity."""
        return [
            path
            for path, site in self._sites.items()
            if types_of(site.schema) - {"null"} == {json_type} and self._is_free(site)
        ]

    def _is_free(self, site: Site) -> bool:
        bound = {"enum", KNOWN, "minimum", "exclusiveMinimum", "multipleOf", "maxLength"} & set(site.schema)
        return (
            not bound
            and not composed_keywords_of(site.schema)
            and not questions_at(self.contract, self.message_type, site.path)
            and plain_values_at(self.contract, self.message_type, site.path) is None
        )

    @property
    def _sites(self) -> Mapping[str, Site]:
        return self.contract.sites[self.message_type]

    @cached_property
    def _edges(self) -> Edges:
        return edges(self.contract, self.message_type)

    def _at(self, path: str) -> Wishes:
        return wishes_at(self.contract, self.message_type, path)

    # --------------------------------------------------------------------------------------------- one edge at a site

    def _case_with(self, site: Site, edge: str) -> Case | None:
        tag = ":".join(filter(None, (site.path, edge)))
        for candidate in self._candidates(site, edge):
            if edge in self._edges_in(candidate, site) and (case := next(self._valid(compact(candidate), tag), None)):
                return case
        return None

    def _edges_in(self, message: Any, site: Site) -> set[str]:
        """Returns the names of the edges that a message has at a site."""
        places = site.places(message)
        return {name for _, value in places for name in self._edges.of(site.path, value)} if places else {"absent"}

    def _candidates(self, site: Site, edge: str) -> Iterator[Any]:
        """Yields messages that may have the edge, the smallest first. The generator may replace a value that
        contradicts another property, so the caller must check each message.
        """
        there = self._at(site.path)
        for setting, more in self._settings:
            yield from (self._message(setting, there, more, wishes) for wishes in self._wishes(site, edge))

    @cached_property
    def _settings(self) -> Sequence[tuple[Setting, Wishes]]:
        """The messages around an edge, the smallest first. Some edges need null: only failed responses, without data,
        have failure messages. In the last two messages, array items have different values.
        """
        required = [prop for prop in self._sites[""].properties.values() if prop.required]
        nulls = [{prop.path: _STATES["null"]} for prop in required if "null" in types_of(prop.schema)]
        return [(SMALLEST, {}), *((SMALLEST, wishes) for wishes in nulls), (REQUIRED, {}), (COMPLETE, {})]

    def _wishes(self, site: Site, edge: str) -> Iterator[Wishes]:
        types = types_of(site.schema) - {"null"}
        if edge in _STATES:
            yield {site.path: _STATES[edge]}
        elif types == {"object"}:
            yield from self._properties(site, edge)
        elif types == {"array"}:
            size = int(edge.removesuffix("-items"))
            sized = {site.path: Wish(least=size, most=size)}
            yield sized
            for prop in site.items.properties.values() if site.items else ():  # equal items may be an ambiguity
                yield {**sized, prop.path: Wish()}
        else:
            for value in self._values(site, edge):
                yield {site.path: Wish(options=[value])}
                yield self._everywhere(value)

    def _properties(self, site: Site, edge: str) -> Iterator[Wishes]:
        optional = [prop.path for prop in site.properties.values() if not prop.required]
        if edge == "one-more":
            yield from ({path: Wish()} for path in optional)
        else:
            yield {path: Wish() for path in optional if edge == "every-property"}

    def _values(self, site: Site, edge: str) -> Sequence[Any]:
        if "enum" in site.schema or "boolean" in types_of(site.schema):
            return self._edges.listed(site.path).get(edge, ())
        return [value for value in self._edges.values(site.path) if edge in self._edges.of(site.path, value)]

    def _everywhere(self, value: Any) -> Wishes:
        """All numbers of the message get this value, so that a number that must be a sum is correct."""
        numbers = {
            path: site.schema for path, site in self._sites.items() if types_of(site.schema) & {"integer", "number"}
        }
        return {path: Wish(options=[value]) for path, schema in numbers.items() if matches(schema, value)}

    # -------------------------------------------------------------------------------------------- for the catalogue

    def packed(self) -> Iterator[Case]:
        """Yields messages that have many edges: all values null, all properties in reverse order, or all values at an
        edge.
        """
        for setting in SETTINGS[1:]:
            yield from self._valid(compact(self._message(setting)), setting.name)
        for number in range(max((len(self._edges.values(path)) for path in self._sites), default=0)):
            setting = Setting(f"values-{number}", edge=number)
            yield from self._valid(compact(self._message(setting)), setting.name)

    def others(self, cases: Iterable[Case]) -> Iterator[Case]:
        """Yields cases with the edges that are in none of these cases."""
        shown: dict[str, set[str]] = {}
        for case in cases:
            for goal in edges_of(self.contract, self.message_type, case.value):
                shown.setdefault(goal.site, set()).add(goal.name)
        for path, site in self._sites.items():
            yield from self.of_site(site, shown.get(path, ()))


# -------------------------------------------------------------------------------------- other ways to write a message


def _last_first(body: bytes) -> bytes:
    message = orjson.loads(body)
    properties = list(message.items()) if isinstance(message, dict) else []
    return compact(dict([*properties[-1:], *properties[:-1]])) if properties else body


def _within_texts(change: Callable[[str], str]) -> Callable[[bytes], bytes]:
    """Returns a function that changes the first two strings: usually the name of a property and its value."""

    def rewrite(body: bytes) -> bytes:
        pieces = body.split(b'"')
        for index in range(1, min(len(pieces), 4), 2):
            pieces[index] = change(pieces[index].decode()).encode()
        return b'"'.join(pieces)

    return rewrite


def _white_space(body: bytes) -> bytes:
    return b" \r\n\t" + body.replace(b'":', b'"\t: \n').replace(b',"', b' ,\r\n"') + b"\n "


REWRITINGS: Mapping[str, Callable[[bytes], bytes]] = {
    "sorted-properties": lambda body: orjson.dumps(orjson.loads(body), option=orjson.OPT_SORT_KEYS),
    "last-property-first": _last_first,
    "indented": lambda body: orjson.dumps(orjson.loads(body), option=orjson.OPT_INDENT_2),
    "white-space": _white_space,
    "newline-behind": lambda body: body + b"\n",
    "escaped-letters": _within_texts(lambda text: "".join(f"\\u{ord(letter):04x}" for letter in text)),
    "escaped-letters-in-capitals": _within_texts(lambda text: "".join(f"\\u{ord(letter):04X}" for letter in text)),
    "escaped-first-letter": _within_texts(lambda text: f"\\u{ord(text[0]):04x}{text[1:]}" if text else ""),
    "escaped-slashes": lambda body: body.replace(b"/", b"\\/"),
}
"""Functions that change the bytes of a message, but not the meaning of the message."""
TEXT_LITERALS: Sequence[str] = [
    f'"{text}"' for text in (
        r"\"\\\/\b\f\n\r\t", r"\u002c\u0022\u005C", r"\u0012\u001f", r"\u00A0\u00e9", r"\u0123\u0821\uA66D\ua66d",
        r"\\u0000", r"\\a\\n",
        "/* no comment */", "// nor this", r"\ud83e\uddea", r"\uD834\uDD1E\ud834\udd1e", r"\uDBFF\uDFFF",
        r"\uFFFE\uFDD0", r"\uD83F\uDFFE",
        "\uffff", "\U0010ffff", "\x7f", "\u2028\u2029", "\u03c0\u20ac\U0001d11e", r"\u200B\u2064", "[1,2]", "{}",
        "\ufffd",
    )
]  # fmt: skip
"""Strings in JSON notation that RFC 8259 allows: with escapes, with Unicode noncharacters, or with text that looks like
code.
"""
NUMBER_LITERALS: Sequence[str] = (
    "0e1", "0e+1", "0E-1", "-0", "-0.0", "0e999", "1E22", "1E+2", "1E-2", "1e2", "123e45", "123.456e78", "1.0e+28",
    "-1.0e+28",
    "100000000000000000000", "1.50",
)  # fmt: skip
"""Numbers in notations that RFC 8259 allows."""
