import json
from collections.abc import Callable, Mapping
from itertools import islice
from pathlib import Path
from typing import Any, Final

import pytest

from brokerfuzz import messages
from brokerfuzz.errors import ContractError
from brokerfuzz.schemas import Contract, MessageType, check, contract_limits, load_contract
from brokerfuzz.schemas.contract_files import DATA

Change = Callable[[Any], object]
OFFER_TYPE = "offer-creation-request"
OFFERS = f"{OFFER_TYPE}.schema.json"
OFFER: dict[str, Any] = {"number": "A-1", "offerType": "Email"}


def changed(folder: Path, change: Change, name: str = OFFERS) -> Contract:
    put_changed(change, name)(folder)
    return load_contract(folder)


def broken(contract: Contract, body: Any, message_type: MessageType = "offer-creation-request") -> set[str]:
    """Returns the IDs of the broken rules. Removes the message type from the IDs."""
    return {entry.rule.partition("/")[2] for entry in check(message_type, body, contract=contract).broken}


def new_rules(contract: Contract) -> set[str]:
    """Returns the rules that are not in the contract of brokerfuzz."""
    return {rule_id.partition("/")[2] for rule_id in contract.rules_by_id.keys() - load_contract().rules_by_id.keys()}


def test_a_new_property_is_accepted_and_checked(tmp_path: Path) -> None:
    contract = changed(tmp_path, lambda schema: schema["properties"].update(colour={"type": "string", "maxLength": 3}))
    assert new_rules(contract) == {"colour:type", "colour:maxLength"}
    assert check("offer-creation-request", OFFER | {"colour": "red"}, contract=contract).label == "valid"
    assert broken(contract, OFFER | {"colour": "blue"}) == {"colour:maxLength"}
    assert broken(contract, OFFER | {"colour": 4}) == {"colour:type"}
    assert broken(load_contract(), OFFER | {"colour": "red"}) == {":additionalProperties"}


def when(kind: str, **then: Any) -> dict[str, Any]:
    return {"if": {"required": ["offerType"], "properties": {"offerType": {"const": kind}}}, "then": then}


def with_property(name: str, prop: Any, *, required: bool = False) -> Change:
    def change(schema: Any) -> None:
        schema["properties"][name] = prop
        schema["required"] += [name] * required

    return change


def with_conditions(*conditions: Any) -> Change:
    return lambda schema: schema.update(allOf=list(conditions))


