"""Schemas as teams and their frameworks write them: each part of a message is generated and broken."""

import json
import subprocess
import sys
from collections.abc import Callable
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
from contracts import ORDER, own_contract, with_properties
from fixture_types import Run

import brokerfuzz


def values_that_break(rule: str, name: str, contract: brokerfuzz.Contract) -> list[Any]:
    """Returns the values of a property in the cases that break a rule."""
    cases = [
        case
        for case in brokerfuzz.catalogue(ORDER, contract=contract)
        if any(fault.rule == f"{ORDER}/{rule}" for fault in case.faults)
    ]
    return [json.loads(case.body).get(name) for case in cases]


def test_a_pattern_of_digits_gives_strings_with_all_digits(tmp_path: Path) -> None:
    contract = own_contract(tmp_path / "own", with_properties(code={"type": "string", "pattern": "^[0-9]{4}$"}))
    codes = [message["code"] for message in islice(brokerfuzz.messages(ORDER, 0, contract=contract), 100)]
    assert set("".join(codes)) == set("0123456789")


@pytest.mark.parametrize("keyword", ["oneOf", "anyOf"])
def test_a_choice_of_types_is_broken_with_each_type_that_no_branch_allows(keyword: str, tmp_path: Path) -> None:
    choice = {keyword: [{"type": "string"}, {"type": "integer"}]}
    contract = own_contract(tmp_path / "own", with_properties(size=choice))
    values = values_that_break(f"size:{keyword}", "size", contract)
    of_other_types: list[Any] = [None, 1.5, True, [], {}]
    assert all(value in values for value in of_other_types)


@pytest.mark.parametrize(
    "is_accepted",
    [
        lambda address: address.get("street") == "letter" and address.get("city") == "",
        lambda address: address.get("street") == "letter" and "city" not in address,
        lambda address: address == {"kind": "box", "box": 0},
        lambda address: address.get("kind") == "box" and isinstance(address.get("box"), str),
        lambda address: address.get("kind") not in ("street", "box"),
    ],
    ids=["empty city", "missing city", "box 0", "box as string", "unknown kind"],
)
def test_a_service_that_checks_a_part_of_a_choice_of_objects_wrongly_has_a_finding(
    is_accepted: Callable[[dict[str, Any]], bool], tmp_path: Path
) -> None:
    text = {"type": "string", "minLength": 1}
    street = with_properties(kind={"const": "street"}, street=text, city=text)
    box = with_properties(kind={"const": "box"}, box={"type": "integer", "minimum": 1})
    contract = own_contract(tmp_path / "own", with_properties(address={"oneOf": [street, box]}))

    def accepts(body: bytes) -> bool:
        address = json.loads(body)["address"]
        is_wrong = isinstance(address, dict) and is_accepted(address)
        return is_wrong or not brokerfuzz.check(ORDER, body, contract=contract).broken

    report = brokerfuzz.fire(accepts, ORDER, contract=contract, rules=["address:oneOf"])
    assert [finding.kind for finding in report.findings] == ["invalid-accepted"]


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "integer"},
        {"oneOf": [{"type": "integer"}, {"type": "string"}]},
        {"anyOf": [{"oneOf": [{"type": "integer"}, {"type": "boolean"}]}, {"type": "string"}]},
        {"if": {"type": "string"}, "else": {"type": "integer"}},
    ],
    ids=["type", "branch", "nested branch", "condition"],
)
def test_whether_an_integer_may_be_written_as_a_fraction_is_open_wherever_a_schema_demands_integers(
    schema: dict[str, Any], tmp_path: Path
) -> None:
    contract = own_contract(tmp_path / "own", with_properties(size=schema))
    assert brokerfuzz.check(ORDER, b'{"size":5}', contract=contract).label == "valid"
    assert brokerfuzz.check(ORDER, b'{"size":5.0}', contract=contract).label == "unspecified"


@pytest.mark.long
def test_the_cases_of_an_own_contract_do_not_depend_on_the_modules_of_the_user(tmp_path: Path) -> None:
    """Hypothesis also generates the constants that it finds in these modules."""
    code = {"type": "array", "prefixItems": [{"type": "string"}, {"type": "integer"}]}
    own_contract(tmp_path / "own", with_properties(code=code))
    (tmp_path / "app.py").write_text(f"WORDS = {[f'word {number}' for number in range(300)]}")
    listing = "print([case.id for case in brokerfuzz.catalogue('order', contract=brokerfuzz.load_contract('own'))])"
    without, with_constants = (
        subprocess.run(
            [sys.executable, "-c", f"import {modules}\n{listing}"], cwd=tmp_path, capture_output=True, check=True
        ).stdout
        for modules in ("brokerfuzz", "brokerfuzz, app")
    )
    assert without == with_constants


