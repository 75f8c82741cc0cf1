import asyncio
import os
import re
from pathlib import Path
from typing import Any

import pytest
from hand_made_programs import python
from hand_made_servers import Behaviour, Service, one_after_another, response, sends, serving, unused_url

from brokerfuzz.errors import TargetError
from brokerfuzz.targets import AnswerRules, CallTarget, CommandTarget, HttpTarget, LineTarget, Target
from brokerfuzz.targets.preflight import Preflight, check
from brokerfuzz.targets.target import opened


def checked(behaviour: Behaviour, **options: Any) -> Preflight:
    with serving(behaviour) as url:
        return asyncio.run(_check(HttpTarget(url, **options)))


async def _check(target: Target, body: bytes = b"{}") -> Preflight:
    async with opened(target):
        return await check(target, {"": body})


@pytest.mark.parametrize(
    ("status", "options", "remedy"),
    [
        (401, {}, "requires credentials: provide them with --auth or -H 'Authorization: ...'"),
        (401, {"headers": [("authorization", "Bearer x")]}, "does not accept these credentials: provide other credentials"),
        (403, {}, "these credentials give no access"),
        (404, {}, "nothing exists at this path: correct the path of the URL (the contract does not define a path)"),
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
        TargetError, match=re.escape("a redirect to https://offers.example/v2?token=${TOKEN}, which brokerfuzz does not follow: use that URL")
    ):
        checked(sends(moved))


@pytest.mark.parametrize("rules", [AnswerRules(reject=("404", "4xx")), AnswerRules(accept=("404",)), AnswerRules(accept=("2xx", "4xx"))])
def test_a_status_with_a_configured_meaning_is_not_an_error(rules: AnswerRules) -> None:
    assert checked(sends(response(404)), rules=rules).answer.status == 404


def test_a_redirect_that_is_configured_as_accepted_is_not_an_error() -> None:
    preflight = checked(sends(response(303)), rules=AnswerRules(accept=("2xx", "3xx")))
    assert (preflight.answer.kind, preflight.repeats) == ("accepted", True)


@pytest.mark.parametrize("status", [200, 400, 409, 422, 500])
def test_the_answer_to_the_message_is_not_judged(status: int) -> None:
    preflight = checked(sends(response(status)))
    assert (preflight.answer.status, preflight.again.status, preflight.repeats, preflight.warning) == (status, status, True, None)


def test_a_target_that_rejects_a_repeated_message_causes_a_warning() -> None:
    preflight = checked(one_after_another(response(201), response(409)))
    assert (preflight.answer.kind, preflight.again.kind, preflight.repeats) == ("accepted", "rejected", False)
    assert preflight.warning == (
        "the target rejects a message that it accepted before (status 409): it will reject each message that it already knows"
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


SILENT = "import sys, time; sys.stdin.buffer.read(1); time.sleep(60)"
TALKS = "import os, sys\nfor line in sys.stdin.buffer: os.write(1, b'judged ' + line)"
DIES_ON = "import os, sys\nfor line in sys.stdin.buffer:\n if line[:-1] == sys.argv[1].encode(): sys.exit(1)\n os.write(1, b'rejected\\n')"
SEGFAULT = "import os; os.kill(os.getpid(), 11)"
VALID = b'{"number":"A"}'


@pytest.mark.skipif(os.name != "posix", reason="programs need POSIX")
@pytest.mark.parametrize(
    ("target", "said"),
    [
        pytest.param(LineTarget(python(SILENT), timeout=0.5), "(no answer line within 0.5 s: killed): print and flush a line", id="silent"),
        pytest.param(LineTarget(python(TALKS)), '(answered with "judged {"number":"A"}"; answered with "judged {}")', id="prints other lines"),
        pytest.param(LineTarget(python("input(); raise SystemExit(3)")), "(ended without an answer, exit status 3)", id="ends"),
        pytest.param(CommandTarget(python(SILENT), timeout=0.5), "(still running after 0.5 s: killed): run the command", id="command hangs"),
        pytest.param(CommandTarget(python(SEGFAULT)), "(killed by SIGSEGV): run the command in a shell to see why", id="command crashes"),
        pytest.param(CallTarget("time:sleep", timeout=5), None, id="a function that raises an exception answers"),
        pytest.param(CommandTarget(python("raise SystemExit(3)")), None, id="an exit status is an answer"),
        pytest.param(LineTarget(python(DIES_ON, VALID.decode())), None, id="answers only the invalid message"),
        pytest.param(LineTarget(python(DIES_ON, "{}")), None, id="answers only the valid message"),
    ],
)
def test_a_program_that_answers_neither_a_valid_nor_an_invalid_message_is_an_error(target: Target, said: str | None) -> None:
    if said is None:
        assert asyncio.run(_check(target, VALID)).answer.kind in {"rejected", "crashed"}
        return
    with pytest.raises(TargetError, match=re.escape(said)) as raised:
        asyncio.run(_check(target, VALID))
    assert "answers neither a valid message nor a clearly invalid one" in str(raised.value)


@pytest.mark.skipif(os.name != "posix", reason="functions need POSIX")
def test_the_error_about_a_function_that_crashes_gives_advice_for_functions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "crashing.py").write_text("import os\n\ndef judge(body):\n    os.kill(os.getpid(), 11)\n")
    with pytest.raises(TargetError, match=r"answers neither .*killed by SIGSEGV.*\): call the function in Python to see why"):
        asyncio.run(_check(CallTarget("crashing:judge", timeout=5), VALID))


def test_a_function_whose_results_have_no_meaning_is_an_error() -> None:
    with pytest.raises(TargetError, match=re.escape("builtins:list returned a list, which is not a valid answer: return True or False")):
        asyncio.run(_check(CallTarget("builtins:list", timeout=5), VALID))
