import http.client
import json
from collections.abc import Iterator
from datetime import UTC, datetime
from itertools import islice
from typing import Any, Final
from urllib.parse import urlsplit

import pytest

from brokerfuzz import messages
from brokerfuzz.schemas import check, load_contract
from brokerfuzz.service.app import LARGEST_BODY
from brokerfuzz.service.judging import judge_of
from brokerfuzz.service.running import running

NOW = datetime(2025, 6, 15, 12, 0, tzinfo=UTC)
OFFER_CREATION: Final = "offer-creation-request"
OFFER = {"number": "OFF-1", "offerType": "Email"}
TIMEOUT_SECONDS = 0.5

INVALID: list[tuple[Any, str]] = [
    ({**OFFER, "number": ""}, "/number: expected "),
    ({"offerType": "Email"}, "/number: required property is missing"),
    ({**OFFER, "offerType": "Fax"}, "/offerType: expected one of "),
    ({**OFFER, "offerType": "Product List"}, "/productClusters: required property is missing"),
    ({**OFFER, "lastUpdatedDateTimeUtc": "2999-01-01T00:00:00Z"}, "/lastUpdatedDateTimeUtc: expected "),
    ({**OFFER, "a/b": 1}, "/a~1b: unknown property "),
    ([OFFER], "the offer: expected an object"),
    (b"{", "the offer: not JSON: "),
    (b"", "the offer: not JSON: "),
]


def encoded(body: Any) -> bytes:
    return body if isinstance(body, bytes) else json.dumps(body).encode()


def ask(
    url: str, method: str, path: str, body: bytes | None = None, *, timeout: float = 10
) -> tuple[int, http.client.HTTPMessage, bytes]:
    """Sends one request on a new connection."""
    connection = http.client.HTTPConnection(urlsplit(url).netloc, timeout=timeout)
    try:
        connection.request(method, path, body)
        response = connection.getresponse()
        return response.status, response.headers, response.read()
    finally:
        connection.close()


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with running() as url:
        yield url


@pytest.mark.parametrize("plausible", [False, True])
def test_generated_valid_offers_are_accepted(plausible: bool) -> None:
    answer = judge_of(OFFER_CREATION, load_contract(), NOW)
    for message in islice(messages(OFFER_CREATION, 1, plausible=plausible, now=NOW), 500):
        body = encoded(message)
        expected = check(OFFER_CREATION, body, now=NOW)
        assert answer(body).accepts, f"{expected}: {answer(body).envelope}"


def test_the_rejection_of_an_invalid_offer_names_place_and_reason(url: str) -> None:
    for body, beginning in INVALID:
        status, headers, answer = ask(url, "POST", "/offers", encoded(body))
        envelope = json.loads(answer)
        assert (status, headers["content-type"]) == (400, "application/json")
        assert (envelope["data"], envelope["operationWasSuccessful"]) == (None, False)
        assert any(message.startswith(beginning) for message in envelope["failureMessages"]), envelope


def test_a_valid_offer_is_accepted_with_any_content_type(url: str) -> None:
    status, _, answer = ask(url, "POST", "/offers", encoded(OFFER))
    assert status == 201
    assert json.loads(answer) == {
        "data": None,
        "failureMessages": [],
        "informationalMessages": ["The offer was created."],
        "operationWasSuccessful": True,
    }


def test_the_answer_follows_the_oracle_or_the_table() -> None:
    answer = judge_of(OFFER_CREATION, load_contract(), NOW)
    for body, accepted in [
        ({**OFFER, "availableStartDate": "tomorrow"}, False),
        ({**OFFER, "lastUpdatedDateTimeUtc": "2025-06-15T12:01:00Z"}, True),
        ({**OFFER, "orderMinimum": 9, "orderMaximum": 8}, True),
        ({**OFFER, "deliveryScheduleCron": "at tea time"}, True),
        (b'{"number":"1","number":"2","offerType":"VDM"}', True),
        (b'{"number":"1","offerType":"VDM","orderMinimum":1.0}', True),
        (b'\xef\xbb\xbf{"number":"1","offerType":"VDM"}', True),
        ('{"number":"1","offerType":"VDM"}'.encode("utf-16"), False),
    ]:
        assert check(OFFER_CREATION, encoded(body), now=NOW).label == "unspecified"
        assert answer(encoded(body)).accepts is accepted, body


