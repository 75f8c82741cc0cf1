import json
from base64 import b64encode
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from fixture_types import Run

from brokerfuzz.errors import InputError
from brokerfuzz.har_reading import belongs
from brokerfuzz.inputs import contract_messages, messages
from brokerfuzz.schemas import MESSAGE_TYPES, load_contract

OFFER = '{"number":"1","offerType":"Email"}'
PRODUCTS = '{"data":[],"failureMessages":[],"informationalMessages":[],"operationWasSuccessful":true}'
PRICING = '{"data":{"customerId":"1","offers":[],"totalExtendedPrice":0},"failureMessages":[],"informationalMessages":[],"operationWasSuccessful":true}'


def entry(request: Any = None, response: Any = None, mime: str | None = "application/json") -> dict[str, Any]:
    def content(body: Any) -> dict[str, Any]:
        said = {} if mime is None else {"mimeType": mime}
        return {**said, **body} if isinstance(body, dict) else {**said, "text": body}

    asked = {
        "method": "POST",
        "url": "https://broker.example/offers",
        **({"postData": content(request)} if request is not None else {}),
    }
    return {
        "request": asked,
        "response": {"status": 200, "content": content(response) if response is not None else {"size": 0}},
    }


def har(*entries: Any) -> str:
    return json.dumps(
        {"log": {"version": "1.2", "creator": {"name": "a", "version": "1"}, "entries": entries}}, indent=2
    )


@pytest.fixture
def record(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., str]:
    monkeypatch.chdir(tmp_path)

    def write(*entries: Any, name: str = "traffic.har") -> str:
        Path(name).write_text(har(*entries))
        return name

    return write


Record = Callable[..., str]


def found(name: str) -> list[tuple[int, bytes]]:
    return [(message.line, message.body) for message in messages(name)]


def test_bodies_of_requests_and_responses_come_in_order_with_the_number_of_their_entry(record: Record) -> None:
    name = record(entry(OFFER, PRODUCTS), entry(response=PRICING))
    assert found(name) == [(1, OFFER.encode()), (1, PRODUCTS.encode()), (2, PRICING.encode())]


@pytest.mark.parametrize("prop", ["encoding", "_encoding"])
def test_a_body_in_base64_is_the_bytes(record: Record, prop: str) -> None:
    packed = {"text": b64encode(OFFER.encode()).decode(), prop: "base64"}
    assert found(record(entry(packed, packed))) == [(1, OFFER.encode())] * 2


@pytest.mark.parametrize(
    "mime",
    ["application/json", "application/json; charset=utf-8", "APPLICATION/JSON", "application/hal+json", "text/json"],
)
def test_json_is_recognised_by_its_content_type(record: Record, mime: str) -> None:
    assert len(found(record(entry(OFFER, mime=mime)))) == 1


@pytest.mark.parametrize("mime", [None, "", "x-unknown"])
def test_a_body_without_a_content_type_is_recognised_as_json(record: Record, mime: str | None) -> None:
    assert len(found(record(entry(OFFER, mime=mime)))) == 1


@pytest.mark.parametrize(
    "mime",
    ["text/html", "image/png", "application/javascript", "application/jsonp", "multipart/form-data; boundary=json"],
)
def test_other_content_types_are_skipped(record: Record, mime: str) -> None:
    assert found(record(entry(OFFER, OFFER, mime=mime))) == []


@pytest.mark.parametrize(
    "odd",
    [
        None,
        7,
        [],
        {},
        {"request": None, "response": []},
        {"request": {"postData": "a"}},
        entry({"text": None}),
        entry({"text": "?", "encoding": "base64"}),
    ],
)
def test_an_entry_without_a_body_is_skipped(record: Record, odd: Any) -> None:
    assert found(record(odd, entry(OFFER))) == [(2, OFFER.encode())]


def test_a_recording_is_recognised_by_its_content(record: Record, run: Run) -> None:
    assert found(record(entry(OFFER), name="traffic.json")) == [(1, OFFER.encode())]
    assert run("check", "-", text=har(entry(OFFER))).stdout == "-:1: valid (offer-creation-request)\n"


