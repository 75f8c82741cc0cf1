"""The commands `explain` and `rules`. `UPDATE_GOLDEN=1 pytest tests/cli/test_explaining.py` writes the
files in `golden` again after an intended change.
"""

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest
from contracts import changed_contract
from fixture_types import Run
from hand_made_servers import answers, serving
from jsonschema import Draft202012Validator
from pricing_reader import BUG, PRICING, lenient

import brokerfuzz
from brokerfuzz.corpus import load

GOLDEN = Path(__file__).with_name("golden")
OFFER: Final = "offer-creation-request"
MINIMUM: Final = f"{OFFER}/orderMinimum:minimum"
NOW: Final = ("--now", "2026-01-01T00:00:00Z")


def data(run: Run, *words: object) -> Any:
    done = run(*words, "--json")
    assert done.exit_code == 0, done.stderr
    return json.loads(done.stdout)


def every_name(run: Run) -> list[str]:
    listed = data(run, "rules")
    names = [one["id"] for kind in ("rules", "ambiguities") for one in listed[kind]]
    names += [one["name"] for one in data(run, "rules", "--techniques")["techniques"]]
    return names + [one["name"] for one in data(run, "serve", "--list-bugs")["bugs"]]


# ------------------------------------------------------------------------------------------------------------- texts

TEXTS = {
    "rule": ("explain", MINIMUM),
    "technique": ("explain", "one-below"),
    "ambiguity": ("explain", "cron-syntax"),
    "group": ("explain", "timestamp-format"),
    "bug": ("explain", "accepts-zero-order-minimum"),
    "matches": ("explain", "orderMaximum"),
}


@pytest.mark.parametrize("name", TEXTS)
def test_the_text_is_as_expected(run: Run, name: str) -> None:
    done, golden = run(*TEXTS[name], *NOW), GOLDEN / f"{name}.txt"
    assert done.exit_code == 0, done.stderr
    if os.environ.get("UPDATE_GOLDEN"):
        golden.write_text(done.stdout, encoding="utf-8")
    assert done.stdout == golden.read_text(encoding="utf-8")


# ------------------------------------------------------------------------------------------------------------- names


def wrong_with(run: Run, name: str) -> Iterator[str]:
    said, text = data(run, "explain", name, *NOW), run("explain", name, *NOW).stdout.splitlines()
    example, twin = said["example"], said["twin"]
    if not said["text"] or not all(line.isprintable() for line in text):
        yield "no sentence, or a line that does not print"
    if said["kind"] == "rule" and [fault["rule"] for fault in example["faults"]] != [name]:
        yield "no example that breaks this rule alone"
    if example is not None:
        if twin["verdict"] != "valid" or (said["kind"] == "rule" and len(json.dumps(twin)) > 1000):
            yield "an example without a small valid twin"
        marked = [line for line in text if line.startswith(("-", "+"))]
        if not marked or max(map(len, marked)) > 160:
            yield "an example whose difference is not marked, or with a line that is too long"


@pytest.mark.every(4)
@pytest.mark.parametrize("part", range(4))
def test_every_name_is_explained_with_an_example(run: Run, part: int) -> None:
    names = every_name(run)[part::4]
    assert [f"{name}: {wrong}" for name in names for wrong in wrong_with(run, name)] == []


def test_a_rule_or_an_ambiguity_is_recognised_by_other_names_and_a_part_lists_everything_that_contains_it(
    run: Run,
) -> None:
    for short, name in (("orderMinimum:minimum", MINIMUM), ("ambiguity/cron-syntax", "cron-syntax")):
        assert run("explain", short).stdout == run("explain", name).stdout
    names = every_name(run)
    for part in ("ORDERMINIMUM", "accepts-zero"):
        found = [match["name"] for match in data(run, "explain", part)["matches"]]
        assert sorted(found) == sorted(name for name in names if part.lower() in name.lower())
        assert len(found) > 1


# --------------------------------------------------------------------------------------------------------------- rules


def test_rules_lists_every_rule_and_ambiguity_with_its_source(run: Run) -> None:
    listed, lines = data(run, "rules"), run("rules").stdout.splitlines()
    both = [*listed["rules"], *listed["ambiguities"]]
    assert [line for line in lines if not line.startswith(" ")] == [one["id"] for one in both]
    assert all(one["source"] and (one.get("demand") or one["question"]) for one in both)
    (minimum,) = (rule for rule in listed["rules"] if rule["id"] == MINIMUM)
    assert minimum["source"] == "Offer creation request, row orderMinimum; validation rule 7"
    assert {rule["message"] for rule in data(run, "rules", "--message", PRICING)["rules"]} == {PRICING}
    assert list(data(run, "rules", "--ambiguities")) == ["ambiguities"]


@pytest.mark.parametrize("message_type", brokerfuzz.MESSAGE_TYPES)
def test_the_schema_of_a_message_type_is_one_document_that_validators_can_use(run: Run, message_type: Any) -> None:
    """The documentation shows how to turn a corpus into a JSON Schema test suite, with the same filters."""
    validator = Draft202012Validator(data(run, "rules", "--schema", "--message", message_type))
    beyond_schemas = ["!*:json", "!*:not-in-future"] if message_type == OFFER else ["!*:json"]
    cases = load(message_type, verdicts=["valid", "invalid"], rules=beyond_schemas)
    assert {case.label for case in cases} == {"valid", "invalid"}
    assert [case.id for case in cases if validator.is_valid(case.value) != (case.label == "valid")] == []


def test_the_schema_of_a_changed_contract_contains_everything_to_which_it_refers(run: Run, tmp_path: Path) -> None:
    def refer(schema: dict[str, Any]) -> None:
        schema["$defs"] = {"name": {"type": "string", "minLength": 2}}
        schema["properties"]["number"] = {"$ref": "#/$defs/name"}
        schema["properties"]["comments"] = {"$ref": "envelope.schema.json#/properties/failureMessages/items"}

    changed_contract(tmp_path, OFFER, refer)
    schema = data(run, "rules", "--schema", "--message", OFFER, "--contract", tmp_path)
    validator = Draft202012Validator(schema)
    longer = {"number": "12", "offerType": "Email"}
    assert validator.is_valid(longer)
    assert not validator.is_valid({**longer, "number": "1"})
    assert not validator.is_valid({**longer, "comments": 1})


# --------------------------------------------------------------------------------------------------- cases and findings


def test_a_finding_and_its_case_are_explained_from_a_report(run: Run, folder: Path) -> None:
    with serving(answers(lenient)) as url:
        fired = run("fire", url, "--message", PRICING, "--rule", BUG, "--shrink", "10s", "--report", "report.json")
        assert fired.exit_code == 1
    finding = json.loads(Path("report.json").read_text())["findings"][0]
    result = run("explain", finding["name"], "report.json")
    assert result.exit_code == 0, result.stderr
    assert result.stdout.startswith(f"{finding['name']} (")
    assert finding["text"] in result.stdout
    case = finding["case"]["id"]
    assert BUG.partition("/")[2] in run("explain", case, "report.json").stdout
    assert run("explain", case).stdout.startswith(f"{case}  invalid {PRICING}")