def test_the_given_time_is_used() -> None:
    body = encoded({**OFFER, "lastUpdatedDateTimeUtc": "2025-01-01T00:00:00Z"})
    with running(now=datetime(2024, 1, 1, tzinfo=UTC)) as url:
        assert ask(url, "POST", "/offers", body)[0] == 400


def test_products_and_pricings_are_valid_and_differ(url: str) -> None:
    for method, path, message_type in (
        ("GET", "/products", "product-list-response"),
        ("POST", "/pricing", "offer-pricing-response"),
    ):
        answers = [ask(url, method, path, None if method == "GET" else b"anything") for _ in range(60)]
        assert {(status, headers["content-type"]) for status, headers, _ in answers} == {(200, "application/json")}
        assert {check(message_type, body).label for _, _, body in answers} == {"valid"}
        assert len({body for _, _, body in answers}) > 30


def test_a_seed_determines_the_products() -> None:
    def first(seed: int) -> list[bytes]:
        with running(seed=seed) as url:
            return [ask(url, "GET", "/products")[2] for _ in range(3)]

    assert first(5) == first(5) != first(6)


def test_unknown_paths_and_methods_are_rejected_with_an_envelope(url: str) -> None:
    for method, path, status, allowed in (
        ("GET", "/offers", 405, "POST"),
        ("POST", "/products", 405, "GET, HEAD"),
        ("GET", "/", 404, None),
        ("POST", "/offers/1", 404, None),
    ):
        got, headers, body = ask(url, method, path, b"{}" if method != "GET" else None)
        assert (got, headers["allow"]) == (status, allowed)
        assert check("product-list-response", body).label == "valid"


def test_a_body_beyond_the_limit_is_rejected(url: str) -> None:
    assert ask(url, "POST", "/offers", b" " * (LARGEST_BODY + 1))[0] == 413
    assert ask(url, "POST", "/offers", encoded(OFFER) + b" " * 2_000_000)[0] == 201


def test_a_body_in_chunks_is_judged_and_limited_as_a_whole(url: str) -> None:
    connection, chunked = http.client.HTTPConnection(urlsplit(url).netloc, timeout=10), {"Transfer-Encoding": "chunked"}
    parts = [b'{"number":"1",', b'"offerType":"VDM"}']
    connection.request("POST", "/offers", iter(parts), encode_chunked=True, headers=chunked)
    response = connection.getresponse()
    assert (response.status, json.loads(response.read())["operationWasSuccessful"]) == (201, True)
    connection.request("POST", "/offers", iter([b" " * (1 << 20)] * 33), encode_chunked=True, headers=chunked)
    assert connection.getresponse().status == 413
    connection.close()


def test_seeded_bugs_answer_wrongly_or_not_at_all_and_do_not_affect_other_requests() -> None:
    bugs = ["crashes-on-other-roots", "aborts-on-percent-signs", "hangs-on-blanks", "claims-success-of-rejected"]
    with running(bugs=bugs) as url:
        status, headers, body = ask(url, "POST", "/offers", b"[]")
        assert (status, headers["content-type"], body) == (500, "text/plain; charset=utf-8", b"Internal Server Error")
        with pytest.raises((http.client.RemoteDisconnected, ConnectionResetError)):
            ask(url, "POST", "/offers", encoded({**OFFER, "description": "%s"}))
        with pytest.raises(TimeoutError):
            ask(url, "POST", "/offers", encoded({**OFFER, "description": " " * 16}), timeout=TIMEOUT_SECONDS)
        status, _, body = ask(url, "POST", "/offers", b"{}")
        assert (status, json.loads(body)["operationWasSuccessful"]) == (400, True)
        assert ask(url, "POST", "/offers", encoded(OFFER))[0] == 201


def test_the_service_conforms_to_a_changed_contract(tmp_path: Any) -> None:
    schema = json.loads(json.dumps(load_contract().schemas[OFFER_CREATION]))
    schema["properties"]["number"]["minLength"] = 6
    (tmp_path / "offer-creation-request.schema.json").write_text(json.dumps(schema))
    with running(contract=load_contract(tmp_path)) as url:
        assert ask(url, "POST", "/offers", encoded(OFFER))[0] == 400
        assert ask(url, "POST", "/offers", encoded({**OFFER, "number": "OFF-12"}))[0] == 201