COMMENTS_OF_ACTIVE = {
    "if": {"properties": {"isActive": {"const": True}}, "required": ["isActive"]},
    "then": {"properties": {"comments": {"minLength": 2}}},
}
COMMENTS_OF_EMAIL = when("Email", properties={"comments": {"minLength": 5}})
BOX = {
    "type": "object",
    "additionalProperties": False,
    "required": ["size"],
    "properties": {"size": {"type": "integer", "multipleOf": 2}},
}
VDM = {"number": "1", "offerType": "VDM"}
ABSENT = {"if": {"properties": {"isActive": False}}, "then": {"properties": {"comments": {"minLength": 2}}}}
ENFORCED: dict[str, tuple[Change, list[tuple[Any, set[str]]]]] = {
    "a required property": (
        with_property("colour", {"type": "string"}, required=True),
        [(OFFER, {"colour:required"}), (OFFER | {"colour": 4}, {"colour:type"})],
    ),
    "a tighter bound": (
        lambda schema: schema["properties"]["orderMaximum"].update(maximum=10),
        [(OFFER | {"orderMaximum": 10}, set()), (OFFER | {"orderMaximum": 11}, {"orderMaximum:maximum"})],
    ),
    "objects in an array": (
        with_property("boxes", {"type": "array", "uniqueItems": True, "items": BOX}),
        [
            (
                OFFER | {"boxes": [{"size": 2}, {"size": 3}, {}, {"size": 4, "x": 1}]},
                {"boxes[].size:multipleOf", "boxes[].size:required", "boxes[]:additionalProperties"},
            ),
            (OFFER | {"boxes": [{"size": 2}, {"size": 2}]}, {"boxes:uniqueItems"}),
        ],
    ),
    "two conditions": (
        with_conditions(when("Email", required=["secureEmailSubject"])),
        [
            (OFFER, {"secureEmailSubject:required@offerType=Email"}),
            (VDM, set()),
            (VDM | {"offerType": "Product List"}, {"productClusters:required@offerType=Product-List"}),
        ],
    ),
    "two conditions at one site": (
        with_conditions(COMMENTS_OF_ACTIVE, COMMENTS_OF_EMAIL),
        [
            (OFFER | {"isActive": True, "comments": "abc"}, {"comments:minLength@offerType=Email"}),
            (VDM | {"isActive": True, "comments": "a"}, {"comments:minLength@isActive=True"}),
            (
                OFFER | {"isActive": True, "comments": "a"},
                {"comments:minLength@offerType=Email", "comments:minLength@isActive=True"},
            ),
        ],
    ),
    "two conditions with the same label": (
        with_conditions(when("Email", properties={"comments": {"minLength": 2}}), COMMENTS_OF_EMAIL),
        [(OFFER | {"comments": "abc"}, {"comments:minLength@offerType=Email-2"})],
    ),
    "else": (
        with_conditions(when("Email") | {"else": {"required": ["comments"]}}),
        [(OFFER, set()), (VDM, {"comments:required@not-offerType=Email"})],
    ),
    "the absence of a property": (
        lambda schema: (schema["properties"]["comments"].update(minLength=1), schema.update(allOf=[ABSENT])),
        [
            (OFFER | {"comments": "a"}, {"comments:minLength@if-2"}),
            (OFFER | {"comments": "", "isActive": True}, {"comments:minLength"}),
        ],
    ),
    "a property named then": (
        with_property("then", {"type": "string", "minLength": 2}),
        [(OFFER | {"then": ""}, {"then:minLength"})],
    ),
    "a pattern": (
        lambda schema: schema["properties"]["number"].update(pattern="^A-"),
        [(OFFER | {"number": "B"}, {"number:pattern"})],
    ),
    "no value": (with_property("comments", False), [(OFFER, set()), (OFFER | {"comments": "x"}, {"comments:type"})]),
    "two patterns": (
        with_property("extra", {"allOf": [{"pattern": "a"}, {"pattern": "b"}]}),
        [(OFFER | {"extra": "ab"}, set()), (OFFER | {"extra": "a"}, {"extra:pattern"})],
    ),
    "a removed property": (
        lambda schema: schema["properties"].pop("lastUpdatedDateTimeUtc"),
        [(OFFER | {"lastUpdatedDateTimeUtc": "9999-01-01T00:00:00Z"}, {":additionalProperties"})],
    ),
}


@pytest.mark.parametrize("name", ENFORCED)
def test_a_changed_rule_is_enforced(name: str, tmp_path: Path) -> None:
    change, bodies = ENFORCED[name]
    contract = changed(tmp_path, change)
    assert [broken(contract, body) for body, _ in bodies] == [rules for _, rules in bodies]


def test_references_within_references_are_followed(tmp_path: Path) -> None:
    def change(schema: Any) -> None:
        schema["$defs"] = {
            "text": {"type": "string", "maxLength": 5},
            "texts": {"type": "array", "items": {"$ref": "#/$defs/text"}},
        }
        schema["properties"]["failureMessages"] = {"$ref": "#/$defs/texts"}

    contract = changed(tmp_path, change, "envelope.schema.json")
    body = {"data": None, "failureMessages": ["too long"], "informationalMessages": [], "operationWasSuccessful": False}
    assert broken(contract, body, "product-list-response") == {"failureMessages[]:maxLength"}
    assert broken(contract, body, "offer-pricing-response") == {"failureMessages[]:maxLength"}


def test_references_below_unsupported_keywords_are_followed(tmp_path: Path) -> None:
    def change(schema: Any) -> None:
        schema["$defs"] = {"short": {"maxLength": 2}}
        schema["properties"]["comments"] = {"anyOf": [{"$ref": "#/$defs/short"}, {"minLength": 9}]}

    contract = changed(tmp_path, change)
    assert contract.sites["offer-creation-request"]["comments"].schema["anyOf"] == [{"maxLength": 2}, {"minLength": 9}]
    assert broken(contract, OFFER | {"comments": "abc"}) == {"comments:anyOf"}


def test_a_schema_without_an_id_is_found_by_its_file_name(tmp_path: Path) -> None:
    contract = changed(tmp_path, lambda schema: schema.pop("$id"), "product-list-response.schema.json")
    assert broken(contract, {}, "product-list-response") == {
        "data:required", "failureMessages:required", "informationalMessages:required",
        "operationWasSuccessful:required",
    }  # fmt: skip


