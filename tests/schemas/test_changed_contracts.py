"""Folders with changed files of the contract: what they change, which mistakes are reported, and how large they may be.
`tests/blackbox/test_keywords_of_own_contracts.py` uses each keyword of JSON Schema.
"""

import json
from collections.abc import Callable
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from brokerfuzz import Contract, MessageType, check, load_contract, messages
from brokerfuzz.errors import ContractError
from brokerfuzz.schemas import contract_limits
from brokerfuzz.schemas.contract import DATA

Change = Callable[[Any], object]
OFFER_TYPE: MessageType = "offer-creation-request"
OFFERS = f"{OFFER_TYPE}.schema.json"
AMBIGUITIES = "ambiguities.json"
OFFER: dict[str, Any] = {"number": "A-1", "offerType": "Email"}
VDM = OFFER | {"offerType": "VDM"}


def put(text: str, name: str = OFFERS) -> Callable[[Path], object]:
    return lambda folder: (folder / name).write_text(text, encoding="utf-8")


def changed(folder: Path, change: Change, name: str = OFFERS) -> Contract:
    content = json.loads((DATA / name).read_bytes())
    change(content)
    put(json.dumps(content), name)(folder)
    return load_contract(folder)


def broken(contract: Contract, body: Any, message_type: MessageType = OFFER_TYPE) -> set[str]:
    """Returns the IDs of the broken rules. Removes the message type from the IDs."""
    return {entry.rule.partition("/")[2] for entry in check(message_type, body, contract=contract).broken}


def add(**properties: Any) -> Change:
    return lambda schema: schema["properties"].update(properties)


def add_required(name: str, prop: Any) -> Change:
    return lambda schema: (schema["properties"].update({name: prop}), schema["required"].append(name))


def with_conditions(*conditions: Any) -> Change:
    return lambda schema: schema.update(allOf=list(conditions))


def when(prop: str, value: Any, **then: Any) -> dict[str, Any]:
    return {"if": {"required": [prop], "properties": {prop: {"const": value}}}, "then": then}


def comments(least: int) -> dict[str, Any]:
    return {"properties": {"comments": {"minLength": least}}}


