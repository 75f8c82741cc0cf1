"""A schema that is split into parts finds the same errors as the whole schema."""

from collections import Counter
from collections.abc import Iterable
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from brokerfuzz.schemas import load_contract
from brokerfuzz.schemas.structural_validation import DRAFT, SchemaFiles, Split, split, validator

Found = Counter[tuple[Any, ...]]

ODD_NAMES = ["a/b", "~1", "%25", "#", "é", "a b", '"']
HAND_WRITTEN = {
    "$schema": DRAFT,
    "$defs": {"short": {"type": "string", "maxLength": 2}},
    "type": "object",
    "properties": {**{name: {"$ref": "#/$defs/short"} for name in ODD_NAMES}, "none": False, "any": True},
    "patternProperties": {"^[aé]": {"minLength": 1}},
    "required": ["a/b"],
    "unevaluatedProperties": False,
    "if": {"properties": {"any": {"const": 1}}, "required": ["any"]},
    "then": {"properties": {"~1": {"minLength": 2}}},
}
VALUES = st.none() | st.text(max_size=3) | st.integers(0, 2) | st.lists(st.text(max_size=1), max_size=2)


def found_by(errors: Iterable[Any], *above: str) -> Found:
    return Counter((error.kind.name, *above, *error.instance_path, error.message) for error in errors)


def in_parts(parts: Split, value: Any) -> Found:
    found = found_by(parts.rest.iter_errors(value))
    for name, asked in parts.props.items() if isinstance(value, dict) else ():
        if name in value:
            found += found_by(asked.iter_errors(value[name]), name)
    return found


@given(st.dictionaries(st.sampled_from([*ODD_NAMES, "none", "any", "other"]), VALUES) | VALUES)
@example({"any": 1, "~1": "", "none": None, "é": "", "other": 1})
def test_a_split_schema_finds_the_same_with_any_property_names(value: Any) -> None:
    files = SchemaFiles({"one": HAND_WRITTEN})
    parts = split("one", HAND_WRITTEN, files)
    assert set(parts.props) == {*ODD_NAMES, "none", "any"}
    assert in_parts(parts, value) == found_by(validator(HAND_WRITTEN, files).iter_errors(value))


@given(st.dictionaries(st.sampled_from(["number", "offerType", "productClusters", "orderMinimum", "priceClasses", "other"]),
                       VALUES | st.just("Product List") | st.lists(st.dictionaries(st.sampled_from(["products", "price"]), VALUES), max_size=2)))  # fmt: skip
def test_the_split_offer_schema_finds_the_same_as_the_whole(value: Any) -> None:
    contract = load_contract()
    files, schema = SchemaFiles(contract.schemas), contract.schemas["offer-creation-request"]
    parts = split("offer-creation-request", schema, files)
    assert set(parts.props) == set(schema["properties"])
    assert in_parts(parts, value) == found_by(validator(schema, files).iter_errors(value))


@pytest.mark.parametrize("identity", [{}, {"$id": "one.json"}, {"$id": "https://example.org/one"}])
def test_a_schema_with_any_id_can_be_split(identity: dict[str, str]) -> None:
    schema = {**identity, "$defs": {"text": {"type": "string"}}, "properties": {"a": {"$ref": "#/$defs/text"}}}
    parts = split("one", schema, SchemaFiles({"one": schema}))
    assert parts.props["a"].is_valid("text")
    assert not parts.props["a"].is_valid(1)


@pytest.mark.parametrize("keyword", ["$ref", "$dynamicRef"])
def test_a_schema_is_not_split_if_the_rest_has_references(keyword: str) -> None:
    schema = {"properties": {"a": {"type": "string"}, "b": True}, "allOf": [{"properties": {"b": {keyword: "#/properties/a"}}}]}
    parts = split("one", schema, SchemaFiles({"one": schema}))
    assert not parts.props
    assert not parts.rest.is_valid({"b": 1})