def test_a_schema_or_null_has_the_rules_of_the_schema(tmp_path: Path) -> None:
    address = {
        "type": "object",
        "properties": {
            "street": {"type": "string", "minLength": 1},
            "code": {"type": "string", "pattern": "^[0-9]{5}$"},
        },
        "required": ["street"],
        "additionalProperties": False,
    }
    optional = own_contract(
        tmp_path / "optional",
        with_properties(
            address={"anyOf": [{"$ref": "#/$defs/Address"}, {"type": "null"}]},
            kind={"anyOf": [{"enum": ["a", "b"]}, {"type": "null"}], "title": "Kind"},
            size={"anyOf": [{"oneOf": [{"type": "string"}, {"type": "integer"}]}, {"type": "null"}]},
        )
        | {"$defs": {"Address": address}},
    )
    broken = {fault.rule for case in brokerfuzz.catalogue(ORDER, contract=optional) for fault in case.faults}
    names = {rule.id.partition("/")[2] for rule in brokerfuzz.rules(ORDER, contract=optional)}
    assert names == {rule.partition("/")[2] for rule in broken}
    assert {"address:type", "address.street:required", "address.street:minLength", "address.code:pattern"} <= names
    assert {"address:additionalProperties", "kind:enum", "size:oneOf"} <= names
    nothing = b'{"address": null, "kind": null, "size": null}'
    assert brokerfuzz.check(ORDER, nothing, contract=optional).label == "valid"


@pytest.mark.filterwarnings("default:brokerfuzz cannot generate a message that breaks only")
def test_a_rule_that_another_rule_makes_impossible_is_named_and_left_out(tmp_path: Path, run: Run) -> None:
    size = {"type": "integer", "maximum": 10, "exclusiveMaximum": 5}
    contract = own_contract(tmp_path / "own", with_properties(size=size))
    corpus = tmp_path / "corpus.ndjson"
    exported = run("export", corpus, "--contract", contract.folder)
    assert exported.exit_code == 0, exported.stderr
    assert "cannot generate a message that breaks only order/size:maximum" in exported.stderr
    broken = {fault["rule"] for line in corpus.read_text().splitlines() for fault in json.loads(line).get("faults", ())}
    assert "order/size:exclusiveMaximum" in broken
    assert "order/size:maximum" not in broken
    checked = run("contract", "check", contract.folder)
    assert checked.exit_code == 1
    assert "problem: brokerfuzz cannot generate a message that breaks only order/size:maximum" in checked.stdout


CHOICE_OF_PROPERTIES = {"anyOf": [{"required": ["street"]}, {"required": ["place"]}]}


@pytest.mark.every(2)
@pytest.mark.filterwarnings("default:brokerfuzz leaves out code")
@pytest.mark.parametrize("further", [{}, CHOICE_OF_PROPERTIES], ids=["properties", "choice of required properties"])
def test_an_optional_property_whose_pattern_matches_nothing_is_named_in_one_line_and_left_out(
    further: dict[str, Any], tmp_path: Path, run: Run
) -> None:
    text = {"type": ["string", "null"], "minLength": 2}
    schema = with_properties(code={"type": "string", "pattern": "/^[a-z]+$/"}, street=text, place=text)
    contract = own_contract(tmp_path / "own", {**schema, "required": [], **further})
    for command in (
        ["contract", "check", contract.folder],
        ["export", tmp_path / "out", "--contract", contract.folder],
    ):
        result = run(*command)
        said = [line for line in result.output.splitlines() if "matches nothing" in line]
        assert len(said) == 1
        assert said[0].endswith("the pattern '/^[a-z]+$/' of code matches nothing: remove the slashes around it")
        assert "cannot generate" not in result.output
    broken = {fault.rule for case in brokerfuzz.catalogue(ORDER, contract=contract) for fault in case.faults}
    untested = {rule.id for rule in brokerfuzz.rules(ORDER, contract=contract)} - broken
    assert untested == {f"{ORDER}/code:type", f"{ORDER}/code:pattern"}


def test_a_required_property_whose_pattern_matches_nothing_is_an_error_in_one_line(tmp_path: Path, run: Run) -> None:
    schema = with_properties(code={"type": "string", "pattern": "/^[a-z]+$/"})
    contract = own_contract(tmp_path / "own", {**schema, "required": ["code"], "minProperties": 1})
    exported = run("export", tmp_path / "out", "--contract", contract.folder)
    assert exported.exit_code == 2
    assert exported.stderr.endswith("the pattern '/^[a-z]+$/' of code matches nothing: remove the slashes around it\n")


