import json
from typing import Any

import pytest

from brokerfuzz.targets import AnswerRules
from brokerfuzz.targets.http_messages import Response


def envelope(success: Any, *messages: str) -> bytes:
    return json.dumps(
        {"data": None, "failureMessages": messages, "informationalMessages": [], "operationWasSuccessful": success}
    ).encode()


USUAL = AnswerRules()


@pytest.mark.parametrize(
    ("rules", "kinds"),
    [
        (USUAL, {200: "accepted", 204: "accepted", 101: "rejected", 303: "rejected", 400: "rejected"}),
        (USUAL, {429: "rejected", 500: "crashed", 999: "crashed"}),
        (AnswerRules(accept=("200",)), {200: "accepted", 201: "crashed"}),
        (AnswerRules(accept=("2xx", "303")), {201: "accepted", 303: "accepted", 302: "rejected"}),
        (AnswerRules(reject=("400", "422")), {422: "rejected", 404: "crashed"}),
        (AnswerRules(reject=("4xx", "500")), {404: "rejected", 500: "rejected", 501: "crashed"}),
        (AnswerRules(accept=("2xx",), reject=("202", "4xx")), {201: "accepted", 202: "rejected"}),
        (AnswerRules(accept=("404",), reject=("4xx",)), {404: "accepted", 405: "rejected"}),
    ],
)
def test_a_status_has_its_meaning_in_http_unless_it_is_configured_and_a_code_has_priority_over_a_class(
    rules: AnswerRules, kinds: dict[int, str]
) -> None:
    assert {status: rules.kind(status) for status in kinds} == kinds


@pytest.mark.parametrize(
    ("status", "body", "kind"),
    [
        (200, envelope(False, "number is taken"), "rejected"),
        (200, envelope(True), "accepted"),
        (200, envelope("false"), "accepted"),
        (400, envelope(True), "rejected"),
        (500, envelope(False), "crashed"),
        (200, b'["operationWasSuccessful"]', "accepted"),
        (200, b'{"operationWasSuccessful":false', "accepted"),
        (200, b"[" * 100_000 + b'"operationWasSuccessful"', "accepted"),
        (200, b'\xff{"operationWasSuccessful":false}', "accepted"),
    ],
)
def test_an_envelope_can_only_turn_an_acceptance_into_a_rejection(status: int, body: bytes, kind: str) -> None:
    assert AnswerRules().read(Response(status, (), body)).kind == kind


def test_a_rejection_by_the_envelope_contains_its_failure_messages() -> None:
    said = AnswerRules().read(Response(200, (), envelope(False, "a", "b")))
    assert said.reason == "operationWasSuccessful is false: a; b"