MERGED: list[tuple[Any, Any, Any]] = [
    ({"enum": [1, 2]}, {"const": 2}, {"enum": [2]}),
    ({"enum": [True]}, {"enum": [1]}, {"enum": []}),
    ({"multipleOf": 4}, {"multipleOf": 6}, {"multipleOf": 12}),
    ({"multipleOf": 0.4}, {"multipleOf": 0.6}, {"multipleOf": 1.2}),
    ({"additionalProperties": True}, {"additionalProperties": False}, {"additionalProperties": False}),
    ({"minLength": 1, "maxLength": 9}, {"minLength": 2, "maxLength": 8}, {"minLength": 2, "maxLength": 8}),
    ({"type": ["integer", "null"]}, {"type": "number"}, {"type": ["integer"]}),
    ({"pattern": "a"}, {"pattern": "a"}, {"pattern": "a"}),
]


def test_the_demands_of_two_schemas_are_merged(tmp_path: Path) -> None:
    props = {f"extra{number}": {"allOf": [left, right]} for number, (left, right, _) in enumerate(MERGED)}
    sites = changed(tmp_path, lambda schema: schema["properties"].update(props)).sites["offer-creation-request"]
    assert [sites[name].schema for name in props] == [joined for _, _, joined in MERGED]


def test_an_own_entry_changes_only_the_ambiguity_with_its_id(tmp_path: Path) -> None:
    nowhere: Any = [{"id": name, "sites": {}} for name in ("cron-syntax", "clock-tolerance")]
    own = [*nowhere, {"id": "string-length", "limit": 3}]
    put(json.dumps(own), "ambiguities.json")(tmp_path)
    contract = load_contract(tmp_path)
    assert set(load_contract().ambiguity_names) - set(contract.ambiguity_names) == {"cron-syntax", "clock-tolerance"}
    cron, early = OFFER | {"deliveryScheduleCron": "@hi"}, OFFER | {"lastUpdatedDateTimeUtc": "9999-01-01T00:00:00Z"}
    assert check("offer-creation-request", {**cron, "offerType": "VDM"}, contract=contract).label == "valid"
    assert "not-in-future" in str(check("offer-creation-request", early, contract=contract))
    touched = check("offer-creation-request", OFFER | {"comments": "long"}, contract=contract).ambiguities
    assert [touch.ambiguity for touch in touched if touch.at == "/comments"] == ["string-length"]


def test_the_same_folder_is_loaded_once(tmp_path: Path) -> None:
    assert changed(tmp_path, lambda schema: None) is load_contract(str(tmp_path))
    assert load_contract() is load_contract(DATA)


def put(text: str, name: str = OFFERS) -> Callable[[Path], object]:
    return lambda folder: (folder / name).write_text(text, encoding="utf-8")


def put_changed(change: Change, name: str = OFFERS) -> Callable[[Path], object]:
    def make(folder: Path) -> None:
        content = json.loads((DATA / name).read_bytes())
        change(content)
        (folder / name).write_text(json.dumps(content), encoding="utf-8")

    return make


def entry(file: str, **props: Any) -> Callable[[Path], object]:
    """Writes a table with one entry."""
    return put(json.dumps([props]), file)


def ambiguity(name: str, **props: Any) -> Callable[[Path], object]:
    return entry(AMBIGUITIES, id=name, **props)


def past(**props: Any) -> Callable[[Path], object]:
    return entry("semantics.json", id="not-in-future", **props)


