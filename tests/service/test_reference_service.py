"""The reference service: it follows the contract, except for the bugs that are seeded in it, and it can be started with
`serve`.
"""

import http.client
import json
import os
import re
import signal
import socket
import subprocess
from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit
from urllib.request import urlopen

import pytest
from fixture_types import Run, Spawn, Start

import brokerfuzz
from brokerfuzz.errors import TargetError
from brokerfuzz.schemas import check, load_contract
from brokerfuzz.service.app import LARGEST_BODY, reference_app
from brokerfuzz.service.bugs import BUGS
from brokerfuzz.service.running import running

NOW = datetime(2025, 6, 15, 12, 0, tzinfo=UTC)
SECONDS = 60
OFFER_CREATION: Final = "offer-creation-request"
OFFER = {"number": "OFF-1", "offerType": "Email"}
Parts = tuple[int, http.client.HTTPMessage, bytes]


def encoded(body: Any) -> bytes:
    return body if isinstance(body, bytes) else json.dumps(body).encode()


def ask(url: str, method: str, path: str, body: Any = None, *, timeout: float = 10, chunked: bool = False) -> Parts:
    """Sends one request on a new connection."""
    connection = http.client.HTTPConnection(urlsplit(url).netloc, timeout=timeout)
    try:
        connection.request(method, path, body, encode_chunked=chunked, headers=CHUNKED if chunked else {})
        response = connection.getresponse()
        return response.status, response.headers, response.read()
    finally:
        connection.close()


CHUNKED = {"Transfer-Encoding": "chunked"}


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with running(now=NOW) as url:
        yield url


@pytest.mark.parametrize(
    ("body", "beginning"),
    [
        ({**OFFER, "number": ""}, "/number: expected "),
        ({"offerType": "Email"}, "/number: required property is missing"),
        ({**OFFER, "offerType": "Fax"}, "/offerType: expected one of "),
        ({**OFFER, "offerType": "Product List"}, "/productClusters: required property is missing"),
        ({**OFFER, "lastUpdatedDateTimeUtc": "2999-01-01T00:00:00Z"}, "/lastUpdatedDateTimeUtc: expected "),
        ({**OFFER, "a/b": 1}, "/a~1b: unknown property "),
        ([OFFER], "the offer: expected an object"),
        (b"{", "the offer: not JSON: "),
        (b"", "the offer: not JSON: "),
    ],
)
def test_the_rejection_of_an_invalid_offer_names_place_and_reason(url: str, body: Any, beginning: str) -> None:
    status, headers, answer = ask(url, "POST", "/offers", encoded(body))
    envelope = json.loads(answer)
    assert (status, headers["content-type"]) == (400, "application/json")
    assert (envelope["data"], envelope["operationWasSuccessful"]) == (None, False)
    assert any(message.startswith(beginning) for message in envelope["failureMessages"]), envelope


@pytest.mark.parametrize(
    ("body", "accepted"),
    [
        ({**OFFER, "availableStartDate": "tomorrow"}, False),
        ({**OFFER, "lastUpdatedDateTimeUtc": "2025-06-15T12:01:00Z"}, True),
        ({**OFFER, "orderMinimum": 9, "orderMaximum": 8}, True),
        ({**OFFER, "deliveryScheduleCron": "at tea time"}, True),
        (b'{"number":"1","number":"2","offerType":"VDM"}', True),
        (b'{"number":"1","offerType":"VDM","orderMinimum":1.0}', True),
        (b'\xef\xbb\xbf{"number":"1","offerType":"VDM"}', True),
        ('{"number":"1","offerType":"VDM"}'.encode("utf-16"), False),
    ],
)
def test_the_service_has_an_answer_to_each_open_question(url: str, body: Any, accepted: bool) -> None:
    assert check(OFFER_CREATION, encoded(body), now=NOW).label == "unspecified"
    assert ask(url, "POST", "/offers", encoded(body))[0] == (201 if accepted else 400)


def test_products_and_pricings_are_valid_and_differ_and_follow_from_the_seed(url: str) -> None:
    for method, path, message_type in (
        ("GET", "/products", "product-list-response"),
        ("POST", "/pricing", "offer-pricing-response"),
    ):
        answers = [ask(url, method, path, None if method == "GET" else b"anything") for _ in range(40)]
        assert {(status, headers["content-type"]) for status, headers, _ in answers} == {(200, "application/json")}
        assert {check(message_type, body).label for _, _, body in answers} == {"valid"}
        assert len({body for _, _, body in answers}) > 20

    def first(seed: int) -> list[bytes]:
        with running(seed=seed) as other:
            return [ask(other, "GET", "/products")[2] for _ in range(3)]

    assert first(5) == first(5) != first(6)


