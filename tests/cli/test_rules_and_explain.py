import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from contracts import changed_contract
from fixture_types import Run
from jsonschema import Draft202012Validator

from brokerfuzz.cases.message_diff import difference
from brokerfuzz.cases.techniques import TECHNIQUES, techniques_for
from brokerfuzz.corpus import load
from brokerfuzz.explaining import every_name, explain
from brokerfuzz.schemas import MESSAGE_TYPES, MessageType, check, load_contract

CONTRACT = load_contract()


def test_rules_lists_every_rule_and_ambiguity(run: Run) -> None:
    listed = run("rules").stdout.splitlines()
    assert {line for line in listed if not line.startswith(" ")} == {
        *CONTRACT.rules_by_id,
        *(ambiguity.id for ambiguity in CONTRACT.ambiguities),
    }


def test_rules_as_json_contain_the_requirement_and_its_source(run: Run) -> None:
    listed = json.loads(run("rules", "--json").stdout)
    assert [rule["id"] for rule in listed["rules"]] == list(CONTRACT.rules_by_id)
    assert all(rule["demand"] and rule["source"] for rule in listed["rules"])
    cited = {rule["id"]: (rule["source"], rule["validation_rule"]) for rule in listed["rules"]}
    assert cited["offer-creation-request/orderMinimum:minimum"] == (
        "Offer creation request, row orderMinimum; validation rule 7",
        7,
    )
    assert cited["offer-creation-request/priceClasses[].priceTiers[]:additionalProperties"] == (
        "Offer creation request, Price tier; validation rule 9",
        9,
    )
    assert all(ambiguity["question"] and ambiguity["source"] for ambiguity in listed["ambiguities"])


def test_a_rule_that_only_a_changed_contract_states_has_no_source(run: Run, tmp_path: Path) -> None:
    def change(schema: dict[str, Any]) -> None:
        schema["properties"]["orderMinimum"]["minimum"] = 5
        schema["properties"]["number"]["maxLength"] = 10

    changed_contract(tmp_path, "offer-creation-request", change)
    listed = json.loads(run("rules", "--json", "--contract", tmp_path).stdout)["rules"]
    stated = [rule["id"] for rule in listed if rule["source"] is None]
    assert stated == ["offer-creation-request/number:maxLength", "offer-creation-request/orderMinimum:minimum"]
    assert all(rule["validation_rule"] is None for rule in listed if rule["id"] in stated)
    assert "    at most 10 characters (a changed contract)" in run("rules", "--contract", tmp_path).stdout.splitlines()
    assert "Source in the contract" not in run("explain", stated[0], "--contract", tmp_path).stdout


def test_a_changed_contract_can_state_its_own_sources(run: Run, tmp_path: Path) -> None:
    def change(schema: dict[str, Any]) -> None:
        schema["properties"]["number"] |= {"maxLength": 10, "$comment": "Wiki, page 7; validation rule 12: maxLength"}

    changed_contract(tmp_path, "offer-creation-request", change)
    assert (
        "Source in the contract: Wiki, page 7; validation rule 12."
        in run("explain", "offer-creation-request/number:maxLength", "--contract", tmp_path).stdout
    )


@pytest.mark.parametrize("message_type", MESSAGE_TYPES)
def test_rules_can_list_one_message_type(run: Run, message_type: str) -> None:
    listed = json.loads(run("rules", "--json", "--message", message_type).stdout)
    assert {rule["message"] for rule in listed["rules"]} == {message_type}
    assert all(
        message_type in ambiguity["messages"] or not ambiguity["messages"] for ambiguity in listed["ambiguities"]
    )


def test_rules_can_list_only_the_ambiguities(run: Run) -> None:
    assert set(json.loads(run("rules", "--ambiguities", "--json").stdout)) == {"ambiguities"}


@pytest.mark.parametrize("message_type", MESSAGE_TYPES)
def test_the_schema_of_a_message_type_is_one_document_that_validators_can_use(
    run: Run, message_type: MessageType
) -> None:
    schema = json.loads(run("rules", "--schema", "--message", message_type).stdout)
    validator = Draft202012Validator(schema)
    for case in load(message_type, verdicts=["valid"]):
        assert validator.is_valid(case.value)
    assert not validator.is_valid({})


def test_rules_can_list_the_techniques_with_their_text_and_keywords(run: Run) -> None:
    listed = json.loads(run("rules", "--techniques", "--json").stdout)["techniques"]
    assert [technique["name"] for technique in listed] == list(TECHNIQUES)
    assert all(technique["text"] and technique["keywords"] for technique in listed)
    assert len(run("rules", "--techniques").stdout.splitlines()) == len(TECHNIQUES)


