"""Defines the rules of a contract and their IDs, and derives them from flat schemas."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any, NamedTuple

from brokerfuzz.contract_names import MessageType
from brokerfuzz.pointers import path_below
from brokerfuzz.schemas.flattening import composed_keywords_of, conditions_of
from brokerfuzz.schemas.keywords import CUT_OFF, KEYWORDS, OTHER_ITEMS, Schema
from brokerfuzz.schemas.sites import Site

JSON_RULE = "json"
"""The keyword of the rule that requires valid JSON."""
_SOURCE_OF_JSON = "What the service does, JSON messages"
_VALIDATION_RULE = re.compile("validation rule ([0-9]+): (.+)")


class RuleId(NamedTuple):
    """The parts of an ID such as `offer-creation-request/productClusters[].products[].pageCount:minimum`. If the rule
    has a condition, its label follows after `@`.
    """

    message_type: str
    site: str
    keyword: str
    condition: str = ""

    def __str__(self) -> str:
        return f"{self.message_type}/{self.site}:{self.keyword_with_condition}"

    @property
    def keyword_with_condition(self) -> str:
        return f"{self.keyword}@{self.condition}" if self.condition else self.keyword


@cache
def parts_of_id(rule: str) -> RuleId:
    """The rule of an ambiguity, such as `ambiguity/cron-syntax`, has no site, and its keyword is the ambiguity."""
    message_type, _, rest = rule.partition("/")
    site, _, keyword_with_condition = rest.rpartition(":")
    keyword, _, condition = keyword_with_condition.partition("@")
    return RuleId(message_type, site, keyword, condition)


def short_id(rule: str) -> str:
    """Returns the ID without the message type."""
    return rule.partition("/")[2]


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

    @property
    def deciding_sites(self) -> list[str]:
        """The sites of the properties whose values decide."""
        return [path_below(self.site, name) for name in self.when.get("properties", {})]


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
    """The ID (see `RuleId`)."""

    def __post_init__(self) -> None:
        condition = self.condition.label if self.condition else ""
        object.__setattr__(self, "id", str(RuleId(self.message_type, self.site, self.keyword, condition)))

    @property
    def names(self) -> tuple[str, ...]:
        """What filters may call the rule: its ID, with or without the message type, or its site (if it has a name)."""
        names = (self.id, short_id(self.id))
        return (*names, self.site) if self.site else names


def derive_rules(message_type: MessageType, root: Site) -> list[Rule]:
    """Returns every rule that the schemas of the sites state, in their order. Conditional rules come last."""
    rules = [Rule(message_type, "", JSON_RULE, True, "valid JSON (RFC 8259)", source=_SOURCE_OF_JSON)]
    rules += _rules_of(message_type, root, None)
    plain = {(rule.site, rule.keyword): rule.value for rule in rules}
    for condition, site in _conditions(root):
        conditional = _rules_of(message_type, site, condition)
        rules += [rule for rule in conditional if plain.get((rule.site, rule.keyword)) != rule.value]
    return rules


def _conditions(root: Site) -> Iterator[tuple[Condition, Site]]:
    """Yields each condition, and its site with the schema that then applies. Repeated labels end in `-2`, `-3` and so
    on.
    """
    labels: list[str] = []
    for site in root.all():
        for number, entry in enumerate(conditions_of(site.schema), 1):
            label = _label(entry["if"], number)
            labels.append(label)
            label += f"-{labels.count(label)}" if labels.count(label) > 1 else ""
            if "then" in entry:
                yield Condition(site.path, entry["if"], True, label), replace(site, schema=entry["then"])
            if "else" in entry:
                yield Condition(site.path, entry["if"], False, f"not-{label}"), replace(site, schema=entry["else"])


def _rules_of(message_type: MessageType, site: Site, condition: Condition | None, comment: str = "") -> list[Rule]:
    """`comment` is the `$comment` for schemas without one: items of an array have the source of the array."""
    schema, path = site.schema, site.path
    comment = schema.get("$comment", comment)
    rules = []
    for keyword, value in schema.items():
        if not _demands(keyword, schema):
            continue
        name = "items" if keyword == OTHER_ITEMS else keyword
        demand, sources = KEYWORDS[name].demand(value), sources_of(comment, name)
        rules.append(Rule(message_type, path, name, value, demand, condition, *sources))
    props = schema.get("properties", {})
    for name in schema.get("required", ()):
        sources = sources_of(props.get(name, {}).get("$comment", comment), "required")
        rules.append(Rule(message_type, path_below(path, name), "required", True, "to be present", condition, *sources))
    for prop in site.properties.values():
        rules += _rules_of(message_type, prop, condition)
    if site.items is not None:
        rules += _rules_of(message_type, site.items, condition, comment)
    return rules


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


def _demands(name: str, schema: Schema) -> bool:
    """Returns whether a keyword of a flat schema is a rule."""
    keyword = KEYWORDS.get(name)
    if keyword is None or keyword.role not in ("followed", "judged") or (keyword.is_cut_off and CUT_OFF in schema):
        return False
    return keyword.demands(schema[name], schema)


def _label(when: Schema, number: int) -> str:
    if when.keys() == {"required"} and len(when["required"]) == 1:
        return f"with-{_identifier(when['required'][0])}"
    properties = when.get("properties", {})
    if len(properties) == 1 and not composed_keywords_of(when):
        ((name, test),) = properties.items()
        if len(test.get("enum", ())) == 1:
            return f"{_identifier(name)}={_identifier(test['enum'][0])}"
    return f"if-{number}"


def _identifier(value: Any) -> str:
    return re.sub(r"[^A-Za-z0-9_.]+", "-", value if isinstance(value, str) else json.dumps(value))