@pytest.mark.parametrize(
    ("method", "path", "status", "allowed"),
    [("GET", "/offers", 405, "POST"), ("POST", "/products", 405, "GET, HEAD"), ("POST", "/offers/1", 404, None)],
)
def test_unknown_paths_and_methods_are_rejected_with_an_envelope(
    url: str, method: str, path: str, status: int, allowed: str | None
) -> None:
    got, headers, body = ask(url, method, path)
    assert (got, headers["allow"]) == (status, allowed)
    assert check("product-list-response", body).label == "valid"


def test_a_body_is_judged_and_limited_as_a_whole_even_in_chunks(url: str) -> None:
    assert ask(url, "POST", "/offers", b" " * (LARGEST_BODY + 1))[0] == 413
    assert ask(url, "POST", "/offers", encoded(OFFER) + b" " * 2_000_000)[0] == 201
    parts = [b'{"number":"1",', b'"offerType":"VDM"}']
    status, _, body = ask(url, "POST", "/offers", iter(parts), chunked=True)
    assert (status, json.loads(body)["operationWasSuccessful"]) == (201, True)
    assert ask(url, "POST", "/offers", iter([b" " * (1 << 20)] * 33), chunked=True)[0] == 413


def test_the_service_conforms_to_a_changed_contract_at_the_given_time(tmp_path: Path) -> None:
    schema = json.loads(json.dumps(load_contract().schemas[OFFER_CREATION]))
    schema["properties"]["number"]["minLength"] = 6
    (tmp_path / "offer-creation-request.schema.json").write_text(json.dumps(schema))
    with running(contract=load_contract(tmp_path), now=datetime(2024, 1, 1, tzinfo=UTC)) as url:
        assert ask(url, "POST", "/offers", encoded(OFFER))[0] == 400
        long = {**OFFER, "number": "OFF-12"}
        assert ask(url, "POST", "/offers", encoded(long))[0] == 201
        assert (
            ask(url, "POST", "/offers", encoded({**long, "lastUpdatedDateTimeUtc": "2025-01-01T00:00:00Z"}))[0] == 400
        )


# ---------------------------------------------------------------------------------------------------------------- bugs


def test_seeded_bugs_answer_wrongly_or_not_at_all_and_do_not_affect_other_requests() -> None:
    bugs = ["crashes-on-other-roots", "aborts-on-percent-signs", "hangs-on-blanks", "claims-success-of-rejected"]
    with running(bugs=bugs) as url:
        status, headers, body = ask(url, "POST", "/offers", b"[]")
        assert (status, headers["content-type"], body) == (500, "text/plain; charset=utf-8", b"Internal Server Error")
        with pytest.raises((http.client.RemoteDisconnected, ConnectionResetError)):
            ask(url, "POST", "/offers", encoded({**OFFER, "description": "%s"}))
        with pytest.raises(TimeoutError):
            ask(url, "POST", "/offers", encoded({**OFFER, "description": " " * 16}), timeout=0.5)
        status, _, body = ask(url, "POST", "/offers", b"{}")
        assert (status, json.loads(body)["operationWasSuccessful"]) == (400, True)
        assert ask(url, "POST", "/offers", encoded(OFFER))[0] == 201


NOT_SHOWN = {"aborts-on-percent-signs", "hangs-on-blanks", "claims-success-of-rejected"}
"""Bugs that need a socket, or that only a person would notice."""
KINDS = {"crashes-on-other-roots": "crashed"}
KINDS |= dict.fromkeys(("rejects-apostrophes", "rejects-fractions-of-cents"), "valid-rejected")
RULES_THAT_SHOW_IT = {
    "crashes-on-other-roots": [":type"],
    "checks-first-items-only": ["categoryIds*"],
    "coerces-string-to-number": ["weightInPounds"],
    "ignores-unknown-properties": ["omniChannel*"],
}


@pytest.mark.every(3)
@pytest.mark.parametrize("name", sorted(BUGS.keys() - NOT_SHOWN))
def test_a_campaign_finds_the_bug(name: str) -> None:
    rule = BUGS[name].rule
    rejects_valid = KINDS.get(name) == "valid-rejected"
    report = brokerfuzz.fire(
        reference_app(bugs=[name], now=NOW),
        path="/offers",
        now=NOW,
        shrink=0,
        verdicts=["valid"] if rejects_valid else ["valid", "invalid"],
        tags=["edge:*"] if rejects_valid else [],
        rules=[rule] if rule else RULES_THAT_SHOW_IT.get(name, []),
    )
    assert {finding.kind for finding in report.findings} == {KINDS.get(name, "invalid-accepted")}
    if rule is not None:
        assert {reason.rule for finding in report.findings for reason in finding.reasons} == {rule}


