"""The preflight check: one plain message detects problems that would cause a finding for every message."""

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
        (401, {}, "requires credentials: provide them with -H 'Authorization: ...'"),
        (401, {"headers": [("authorization", "Bearer x")]}, "does not accept these credentials: provide other credentials"),
        (403, {}, "these credentials give no access"),
        (404, {}, "nothing exists at this path: correct the path of the URL (the contract does not define it)"),
        (405, {"method": "PATCH"}, "does not support PATCH at this path: use another method with --method"),
        (407, {}, "a proxy requires credentials"),
        (415, {}, "does not support application/json: use another type with -H 'Content-Type: ...'"),
        (308, {}, "a redirect, which brokerfuzz does not follow"),
    ],
)
def test_a_status_about_the_request_is_an_error_with_a_remedy(status: int, options: dict[str, Any], remedy: str) -> None:
    with pytest.raises(TargetError, match=re.escape(remedy)) as raised:
        checked(sends(response(status)), **options)
    assert f"status {status}" in str(raised.value)
    assert "\n" not in str(raised.value)


def test_the_error_for_a_redirect_names_the_destination_without_secrets() -> None:
    moved = response(301, b"", "Location: https://me:hunter22@offers.example/v2?token=hunter23")
    with pytest.raises(
        TargetError, match=re.escape("a redirect to https://offers.example/v2?token=$TOKEN, which brokerfuzz does not follow: use that URL")
    ):
        checked(sends(moved))


@pytest.mark.parametrize("rules", [AnswerRules(reject=("404", "4xx")), AnswerRules(accept=("404",))])
def test_a_status_with_a_configured_meaning_is_not_an_error(rules: AnswerRules) -> None:
    assert checked(sends(response(404)), rules=rules).answer.status == 404


@pytest.mark.parametrize("status", [200, 400, 409, 422, 500])
def test_the_answer_to_the_message_is_not_judged(status: int) -> None:
    preflight = checked(sends(response(status)))
    assert (preflight.answer.status, preflight.again.status, preflight.repeats, preflight.warning) == (status, status, True, None)


def test_a_target_that_rejects_a_repeated_message_causes_a_warning() -> None:
    preflight = checked(one_after_another(response(201), response(409)))
    assert (preflight.answer.kind, preflight.again.kind, preflight.repeats) == ("accepted", "rejected", False)
    assert preflight.warning == (
        "the target rejects an offer that it accepted before (status 409): it will reject every offer whose number it already knows"
    )


def test_a_message_that_is_rejected_is_not_sent_again() -> None:
    service = Service(lambda _: 422)
    assert asyncio.run(_check(service)).repeats
    assert service.bodies == [b"{}"]


def test_other_targets_than_http_endpoints_are_checked_too() -> None:
    assert asyncio.run(_check(Service(lambda _: 201))).warning is None
    with pytest.raises(TargetError, match="a service in the test answers a valid message with status 404"):
        asyncio.run(_check(Service(lambda _: 404)))


def test_an_unreachable_target_raises_the_usual_error() -> None:
    with pytest.raises(TargetError, match="cannot be reached"):
        asyncio.run(_check(HttpTarget(unused_url())))
