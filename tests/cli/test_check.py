import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result
from fixture_types import Run, Spawn, Write

from brokerfuzz.schemas.contract_files import DATA

PLAIN = '{"number":"1","offerType":"Email"}'
EMPTY_NUMBER = '{"number":"","offerType":"Email"}'
CRON = '{"number":"1","offerType":"Email","deliveryScheduleCron":"weekly"}'
ENVELOPE = '{"data":%s,"failureMessages":%s,"informationalMessages":[],"operationWasSuccessful":true}'
EMPTY_RULE = "offer-creation-request/number:minLength"


def judged(result: Result) -> list[dict[str, Any]]:
    return [json.loads(line) for line in result.stdout.splitlines()]


def test_a_valid_message_is_reported_as_valid(run: Run, write: Write) -> None:
    result = run("check", write("offer.json", PLAIN))
    assert (result.exit_code, result.stdout) == (0, "offer.json:1: valid (offer-creation-request)\n")


def test_an_invalid_message_is_reported_with_the_reasons(run: Run, write: Write) -> None:
    result = run("check", write("offer.json", EMPTY_NUMBER))
    assert result.exit_code == 1
    assert result.stdout.splitlines() == [
        "offer.json:1: invalid (offer-creation-request)",
        '  /number: expected at least 1 character, found ""',
        f"    rule {EMPTY_RULE} (Offer creation request, row number; validation rule 1)",
    ]


def test_a_rule_that_is_broken_under_one_interpretation_names_it(run: Run, write: Write) -> None:
    offer = write("offer.json", '{"number":"","number":5,"offerType":"Email"}')
    assert "expected a string, found 5 (under duplicate-properties=last)" in run("check", offer).stdout
    (said,) = judged(run("check", "--json", offer))
    assert [broken["under"] for broken in said["broken"]] == ["duplicate-properties=first", "duplicate-properties=last"]


def test_the_json_output_contains_the_same_reasons(run: Run, write: Write) -> None:
    [said] = judged(run("check", "--json", write("offer.json", EMPTY_NUMBER)))
    assert said == {
        "name": "offer.json",
        "line": 1,
        "message": "offer-creation-request",
        "closest": None,
        "verdict": "invalid",
        "broken": [
            {
                "rule": EMPTY_RULE,
                "at": "/number",
                "under": "",
                "found": '""',
                "demanded": "at least 1 character",
                "source": "Offer creation request, row number; validation rule 1",
            }
        ],
        "ambiguities": [],
    }


def test_an_unspecified_message_does_not_fail_the_check(run: Run, write: Write) -> None:
    result = run("check", write("offer.json", CRON))
    assert result.exit_code == 0
    assert "offer.json:1: unspecified" in result.stdout
    assert "ambiguity cron-syntax" in result.stdout


@pytest.mark.parametrize(("policy", "status", "verdict"), [("accepted", 0, "valid"), ("rejected", 1, "invalid")])
def test_a_policy_settles_an_ambiguity(run: Run, write: Write, policy: str, status: int, verdict: str) -> None:
    result = run("check", "--json", "--policy", f"cron-syntax={policy}", write("offer.json", CRON))
    [said] = judged(result)
    assert (result.exit_code, said["verdict"]) == (status, verdict)
    assert [broken["rule"] for broken in said["broken"]] == (["ambiguity/cron-syntax"] if policy == "rejected" else [])
    assert all(broken["source"] for broken in said["broken"])


def test_messages_are_judged_as_of_the_given_time(run: Run, write: Write) -> None:
    offer = write("offer.json", '{"number":"1","offerType":"Email","lastUpdatedDateTimeUtc":"2024-01-01T00:00:00Z"}')
    assert run("check", "--now", "2025-01-01T00:00:00Z", offer).exit_code == 0
    assert run("check", "--now", "2023-01-01T01:00:00+01:00", offer).exit_code == 1


@pytest.mark.parametrize(("ending", "second"), [("\n", 2), ("\r\n", 2), ("\n\n", 3)])
def test_each_line_is_a_message_and_blank_lines_are_skipped(run: Run, folder: Path, ending: str, second: int) -> None:
    (folder / "offers.ndjson").write_bytes(f"{PLAIN}{ending}{EMPTY_NUMBER}{ending}".encode())
    result = run("check", "offers.ndjson")
    assert result.exit_code == 1
    assert "offers.ndjson:1: valid" in result.stdout
    assert f"offers.ndjson:{second}: invalid" in result.stdout
    assert result.stdout.endswith("2 messages: 1 valid, 1 invalid, 0 unspecified\n")


