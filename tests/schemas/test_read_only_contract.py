import copy
import json
import pickle
from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from functools import cached_property
from typing import Any

import orjson
import pytest

from brokerfuzz.schemas import check, load_contract
from brokerfuzz.schemas.read_only import ReadOnlyDict, ReadOnlyList, frozen

MUTABLE = (dict, list, set, bytearray)


def everything_in(value: Any, seen: set[int]) -> Iterator[Any]:
    """Yields everything that is reachable through the public attributes of a value."""
    if id(value) in seen:
        return
    seen.add(id(value))
    yield value
    below: list[Any] = []
    if isinstance(value, Mapping):
        below = list(value.values())
    elif isinstance(value, list | tuple | set):
        below = list(value)
    elif is_dataclass(value):
        cached = [name for name, attribute in vars(type(value)).items() if isinstance(attribute, cached_property)]
        below = [getattr(value, name) for name in (*cached, *(field.name for field in fields(value)))]
    for item in below:
        yield from everything_in(item, seen)


def test_nothing_in_a_contract_can_change() -> None:
    contract = load_contract()
    found = list(everything_in(contract, set()))
    assert len(found) > 1000
    assert [value for value in found if type(value) in MUTABLE] == []
    for value in found:
        if is_dataclass(value):
            with pytest.raises((AttributeError, TypeError)):
                setattr(value, fields(value)[0].name, None)


@pytest.mark.parametrize(
    "change",
    [
        lambda flat: flat["properties"].update(number={}),
        lambda flat: flat["properties"].pop("number"),
        lambda flat: flat["properties"]["offerType"]["enum"].append("Fax"),
        lambda flat: flat["required"].clear(),
        lambda flat: flat.__setitem__("type", "array"),
        lambda flat: flat.__ior__({"type": "array"}),
        lambda flat: flat["required"].__iadd__(["comments"]),
        lambda flat: flat["required"].__delitem__(0),
    ],
)
def test_changing_a_schema_is_an_error(change: Any) -> None:
    with pytest.raises(TypeError, match="a loaded contract is read-only"):
        change(load_contract().flat["offer-creation-request"])
    assert check("offer-creation-request", {"number": "A", "offerType": "Fax"}).label == "invalid"


def test_every_method_that_changes_a_dictionary_or_a_list_is_blocked() -> None:
    for kind, ordinary in ((ReadOnlyDict, dict), (ReadOnlyList, list)):
        harmless = {"copy", "count", "fromkeys", "get", "index", "items", "keys", "values"}
        changing = {name for name in dir(ordinary) if not name.startswith("_")} - harmless
        assert changing <= set(vars(kind))


def test_a_copy_of_a_schema_can_change() -> None:
    schema = load_contract().flat["offer-creation-request"]
    for copied in (copy.deepcopy(schema), pickle.loads(pickle.dumps(schema)), json.loads(orjson.dumps(schema))):
        assert copied == schema
        copied["required"].append("comments")
        copied["properties"]["offerType"]["enum"].append("Fax")
        assert copied != schema


def test_freezing_keeps_the_value() -> None:
    value = {"a": [1, {"b": None}], "c": "d"}
    assert frozen(value) == value
    assert json.dumps(frozen(value)) == json.dumps(value)