ABSENT = {"if": {"properties": {"isActive": False}}, "then": comments(2)}
ENFORCED: dict[str, tuple[Change, list[tuple[Any, set[str]]]]] = {
    "a new property": (
        add(colour={"type": "string", "maxLength": 3}),
        [(OFFER | {"colour": "red"}, set()), (OFFER | {"colour": "blue"}, {"colour:maxLength"}), (OFFER | {"colour": 4}, {"colour:type"})],
    ),
    "a required property": (add_required("colour", {"type": "string"}), [(OFFER, {"colour:required"})]),
    "a removed property": (
        lambda schema: schema["properties"].pop("lastUpdatedDateTimeUtc"),
        [(OFFER | {"lastUpdatedDateTimeUtc": "9999-01-01T00:00:00Z"}, {":additionalProperties"})],
    ),
    "a property named then": (add(then={"minLength": 2}), [(OFFER | {"then": ""}, {"then:minLength"})]),
    "no value": (add(comments=False), [(OFFER, set()), (OFFER | {"comments": "x"}, {"comments:type"})]),
    "another condition": (
        with_conditions(when("offerType", "Email", required=["secureEmailSubject"])),
        [(OFFER, {"secureEmailSubject:required@offerType=Email"}), (VDM, set()), (OFFER | {"offerType": "Product List"}, {"productClusters:required@offerType=Product-List"})],
    ),
    "two conditions at one site": (
        with_conditions(when("isActive", True, **comments(2)), when("offerType", "Email", **comments(5))),
        [
            (OFFER | {"isActive": True, "comments": "abc"}, {"comments:minLength@offerType=Email"}),
            (VDM | {"isActive": True, "comments": "a"}, {"comments:minLength@isActive=true"}),
            (OFFER | {"isActive": True, "comments": "a"}, {"comments:minLength@offerType=Email", "comments:minLength@isActive=true"}),
        ],
    ),
    "two conditions with the same label": (
        with_conditions(when("offerType", "Email", **comments(2)), when("offerType", "Email", **comments(5))),
        [(OFFER | {"comments": "abc"}, {"comments:minLength@offerType=Email-2"})],
    ),
    "else": (
        with_conditions(when("offerType", "Email") | {"else": {"required": ["comments"]}}),
        [(OFFER, set()), (VDM, {"comments:required@not-offerType=Email"})],
    ),
    "the absence of a property": (
        lambda schema: (schema["properties"]["comments"].update(minLength=1), schema.update(allOf=[ABSENT])),
        [(OFFER | {"comments": "a"}, {"comments:minLength@if-2"}), (OFFER | {"comments": "", "isActive": True}, {"comments:minLength"})],
    ),
    "a reference below a keyword": (
        lambda schema: (schema.update({"$defs": {"short": {"maxLength": 2}}}), add(comments={"anyOf": [{"$ref": "#/$defs/short"}, {"minLength": 9}]})(schema)),
        [(OFFER | {"comments": "abc"}, {"comments:anyOf"}), (OFFER | {"comments": "ab"}, set())],
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", ENFORCED)
def test_a_changed_rule_is_enforced(name: str, tmp_path: Path) -> None:
    change, bodies = ENFORCED[name]
    contract = changed(tmp_path, change)
    assert [broken(contract, body) for body, _ in bodies] == [rules for _, rules in bodies]


def test_the_changed_envelope_is_that_of_both_responses_and_is_found_without_an_id(tmp_path: Path) -> None:
    def change(schema: Any) -> None:
        del schema["$id"]
        texts = {"type": "array", "items": {"$ref": "#/$defs/text"}}
        schema["$defs"] = {"text": {"type": "string", "maxLength": 5}, "texts": texts}
        schema["properties"]["failureMessages"] = {"$ref": "#/$defs/texts"}

    contract = changed(tmp_path, change, "envelope.schema.json")
    body = {"data": None, "failureMessages": ["too long"], "informationalMessages": [], "operationWasSuccessful": False}
    assert broken(contract, body, "product-list-response") == {"failureMessages[]:maxLength"}
    assert broken(contract, body, "offer-pricing-response") == {"failureMessages[]:maxLength"}


def test_an_own_entry_changes_only_the_ambiguity_with_its_id(tmp_path: Path) -> None:
    nowhere: Any = [{"id": name, "sites": {}} for name in ("cron-syntax", "clock-tolerance")]
    put(json.dumps([*nowhere, {"id": "string-length", "limit": 3}]), AMBIGUITIES)(tmp_path)
    contract = load_contract(tmp_path)
    assert set(load_contract().ambiguity_names) - set(contract.ambiguity_names) == {"cron-syntax", "clock-tolerance"}
    early = OFFER | {"lastUpdatedDateTimeUtc": "9999-01-01T00:00:00Z"}
    assert check(OFFER_TYPE, VDM | {"deliveryScheduleCron": "@hi"}, contract=contract).label == "valid"
    assert "not-in-future" in str(check(OFFER_TYPE, early, contract=contract))
    touched = check(OFFER_TYPE, OFFER | {"comments": "long"}, contract=contract).ambiguities
    assert [touch.ambiguity for touch in touched if touch.at == "/comments"] == ["string-length"]


def test_an_own_entry_changes_only_the_rule_with_its_id(tmp_path: Path) -> None:
    late = {"lastUpdatedDateTimeUtc": "9999-01-01T00:00:00Z", "availableStartDate": "9999-01-01T00:00:00Z"}
    started = {OFFER_TYPE: ["availableStartDate"]}
    new = {"id": "start", "keyword": "not-in-future", "sites": started, "demand": "a time"}
    for number, (entry, names) in enumerate([
        ({"id": "not-in-future", "sites": {}}, ()),
        ({"id": "not-in-future", "sites": started}, ("availableStartDate",)),
        (new, ("availableStartDate", "lastUpdatedDateTimeUtc")),
    ]):  # fmt: skip
        folder = tmp_path / str(number)
        folder.mkdir()
        put(json.dumps([entry]), "semantics.json")(folder)
        assert broken(load_contract(folder), OFFER | late) == {f"{name}:not-in-future" for name in names}


# ----------------------------------------------------------------------------------------------------------- mistakes


def ambiguity(name: str, **props: Any) -> Callable[[Path], object]:
    return put(json.dumps([{"id": name, **props}]), AMBIGUITIES)


def past(**props: Any) -> Callable[[Path], object]:
    return put(json.dumps([{"id": "not-in-future", **props}]), "semantics.json")


ROUTE = {"direction": "request", "route": "POST /orders"}


def message_types(*names: str, **entries: Any) -> Callable[[Path], object]:
    """Writes `messages.json`, and a schema for each of the names."""

    def write(folder: Path) -> None:
        put(json.dumps(entries), "messages.json")(folder)
        for name in names:
            put("{}", f"{name}.schema.json")(folder)

    return write


MISUSES: dict[str, tuple[Callable[[Path], object], str]] = {
    "a list of message types that is none": (put("[]", "messages.json"), 'messages.json is wrong ([] is not of type "object"): list message types in lower-case letters'),
    "a wrong route": (message_types("a", a={**ROUTE, "route": "/orders"}), '/a/route: "/orders" does not'),
    "a route of two message types": (message_types("a", "b", a=ROUTE, b=ROUTE), "has the route POST /orders for a and for b: change one of them"),
    "a schema of no message type": (message_types("a", "b", a=ROUTE), "b.schema.json does not belong to any message type: add b to"),
    "no text": (lambda folder: (folder / OFFERS).write_bytes(b"\xff\xfe\xfd"), "correct or remove the file"),
    "a folder in place of a file": (lambda folder: (folder / OFFERS).mkdir(), "cannot be read (Is a directory): specify another file, or remove it"),
    "an older draft": (put('{"$schema": "http://json-schema.org/draft-07/schema#"}'), "rewrite it"),
    "a reference out of the folder": (put('{"anyOf": [{"$ref": "../other.json"}]}'), "use only schemas of the contract"),
    "a reference to nowhere": (put('{"$ref": "#/$defs/none"}'), "does not exist: correct the reference"),
    "endless messages": (put('{"properties": {"a": {"$ref": "#"}}, "required": ["a"]}'), "make a property"),
    "a pattern that is none": (put('{"properties": {"a": {"pattern": "("}}}'), "correct the schema"),
    "a property with an escaped dot": (put('{"properties": {"a%2Eb": {}}}'), "rename it"),
    "a property with NUL": (put('{"properties": {"a\\u0000b": {}}}'), "a message with NUL is never valid"),
    "a stray schema": (put("{}", "offer.schema.json"), f"contains none of {OFFERS}"),
    "ambiguities that are none": (put("{}", AMBIGUITIES), f"{AMBIGUITIES} is not a list of entries"),
    "an ambiguity without an id": (put("[{}]", AMBIGUITIES), '/0: "id" is a required property'),
    "an ambiguity without a question": (ambiguity("new"), "'new', which is wrong (\"question\" is a required property)"),
    "an unknown kind": (ambiguity("cron-syntax", kind="timestamps"), '/kind: "timestamps" is not one of'),
    "a kind without its limit": (ambiguity("string-length", limit=None), "/limit: null is not of type"),
    "an unknown interpretation": (ambiguity("duplicate-properties", interpretations=["second", "rejected"]), 'not one of "last", "first", "both", "rejected"'),
    "two ambiguities with one ID": (put('[{"id": "cron-syntax"}, {"id": "cron-syntax"}]', AMBIGUITIES), "a different ID"),
    "an ambiguity at a misspelled site": (ambiguity("cron-syntax", sites={OFFER_TYPE: ["deliveryScheduleCorn"]}), "did you mean 'deliveryScheduleCron'"),
    "an ambiguity of an unknown message type": (ambiguity("cron-syntax", sites={"offer": ["number"]}), "unknown message type 'offer': use offer-creation-request,"),
    "a rule of an unknown message type": (past(sites={"offer": ["number"]}), "unknown message type 'offer'"),
    "a rule at a misspelled site": (past(sites={OFFER_TYPE: ["lastUpdatedDateTimeUTC"]}), "did you mean 'lastUpdatedDateTimeUtc'"),
    "semantics that are none": (put("{}", "semantics.json"), "semantics.json is not a list of entries"),
    "semantics that nobody judges": (past(keyword="not-in-past"), 'is not one of "not-in-future"'),
    "a huge file": (put(" " * ((1 << 20) + 1)), "has 1,048,577 bytes, and the limit is 1,048,576"),
}  # fmt: skip


@pytest.mark.parametrize("misuse", MISUSES)
def test_an_unusable_contract_is_rejected_in_one_line(misuse: str, tmp_path: Path) -> None:
    make, words = MISUSES[misuse]
    make(tmp_path)
    with pytest.raises(ContractError) as caught:
        load_contract(tmp_path)
    assert "\n" not in str(caught.value)
    assert words in str(caught.value)


# ---------------------------------------------------------------------------------------------------- unusual contracts


def test_a_property_may_have_any_name(tmp_path: Path) -> None:
    names = ["it's", 'say "so"', "a\\", "two\nlines", "{now}", "');raise SystemExit#", "ü", "x" * 300, "None", "\u2028"]
    counts = {"type": "array", "items": {"type": "integer"}}
    contract = changed(tmp_path, add(**dict.fromkeys(names, counts)))
    said = check(OFFER_TYPE, OFFER | {name: [1, 2.0] * 60 for name in names}, contract=contract)
    assert len({touch.at for touch in said.ambiguities if touch.ambiguity == "item-count"}) == len(names)
    assert check(OFFER_TYPE, OFFER | {name: [1] for name in names}, contract=contract).label == "valid"


def test_properties_may_be_nested_as_deep_as_messages_are_parsed(tmp_path: Path) -> None:
    deep: dict[str, Any] = {"type": "integer"}
    value: Any = 2.0
    for level in range(62):
        deep = {"type": "object", "properties": {"inner": deep}} if level % 3 else {"type": "array", "items": deep}
        value = {"inner": value} if level % 3 else [value]
    said = check(OFFER_TYPE, OFFER | {"deep": value}, contract=changed(tmp_path, add(deep=deep)))
    place = "/deep/inner" + "/0/inner/inner" * 20 + "/0"
    assert [(touch.ambiguity, touch.at) for touch in said.ambiguities] == [("integer-form", place)]


def _doubled(depth: int) -> Change:
    """Adds definitions that each refer twice to the next definition, so that the last definition occurs 2^depth
    times.
    """
    refer = [{"$ref": f"#/$defs/d{number + 1}"} for number in range(depth)]
    definitions: dict[str, Any] = {
        f"d{number}": {"properties": {"a": one, "b": one}} for number, one in enumerate(refer)
    }
    return lambda schema: (
        schema.update({"$defs": {**definitions, f"d{depth}": {}}}),
        add(big={"$ref": "#/$defs/d0"})(schema),
    )


def _chain(schema: Any) -> None:
    schema["$defs"] = {f"d{number}": {"$ref": f"#/$defs/d{number + 1}"} for number in range(3000)}
    schema["properties"]["big"] = {"$ref": "#/$defs/d0"}


DEEP: dict[str, Any] = json.loads('{"items": ' * 80 + "{}" + "}" * 80)
WIDE = {"type": "array", "minItems": 100, "items": {"type": "array", "minItems": 100, "items": {"type": "string"}}}
HOSTILE: dict[str, tuple[Change, str]] = {
    "references that double": (_doubled(40), "10,001 or more references.*, and the limit is 10,000"),
    "a chain of references": (_chain, "nested too deeply"),
    "a nested pattern": (add(big={"pattern": r"(((\w{1,999}){1,999}){1,999}){1,999}"}), 'not a "regex"'),
    "a bound that needs huge messages": (add(big={"minItems": 101}), '"minItems": 101, and the limit is 100: use a smaller'),
    "a length that needs huge messages": (add(big={"maxLength": 1_000_001}), '"maxLength": 1,000,001, and the limit is 1,000,000'),
    "many levels": (add(big=DEEP), "levels of nested arrays and objects, and the limit is 64"),
    "arrays in arrays": (add(big=WIDE), "values in a message, .*and the limit is 10,000"),
}  # fmt: skip


@pytest.mark.parametrize("kind", HOSTILE)
def test_a_contract_that_needs_endless_work_is_rejected_with_its_limit(tmp_path: Path, kind: str) -> None:
    change, said = HOSTILE[kind]
    with pytest.raises(ContractError, match=said) as raised:
        changed(tmp_path, change)
    assert "\n" not in str(raised.value)


def test_patterns_that_need_too_much_time_are_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(contract_limits, "PATTERN_SECONDS", 0.1)
    slow: dict[str, Any] = {f"^(\\w{{1,200}}){{1,{number}}}$": {} for number in range(100, 200)}
    with pytest.raises(ContractError, match=r"cannot be compiled within 0\.1 s: use fewer repetitions"):
        changed(tmp_path, add(big={"patternProperties": slow}))


LARGE: dict[str, Any] = {
    "enumeration": {"enum": [f"value-{number}" for number in range(5000)]},
    "pattern": {"type": "string", "pattern": f"^({'|'.join(f'value-{number}' for number in range(1000))})$"},
    "alternatives": {"oneOf": [{"required": ["kind"], "properties": {"kind": {"const": number}}} for number in range(200)]},
    "properties": {"type": "object", "properties": {f"value{number}": {"type": "string"} for number in range(500)}},
    "tiny step": {"type": "number", "multipleOf": 1e-300},
}  # fmt: skip


@pytest.mark.every(3)
@pytest.mark.parametrize("kind", LARGE)
def test_a_large_contract_is_used(tmp_path: Path, kind: str) -> None:
    contract = changed(tmp_path, add_required("big", LARGE[kind]))
    valid: list[Any] = list(islice(messages(OFFER_TYPE, 0, contract=contract), 20))
    assert {check(OFFER_TYPE, offer, contract=contract).label for offer in valid} == {"valid"}
    assert broken(contract, valid[0] | {"big": None}) != set()


def test_types_that_exclude_each_other_allow_no_value(tmp_path: Path) -> None:
    contract = changed(tmp_path, add(size={"type": ["integer", "number"], "allOf": [{"type": ["string", "boolean"]}]}))
    assert contract.rule("offer-creation-request/size:type").demand == "nothing (no value is allowed)"


def test_a_required_number_that_is_no_multiple_within_its_bounds_is_an_error(tmp_path: Path) -> None:
    big = {"type": "number", "multipleOf": 0.7, "minimum": 0.1, "maximum": 0.6}
    contract = changed(tmp_path, add_required("big", big))
    with pytest.raises(ContractError, match=r"no number at big that is a multiple of 0\.7"):
        next(messages(OFFER_TYPE, 0, contract=contract))


def test_a_pattern_that_backtracks_without_end_matches_nothing_and_long_strings_are_judged_and_generated(
    tmp_path: Path,
) -> None:
    patterns = add(usual={"pattern": r"^(?=.*\d)(?!.*\s\s)[\w -]+$"}, endless={"pattern": r"^(.*)*=(.*)*\2$"})
    contract = changed(
        tmp_path, lambda schema: (patterns(schema), add_required("big", {"type": "string", "minLength": 2000})(schema))
    )
    long = OFFER | {"big": "x" * 2000}
    assert broken(contract, long | {"usual": "a1" + "b" * 50_000}) == set()
    assert broken(contract, long | {"endless": "a" * 60 + "!"}) == {"endless:pattern"}
    some: list[Any] = list(islice(messages(OFFER_TYPE, 0, contract=contract), 5))
    assert all(len(message["big"]) >= 2000 for message in some)