def test_with_ndjson_each_line_is_a_message(run: Run, write: Write) -> None:
    offers = write("offers.txt", PLAIN, PLAIN)
    assert run("check", offers).exit_code == 1
    assert run("check", "--ndjson", offers).exit_code == 0


def test_quiet_omits_valid_messages(run: Run, write: Write) -> None:
    result = run("check", "--quiet", write("offers.ndjson", PLAIN, EMPTY_NUMBER, CRON))
    assert [line.split(":")[1] for line in result.stdout.splitlines() if line.startswith("offers")] == ["2", "3"]


def test_standard_input_is_read(run: Run) -> None:
    assert run("check", "-", text=PLAIN).stdout == "-:1: valid (offer-creation-request)\n"
    assert run("check", "--ndjson", "-", text=f"{PLAIN}\n{EMPTY_NUMBER}\n").exit_code == 1


@pytest.mark.parametrize("text", ["", "nope", "{", "[1,]", '{"number": NaN}', "\x00", "[" * 100_000])
def test_data_that_is_not_json_is_an_invalid_message_and_not_an_error(run: Run, text: str) -> None:
    result = run("check", "-", text=text)
    assert result.exit_code == 1
    assert result.stdout.startswith("-:1: invalid\n")
    assert "offer-creation-request/:json" in result.stdout


@pytest.mark.parametrize(
    ("message", "message_type"),
    [
        (PLAIN, "offer-creation-request"),
        ('{"NUMBER":"1"}', "offer-creation-request"),
        (ENVELOPE % ("[]", "[]"), "product-list-response"),
        (ENVELOPE % ("{}", "[]"), "offer-pricing-response"),
        (ENVELOPE % ("{}", "5"), "offer-pricing-response"),
        (ENVELOPE % ("null", "[]"), None),
        ("{}", None),
        ("[]", None),
        ("5", None),
    ],
)
def test_the_type_is_recognised_by_the_properties(run: Run, message: str, message_type: str | None) -> None:
    [said] = judged(run("check", "--json", "-", text=message))
    assert said["message"] == message_type


@pytest.mark.parametrize(
    ("message", "closest"),
    [
        ('{"productId":"1","productNumber":"2","status":"new"}', "data[] of product-list-response"),
        ('[{"productId":"1","productNumber":"2","status":"new"}]', "data[] of product-list-response"),
        ('{"customerId":"1","offers":[]}', "data of offer-pricing-response"),
        ('{"offer_type":"Email","oms_offer_id":"1","access_groups":[]}', "offer-creation-request"),
        ('{"number":"1","street":"a","city":"b","country":"c"}', "offer-creation-request"),
        ('[{"number":"1","offerType":"Email","comments":null}]', "offer-creation-request"),
    ],
)
def test_a_file_that_is_none_of_the_messages_is_reported_with_the_closest_type(
    run: Run, message: str, closest: str
) -> None:
    result = run("check", "-", text=message)
    assert result.exit_code == 1
    assert f"the closest is {closest})" in result.stdout.splitlines()[0]
    [said] = judged(run("check", "--json", "-", text=message))
    assert said["closest"]["message"] == said["message"]
    assert {broken["rule"].partition("/")[0] for broken in said["broken"]} == {said["message"]}


@pytest.mark.parametrize("message", [PLAIN, "{}", "[]", "5", "nope", '{"street":"a"}'])
def test_no_closest_type_is_reported_for_a_message_or_for_data_that_resembles_none(run: Run, message: str) -> None:
    assert judged(run("check", "--json", "-", text=message))[0]["closest"] is None


def test_a_message_with_two_possible_types_gets_the_verdict_that_both_agree_on(run: Run) -> None:
    [said] = judged(run("check", "--json", "-", text=ENVELOPE % ("null", "[1]")))
    assert said["verdict"] == "invalid"
    assert {broken["rule"].partition("/")[0] for broken in said["broken"]} == {
        "product-list-response",
        "offer-pricing-response",
    }


def test_the_type_can_be_given(run: Run) -> None:
    assert run("check", "--message", "product-list-response", "-", text=PLAIN).exit_code == 1