AMBIGUITIES = "ambiguities.json"
MISUSES: dict[str, tuple[Callable[[Path], object], str]] = {
    "no folder": (lambda folder: folder.rmdir(), "specify a folder with the contract files that you changed"),
    "an empty folder": (lambda folder: None, "copy the files that you want to change into this folder"),
    "no JSON": (put("{"), f"{OFFERS} is not readable JSON"),
    "no text": (lambda folder: (folder / OFFERS).write_bytes(b"\xff\xfe\xfd"), "correct or remove the file"),
    "a folder in place of a file": (lambda folder: (folder / OFFERS).mkdir(), "correct or remove the file"),
    "no schema": (put('{"type": "strin"}'), f"{OFFERS} is not a JSON Schema of draft 2020-12"),
    "no schema of an object": (put("[]"), "compare it"),
    "a schema that is just true": (put("true"), "compare it"),
    "an older draft": (put('{"$schema": "http://json-schema.org/draft-07/schema#"}'), "rewrite it"),
    "a reference out of the folder": (put('{"$ref": "https://a.example/b.json"}'), "use only schemas of the contract"),
    "a hidden reference out of the folder": (
        put('{"anyOf": [{"$ref": "../other.json"}]}'),
        "use only schemas of the contract",
    ),
    "a reference to nowhere": (put('{"$ref": "#/$defs/none"}'), "does not exist: correct the reference"),
    "endless messages": (put('{"properties": {"a": {"$ref": "#"}}, "required": ["a"]}'), "make a property"),
    "a pattern that is none": (put('{"properties": {"a": {"pattern": "("}}}'), "correct the schema"),
    "a property with a dot": (put('{"properties": {"a.b": {}}}'), "rename it"),
    "a property with NUL": (put('{"properties": {"a\\u0000b": {}}}'), "a message with NUL is never valid"),
    "a stray schema": (put("{}", "offer.schema.json"), f"contains none of {OFFERS}"),
    "ambiguities that are none": (put("{}", AMBIGUITIES), f"{AMBIGUITIES} is not a list of entries"),
    "an ambiguity without an id": (put("[{}]", AMBIGUITIES), '/0: "id" is a required property'),
    "an ambiguity without a question": (
        ambiguity("new"),
        "'new', which is wrong (\"question\" is a required property)",
    ),
    "an interpretation that occurs twice": (ambiguity("cron-syntax", interpretations=["rejected"] * 2), "non-unique"),
    "an interpretation that is none": (ambiguity("cron-syntax", interpretations=["accepted"]), "/interpretations"),
    "an unknown detector": (ambiguity("cron-syntax", detector="timestamps"), '/detector: "timestamps" is not one of'),
    "a detector without its limit": (ambiguity("string-length", limit=None), "/limit: null is not of type"),
    "a detector without its sites": (ambiguity("encoding.other", detector="cron"), '"sites" is a required property'),
    "too many names": (ambiguity("cron-syntax", sites={OFFER_TYPE: [["", "a"]]}), "has more than 1 item"),
    "too few names": (ambiguity("range-order", sites={OFFER_TYPE: ["number"]}), 'not of type "array"'),
    "a tolerance without seconds": (ambiguity("clock-tolerance", interpretations=["accepted"]), "/interpretations"),
    "a negative tolerance": (ambiguity("clock-tolerance", interpretations={"seconds": [-1]}), "/seconds/0: -1 is less"),
    "an unknown interpretation": (
        ambiguity("duplicate-properties", interpretations=["second", "rejected"]),
        'not one of "last", "first", "both", "rejected"',
    ),
    "an unknown spelling": (ambiguity("timestamp-format.offset", spelling="roman"), '/spelling: "roman" is not one of'),
    "two ambiguities with one ID": (
        put('[{"id": "cron-syntax"}, {"id": "cron-syntax"}]', AMBIGUITIES),
        "a different ID",
    ),
    "an ambiguity at a misspelled site": (
        ambiguity("cron-syntax", sites={OFFER_TYPE: ["deliveryScheduleCorn"]}),
        "did you mean 'deliveryScheduleCron'",
    ),
    "an ambiguity of an unknown message type": (
        ambiguity("cron-syntax", sites={"offer": ["deliveryScheduleCron"]}),
        "unknown message type 'offer': use offer-creation-request,",
    ),
    "a rule of an unknown message type": (past(sites={"offer": ["number"]}), "unknown message type 'offer'"),
    "a rule at a misspelled site": (
        past(sites={OFFER_TYPE: ["lastUpdatedDateTimeUTC"]}),
        "did you mean 'lastUpdatedDateTimeUtc'",
    ),
    "semantics that are none": (put("{}", "semantics.json"), "semantics.json is not a list of entries"),
    "semantics that nobody judges": (past(keyword="not-in-past"), 'is not one of "not-in-future"'),
}


@pytest.mark.parametrize("misuse", MISUSES)
def test_an_unusable_contract_is_rejected_in_one_line(misuse: str, tmp_path: Path) -> None:
    make, words = MISUSES[misuse]
    make(tmp_path)
    with pytest.raises(ContractError) as caught:
        load_contract(tmp_path)
    assert "\n" not in str(caught.value)
    assert words in str(caught.value)


