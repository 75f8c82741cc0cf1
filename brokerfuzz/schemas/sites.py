"""Defines the sites of a message type (the possible positions of values), and the rules at these sites."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from brokerfuzz.contract_names import MessageType
from brokerfuzz.pointers import name_at_site, step_of_site
from brokerfuzz.schemas.flattening import CUT_OFF, OTHER_ITEMS, SIMPLE, Schema, composed_keywords_of, conditions_of
from brokerfuzz.wording import counted, with_article

JSON_RULE = "json"
"""The keyword of the rule that requires valid JSON."""
_SOURCE_OF_JSON = "What the service does, JSON messages"
_VALIDATION_RULE = re.compile("validation rule ([0-9]+): (.+)")


Steps = tuple[str | int, ...]
"""The property names and item indexes on the path from the root of a message to a place."""


@dataclass(frozen=True, slots=True)
class Site:
    """A position in a message type. `path` is `""` for the root and, for example, `data[].productId` for a property of
    an array item.

    `schema` is a flat schema (see `flattening`). `required` is True if the surrounding object must contain the
    property.
    """

    path: str
    schema: Schema
    required: bool = False

    @property
    def name(self) -> str:
        """The name of the property. The name is empty for the root and for array items."""
        return "" if self.path.endswith("[]") else name_at_site(self.path)


@dataclass(frozen=True, slots=True)
class Condition:
    """The condition under which a rule applies. If `holds` is True, the rule applies if the object at `site` complies
    with the schema `when`. If `holds` is False, the rule applies if the object does not comply with this schema.
    """

    site: str
    when: Schema = field(hash=False)
    holds: bool
    label: str
    """The part of a rule ID after the `@`, such as `offerType=Product-List`, `not-offerType=Product-List` or `if-2`."""


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule of the contract at a site. `value` is the value of the keyword, such as `1` for `minimum`. `demand` says
    in words what the rule requires.

    >>> from brokerfuzz import rules
    >>> rule = next(rule for rule in rules("offer-creation-request") if rule.keyword == "minimum")
    >>> (rule.id, rule.value)
    ('offer-creation-request/fixedOrderQuantities[]:minimum', -2147483648)
    >>> rule.source
    'Offer creation request, row fixedOrderQuantities'
    """

    message_type: MessageType
    site: str
    keyword: str
    value: Any = field(hash=False)
    demand: str
    condition: Condition | None = None
    source: str | None = field(default=None, compare=False)
    """The part of the contract that states the rule: the `$comment` of the schema at the site. The source is None if
    the schema has no comment.
    """
    validation_rule: int | None = field(default=None, compare=False)
    """The number of the rule in the contract's list of validation rules, if this list states the rule, too."""
    id: str = field(init=False, compare=False)
    """The ID, such as `offer-creation-request/productClusters[].products[].pageCount:minimum`. If the rule has a
    condition, the condition follows after `@`.
    """

    def __post_init__(self) -> None:
        suffix = f"@{self.condition.label}" if self.condition else ""
        object.__setattr__(self, "id", f"{self.message_type}/{self.site}:{self.keyword}{suffix}")


def join(site: str, name: str) -> str:
    """Returns the site of a property of the object at a site."""
    return site_below(site, step_of_site(name))


def site_below(site: str, path: str) -> str:
    """Returns the site at a path below a site, such as `name` in an object, or `[].name` in an array."""
    return f"{site}.{path}" if site and path and not path.startswith("[]") else f"{site}{path}"


def place_below(site: str, other: str) -> str | None:
    """Returns the place of another site below a site: `[].name` for `offers` and `offers[].name`. None if the other
    site is elsewhere.
    """
    if not site or other == site or other.startswith((f"{site}.", f"{site}[")):
        return other.removeprefix(site).removeprefix(".")
    return None


def site_of(steps: Steps) -> str:
    """Returns the site of a place, with `[]` in place of each index."""
    path = ""
    for step in steps:
        path = f"{path}[]" if isinstance(step, int) else join(path, step)
    return path


def sites(schema: Schema, path: str = "", *, required: bool = False) -> Iterator[Site]:
    """Yields the sites of a flat schema in the order of the schema. An object comes before its properties."""
    yield Site(path, schema, required)
    for name, prop in schema.get("properties", {}).items():
        yield from sites(prop, join(path, name), required=name in schema.get("required", ()))
    if "items" in schema:
        yield from sites(schema["items"], path + "[]")


def sites_by_path(schema: Schema) -> Mapping[str, Site]:
    return MappingProxyType({site.path: site for site in sites(schema)})


def derive_rules(message_type: MessageType, schema: Schema) -> list[Rule]:
    """Returns every rule that a flat schema states, in the order of the sites. Conditional rules come last."""
    rules = [Rule(message_type, "", JSON_RULE, True, "valid JSON (RFC 8259)", source=_SOURCE_OF_JSON)]
    rules += _rules_of(message_type, schema, "", None)
    plain = {(rule.site, rule.keyword): rule.value for rule in rules}
    for condition, then in _conditions(schema):
        found = _rules_of(message_type, then, condition.site, condition)
        rules += [rule for rule in found if plain.get((rule.site, rule.keyword)) != rule.value]
    return rules


