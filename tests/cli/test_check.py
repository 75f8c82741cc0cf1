import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result
from fixture_types import Run, Spawn

PLAIN = '{"number":"1","offerType":"Email"}'
EMPTY_NUMBER = '{"number":"","offerType":"Email"}'
CRON = '{"number":"1","offerType":"Email","deliveryScheduleCron":"weekly"}'
DATED = '{"number":"1","offerType":"Email","lastUpdatedDateTimeUtc":"2024-01-01T00:00:00Z"}'
ENVELOPE = '{"data":%s,"failureMessages":%s,"informationalMessages":[],"operationWasSuccessful":true}'


def judged(result: Result) -> list[dict[str, Any]]:
    return [json.loads(line) for line in result.stdout.splitlines()]


CHECKS: dict[str, tuple[list[str], str, int, str]] = {
    "valid": ([], PLAIN, 0, "-:1: valid (offer-creation-request)\n"),
    "invalid": (
        [],
        EMPTY_NUMBER,
        1,
        ("-:1: invalid (offer-creation-request)\n"
        '  /number: expected at least 1 character, found ""\n'
        "    rule offer-creation-request/number:minLength (Offer creation request, row number; validation rule 1)\n"),
    ),
    "invalid under one interpretation": (
        [], '{"number":"","number":5,"offerType":"Email"}', 1, "expected a string, found 5 (under duplicate-properties=last)",
    ),
    "unspecified": ([], CRON, 0, "ambiguity cron-syntax"),
    "accepted by a policy": (["--policy", "cron-syntax=accepted"], CRON, 0, "-:1: valid"),
    "rejected by a policy": (["--policy", "cron-syntax=rejected"], CRON, 1, "rule ambiguity/cron-syntax"),
    "at a later time": (["--now", "2025-01-01T00:00:00Z"], DATED, 0, "valid"),
    "at an earlier time": (["--now", "2023-01-01T01:00:00+01:00"], DATED, 1, "invalid"),
    "two lines": ([], f"{PLAIN}\n{PLAIN}", 1, "-:1: invalid\n"),
    "two lines with --ndjson": (
        ["--ndjson"], f"{PLAIN}\r\n\n{EMPTY_NUMBER}\n", 1, "2 messages: 1 valid, 1 invalid, 0 unspecified\n"
    ),
    "quiet": (["--ndjson", "--quiet"], f"{PLAIN}\n{EMPTY_NUMBER}\n{CRON}\n", 1, "-:3: unspecified"),
    "a given type": (["--message", "product-list-response"], PLAIN, 1, "invalid (product-list-response)"),
    **{
        f"no JSON: {text[:9]}": ([], text, 1, "offer-creation-request/:json")
        for text in ("", "nope", '{"number": NaN}', "\x00", "[" * 100_000)
    },
}  # fmt: skip


@pytest.mark.parametrize("what", CHECKS)
def test_a_message_is_judged_and_the_verdict_explained(run: Run, what: str) -> None:
    args, text, status, said = CHECKS[what]
    result = run("check", *args, "-", text=text)
    assert (result.exit_code, result.stderr) == (status, "")
    assert said in result.stdout
    assert "-:1: valid" not in result.stdout or "--quiet" not in args


def test_the_content_of_a_message_cannot_control_the_terminal(run: Run, spawn: Spawn) -> None:
    hostile = '{"number":"1","offerType":"\x7f\x9b31m\u202e\\ud800"}'
    result = run("check", "-", text=hostile)
    assert result.exit_code == 1
    assert all(char.isprintable() or char == "\n" for char in result.stdout)
    done = spawn("check", "-", body='{"number":"1","offerType":"€"}'.encode(), env={"PYTHONIOENCODING": "latin-1"})
    assert b"\\u20ac" in done.stdout
    assert not done.stderr