def test_a_rule_is_explained_with_an_example_next_to_its_twin(run: Run) -> None:
    result = run("explain", "offer-creation-request/orderMinimum:minimum")
    techniques = [
        technique.name for technique in techniques_for(CONTRACT.rule("offer-creation-request/orderMinimum:minimum"))
    ]
    assert result.stdout.splitlines() == [
        "offer-creation-request/orderMinimum:minimum (rule)",
        "",
        "In an offer creation request, orderMinimum must be at least 1.",
        "orderMinimum: Minimum quantity of an order.",
        f"Techniques that break this rule: {', '.join(techniques[:-1])} and {techniques[-1]}.",
        "Source in the contract: Offer creation request, row orderMinimum; validation rule 7.",
        "",
        (
            "Example: - marks lines of the twin (the valid counterpart), + marks lines of the invalid offer creation "
            "request (technique one-below)."
        ),
        "  {",
        '    "number": "OFF-10000",',
        '    "offerType": "Direct Mail",',
        '-   "orderMinimum": 1',
        '+   "orderMinimum": 0',
        "  }",
    ]


def test_the_json_output_contains_the_example_and_its_twin_as_records(run: Run) -> None:
    said = json.loads(run("explain", "--json", "cron-syntax").stdout)
    assert (said["kind"], said["example"]["verdict"], said["twin"]["verdict"]) == ("ambiguity", "unspecified", "valid")
    assert said["example"]["ambiguities"] == ["cron-syntax"]


def wrong_with(name: str) -> Iterator[str]:
    explanation = explain(name)
    if not explanation.sentences:
        yield "no sentence"
    if not all(line.isprintable() for line in explanation.lines()):
        yield "a line that does not print"
    example = explanation.example
    if explanation.kind == "rule" and (example is None or [broken.rule for broken in example.verdict.broken] != [name]):
        yield "no example that breaks this rule alone"
    if example is not None:
        if example.twin is None or check(example.message_type, example.twin.body).label != "valid":
            yield "an example without a valid twin"
        difference = [line for line in explanation.lines() if line.startswith(("-", "+"))]
        if not difference:
            yield "an example whose difference is not marked"
        if not all(len(line) <= 160 for line in difference):
            yield "a line that is too long"


def test_everything_is_explained() -> None:
    names = [one.name for one in every_name(CONTRACT)]
    assert {*CONTRACT.rules_by_id, *TECHNIQUES} <= set(names)
    assert [f"{name}: {wrong}" for name in names for wrong in wrong_with(name)] == []


def test_examples_are_small() -> None:
    sizes = [len(explain(rule).example.twin.body) for rule in CONTRACT.rules_by_id]  # type: ignore[union-attr]
    assert max(sizes) < 400


def test_a_group_of_ambiguities_is_explained_with_all_of_its_questions(run: Run) -> None:
    shown = run("explain", "timestamp-format").stdout
    group = [ambiguity for ambiguity in CONTRACT.ambiguities if ambiguity.id.startswith("timestamp-format.")]
    assert len(group) == 9
    assert all(f"\n{ambiguity.id}: {ambiguity.question}\n" in shown for ambiguity in group)
    assert "--policy timestamp-format=INTERPRETATION" in shown


def test_the_rule_of_a_settled_ambiguity_is_explained_like_the_ambiguity(run: Run) -> None:
    assert run("explain", "ambiguity/cron-syntax").stdout == run("explain", "cron-syntax").stdout


@pytest.mark.parametrize(
    ("twin", "body", "lines"),
    [
        (b'{"a":1}', b'{"a":1.0}', ["  {", '-   "a": 1', '+   "a": 1.0', "  }"]),
        (b'{"a":[]}', b'{"a":[],"a":[]}', ["  {", '+   "a": [],', '    "a": []', "  }"]),
        (b'{"a":"}"}', b'{"a":"\\""}', ["  {", '-   "a": "}"', '+   "a": "\\""', "  }"]),
        (b"{}", b"{", ["- {}", "+ {"]),
        (b"[1]", b"[\xff]", ["  [", "-   1", "+   \\xff", "  ]"]),
        (b"[1]", b"[1]x", ["  [", "    1", "- ]", "+ ]x"]),
        (b"{}", b"", ["- {}"]),
    ],
)
def test_differences_are_marked(twin: bytes, body: bytes, lines: list[str]) -> None:
    assert difference(twin, body) == lines
