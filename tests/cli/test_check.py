"""`check` judges messages of files, lines, standard input and corpora."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result

from brokerfuzz.schemas.contract import DATA

Run = Callable[..., Result]
Spawn = Callable[..., Any]
Write = Callable[..., str]

PLAIN = '{"number":"1","offerType":"Email"}'
EMPTY_NUMBER = '{"number":"","offerType":"Email"}'
CRON = '{"number":"1","offerType":"Email","deliveryScheduleCron":"weekly"}'
ENVELOPE = '{"data":%s,"failureMessages":%s,"informationalMessages":[],"operationWasSuccessful":true}'
EMPTY_RULE = "offer-creation-request/number:minLength"


@pytest.fixture
def write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Write:
    """Writes a file into the current folder; gives its name."""
    monkeypatch.chdir(tmp_path)

    def text(name: str, *lines: str) -> str:
        Path(name).write_text("\n".join(lines) + "\n")
        return name

    return text


def judged(result: Result) -> list[dict[str, Any]]:
    return [json.loads(line) for line in result.stdout.splitlines()]


def test_a_valid_message_is_said_to_be_valid(run: Run, write: Write) -> None:
    result = run("check", write("offer.json", PLAIN))
    assert (result.exit_code, result.stdout) == (0, "offer.json:1: valid (offer-creation-request)\n")


def test_an_invalid_message_comes_with_its_reasons(run: Run, write: Write) -> None:
    result = run("check", write("offer.json", EMPTY_NUMBER))
    assert result.exit_code == 1
    assert result.stdout.splitlines() == [
        "offer.json:1: invalid (offer-creation-request)",
        '  /number: found "", demanded at least 1 character(s)',
        f"    rule {EMPTY_RULE} (Errors, validation rule 1)",
    ]


def test_json_has_the_same_reasons(run: Run, write: Write) -> None:
    [said] = judged(run("check", "--json", write("offer.json", EMPTY_NUMBER)))
    assert said == {
        "name": "offer.json",
        "line": 1,
        "message": "offer-creation-request",
        "verdict": "invalid",
        "broken": [
            {"rule": EMPTY_RULE, "at": "/number", "found": '""', "demanded": "at least 1 character(s)", "source": "Errors, validation rule 1"}
        ],
        "ambiguities": [],
    }


def test_where_the_contract_is_unclear_the_message_is_unspecified_and_no_failure(run: Run, write: Write) -> None:
    result = run("check", write("offer.json", CRON))
    assert result.exit_code == 0
    assert "offer.json:1: unspecified" in result.stdout
    assert "ambiguity cron-syntax" in result.stdout


@pytest.mark.parametrize(("policy", "status", "verdict"), [("accept", 0, "valid"), ("reject", 1, "invalid")])
def test_a_policy_settles_an_ambiguity(run: Run, write: Write, policy: str, status: int, verdict: str) -> None:
    result = run("check", "--json", "--policy", f"cron-syntax={policy}", write("offer.json", CRON))
    [said] = judged(result)
    assert (result.exit_code, said["verdict"]) == (status, verdict)
    assert [broken["rule"] for broken in said["broken"]] == (["ambiguity/cron-syntax"] if policy == "reject" else [])
    assert all(broken["source"] for broken in said["broken"])


def test_a_time_can_be_given(run: Run, write: Write) -> None:
    offer = write("offer.json", '{"number":"1","offerType":"Email","lastUpdatedDateTimeUtc":"2024-01-01T00:00:00Z"}')
    assert run("check", "--now", "2025-01-01T00:00:00Z", offer).exit_code == 0
    assert run("check", "--now", "2023-01-01T01:00:00+01:00", offer).exit_code == 1


@pytest.mark.parametrize(("ending", "second"), [("\n", 2), ("\r\n", 2), ("\n\n", 3)])
def test_lines_are_messages_each_and_blank_ones_are_none(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ending: str, second: int) -> None:
    monkeypatch.chdir(tmp_path)
    Path("offers.ndjson").write_bytes(f"{PLAIN}{ending}{EMPTY_NUMBER}{ending}".encode())
    result = run("check", "offers.ndjson")
    assert result.exit_code == 1
    assert "offers.ndjson:1: valid" in result.stdout
    assert f"offers.ndjson:{second}: invalid" in result.stdout
    assert result.stdout.endswith("2 messages: 1 valid, 1 invalid, 0 unspecified\n")


def test_an_option_says_that_lines_are_messages(run: Run, write: Write) -> None:
    offers = write("offers.txt", PLAIN, PLAIN)
    assert run("check", offers).exit_code == 1
    assert run("check", "--ndjson", offers).exit_code == 0


def test_quiet_leaves_out_what_is_valid(run: Run, write: Write) -> None:
    result = run("check", "--quiet", write("offers.ndjson", PLAIN, EMPTY_NUMBER, CRON))
    assert [line.split(":")[1] for line in result.stdout.splitlines() if line.startswith("offers")] == ["2", "3"]


def test_standard_input_is_read(run: Run) -> None:
    assert run("check", "-", text=PLAIN).stdout == "-:1: valid (offer-creation-request)\n"
    assert run("check", "--ndjson", "-", text=f"{PLAIN}\n{EMPTY_NUMBER}\n").exit_code == 1


@pytest.mark.parametrize("text", ["", "nope", "{", "[1,]", '{"number": NaN}', "\x00", "[" * 100_000])
def test_what_is_no_json_is_invalid_and_no_error(run: Run, text: str) -> None:
    result = run("check", "-", text=text)
    assert result.exit_code == 1
    assert result.stdout.startswith("-:1: invalid\n")
    assert "offer-creation-request/:json" in result.stdout


@pytest.mark.parametrize(
    ("message", "told"),
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
def test_the_type_is_told_from_the_properties_where_they_tell(run: Run, message: str, told: str | None) -> None:
    [said] = judged(run("check", "--json", "-", text=message))
    assert said["message"] == told


def test_a_message_that_may_be_of_two_types_has_the_verdict_that_both_give_it(run: Run) -> None:
    [said] = judged(run("check", "--json", "-", text=ENVELOPE % ("null", "[1]")))
    assert said["verdict"] == "invalid"
    assert {broken["rule"].partition("/")[0] for broken in said["broken"]} == {"product-list-response", "offer-pricing-response"}


def test_the_type_can_be_named(run: Run) -> None:
    assert run("check", "--message", "product-list-response", "-", text=PLAIN).exit_code == 1


def test_what_a_message_holds_does_not_play_on_the_terminal(run: Run, spawn: Spawn) -> None:
    hostile = '{"number":"1","offerType":"\x7f\x9b31m\u202e\\ud800"}'
    result = run("check", "-", text=hostile)
    assert result.exit_code == 1
    assert all(char.isprintable() or char == "\n" for char in result.stdout)
    done = spawn("check", "-", body='{"number":"1","offerType":"€"}'.encode(), env={"PYTHONIOENCODING": "latin-1"})
    assert b"\\u20ac" in done.stdout
    assert not done.stderr


def test_a_changed_contract_judges(run: Run, write: Write, tmp_path: Path) -> None:
    schema = json.loads((DATA / "offer-creation-request.schema.json").read_text())
    schema["properties"]["number"]["maxLength"] = 3
    (tmp_path / "changed").mkdir()
    (tmp_path / "changed" / "offer-creation-request.schema.json").write_text(json.dumps(schema))
    offer = write("offer.json", '{"number":"1234","offerType":"Email"}')
    assert run("check", offer).exit_code == 0
    assert run("check", "--contract", tmp_path / "changed", offer).exit_code == 1


# --------------------------------------------------------------------------------------------------------- corpora


@pytest.fixture
def corpus(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """A corpus, as its lines."""
    monkeypatch.chdir(tmp_path)
    assert run("export", "corpus.ndjson", "--message", "offer-pricing-response").exit_code == 0
    return Path("corpus.ndjson").read_text().removesuffix("\n").split("\n")  # texts hold what splitlines() takes for a line's end


def test_a_corpus_agrees_with_itself_although_it_holds_invalid_messages(run: Run, corpus: list[str]) -> None:
    result = run("check", "--json", "corpus.ndjson")
    assert result.exit_code == 0
    said = judged(result)
    assert len(said) == len(corpus)
    assert all(one["record"] == {"verdict": one["verdict"], "agrees": True} for one in said)
    assert {one["verdict"] for one in said} == {"valid", "invalid", "unspecified"}


def test_a_corpus_is_known_by_its_records_whatever_it_is_called(run: Run, corpus: list[str]) -> None:
    Path("other").write_text("\n".join(corpus) + "\n")
    assert run("check", "--quiet", "other").exit_code == 0
    assert run("check", "--quiet", "-", text="\n".join(corpus)).exit_code == 0


def test_a_record_that_is_not_true_is_found(run: Run, corpus: list[str]) -> None:
    record = next(number for number, line in enumerate(corpus) if '"verdict":"valid"' in line)
    corpus[record] = corpus[record].replace('"verdict":"valid"', '"verdict":"invalid"')
    Path("changed.ndjson").write_text("\n".join(corpus) + "\n")
    result = run("check", "--quiet", "changed.ndjson")
    assert result.exit_code == 1
    assert result.stdout.splitlines()[0] == f"changed.ndjson:{record + 1}: valid (offer-pricing-response)"
    assert "its record says invalid" in result.stdout


def test_a_corpus_of_faults_by_the_clock_is_judged_at_its_own_time(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert run("export", "old.ndjson", "--message", "offer-creation-request", "--now", "2015-01-01T00:00:00Z").exit_code == 0
    assert run("check", "--quiet", "old.ndjson").exit_code == 0