def test_half_a_surrogate_pair_in_a_body_does_not_break_the_recording(record: Record) -> None:
    assert len(found(record(entry(OFFER), entry(response="\ud800")))) == 2


@pytest.mark.parametrize(
    "text", ['{"log": {"entries": 5}}', '{"log": {}}', "[]", '{"log"', "", "\x00\xff", "[" * 100_000]
)
def test_an_invalid_recording_is_rejected(tmp_path: Path, text: str) -> None:
    (tmp_path / "a.har").write_text(text)
    with pytest.raises(InputError, match=r"is not a HAR file \(.*export the recording again"):
        found(str(tmp_path / "a.har"))


def test_an_offer_with_a_log_is_a_message(tmp_path: Path) -> None:
    (tmp_path / "offer.json").write_text('{"log": {}, "number": "1"}')
    assert found(str(tmp_path / "offer.json")) == [(1, b'{"log": {}, "number": "1"}')]


# ---------------------------------------------------------------------------------------------------- other traffic

OTHERS = {
    "no known property": '{"id": 5, "title": "a"}',
    "few known among many": '{"number": 5, "title": "a", "state": "open", "comments": 3, "user": {}}',
    "a query's answer": '{"data": {"viewer": {"login": "a"}}}',
    "another list": '{"data": [{"id": 1, "slug": "a"}], "status": "ok"}',
    "not an object": "[1, 2]",
    "a string": '"number"',
    "an empty object": "{}",
    "not JSON": "<html>",
    "truncated": '{"number": "1", "offerType',
}
OURS = {
    "an offer": OFFER,
    "an offer with an extra property": '{"number":"1","offerType":"Email","extra":1}',
    "an offer in another case": '{"Number":"1","OfferType":"Email"}',
    "an offer without a number": '{"offerType":"Email"}',
    "products": PRODUCTS,
    "a pricing": PRICING,
    "a failure": '{"data":null,"failureMessages":["a"],"informationalMessages":[],"operationWasSuccessful":false}',
}


@pytest.mark.parametrize("what", OTHERS)
def test_other_traffic_is_recognised_by_its_properties(what: str) -> None:
    assert not belongs(OTHERS[what].encode(), load_contract(), MESSAGE_TYPES)


@pytest.mark.parametrize("what", OURS)
def test_messages_of_the_contract_are_recognised_by_their_properties(what: str) -> None:
    assert belongs(OURS[what].encode(), load_contract(), MESSAGE_TYPES)


def test_skipped_bodies_are_counted(record: Record) -> None:
    name, others = record(*(entry(OFFER, body) for body in OTHERS.values())), Counter[str]()
    assert len(list(contract_messages(messages(name), load_contract(), None, others))) == len(OTHERS)
    assert others == {name: len(OTHERS)}


def test_other_message_types_are_skipped_if_one_is_selected(record: Record) -> None:
    name = record(entry(OFFER, PRODUCTS))
    assert [
        message.body for message in contract_messages(messages(name), load_contract(), "offer-creation-request")
    ] == [OFFER.encode()]


def test_messages_are_skipped_only_in_recordings(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text("{}")
    assert len(list(contract_messages(messages(str(tmp_path / "a.json")), load_contract()))) == 1


def test_check_judges_messages_of_the_contract_and_reports_the_others(record: Record, run: Run) -> None:
    name = record(
        entry(OFFER, OTHERS["a query's answer"]), entry('{"number":"","offerType":"Email"}', OTHERS["not an object"])
    )
    result = run("check", name)
    assert result.exit_code == 1
    assert "traffic.har:1: valid (offer-creation-request)" in result.stdout
    assert "traffic.har:2: invalid (offer-creation-request)" in result.stdout
    assert result.stderr == "brokerfuzz: traffic.har: left out 2 bodies that are not messages of the contract\n"


def test_a_recording_that_is_too_large_is_rejected(tmp_path: Path) -> None:
    with (tmp_path / "a.har").open("wb") as stream:
        stream.truncate(1 << 30)
    with pytest.raises(InputError, match="split the recording"):
        found(str(tmp_path / "a.har"))