def test_an_own_entry_changes_only_the_rule_with_its_id(tmp_path: Path) -> None:
    late = OFFER | {"lastUpdatedDateTimeUtc": "9999-01-01T00:00:00Z"}
    started = OFFER | {"availableStartDate": "9999-01-01T00:00:00Z"}
    for number, (sites, rules) in enumerate(
        [({}, set()), ({OFFER_TYPE: ["availableStartDate"]}, {"availableStartDate:not-in-future"})]
    ):
        (tmp_path / str(number)).mkdir()
        past(sites=sites)(tmp_path / str(number))
        contract = load_contract(tmp_path / str(number))
        assert broken(contract, late) == set()
        assert broken(contract, started) == rules
    entry(
        "semantics.json",
        id="start",
        keyword="not-in-future",
        sites={OFFER_TYPE: ["availableStartDate"]},
        demand="a time",
    )(tmp_path)
    contract = load_contract(tmp_path)
    assert broken(contract, late | started) == {
        "availableStartDate:not-in-future",
        "lastUpdatedDateTimeUtc:not-in-future",
    }


ODD_NAMES = [
    "it's",
    'say "so"',
    "a\\",
    "two\nlines",
    "{now}",
    "');raise SystemExit#",
    "ü",
    "x" * 300,
    "None",
    "a b",
    "\u2028",
]


def test_a_property_may_have_any_name(tmp_path: Path) -> None:
    counts = {"type": "array", "items": {"type": "integer"}}
    contract = changed(tmp_path, lambda schema: schema["properties"].update(dict.fromkeys(ODD_NAMES, counts)))
    said = check("offer-creation-request", OFFER | {name: [1, 2.0] * 60 for name in ODD_NAMES}, contract=contract)
    assert len({touch.at for touch in said.ambiguities if touch.ambiguity == "item-count"}) == len(ODD_NAMES)
    assert (
        check("offer-creation-request", OFFER | {name: [1] for name in ODD_NAMES}, contract=contract).label == "valid"
    )


def test_properties_may_be_nested_as_deep_as_messages_are_parsed(tmp_path: Path) -> None:
    deep: dict[str, Any] = {"type": "integer"}
    value: Any = 2.0
    for level in range(62):
        deep = {"type": "object", "properties": {"inner": deep}} if level % 3 else {"type": "array", "items": deep}
        value = {"inner": value} if level % 3 else [value]
    contract = changed(tmp_path, lambda schema: schema["properties"].update(deep=deep))
    said = check("offer-creation-request", OFFER | {"deep": value}, contract=contract)
    assert [(touch.ambiguity, touch.at) for touch in said.ambiguities] == [
        ("integer-form", "/deep/inner" + "/0/inner/inner" * 20 + "/0")
    ]


def test_a_huge_file_is_rejected_before_it_is_read(tmp_path: Path) -> None:
    with (tmp_path / OFFERS).open("wb") as stream:
        stream.truncate((1 << 20) + 1)
    with pytest.raises(ContractError, match="has 1,048,577 bytes, and the limit is 1,048,576"):
        load_contract(tmp_path)


def _doubled(depth: int) -> Callable[[dict[str, Any]], object]:
    """Adds definitions that each refer twice to the next definition, so that the last definition occurs 2^depth
    times.
    """
    refer = [{"$ref": f"#/$defs/d{number + 1}"} for number in range(depth)]
    definitions = {f"d{number}": {"properties": {"a": one, "b": one}} for number, one in enumerate(refer)} | {
        f"d{depth}": {"type": "string"}
    }
    return lambda schema: (
        schema.update({"$defs": definitions}),
        schema["properties"].update(big={"$ref": "#/$defs/d0"}),
    )


def _big(**schema: Any) -> Callable[[dict[str, Any]], object]:
    return lambda changing: changing["properties"].update(big=schema)