def test_a_folder_of_messages_gives_a_table_of_broken_rules(run: Run, tmp_path: Path) -> None:
    folder = tmp_path / "captured"
    folder.mkdir()
    for name, minimum in (("a.json", 0), ("b.json", -1), ("c.json", '"1"'), ("d.json", 1)):
        (folder / name).write_text(f'{{"number":"1","offerType":"Email","orderMinimum":{minimum}}}')
    (folder / "other.json").write_text('{"street":"Main Street"}')
    (folder / "e.ndjson").write_text('{"number":"1","offerType":"Email","orderMinimum":0}\n' * 2)
    result = run("check", "--summary", folder)
    assert result.exit_code == 1
    assert result.stdout.splitlines() == [
        "messages  rule",
        "4         offer-creation-request/orderMinimum:minimum",
        "1         offer-creation-request/orderMinimum:type",
        "1         (no message type is recognised)",
        "7 messages: 1 valid, 6 invalid, 0 unspecified",
    ]
    assert json.loads(run("check", "--summary", "--json", folder).stdout)["messages"]["valid"] == 1


HINTS: dict[str, tuple[str, str]] = {
    "several messages": (f"{PLAIN}\n{PLAIN}\n", "the file contains several messages: add --ndjson"),
    "an array of messages": (
        f"[{PLAIN}, {PLAIN}]",
        "the file contains an array of messages: write one item per line (`jq -c '.[]'`)",
    ),
    "a CloudEvent": (
        f'{{"specversion": "1.0", "type": "offer.created", "source": "/oms", "id": "1", "data": {PLAIN}}}',
        "/data contains an offer creation request: check only this part",
    ),
    "a notification of SNS": (
        json.dumps({"Type": "Notification", "MessageId": "1", "TopicArn": "arn:aws:sns:1", "Message": PLAIN}),
        "the string /Message contains an offer creation request",
    ),
    "JSON-RPC": (
        f'{{"jsonrpc": "2.0", "id": 1, "method": "createOffer", "params": [{PLAIN}]}}',
        "/params/0 contains an offer creation request",
    ),
    "variables of GraphQL": (
        f'{{"query": "mutation {{}}", "variables": {{"input": {PLAIN}}}}}',
        "/variables/input contains an offer creation request",
    ),
    "a response": (
        json.dumps({"jsonrpc": "2.0", "id": 1, "result": json.loads(ENVELOPE % ("[]", "[]"))}),
        "/result contains a product list response",
    ),
}


@pytest.mark.parametrize("what", HINTS)
def test_an_invalid_message_that_contains_messages_is_explained(run: Run, what: str) -> None:
    text, said = HINTS[what]
    result = run("check", "-", text=text)
    assert result.exit_code == 1
    assert f"  hint: {said}" in result.stdout
    assert said in judged(run("check", "--json", "-", text=text))[0]["hint"]


@pytest.mark.parametrize(
    "text", [PLAIN, EMPTY_NUMBER, ENVELOPE % ("{}", "5"), "5", "nope", '{"order": {"number": "1"}}']
)
def test_other_messages_have_no_hint(run: Run, text: str) -> None:
    assert judged(run("check", "--json", "-", text=text))[0]["hint"] is None


@pytest.mark.parametrize("encoding", ["utf-16", "utf-32", "utf-8-sig"])
def test_lines_that_begin_with_a_byte_order_mark_are_decoded(run: Run, folder: Path, encoding: str) -> None:
    lines = f"{PLAIN}\r\n" + PLAIN.replace('"1"', '"\u0a0a"') + "\r\n"
    Path("offers.ndjson").write_bytes(lines.encode(encoding))
    assert run("check", "offers.ndjson").stdout.splitlines() == [
        "offers.ndjson:1: valid (offer-creation-request)",
        "offers.ndjson:2: valid (offer-creation-request)",
        "2 messages: 2 valid, 0 invalid, 0 unspecified",
    ]


def test_lines_with_a_wrong_byte_order_mark_are_one_line(run: Run, folder: Path) -> None:
    Path("offers.ndjson").write_bytes(b"\xff\xfe{\0}\0\n")
    result = run("check", "offers.ndjson")
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == "brokerfuzz: offers.ndjson is not valid UTF-16: save the file as UTF-8\n"
