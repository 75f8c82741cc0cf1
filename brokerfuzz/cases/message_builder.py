"""Builds the messages of the catalogue from a plan. The plan says which properties are present, and can choose array sizes and values."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import reduce
from typing import Any

from brokerfuzz.decoder import business_values, value_pools
from brokerfuzz.decoder.ambiguity_sites import ambiguities_by_site, detectors_at, notation_detector_at
from brokerfuzz.decoder.condition_matching import matches
from brokerfuzz.decoder.consistency_repair import repairs as consistency_repairs
from brokerfuzz.decoder.scalars import ValuePlace, scalar_pool
from brokerfuzz.decoder.unsupported_keywords import pool as stranger_pool
from brokerfuzz.schemas import Condition, Contract, MessageType
from brokerfuzz.schemas import flattening as flat
from brokerfuzz.schemas.flattening import Schema
from brokerfuzz.schemas.sites import join

ABSENT = object()
"""If `MessagePlan.choose` returns this constant, the property is omitted."""
PLAIN = object()
"""If `MessagePlan.choose` returns this constant, the property gets an ordinary value."""

Choose = Callable[[str, Schema], Any]


def default_choice(path: str, schema: Schema) -> Any:
    return PLAIN


@dataclass(frozen=True)
class MessagePlan:
    """A description of a message.

    - `full`: if true, the message contains all optional properties, otherwise none.
    - `narrowed`: an additional schema for the message. The schema must not contain references.
    - `sizes`: maps the path of an array to its number of items (default: one).
    - `within`: the index of one item in each array of `sizes`. Inside this item, arrays have the size from `sizes`. Inside other
      items, arrays have the default size. If `within` is None, the sizes apply inside all items.
    - `choose`: a function that chooses the value of a property from its path and schema. `choose` returns a value, `ABSENT` or
      `PLAIN`. If the schema forbids the chosen value, the builder chooses another value.
    - `backwards`: if true, the properties are in reverse order.
    - `realistic`: if true, ordinary values are realistic, otherwise they are the simplest values.
    """

    full: bool = True
    narrowed: Schema = field(default_factory=dict)
    sizes: Mapping[str, int] = field(default_factory=dict)
    within: int | None = None
    choose: Choose = default_choice
    backwards: bool = False
    realistic: bool = True

    def narrow(self, *schemas: Schema) -> "MessagePlan":
        return replace(self, narrowed=reduce(flat.conjoin, schemas, self.narrowed))


def build(contract: Contract, message_type: MessageType, plan: MessagePlan) -> Any:
    """Builds the message that a plan describes. The message is valid if all values in the plan are valid.

    The builder changes values that contradict each other (see `decoder.consistency_repair`).
    """
    schema = flat.conjoin(contract.flat[message_type], plan.narrowed) if plan.narrowed else contract.flat[message_type]
    return _Builder(contract, message_type, plan).value(schema, "", 0)


@dataclass(frozen=True)
class _Builder:
    contract: Contract
    message_type: MessageType
    plan: MessagePlan

    def value(self, schema: Schema, path: str, index: int) -> Any:
        wish = self.plan.choose(path, schema) if not index or not path.endswith("[]") else PLAIN  # items must differ, so `choose` sets only the first
        return self._wished(schema, path, index, wish)

    def _wished(self, schema: Schema, path: str, index: int, wish: Any) -> Any:
        """Returns `wish` if the schema allows this value, otherwise an ordinary value."""
        if wish is ABSENT or (wish is not PLAIN and matches(schema, wish)):
            return wish
        types = flat.types_of(schema)
        if "enum" in schema:
            return next(iter(schema["enum"]), None)  # reference data can exclude every value that a condition needs
        if flat.KNOWN in schema:
            return schema[flat.KNOWN][index % len(schema[flat.KNOWN])]
        if flat.unsupported_keywords_of(schema):
            return stranger_pool(schema, path)[0]
        if "object" in types:
            return self._object(schema, path, index)
        if "array" in types:
            return self._array(schema, path)
        return self._scalar(schema, path, types, index)

    def _object(self, schema: Schema, path: str, index: int) -> Any:
        value = self._properties(schema, path, index)
        if conditions := flat.conditions_of(schema):
            demands = [entry.get("then" if matches(entry["if"], value) else "else", {}) for entry in conditions]
            base = {keyword: part for keyword, part in schema.items() if keyword != "allOf"}
            value = self._properties(reduce(flat.conjoin, demands, base), path, index)
        self._settle(schema, path, value)
        return dict(reversed(value.items())) if self.plan.backwards else value

    def _properties(self, schema: Schema, path: str, index: int) -> dict[str, Any]:
        built, demanded = {}, frozenset(schema.get("required", ()))
        for name, prop in schema.get("properties", {}).items():
            there = join(path, name)
            required = name in demanded
            if not required and not flat.types_of(prop):  # the schema false forbids the property
                continue
            wish = self.plan.choose(there, prop)
            if required or self.plan.full or wish is not PLAIN:
                value = self._wished(prop, there, index, wish)
                if value is ABSENT and required:
                    value = replace(self, plan=replace(self.plan, choose=default_choice)).value(prop, there, index)
                if value is not ABSENT:
                    built[name] = value
        return built

    def _array(self, schema: Schema, path: str) -> list[Any]:
        size = max(self.plan.sizes.get(path, 1 if self.plan.full or "minItems" in schema else 0), schema.get("minItems", 0))
        builders = [self._of_item(path, number) for number in range(min(size, schema.get("maxItems", size)))]
        items = [builder.value(schema.get("items", {}), path + "[]", number) for number, builder in enumerate(builders)]
        self._settle(schema, path, items)
        return items

    def _of_item(self, path: str, number: int) -> "_Builder":
        within = self.plan.within
        if within is None or path not in self.plan.sizes or number == min(within, self.plan.sizes[path] - 1):
            return self
        return replace(self, plan=replace(self.plan, sizes={there: size for there, size in self.plan.sizes.items() if not there.startswith(path)}))

    def _settle(self, schema: Schema, path: str, value: Any) -> None:
        for repair in consistency_repairs(ambiguities_by_site(self.contract, self.message_type).get(path, ()), path, schema):
            repair(value)

    def _scalar(self, schema: Schema, path: str, types: frozenset[str], index: int) -> Any:
        detector = notation_detector_at(self.contract, self.message_type, path)
        if detector == "timestamp" and matches(schema, usual := value_pools.INSTANTS[_instant_index(path)]):
            return usual
        if self.plan.realistic and detector != "past" and (fitting := business_values.values(path, schema)):
            return _numbered(fitting, index, schema)
        if types <= {"boolean", "null"}:
            return "boolean" in types or None
        return scalar_pool(schema, ValuePlace(self.contract, self.message_type, path)).usual[0]


def _instant_index(path: str) -> int:
    """Returns an index in `value_pools.INSTANTS`. A path that contains `end` gets a later time than other paths."""
    return 1 if re.search("end", path, re.IGNORECASE) else 0


def _numbered(values: Sequence[Any], index: int, schema: Schema) -> Any:
    """If possible, different items get different strings and integers."""
    turns, place = divmod(index, len(values))
    value = values[place]
    if not turns or isinstance(value, float):
        return value
    other = f"{value}-{index}" if isinstance(value, str) else value + 10_000 * turns
    return value if not isinstance(other, str) and other > schema.get("maximum", other) else other


# ------------------------------------------------------------------------------------------------------ narrowing


def schema_requiring(path: str, leaf: Schema | None = None) -> Schema:
    """Returns a schema that requires a value at `path`. The value must comply with the schema `leaf`.

    An array on the path must not be empty, and each item of this array must contain the value.
    """
    if not path:
        return leaf or {}
    if path.startswith("[]"):
        return {"type": "array", "minItems": 1, "items": schema_requiring(path[2:].removeprefix("."), leaf)}
    name = re.split(r"\.|\[\]", path, maxsplit=1)[0]
    rest = path[len(name) :].removeprefix(".")
    return {"type": "object", "required": [name], "properties": {name: schema_requiring(rest, leaf)}}


def schema_with_place(contract: Contract, message_type: MessageType, path: str) -> Schema:
    """Returns a schema that requires a value at `path`. The value must not be null or an empty array."""
    contract.check_described(message_type)
    schema = contract.sites[message_type][path].schema
    types = flat.types_of(schema) - {"null"}
    leaf: Schema = {"type": sorted(types)} if types else {}
    if types == {"array"}:
        leaf["minItems"] = 1
    return flat.conjoin(schema_requiring(path, leaf), _schema_around(contract, message_type, path))


def _schema_around(contract: Contract, message_type: MessageType, path: str) -> Schema:
    """Returns an additional schema for messages with a value at `path`. For most paths, this schema is empty.

    If the path is inside `failureMessages`, the schema requires that `data` is null. For other `data`, the builder would remove the
    failure messages (see `decoder.consistency_repair`).
    """
    enveloped = "envelope" in detectors_at(contract, message_type, "")
    return {"properties": {"data": {"type": ["null"]}}} if enveloped and path.startswith("failureMessages[]") else {}


def schema_meeting(contract: Contract, message_type: MessageType, condition: Condition) -> Schema:
    """Returns a schema for messages to which a rule with this condition applies.

    If the rule applies when the condition is false, the schema negates the condition. Only conditions about enumerations can be
    negated.
    """
    if condition.holds:
        deciding = list(condition.when.get("properties", {}))
        return schema_requiring(condition.site, flat.conjoin(condition.when, {"required": deciding}))
    site = contract.sites[message_type][condition.site]
    others = {
        name: {"enum": [value for value in site.schema["properties"][name]["enum"] if value not in prop.get("enum", ())]}
        for name, prop in condition.when.get("properties", {}).items()
        if "enum" in site.schema["properties"].get(name, {})
    }
    return schema_requiring(condition.site, {"properties": dict(list(others.items())[:1])})