def test_the_content_of_a_message_cannot_control_the_terminal(run: Run, spawn: Spawn) -> None:
    hostile = '{"number":"1","offerType":"\x7f\x9b31m\u202e\\ud800"}'
    result = run("check", "-", text=hostile)
    assert result.exit_code == 1
    assert all(char.isprintable() or char == "\n" for char in result.stdout)
    done = spawn("check", "-", body='{"number":"1","offerType":"€"}'.encode(), env={"PYTHONIOENCODING": "latin-1"})
    assert b"\\u20ac" in done.stdout
    assert not done.stderr


def test_a_changed_contract_changes_the_verdict(run: Run, write: Write, tmp_path: Path) -> None:
    schema = json.loads((DATA / "offer-creation-request.schema.json").read_text())
    schema["properties"]["number"]["maxLength"] = 3
    (tmp_path / "changed").mkdir()
    (tmp_path / "changed" / "offer-creation-request.schema.json").write_text(json.dumps(schema))
    offer = write("offer.json", '{"number":"1234","offerType":"Email"}')
    assert run("check", offer).exit_code == 0
    assert run("check", "--contract", tmp_path / "changed", offer).exit_code == 1


# --------------------------------------------------------------------------------------------------------- corpora


@pytest.fixture
def corpus(run: Run, folder: Path) -> list[str]:
    assert run("export", "corpus.ndjson", "--message", "offer-pricing-response").exit_code == 0
    return (
        (folder / "corpus.ndjson").read_text().removesuffix("\n").split("\n")
    )  # splitlines() would also split at other characters within strings


def test_a_corpus_with_invalid_messages_agrees_with_its_records(run: Run, corpus: list[str]) -> None:
    result = run("check", "--json", "corpus.ndjson")
    assert result.exit_code == 0
    said = judged(result)
    assert len(said) == len(corpus)
    assert all(one["record"] == {"verdict": one["verdict"], "agrees": True} for one in said)
    assert {one["verdict"] for one in said} == {"valid", "invalid", "unspecified"}


def test_a_corpus_is_recognised_by_its_records_under_any_name(run: Run, corpus: list[str]) -> None:
    Path("other").write_text("\n".join(corpus) + "\n")
    assert run("check", "--quiet", "other").exit_code == 0
    assert run("check", "--quiet", "-", text="\n".join(corpus)).exit_code == 0


def test_a_wrong_record_is_found(run: Run, corpus: list[str]) -> None:
    record = next(number for number, line in enumerate(corpus) if '"verdict":"valid"' in line)
    corpus[record] = corpus[record].replace('"verdict":"valid"', '"verdict":"invalid"')
    Path("changed.ndjson").write_text("\n".join(corpus) + "\n")
    result = run("check", "--quiet", "changed.ndjson")
    assert result.exit_code == 1
    assert result.stdout.splitlines()[0] == f"changed.ndjson:{record + 1}: valid (offer-pricing-response)"
    assert "the corpus says invalid" in result.stdout


def test_a_corpus_with_faults_of_the_clock_is_judged_as_of_its_own_time(run: Run, folder: Path) -> None:
    corpus = folder / "old.ndjson"
    assert (
        run(
            "export", corpus, "--message", "offer-creation-request", "--clock", "--now", "2015-01-01T00:00:00Z"
        ).exit_code
        == 0
    )
    assert run("check", "--quiet", corpus).exit_code == 0


def test_a_folder_of_messages_gives_a_table_of_broken_rules(run: Run, tmp_path: Path) -> None:
    folder = tmp_path / "captured"
    folder.mkdir()
    for name, minimum in (("a.json", 0), ("b.json", -1), ("c.json", '"1"'), ("d.json", 1)):
        (folder / name).write_text(f'{{"number":"1","offerType":"Email","orderMinimum":{minimum}}}')
    (folder / "e.ndjson").write_text('{"number":"1","offerType":"Email","orderMinimum":0}\n' * 2)
    result = run("check", "--summary", folder)
    assert result.exit_code == 1
    assert result.stdout.splitlines() == [
        "messages  rule",
        "4         offer-creation-request/orderMinimum:minimum",
        "1         offer-creation-request/orderMinimum:type",
        "6 messages: 1 valid, 5 invalid, 0 unspecified",
    ]
    assert json.loads(run("check", "--summary", "--json", folder).stdout)["messages"]["valid"] == 1
