"""Commands that read messages also read recordings of HTTP traffic in the HAR format."""

import json
import re
from base64 import b64encode
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from fixture_types import Run

OFFER = '{"number":"1","offerType":"Email"}'
PRODUCTS = '{"data":[],"failureMessages":[],"informationalMessages":[],"operationWasSuccessful":true}'
PRICING = (
    '{"data":{"customerId":"1","offers":[],"totalExtendedPrice":0},"failureMessages":[],"informationalMessages":[],'
    '"operationWasSuccessful":true}'
)


def entry(request: Any = None, response: Any = None) -> dict[str, Any]:
    def content(body: Any) -> dict[str, Any]:
        return {"mimeType": "application/json", **(body if isinstance(body, dict) else {"text": body})}

    sent = {} if request is None else {"postData": content(request)}
    answer = {"size": 0} if response is None else content(response)
    return {
        "request": {"method": "POST", "url": "https://broker.example/offers", **sent},
        "response": {"status": 200, "content": answer},
    }


Judge = Callable[..., list[str]]


@pytest.fixture
def judged(run: Run, folder: Path) -> Judge:
    """Writes a recording with these entries, and returns the lines of `brokerfuzz check` about its messages."""
    name = "traffic.har"

    def check(*entries: Any) -> list[str]:
        log = {"version": "1.2", "creator": {"name": "a", "version": "1"}, "entries": entries}
        Path(name).write_text(json.dumps({"log": log}, indent=2))
        lines = run("check", name).stdout.splitlines()
        return [line.partition(":")[2] for line in lines if re.match(rf"{name}:\d+: ", line)]

    return check


VALID = ["1: valid (offer-creation-request)"]


def test_bodies_of_requests_and_responses_come_in_order_with_the_number_of_their_entry(judged: Judge) -> None:
    assert judged(entry(OFFER, PRODUCTS), entry(response=PRICING)) == [
        *VALID,
        "1: valid (product-list-response)",
        "2: valid (offer-pricing-response)",
    ]


def test_a_body_in_base64_is_decoded(judged: Judge) -> None:
    for prop in ("encoding", "_encoding"):
        assert judged(entry({"text": b64encode(OFFER.encode()).decode(), prop: "base64"})) == VALID


def test_an_entry_without_a_body_is_skipped_and_half_a_surrogate_pair_is_read(judged: Judge) -> None:
    odd: list[Any] = [
        None, 7, [], {}, {"request": None, "response": []}, {"request": {"postData": "a"}}, entry({"text": None}),
        entry({"text": "?", "encoding": "base64"}),
    ]  # fmt: skip
    assert judged(*odd, entry(OFFER, "\ud800"))[:1] == [f"{len(odd) + 1}: valid (offer-creation-request)"]


def test_an_invalid_or_huge_recording_is_rejected(run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for text in ('{"log": {"entries": 5}}', '{"log": {}}', "[]", '{"log"', "\x00\xff", "[" * 100_000):
        Path("a.har").write_text(text)
        result = run("check", "a.har")
        assert result.exit_code == 2
        assert re.search(r"is not a HAR file \(.*export the recording again", result.stderr)
    monkeypatch.setattr("brokerfuzz.inputs.files.LARGEST_RECORDING", 1000)
    Path("a.har").write_bytes(b" " * 1001)
    assert "the limit for a file with one message: split it" in run("check", "a.har").stderr


def test_an_offer_with_a_log_is_a_message(run: Run, folder: Path) -> None:
    Path("offer.json").write_text('{"log": {}, "number": "1"}')
    assert "unknown property `log`" in run("check", "offer.json").stdout


# ---------------------------------------------------------------------------------------------------- other traffic

OTHERS = [
    '{"id": 5, "title": "a"}',
    '{"number": 5, "title": "a", "state": "open", "comments": 3, "user": {}}',
    '{"data": {"viewer": {"login": "a"}}}',
    '{"data": [{"id": 1, "slug": "a"}], "status": "ok"}',
    "[1, 2]",
    "<html>",
    '{"number": "1", "offerType',
]
OURS = [
    '{"number":"1","offerType":"Email","extra":1}',
    '{"Number":"1","OfferType":"Email"}',
    '{"offerType":"Email"}',
    '{"data":null,"failureMessages":["a"],"informationalMessages":[],"operationWasSuccessful":false}',
]


def test_messages_of_the_contract_are_recognised_by_their_properties_and_others_are_counted(
    judged: Judge, run: Run
) -> None:
    for body in OTHERS:
        assert judged(entry(OFFER, body)) == VALID
        expected = "brokerfuzz: traffic.har: left out 1 body that is not a message of the contract\n"
        assert run("check", "traffic.har").stderr == expected, body
    judged(*(entry(OFFER, body) for body in OURS))
    assert "left out" not in run("check", "traffic.har").stderr


def test_other_message_types_are_skipped_if_one_is_selected(judged: Judge, run: Run) -> None:
    judged(entry(OFFER, PRODUCTS))
    chosen = run("check", "--message", "offer-creation-request", "traffic.har").stdout
    assert chosen == "traffic.har:1: valid (offer-creation-request)\n"
