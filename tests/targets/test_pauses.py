"""Servers that ask for a pause. tests/blackbox/test_waiting.py has campaigns that wait for them."""

from email.utils import formatdate
from time import time

import pytest
from hand_made_programs import answer
from hand_made_servers import response, sends, serving

from brokerfuzz.targets import AnswerRules, HttpTarget


def later(status: int, *headers: str) -> bytes:
    return response(status, b"later", *headers)


def at(seconds: float) -> str:
    return f"Retry-After: {formatdate(seconds, usegmt=True)}"


DATE = f"Date: {formatdate(1000, usegmt=True)}"


@pytest.mark.parametrize(
    ("postponed", "pause"),
    [
        (later(429), 0.0),
        (later(429, "Retry-After: 7"), 7.0),
        (later(429, "Retry-After: 1.5"), 1.5),
        (later(429, "Retry-After: -1"), 0.0),
        (later(429, "Retry-After: 1e9"), 0.0),
        (later(429, "Retry-After: when I am back"), 0.0),
        (later(503, "Retry-After: 7"), 7.0),
        (later(503, at(1030), DATE), 30.0),
        (later(503, at(900), DATE), 0.0),
        (later(503, "Retry-After: Fri, 31 Dec 9999 23:59:59 GMT", DATE), 253402299799.0),
        (later(503, "Retry-After: Fri, 31 Dec 99999 23:59:59 GMT", DATE), None),
        (later(503), None),
        (later(500, "Retry-After: 7"), None),
        (response(201, b"", "Retry-After: 7"), None),
    ],
)
def test_an_answer_says_for_how_long_the_target_asked_brokerfuzz_to_wait(postponed: bytes, pause: float | None) -> None:
    with serving(sends(postponed)) as url:
        said = answer(HttpTarget(url))
    assert said.pause == pause
    assert said.reached == (pause is None)


def test_without_a_date_in_the_response_the_local_clock_counts() -> None:
    with serving(sends(later(503, at(time() + 30)))) as url:
        said = answer(HttpTarget(url))
    assert said.pause is not None
    assert 25 < said.pause <= 31


@pytest.mark.parametrize(
    ("rules", "kind"),
    [(AnswerRules(reject=("429", "4xx")), "rejected"), (AnswerRules(accept=("2xx", "429")), "accepted")],
)
def test_a_configured_meaning_of_a_status_has_priority(rules: AnswerRules, kind: str) -> None:
    with serving(sends(later(429, "Retry-After: 9"))) as url:
        said = answer(HttpTarget(url, rules=rules))
    assert (said.kind, said.reason, said.pause, said.reached) == (kind, "status 429", None, True)