@pytest.mark.parametrize(
    ("rest", "seen"),
    [
        ({}, set()),
        ({"if": {"properties": {"a": {"const": 1}}}, "then": {"required": ["b"]}, "else": {"properties": {"c": False}}}, {"a", "b", "c"}),
        ({"allOf": [{"properties": {"a": {}}}, {"properties": {"b": True}}], "additionalProperties": False}, {"a"}),
        ({"additionalProperties": {"type": "string"}}, None),
        ({"allOf": [{"patternProperties": {"a": {}}}]}, None),
        ({"enum": [{"a": 1}]}, None),
        ({"minProperties": 1}, None),
        ({"not": {"required": ["a"]}}, None),
        ({"if": True, "then": {"x-strange": 1}}, None),
        ({"allOf": [{"properties": {"a": True}, "additionalProperties": False}]}, None),
        ({"if": {"required": ["a"]}, "then": False}, None),
        ({"allOf": [{"type": ["array", "null"]}]}, None),
        ({"$defs": {}, "examples": [], "type": ["object", "null"]}, set()),
    ],
)
def test_ties_contain_the_properties_that_the_rest_looks_at(rest: dict[str, Any], seen: set[str] | None) -> None:
    schema = {"type": "object", "properties": {"a": {"type": "integer"}}, **rest}
    assert seen_by(split("one", schema, SchemaFiles({"one": schema}))) == seen


@given(st.dictionaries(st.sampled_from(["number", "offerType", "productClusters", "comments", "orderMinimum", "surcharge", "other"]), VALUES))
def test_properties_outside_all_ties_do_not_affect_the_rest(value: Any) -> None:
    contract = load_contract()
    parts = split("offer-creation-request", contract.schemas["offer-creation-request"], SchemaFiles(contract.schemas))
    seen = seen_by(parts)
    assert seen is not None
    outline = {name: prop for name, prop in value.items() if name in seen or name not in parts.props}
    assert [error.message for error in parts.rest.iter_errors(outline)] == [error.message for error in parts.rest.iter_errors(value)]


TIED = {
    "type": "object",
    "properties": {"a": {"type": "integer"}, "b": True, "c": {"minimum": 1}, "d": False},
    "additionalProperties": False,
    "required": ["a", "b"],
    "if": {"properties": {"a": {"const": 1}}, "required": ["a"]},
    "then": {"required": ["c"], "properties": {"b": {"type": "string"}}},
    "else": {"title": "any"},
    "allOf": [True, {"required": ["c"], "allOf": [{"properties": {"b": {"enum": ["", 1]}}}]}, {"then": False, "title": "no condition"}],
}


@pytest.mark.parametrize("schema", [TIED, {**TIED, "if": True}, load_contract().schemas["offer-creation-request"]])
@given(data=st.data())
def test_all_ties_together_find_the_same_as_the_rest(schema: dict[str, Any], data: st.DataObject) -> None:
    """Each tie checks only its own properties; together, the ties find the same errors as the rest."""
    parts = split("offer-creation-request", schema, SchemaFiles({**load_contract().schemas, "offer-creation-request": schema}))
    assert parts.ties is not None
    names = st.sampled_from(sorted(set(parts.props) & {*(seen_by(parts) or ()), *list(parts.props)[:4]}))
    value = data.draw(st.dictionaries(names, VALUES | st.just("Product List")))
    found = Counter[tuple[Any, ...]]()
    for tie in parts.ties:
        for asked in tie.validators:
            found += found_by(asked.iter_errors({name: prop for name, prop in value.items() if name in tie.names}))
    assert places(found) == places(found_by(parts.rest.iter_errors(value)))


def places(found: Found) -> Found:
    """Returns the errors without the object that each error quotes, because a tie does not see all of the object."""
    return Counter({(*key[:-1], key[-1].rpartition("}")[2]): times for key, times in found.items()})


def seen_by(parts: Split) -> set[str] | None:
    return {name for tie in parts.ties for name in tie.names} if parts.ties is not None else None
