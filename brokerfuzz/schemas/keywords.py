"""A table of the keywords of JSON Schema, and how two schemas are merged, keyword by keyword."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import gcd, lcm
from typing import Any, Literal

from brokerfuzz.errors import ContractError
from brokerfuzz.pointers import pointer_of
from brokerfuzz.wording import counted, printable, with_article

Schema = dict[str, Any]
Join = Callable[[Any, Any], Any]
Role = Literal["identity", "annotation", "reference", "structure", "followed", "judged"]
OTHER_ITEMS = "brokerfuzz:items"
"""Replaces `items` in a flat schema with `prefixItems`, because this `items` concerns only the items after them."""
CUT_OFF = "brokerfuzz:cut-off"
"""Marks an array or object whose items or properties would be nested too deeply, because the schema is recursive.
Generated arrays and objects lack them, so no rule says how many there must be.
"""
DEEPER: Schema = {"brokerfuzz:deeper": True}
"""Stands for a schema that is nested too deeply, because it is recursive."""
JSON_TYPES = ("null", "boolean", "integer", "number", "string", "array", "object")
_MOST_BRANCHES = 500
_LONGEST_WORDS = 60
_LONGEST_PATTERN = 300


@dataclass(frozen=True)
class Keyword:
    """A keyword. The generator knows how to comply with one that is `followed`; of others, a validator judges values.

    - `join` merges two values of the keyword. Without it, a validator judges two different values.
    - `inside`: the keyword contains a schema, a list of schemas, or schemas by name.
    - `json_type`: the type of the values that the keyword concerns, if they have items or properties.
    - `words` say what it demands. They follow "must have" if there is a `unit`, or with `has`, otherwise "must be".
    - `demands` says whether a value of the keyword is a rule. If `is_cut_off`, it is none where a recursive schema is
      cut off, because it is a rule further outside.
    - `largest`: the largest value in a contract, because brokerfuzz generates messages at the bounds and beyond them.
    """

    name: str
    role: Role
    join: Join | None = None
    inside: Literal["", "schema", "list", "names"] = ""
    json_type: str = ""
    words: str | Callable[[Any], str] = ""
    unit: str = ""
    has: bool = False
    demands: Callable[[Any, Schema], bool] = lambda value, schema: value is not True
    is_cut_off: bool = False
    largest: int | None = None

    @property
    def verb(self) -> str:
        return "have" if self.has or self.unit else "be"

    def demand(self, value: Any) -> str:
        """Describes what a rule requires, for example "at least 1". A verdict shows this after the word "expected"."""
        if callable(self.words):
            return self.words(value)
        if self.unit:
            return f"{self.words} {counted(value, self.unit)}"
        return f"{self.words} {value}" if self.words else _matching(self.name, value)


_written = json.JSONEncoder(ensure_ascii=False).encode


def _matching(keyword: str, value: Any) -> str:
    text = value if isinstance(value, str) else _written(value)
    shown = f": {printable(text)}" if len(text) <= _LONGEST_WORDS else " of the schema"
    return f"a value that matches {keyword}{shown}"


def _is_positive(value: Any, schema: Schema) -> bool:
    return bool(value > 0)


# ---------------------------------------------------------------------------------------------------------- merging


def conjoin(left: Schema, right: Schema) -> Schema:
    """Merges two flat schemas into one that has the requirements of both.

    If the two schemas have different descriptions, the result has the description of the left schema.
    """
    if left is DEEPER or right is DEEPER:
        return DEEPER
    if any(_is_apart(keyword, left, right) for keyword in right):
        return {**left, "anyOf": _each_with_each(left.get("anyOf", [{}]), [right])}
    joined = dict(left)
    for keyword, value in right.items():
        definition = KEYWORDS.get(keyword)
        if keyword not in joined:
            joined[keyword] = value
        elif definition is not None and definition.join is not None:
            joined[keyword] = definition.join(joined[keyword], value)
    return _without_forbidden_properties(joined, left, right)


def _is_apart(keyword: str, left: Schema, right: Schema) -> bool:
    """Returns whether a keyword of two schemas cannot be merged."""
    conflicting = {"items": ("prefixItems",), "prefixItems": ("items", "prefixItems")}.get(keyword, ())
    if any(other in left for other in conflicting):
        return True
    if keyword not in left or keyword not in JUDGED:
        return False
    if keyword == "pattern":  # the validator would not compile a longer pattern
        return len(left[keyword]) + len(right[keyword]) > _LONGEST_PATTERN
    return KEYWORDS[keyword].join is None and not is_same(left[keyword], right[keyword])


def _without_forbidden_properties(joined: Schema, left: Schema, right: Schema) -> Schema:
    """If one schema describes only by `additionalProperties` what the other schema names, both are merged. If the first
    one has `additionalProperties: false`, the properties are removed.
    """
    changed: dict[str, Schema | None] = {}
    for schema, other in ((left, right), (right, left)):
        more: Any = schema.get("additionalProperties", True)
        if more is True or "patternProperties" in schema:
            continue
        for name in other.get("properties", {}).keys() - schema.get("properties", {}).keys():
            changed[name] = conjoin(joined["properties"][name], more) if isinstance(more, dict) else None
    if changed:
        properties = {name: changed.get(name, prop) for name, prop in joined["properties"].items()}
        joined["properties"] = {name: prop for name, prop in properties.items() if prop is not None}
    return joined


def _type(left: str | list[str], right: str | list[str]) -> list[str]:
    left_types, right_types = _named_types(left), _named_types(right)
    both = left_types & right_types
    if ("integer" in left_types and "number" in right_types) or ("number" in left_types and "integer" in right_types):
        both.add("integer")
    return [name for name in JSON_TYPES if name in both]


def _named_types(value: str | list[str]) -> set[str]:
    return {value} if isinstance(value, str) else set(value)


def _properties(left: Mapping[str, Schema], right: Mapping[str, Schema]) -> dict[str, Schema]:
    return {
        name: conjoin(left[name], right[name])
        if name in left and name in right
        else left.get(name, right.get(name, {}))
        for name in [*left, *(name for name in right if name not in left)]
    }


def _schemas(left: Any, right: Any) -> Any:
    if isinstance(left, bool):
        return right if left else False
    if isinstance(right, bool):
        return left if right else False
    return conjoin(left, right)


def _each_with_each(left: Iterable[Schema], right: Sequence[Schema]) -> list[Schema]:
    """Returns the branches of one `anyOf` (or `oneOf`) that means the same as two."""
    left = [*left]
    if len(left) * len(right) > _MOST_BRANCHES:
        raise ContractError(
            f"anyOf and oneOf with {len(left)} and {len(right)} branches are combined, and the limit is "
            f"{_MOST_BRANCHES} combinations: use fewer branches"
        )
    return [conjoin(branch, other) for branch in left for other in right]


def is_among(value: Any, values: Iterable[Any]) -> bool:
    return any(is_same(value, other) for other in values)


def is_same(left: Any, right: Any) -> bool:
    """Returns whether two JSON values are equal. The number 1 equals 1.0, but does not equal true."""
    if isinstance(left, bool) or isinstance(right, bool):
        return left is right
    if isinstance(left, dict) and isinstance(right, dict):
        return left.keys() == right.keys() and all(is_same(left[name], right[name]) for name in left)
    if isinstance(left, list) and isinstance(right, list):
        return len(left) == len(right) and all(map(is_same, left, right))
    return bool(left == right)


def common_multiple(left: float, right: float) -> float:
    fraction, other = Fraction(str(left)), Fraction(str(right))
    multiple = Fraction(lcm(fraction.numerator, other.numerator), gcd(fraction.denominator, other.denominator))
    return multiple.numerator if multiple.denominator == 1 else float(multiple)


def subschemas(schema: Any, steps: tuple[str | int, ...] = ()) -> Iterator[tuple[str, Schema]]:
    """Yields the JSON Pointer of each schema in a schema, and the schema."""
    if not isinstance(schema, dict):
        return
    yield pointer_of(steps), schema
    for name, value in schema.items():
        inside = KEYWORDS[name].inside if name in KEYWORDS else ""
        if inside == "schema":
            yield from subschemas(value, (*steps, name))
        elif inside == "list" and isinstance(value, list):
            for number, part in enumerate(value):
                yield from subschemas(part, (*steps, name, number))
        elif inside == "names" and isinstance(value, dict):
            for key, part in value.items():
                yield from subschemas(part, (*steps, name, key))


# ------------------------------------------------------------------------------------------------------- the table


def _types(value: str | list[str]) -> str:
    names = [value] if isinstance(value, str) else value
    words = (name if name == "null" else with_article(name) for name in names)
    return " or ".join(words) or "nothing (no value is allowed)"


def _one_of(values: Iterable[Any]) -> str:
    return f"one of {', '.join(map(_written, values))}"


def _other_properties(value: Any) -> str:
    only_known = "no properties other than those in the contract"
    return only_known if value is False else _matching("additionalProperties", value)


def _both_patterns(left: str, right: str) -> str:
    return left if left == right else f"(?=[\\s\\S]*?(?:{left}))(?=[\\s\\S]*?(?:{right}))"


_IDENTITY = ("$schema", "$id", "$anchor", "$dynamicAnchor")
_ANNOTATIONS = (
    "$vocabulary", "title", "description", "default", "examples", "deprecated", "readOnly", "writeOnly",
    "contentEncoding", "contentMediaType", "contentSchema",
)  # fmt: skip
_TABLE = (
    *(Keyword(name, "identity") for name in _IDENTITY),
    *(Keyword(name, "identity", inside="names") for name in ("$defs", "definitions")),
    *(Keyword(name, "annotation") for name in _ANNOTATIONS),
    Keyword("$comment", "annotation", lambda left, right: f"{left}; {right}"),
    *(Keyword(name, "reference") for name in ("$ref", "$dynamicRef")),
    Keyword("properties", "structure", _properties, "names", "object"),
    Keyword("items", "structure", conjoin, "schema", "array"),
    Keyword("allOf", "structure", lambda left, right: [*left, *right], "list"),
    *(Keyword(name, "structure", inside="schema") for name in ("if", "then", "else")),
    Keyword("dependentRequired", "structure"),
    Keyword("dependentSchemas", "structure", inside="names"),
    Keyword("type", "followed", _type, words=_types, is_cut_off=True),
    Keyword("enum", "followed", lambda left, right: [value for value in left if is_among(value, right)], words=_one_of),
    Keyword("const", "followed"),
    Keyword(
        "minLength", "followed", max, words="at least", unit="character", demands=_is_positive, largest=10_000
    ),
    Keyword("maxLength", "followed", min, words="at most", unit="character", largest=1_000_000),
    Keyword("minimum", "followed", max, words="at least"),
    Keyword("maximum", "followed", min, words="at most"),
    Keyword("exclusiveMinimum", "followed", max, words="more than"),
    Keyword("exclusiveMaximum", "followed", min, words="less than"),
    Keyword("multipleOf", "followed", common_multiple, words="a multiple of"),
    Keyword(
        "minItems", "followed", max, json_type="array", words="at least", unit="item", demands=_is_positive,
        is_cut_off=True, largest=100,
    ),
    Keyword(
        "maxItems", "followed", min, json_type="array", words="at most", unit="item", is_cut_off=True,
        largest=10_000,
    ),
    Keyword(
        "uniqueItems", "followed", lambda left, right: left or right, json_type="array",
        words=lambda value: "items that all differ", has=True, demands=lambda value, schema: value is True,
        is_cut_off=True,
    ),
    Keyword(  # its rules are at the sites of the required properties
        "required", "followed", lambda left, right: list(dict.fromkeys([*left, *right])), json_type="object",
        demands=lambda value, schema: False,
    ),
    Keyword(
        "additionalProperties", "judged", _schemas, "schema", "object", words=_other_properties, has=True,
        demands=lambda value, schema: value not in (True, {}),
    ),
    Keyword("pattern", "judged", _both_patterns),
    Keyword("format", "judged"),
    Keyword(
        "minProperties", "judged", max, json_type="object", demands=_is_positive, is_cut_off=True, largest=100
    ),
    Keyword("maxProperties", "judged", min, json_type="object", is_cut_off=True, largest=10_000),
    Keyword(
        "patternProperties", "judged", _properties, "names", "object",
        demands=lambda value, schema: value != {},
    ),
    Keyword("propertyNames", "judged", _schemas, "schema", "object"),
    Keyword("unevaluatedProperties", "judged", None, "schema", "object"),
    Keyword("prefixItems", "judged", None, "list", "array"),
    Keyword(OTHER_ITEMS, "judged", None, "schema"),
    Keyword(  # the validator names only the bounds, if there are any
        "contains", "judged", None, "schema", "array", is_cut_off=True,
        demands=lambda value, schema: not {"minContains", "maxContains"} & schema.keys(),
    ),
    Keyword(
        "minContains", "judged", is_cut_off=True, largest=100,
        demands=lambda value, schema: "contains" in schema and value > 0,
    ),
    Keyword("maxContains", "judged", is_cut_off=True, demands=lambda value, schema: "contains" in schema),
    Keyword("unevaluatedItems", "judged", None, "schema", "array"),
    Keyword("anyOf", "judged", _each_with_each, "list"),
    Keyword("oneOf", "judged", _each_with_each, "list"),
    Keyword("not", "judged", lambda left, right: {"anyOf": [left, right]}, "schema"),
)  # fmt: skip
KEYWORDS: Mapping[str, Keyword] = {keyword.name: keyword for keyword in _TABLE}
JUDGED = frozenset(keyword.name for keyword in _TABLE if keyword.role == "judged")
"""The keywords that the generator does not follow. The schemas in them are no sites: each of them is one rule."""
