import json
from typing import Any

import pytest

from brokerfuzz.errors import TargetError
from brokerfuzz.targets import AnswerRules, status_patterns


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
        (AnswerRules(accept=("2XX", "303")), {201: "accepted", 303: "accepted", 302: "rejected"}),
        (AnswerRules(reject=("400", "422")), {422: "rejected", 404: "crashed"}),
        (AnswerRules(reject=("4xx", "500")), {404: "rejected", 500: "rejected", 501: "crashed"}),
        (AnswerRules(accept=("2xx",), reject=("202", "4xx")), {201: "accepted", 202: "rejected"}),
        (AnswerRules(accept=("404",), reject=("4xx",)), {404: "accepted", 405: "rejected"}),
    ],
)
def test_a_status_has_its_meaning_in_http_unless_it_is_configured_and_a_code_has_priority_over_a_class(
    rules: AnswerRules, kinds: dict[int, str]
) -> None:
    assert {status: rules.read(status, b"").kind for status in kinds} == kinds


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
    assert AnswerRules().read(status, body).kind == kind


def test_a_rejection_by_the_envelope_contains_its_failure_messages() -> None:
    assert AnswerRules().read(200, envelope(False, "a", "b")).reason == "operationWasSuccessful is false: a; b"


def test_an_answer_keeps_only_the_beginning_of_the_response() -> None:
    assert AnswerRules().read(200, b"x" * 1_000_000).body == b"x" * 2048


def test_patterns_are_separated_by_commas() -> None:
    assert status_patterns("200, 201,4xx") == ("200", "201", "4xx")


@pytest.mark.parametrize("text", ["", "2x", "abc", "20", "2000", "099", "0xx", "200;201"])
def test_an_invalid_pattern_is_rejected_with_a_remedy(text: str) -> None:
    with pytest.raises(TargetError, match=r"use a code such as 201|list codes"):
        status_patterns(text)
    with pytest.raises(TargetError, match=r"use a code such as 201|list codes"):
        AnswerRules(accept=status_patterns(text))