def _conditions(schema: Schema) -> Iterator[tuple[Condition, Schema]]:
    """Yields each condition with the schema that then applies. Repeated labels end in `-2`, `-3` and so on."""
    labels: list[str] = []
    for site in sites(schema):
        for number, entry in enumerate(conditions_of(site.schema), 1):
            label = _label(entry["if"], number)
            labels.append(label)
            label += f"-{labels.count(label)}" if labels.count(label) > 1 else ""
            if "then" in entry:
                yield Condition(site.path, entry["if"], True, label), entry["then"]
            if "else" in entry:
                yield Condition(site.path, entry["if"], False, f"not-{label}"), entry["else"]


def _rules_of(
    message_type: MessageType, schema: Schema, path: str, condition: Condition | None, comment: str = ""
) -> list[Rule]:
    """`comment` is the `$comment` for schemas without one: items of an array have the source of the array."""
    comment = schema.get("$comment", comment)
    composed = composed_keywords_of(schema)
    keywords = [k for k in schema if (k in SIMPLE or k in composed) and _demands(k, schema)]
    found = []
    for keyword in keywords:
        name, value = "items" if keyword == OTHER_ITEMS else keyword, schema[keyword]
        found.append(Rule(message_type, path, name, value, demand(name, value), condition, *sources_of(comment, name)))
    props = schema.get("properties", {})
    for name in schema.get("required", ()):
        sources = sources_of(props.get(name, {}).get("$comment", comment), "required")
        found.append(Rule(message_type, join(path, name), "required", True, "to be present", condition, *sources))
    for name, prop in props.items():
        found += _rules_of(message_type, prop, join(path, name), condition)
    if "items" in schema:
        found += _rules_of(message_type, schema["items"], path + "[]", condition, comment)
    return found


def sources_of(comment: str, keyword: str) -> tuple[str | None, int | None]:
    """Returns the source of a rule, and the number of the validation rule that states it.

    A comment such as `Price tier, row price; validation rule 8: required` consists of sources, and of the validation
    rule that states the rules of some keywords at the same site.
    """
    parts = comment.split("; ")
    stated = [match for part in parts if (match := _VALIDATION_RULE.fullmatch(part))]
    number = next((int(match[1]) for match in stated if keyword in match[2].split(", ")), None)
    sources = [part for part in parts if part and not _VALIDATION_RULE.fullmatch(part)]
    sources += [f"validation rule {number}"] if number is not None else []
    return "; ".join(sources) or None, number


def _demands(keyword: str, schema: Schema) -> bool:
    value = schema[keyword]
    match keyword:
        case "required":  # this rule is at the site of the required property
            return False
        case keyword if keyword in _OF_CUT_OFF_VALUES and CUT_OFF in schema:
            return False
        case "additionalProperties" | "patternProperties":
            return value not in (True, {})
        case "uniqueItems":
            return value is True
        case "minLength" | "minItems" | "minProperties":
            return bool(value > 0)
        case "contains":  # the validator names only the bounds, if there are any
            return not {"minContains", "maxContains"} & schema.keys()
        case "minContains":
            return "contains" in schema and value > 0
        case "maxContains":
            return "contains" in schema
        case _:
            return True


_OF_CUT_OFF_VALUES = {
    "type", "minItems", "maxItems", "uniqueItems", "contains", "minContains", "maxContains", "minProperties",
    "maxProperties",
}  # fmt: skip
"""The keywords that are no rules where a recursive schema is cut off. The same keywords are rules further outside."""


def _label(when: Schema, number: int) -> str:
    if when.keys() == {"required"} and len(when["required"]) == 1:
        return f"with-{_identifier(when['required'][0])}"
    tests = [(n, m["enum"][0]) for n, m in when.get("properties", {}).items() if len(m.get("enum", ())) == 1]
    simple = len(tests) == 1 == len(when.get("properties", {})) and not composed_keywords_of(when)
    return f"{tests[0][0]}={_identifier(tests[0][1])}" if simple else f"if-{number}"


def _identifier(value: Any) -> str:
    return re.sub(r"[^A-Za-z0-9_.]+", "-", str(value))


def demand(keyword: str, value: Any) -> str:
    """Describes what a rule requires, for example "at least 1". A verdict shows this text after the word "expected"."""
    match keyword:
        case "type":
            names = [value] if isinstance(value, str) else list(value)
            words = (name if name == "null" else with_article(name) for name in names)
            return " or ".join(words) or "nothing (no value is allowed)"
        case "enum":
            return "one of " + ", ".join(repr(item) if not isinstance(item, str) else f"'{item}'" for item in value)
        case "additionalProperties" if value is False:
            return "no properties other than those in the contract"
        case "uniqueItems":
            return "items that all differ"
        case "minLength" | "maxLength":
            return f"{_BOUNDS[keyword]} {counted(value, 'character')}"
        case "minItems" | "maxItems":
            return f"{_BOUNDS[keyword]} {counted(value, 'item')}"
        case _:
            return f"{_BOUNDS[keyword]} {value}" if keyword in _BOUNDS else f"a value that matches {keyword}: {value!r}"


_BOUNDS = {
    "minimum": "at least",
    "maximum": "at most",
    "exclusiveMinimum": "more than",
    "exclusiveMaximum": "less than",
    "multipleOf": "a multiple of",
    "minLength": "at least",
    "maxLength": "at most",
    "minItems": "at least",
    "maxItems": "at most",
}
