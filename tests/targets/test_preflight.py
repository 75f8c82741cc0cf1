"""One plain message before all others tells what would make findings of all of them."""

import asyncio
import re
from typing import Any

import pytest
from hand_made_servers import Behaviour, Service, one_after_another, response, sends, serving, unused_url

from brokerfuzz.errors import TargetError
from brokerfuzz.targets import AnswerRules, HttpTarget, Target
from brokerfuzz.targets.preflight import Preflight, check


def checked(behaviour: Behaviour, **options: Any) -> Preflight:
    with serving(behaviour) as url:
        return asyncio.run(_check(HttpTarget(url, **options)))


async def _check(target: Target) -> Preflight:
    await target.open()
    try:
        return await check(target, b"{}")
    finally:
        await target.close()


@pytest.mark.parametrize(
    ("status", "options", "remedy"),
    [
        (401, {}, "wants credentials: give them with -H 'Authorization: ...'"),
        (401, {"headers": [("authorization", "Bearer x")]}, "does not take these credentials: give others"),
        (403, {}, "lets nobody in with these credentials"),
        (404, {}, "nothing is at this path: is it right? The contract shows none"),
        (405, {"method": "PATCH"}, "takes no PATCH at this path: give another method with --method"),
        (407, {}, "a proxy wants credentials"),
        (415, {}, "does not take application/json: give another type with -H 'Content-Type: ...'"),
        (308, {}, "a redirect, which is not followed"),
    ],
)
def test_a_status_that_speaks_of_the_request_is_an_error_with_a_remedy(status: int, options: dict[str, Any], remedy: str) -> None:
    with pytest.raises(TargetError, match=re.escape(remedy)) as raised:
        checked(sends(response(status)), **options)
    assert f"status {status}" in str(raised.value)
    assert "\n" not in str(raised.value)


def test_a_redirect_says_where_to_and_tells_no_secret() -> None:
    moved = response(301, b"", "Location: https://me:hunter22@offers.example/v2?token=hunter23")
    with pytest.raises(TargetError, match=re.escape("a redirect to https://offers.example/v2?token=$TOKEN, which is not followed: give that URL")):
        checked(sends(moved))


@pytest.mark.parametrize("rules", [AnswerRules(reject=("404", "4xx")), AnswerRules(accept=("404",))])
def test_a_status_that_the_user_gave_a_meaning_is_none(rules: AnswerRules) -> None:
    assert checked(sends(response(404)), rules=rules).answer.status == 404


@pytest.mark.parametrize("status", [200, 400, 409, 422, 500])
def test_an_answer_to_the_message_is_not_judged(status: int) -> None:
    preflight = checked(sends(response(status)))
    assert (preflight.answer.status, preflight.again.status, preflight.repeats, preflight.warning) == (status, status, True, None)


def test_a_target_that_rejects_what_it_took_is_warned_of() -> None:
    preflight = checked(one_after_another(response(201), response(409)))
    assert (preflight.answer.kind, preflight.again.kind, preflight.repeats) == ("accepted", "rejected", False)
    assert preflight.warning == ("the target rejects an offer that it took before (status 409): every message that repeats a number will be rejected")


def test_a_message_that_is_rejected_is_not_sent_again() -> None:
    service = Service(lambda _: 422)
    assert asyncio.run(_check(service)).repeats
    assert service.bodies == [b"{}"]


def test_a_target_that_is_no_http_endpoint_is_asked_too() -> None:
    assert asyncio.run(_check(Service(lambda _: 201))).warning is None
    with pytest.raises(TargetError, match="a service in the test answers a valid message with status 404"):
        asyncio.run(_check(Service(lambda _: 404)))


def test_a_target_that_cannot_be_reached_is_the_same_error_as_ever() -> None:
    with pytest.raises(TargetError, match="cannot be reached"):
        asyncio.run(_check(HttpTarget(unused_url())))