def test_a_message_without_type_is_tested_as_an_object_and_the_check_notes_what_else_is_valid(
    tmp_path: Path, run: Run
) -> None:
    schema = {"properties": {"id": {"type": "string"}, "size": {"type": "integer", "minimum": 1}}, "required": ["id"]}
    contract = own_contract(tmp_path / "own", schema)
    broken = {fault.rule for case in brokerfuzz.catalogue(ORDER, contract=contract) for fault in case.faults}
    assert broken >= {"order/id:required", "order/id:type", "order/size:type", "order/size:minimum"}
    checked = run("contract", "check", contract.folder)
    assert checked.exit_code == 0
    assert "note: a string or null is valid, too, at the root" in checked.stdout


def test_names_of_properties_may_contain_dots_and_brackets(tmp_path: Path) -> None:
    inner = {"type": "object", "properties": {"unit.net": {"type": "integer", "minimum": 1}}, "required": ["unit.net"]}
    contract = own_contract(
        tmp_path / "own",
        with_properties(
            **{"price.v2": inner, "tags[]": {"type": "array", "items": {"type": "string", "minLength": 1}}}
        ),
    )
    message = next(brokerfuzz.messages(ORDER, 0, contract=contract))
    assert message.keys() == {"price.v2", "tags[]"}
    invalid = [case for case in brokerfuzz.catalogue(ORDER, contract=contract) if case.faults]
    broken = {fault.rule for case in invalid for fault in case.faults}
    assert broken == {rule.id for rule in brokerfuzz.rules(ORDER, contract=contract)}
    assert broken >= {f"{ORDER}/price%2Ev2.unit%2Enet:minimum", f"{ORDER}/tags%5B%5D[]:minLength"}

    def accepts_everything(body: bytes) -> bool:
        try:
            return isinstance(json.loads(body), dict)
        except ValueError:
            return False

    report = brokerfuzz.fire(accepts_everything, ORDER, contract=contract, rules=["*minimum", "*minLength"], shrink=0)
    assert any("unit.net" in finding.body.decode() for finding in report.findings)


def test_an_ambiguity_may_relate_properties_with_dots_in_their_names(tmp_path: Path) -> None:
    number = {"type": "integer"}
    own_contract(tmp_path / "own", with_properties(**{"price.low": number, "price.high": number}))
    entry = {
        "id": "price-order",
        "question": "May the low price be above the high one?",
        "interpretations": ["accepted", "rejected"],
        "plain": "a low price that is not above the high one",
        "source": "not shown",
        "kind": "ordered_numbers",
        "sites": {ORDER: [["", "price.low", "price.high"]]},
    }
    (tmp_path / "own" / "ambiguities.json").write_text(json.dumps([entry]), encoding="utf-8")
    contract = brokerfuzz.load_contract((tmp_path / "own").rename(tmp_path / "asked"))
    crossed = brokerfuzz.check(ORDER, {"price.low": 2, "price.high": 1}, contract=contract)
    assert [touched.ambiguity for touched in crossed.ambiguities] == ["price-order"]
    drawn = islice(brokerfuzz.messages(ORDER, 0, contract=contract), 50)
    assert all(message["price.low"] <= message["price.high"] for message in drawn)


def test_bytes_that_are_not_utf_8_are_probed_although_the_first_string_is_an_enumeration(tmp_path: Path) -> None:
    properties = with_properties(status={"enum": ["open", "sent"]}, comment={"type": "string"})
    contract = own_contract(tmp_path / "own", properties)
    tags = {tag for case in brokerfuzz.catalogue(ORDER, contract=contract) for tag in case.tags}
    assert {"as:latin-1", "as:overlong", "as:surrogate", "as:last-byte"} <= tags


def test_values_that_the_search_does_not_find_may_be_examples_of_the_schema(tmp_path: Path) -> None:
    rare = {"type": "integer", "not": {"not": {"const": 987_654_321}}}
    with pytest.raises(brokerfuzz.BrokerfuzzError, match="add `examples` to it"):
        next(brokerfuzz.messages(ORDER, 0, contract=own_contract(tmp_path / "rare", with_properties(code=rare))))
    contract = own_contract(tmp_path / "own", with_properties(code={**rare, "examples": [987_654_321]}))
    assert next(brokerfuzz.messages(ORDER, 0, contract=contract)) == {"code": 987_654_321}