DEEP: Final[dict[str, Any]] = json.loads('{"items": ' * 80 + "{}" + "}" * 80)
WIDE: Final = {
    "type": "array",
    "minItems": 100,
    "items": {"type": "array", "minItems": 100, "items": {"type": "string"}},
}
HOSTILE: Final[Mapping[str, tuple[Callable[[dict[str, Any]], object], str]]] = {
    "references that double": (_doubled(40), "2,001 or more references.*, and the limit is 2,000"),
    "a chain of references": (
        lambda schema: (
            schema.update({"$defs": {f"d{number}": {"$ref": f"#/$defs/d{number + 1}"} for number in range(3000)}}),
            schema["properties"].update(big={"$ref": "#/$defs/d0"}),
        ),
        "the limit is 2,000|nested too deeply",
    ),
    "a nested pattern": (_big(pattern=r"((\w{1,200}){1,200}){1,200}"), 'not a "regex"'),
    "many patterns and an invalid one": (
        _big(pattern="(", patternProperties={rf"^{number}\p{{L}}{{200}}$": {} for number in range(200)}),
        r"cannot be compiled within 5 s|not a .regex",
    ),
    "a bound that needs huge messages": (_big(minItems=101), '"minItems": 101, and the limit is 100: use a smaller'),
    "a length that needs huge messages": (_big(maxLength=1_000_001), '"maxLength": 1,000,001, and the limit is 1,000,000'),
    "too many values": (_big(enum=[*range(201)]), 'entries in "enum", and the limit is 200'),
    "too many properties": (_big(properties={f"v{n}": {} for n in range(301)}), 'entries in "properties", and the limit'),
    "too many branches": (_big(oneOf=[{}] * 51), 'entries in "oneOf", and the limit is 50'),
    "many levels": (_big(**DEEP), "levels of nested arrays and objects, and the limit is 64"),
    "a tiny step": (_big(type="number", multipleOf=1e-300), "the smallest possible step is 1e-12"),
    "arrays in arrays": (_big(**WIDE), "values in a message, .*and the limit is 2,000"),
}  # fmt: skip


@pytest.mark.parametrize(
    "kind",
    [
        pytest.param(kind, marks=pytest.mark.long) if kind == "many patterns and an invalid one" else kind
        for kind in HOSTILE
    ],
)
def test_a_contract_that_needs_endless_work_is_rejected_with_its_limit(tmp_path: Path, kind: str) -> None:
    change, said = HOSTILE[kind]
    with pytest.raises(ContractError, match=said) as raised:
        changed(tmp_path, change)
    assert "\n" not in str(raised.value)
    assert any(
        part in str(raised.value)
        for part in ("BROKERFUZZ_CONTRACT_LIMITS=10", "nested too deeply", "smallest possible step", "regex")
    )


def test_an_environment_variable_multiplies_the_limits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BROKERFUZZ_CONTRACT_LIMITS", "10")
    assert changed(tmp_path, _big(minItems=1000, type="array")).folder == tmp_path
    monkeypatch.setenv("BROKERFUZZ_CONTRACT_LIMITS", "many")
    (tmp_path / "other").mkdir()
    with pytest.raises(ContractError, match="BROKERFUZZ_CONTRACT_LIMITS is 'many': use a whole number"):
        changed(tmp_path / "other", _big())


def test_values_that_cannot_be_found_in_time_are_an_error_with_the_limit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(contract_limits, "SECONDS", 0.2)
    contract = changed(tmp_path, _big(type="array", contains={"type": "object", "minProperties": 50}, minContains=50))
    with pytest.raises(ContractError, match=r"generating values for big exceeds the limit of 0\.2 s"):
        next(messages("offer-creation-request", 0, contract=contract))


def test_a_pattern_that_backtracks_without_end_matches_nothing_and_other_patterns_match_long_strings(
    tmp_path: Path,
) -> None:
    new = {"usual": {"pattern": r"^(?=.*\d)(?!.*\s\s)[\w -]+$"}, "endless": {"pattern": r"^(.*)*=(.*)*\2$"}}
    contract = changed(tmp_path, lambda schema: schema["properties"].update(new))
    assert broken(contract, OFFER | {"usual": "a1" + "b" * 50_000}) == set()
    assert broken(contract, OFFER | {"endless": "a" * 60 + "!"}) == {"endless:pattern"}


def test_long_strings_can_be_generated(tmp_path: Path) -> None:
    contract = changed(
        tmp_path, lambda schema: (_big(type="string", minLength=2000)(schema), schema["required"].append("big"))
    )
    some: list[Any] = list(islice(messages("offer-creation-request", 0, contract=contract), 5))
    assert all(len(message["big"]) >= 2000 for message in some)