def is_up(url: str) -> bool:
    with suppress(OSError):
        return ask(url, "GET", "/products")[0] == 200
    return False


# -------------------------------------------------------------------------------------------------------------- running

ENDLESS = {
    "header": b"GET /products HTTP/1.1\r\nX-A: ",
    "path": b"GET /",
    "trailer": b"POST /offers HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n{\r\n0\r\nX-A: ",
    "chunk extension": b"POST /offers HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n1;",
}


def test_a_request_with_an_endless_header_is_rejected_early() -> None:
    with running() as url:
        for name, head in ENDLESS.items():
            with socket.create_connection(("127.0.0.1", urlsplit(url).port or 0), timeout=SECONDS) as connection:
                connection.sendall(head)
                sent = 0
                with suppress(ConnectionError):  # the service closes the connection
                    while sent < 20_000_000:
                        sent += connection.send(b"x" * 65536)
                assert sent < 20_000_000, name
        assert is_up(url)


def test_it_runs_within_the_block_and_not_after_it() -> None:
    with running() as one, running() as other:
        assert urlsplit(one).hostname == "127.0.0.1"
        assert is_up(one)
        assert is_up(other)
    assert not is_up(one)
    with running(port=int(one.rpartition(":")[2])) as again:
        assert again == one
        assert is_up(again)


def test_a_port_in_use_is_an_error_with_a_remedy() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        said = f"port {port} of 127.0.0.1 cannot be used \\(Address already in use\\): use 127.0.0.1 and another port"
        with pytest.raises(TargetError, match=said), running(port=port):
            pass


@pytest.mark.skipif(os.name != "posix", reason="sends SIGINT as a terminal does")
def test_ctrl_c_ends_serve_while_a_bug_hangs_a_request(start: Start) -> None:
    with start("serve", "--port", "0", "--bug", "hangs-on-blanks") as server:
        assert server.stdout is not None
        url = server.stdout.readline().decode().strip()
        connection = http.client.HTTPConnection(urlsplit(url).netloc, timeout=0.3)
        connection.request("POST", "/offers", b'{"number":"                ","offerType":"VDM"}')
        with pytest.raises(TimeoutError):
            connection.getresponse()
        server.send_signal(signal.SIGINT)
        assert server.wait(SECONDS) == 0
        connection.close()


# ---------------------------------------------------------------------------------------------------------------- serve

BUG = "accepts-zero-order-minimum"


def test_fire_finds_the_bug_that_serve_seeds_and_no_other(start: Start, run: Run) -> None:
    with start("serve", "--port", "0", "--json", "--bug", BUG) as process:
        assert process.stdout is not None
        said = json.loads(process.stdout.readline())
        with urlopen(f"{said['url']}/products", timeout=SECONDS) as response:
            assert response.status == 200
        report = json.loads(run("fire", f"{said['url']}/offers", "--rule", "orderM*", "--json").stdout)
        process.send_signal(signal.SIGINT)
        assert (process.wait(SECONDS), process.stderr and process.stderr.read()) == (0, b"")
    assert said["bugs"] == [BUG]
    assert report["cases"] > 50
    found = {rule["rule"] for finding in report["findings"] for rule in finding["rules"]}
    assert found == {"offer-creation-request/orderMinimum:minimum"}


def test_the_printed_commands_start_the_service_again_with_the_same_bugs_on_the_same_port(run: Run) -> None:
    some = ("--rule", "*orderMinimum:minimum", "--technique", "one-below")
    document = json.loads(run("fire", "--demo", "--bug", BUG, *some, "--json").stdout)
    (port,) = re.findall(r":(\d+)/offers", document["target"])
    for finding in document["findings"]:
        assert f"--port {port} --bug {BUG} -- curl " in finding["reproduce"]
        said = subprocess.run(
            ["sh", "-c", finding["reproduce"]], capture_output=True, text=True, timeout=60, check=True
        )
        assert said.stdout.startswith(f"HTTP/1.1 {finding['got']['status']} ")


def test_a_command_runs_while_the_service_runs(spawn: Spawn, run: Run) -> None:
    done = spawn("serve", "--port", "0", "--", "sh", "-c", "cat; exit 7", body=b"input")
    assert (done.returncode, done.stdout, done.stderr) == (7, b"input", b"")
    wrong = run("serve", "--port", "0", "--", "no-such-program")
    assert (wrong.exit_code, wrong.stdout) == (2, "")
    assert "no-such-program cannot be started" in wrong.stderr
