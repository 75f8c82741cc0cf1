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


@pytest.mark.parametrize("prop", ["encoding", "_encoding"])
def test_a_body_in_base64_is_decoded(judged: Judge, prop: str) -> None:
    assert judged(entry({"text": b64encode(OFFER.encode()).decode(), prop: "base64"})) == VALID


@pytest.mark.parametrize(
    "odd",
    [
        None, 7, [], {}, {"request": None, "response": []}, {"request": {"postData": "a"}}, entry({"text": None}),
        entry({"text": "?", "encoding": "base64"}),
    ],
)  # fmt: skip
def test_an_entry_without_a_body_is_skipped(judged: Judge, odd: Any) -> None:
    assert judged(odd, entry(OFFER)) == ["2: valid (offer-creation-request)"]


def test_half_a_surrogate_pair_in_a_body_does_not_break_the_recording(judged: Judge) -> None:
    assert judged(entry(OFFER), entry(response="\ud800"))[:1] == VALID


@pytest.mark.parametrize("text", ['{"log": {"entries": 5}}', '{"log": {}}', "[]", '{"log"', "\x00\xff", "[" * 100_000])
def test_an_invalid_recording_is_rejected(run: Run, folder: Path, text: str) -> None:
    Path("a.har").write_text(text)
    result = run("check", "a.har")
    assert result.exit_code == 2
    assert re.search(r"is not a HAR file \(.*export the recording again", result.stderr)


def test_an_offer_with_a_log_is_a_message(run: Run, folder: Path) -> None:
    Path("offer.json").write_text('{"log": {}, "number": "1"}')
    assert "unknown property `log`" in run("check", "offer.json").stdout


def test_a_recording_that_is_too_large_is_rejected(run: Run, folder: Path) -> None:
    with Path("a.har").open("wb") as stream:
        stream.truncate(1 << 30)
    assert "the limit for a file with one message: split it" in run("check", "a.har").stderr


# ---------------------------------------------------------------------------------------------------- other traffic

OTHERS = {
    "no known property": '{"id": 5, "title": "a"}',
    "few known among many": '{"number": 5, "title": "a", "state": "open", "comments": 3, "user": {}}',
    "a query's answer": '{"data": {"viewer": {"login": "a"}}}',
    "another list": '{"data": [{"id": 1, "slug": "a"}], "status": "ok"}',
    "not an object": "[1, 2]",
    "not JSON": "<html>",
    "truncated": '{"number": "1", "offerType',
}
OURS = {
    "an offer with an extra property": '{"number":"1","offerType":"Email","extra":1}',
    "an offer in another case": '{"Number":"1","OfferType":"Email"}',
    "an offer without a number": '{"offerType":"Email"}',
    "a failure": '{"data":null,"failureMessages":["a"],"informationalMessages":[],"operationWasSuccessful":false}',
}


@pytest.mark.parametrize("what", OTHERS)
def test_other_traffic_is_recognised_by_its_properties_and_counted(judged: Judge, run: Run, what: str) -> None:
    assert judged(entry(OFFER, OTHERS[what])) == VALID
    expected = "brokerfuzz: traffic.har: left out 1 body that is not a message of the contract\n"
    assert run("check", "traffic.har").stderr == expected


@pytest.mark.parametrize("what", OURS)
def test_messages_of_the_contract_are_recognised_by_their_properties(judged: Judge, run: Run, what: str) -> None:
    judged(entry(OFFER, OURS[what]))
    assert "left out" not in run("check", "traffic.har").stderr


def test_other_message_types_are_skipped_if_one_is_selected(judged: Judge, run: Run) -> None:
    judged(entry(OFFER, PRODUCTS))
    chosen = run("check", "--message", "offer-creation-request", "traffic.har").stdout
    assert chosen == "traffic.har:1: valid (offer-creation-request)\n"
