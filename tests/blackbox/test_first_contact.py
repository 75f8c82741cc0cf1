"""What brokerfuzz does before the first case: it checks with ordinary valid messages that the target works."""

import asyncio
import json
import sys
import time
from collections.abc import Callable, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any, Final

import pytest
from fixture_types import Run, Write
from hand_made_servers import (
    answers,
    conforming,
    one_after_another,
    read_request,
    response,
    sends,
    serving,
    serving_streams,
)

import brokerfuzz

OFFER: Final = "offer-creation-request"
FEW: Final = ("--rule", "*/orderMinimum:minimum", "--technique", "one-below", "--shrink", "off")
SOME: Final[Mapping[str, Any]] = {"rules": ["*/orderMinimum:minimum"], "techniques": ["one-below"], "shrink": 0}
PLAIN_MESSAGES: Final = 4

pytestmark = pytest.mark.usefixtures("folder")


def rejecting(body: bytes) -> bool:
    return False


# ---------------------------------------------------------------------------------- the target accepts no plain message


def test_a_target_that_accepts_no_plain_message_gets_no_case_and_one_short_explanation(run: Run) -> None:
    received: list[bytes] = []

    def status_of(body: bytes) -> int:
        received.append(body)
        return 422

    with serving(answers(status_of)) as url:
        done = run("fire", url)
    assert done.exit_code == 2
    assert len(received) == PLAIN_MESSAGES
    text = " ".join(done.stdout.split())
    assert text.startswith(
        "untested (the target accepted none of 4 plain valid messages: status 422): no findings in 0 cases "
    )
    assert '"offerType":' in text
    assert "answered: rejected (status 422)" in text
    for option in ("-H", "--values FILE", "--fresh number", "--accept, --reject"):
        assert option in text
    assert len(done.stdout.splitlines()) < 25
    assert "continue" not in text


@pytest.mark.parametrize(
    ("status", "words", "advice"),
    [
        (401, ["-H", "Authorization: Basic ${PASSWORD}"], "requires credentials, or other ones: provide them with -H"),
        (403, [], "these credentials give no access"),
        (404, [], "nothing exists at this path: correct the path of the URL (the contract does not define a path)"),
        (405, ["--method", "PATCH"], "does not support PATCH at this path: use another method with --method"),
        (407, [], "a proxy requires credentials"),
        (409, [], "--fresh number sends a new number in each message"),
        (415, [], "does not support this type of content: use another type with -H 'Content-Type: ...'"),
        (500, [], "the target fails on ordinary messages: read its log"),
        (308, [], "a redirect, which brokerfuzz does not follow"),
    ],
)
def test_a_status_about_the_request_leads_to_one_remedy(
    run: Run, monkeypatch: pytest.MonkeyPatch, status: int, words: list[str], advice: str
) -> None:
    monkeypatch.setenv("PASSWORD", "hunter22")
    with serving(sends(response(status))) as url:
        done = run("fire", url, *words)
    assert done.exit_code == 2
    assert advice in " ".join(done.stdout.split())


def test_the_advice_for_a_redirect_names_the_destination_without_secrets(run: Run) -> None:
    moved = response(301, b"", "Location: https://me:hunter22@offers.example/v2?token=hunter23")
    with serving(sends(moved)) as url:
        text = " ".join(run("fire", url).stdout.split())
    assert (
        "a redirect to https://offers.example/v2?token=${TOKEN}, which brokerfuzz does not follow: use that URL" in text
    )
    assert "hunter" not in text


def test_a_status_that_the_user_defined_as_a_rejection_leads_to_no_advice_about_the_path(run: Run) -> None:
    with serving(sends(response(404))) as url:
        text = " ".join(run("fire", url, "--reject", "404,4xx").stdout.split())
    assert "nothing exists at this path" not in text
    assert "--values FILE" in text


def test_the_beginning_of_each_different_answer_is_quoted(run: Run) -> None:
    with serving(
        one_after_another(response(400, b'{"error":"no tenant"}'), response(400, b'{"error":"no customer"}'))
    ) as url:
        done = run("fire", url)
    assert done.stdout.count("answered: ") == 2
    assert 'rejected (status 400): {"error":"no tenant"}' in done.stdout
    assert 'rejected (status 400): {"error":"no customer"}' in done.stdout


def test_an_answer_that_names_a_property_leads_to_its_site_and_to_a_file_of_values(run: Run) -> None:
    with serving(sends(response(422, b'{"error":"unknown productId"}'))) as url:
        text = " ".join(run("fire", url).stdout.split())
    assert (
        "the answer names productClusters[].products[].productId: if the target knows only certain values, list them "
        "with --values FILE" in text
    )


def test_a_json_document_on_standard_output_stays_a_document_and_standard_error_explains(run: Run) -> None:
    with serving(sends(response(404, b"no such path"))) as url:
        done = run("fire", url, "--json")
    document = json.loads(done.stdout)
    assert (done.exit_code, document["outcome"]["state"], document["cases"], document["requests"]) == (
        2,
        "untested",
        0,
        PLAIN_MESSAGES,
    )
    assert "nothing exists at this path" in document["outcome"]["headline"]
    assert "nothing exists at this path" in done.stderr
    assert "answered: rejected (status 404): no such path" in done.stderr


def test_a_function_that_rejects_everything_gives_an_untested_report_that_explains_it() -> None:
    calls: list[bytes] = []

    def judge(body: bytes) -> bool:
        calls.append(body)
        raise ValueError("unknown tenant")

    report = brokerfuzz.fire(judge)
    assert (report.outcome.state, report.outcome.status, report.findings, len(calls)) == (
        "untested",
        2,
        (),
        PLAIN_MESSAGES,
    )
    text = str(report)
    assert "accepted none of 4 plain valid messages: ValueError: unknown tenant" in text
    assert "answered: rejected (ValueError: unknown tenant)" in text
    with pytest.raises(AssertionError, match="accepted none of 4 plain valid messages"):
        brokerfuzz.assert_conforms(judge)


def test_a_campaign_with_workers_also_stops(run: Run) -> None:
    with serving(sends(response(404))) as url:
        done = run("fire", url, "--workers", "2", "--json")
    assert (done.exit_code, json.loads(done.stdout)["requests"]) == (2, PLAIN_MESSAGES)


def test_known_findings_are_not_reported_as_gone_if_the_target_accepts_nothing(run: Run) -> None:
    with serving(sends(response(201))) as url:
        assert run("fire", url, *FEW, "--baseline", "known.json", "--baseline-update").exit_code == 0
    before = Path("known.json").read_text()
    with serving(sends(response(404))) as url:
        done = run("fire", url, *FEW, "--baseline", "known.json", "--baseline-update", "--json")
    assert (done.exit_code, json.loads(done.stdout)["baseline"]) == (2, [])
    assert "gone" not in done.stderr
    assert Path("known.json").read_text() == before


def test_after_the_target_is_corrected_the_journal_can_be_continued(run: Run) -> None:
    with serving(sends(response(404))) as url:
        assert run("fire", url, *FEW, "--journal", "run.ndjson").exit_code == 2
    with serving(answers(conforming)) as url:
        done = run("fire", url, "--resume", "run.ndjson")
    assert done.exit_code == 0, done.output


# -------------------------------------------------------------------------------------- programs and functions


@pytest.mark.parametrize(
    ("words", "said", "advice"),
    [
        (
            ["--lines", "plain", "--timeout", "0.5"],
            "no answer line within 0.5 s",
            "print and flush a line with accepted or rejected",
        ),
        (["--timeout", "0.5"], "still running after 0.5 s", "run the command in a shell to see why"),
    ],
)
def test_a_program_that_answers_nothing_is_explained_without_long_waiting(
    run: Run, words: list[str], said: str, advice: str
) -> None:
    started = time.monotonic()
    done = run("fire", "--exec", "sleep 60", *words)
    assert done.exit_code == 2
    assert said in " ".join(done.stdout.split())
    assert advice in " ".join(done.stdout.split())
    assert time.monotonic() - started < 15


@pytest.mark.parametrize(
    ("code", "words", "said"),
    [
        (
            "import sys\nfor line in sys.stdin: print('judged', flush=True)",
            ["--lines", "plain"],
            'answered with "judged"',
        ),
        ("import os; os.kill(os.getpid(), 11)", [], "killed by SIGSEGV"),
        ("raise SystemExit(3)", [], "exit status 3"),
    ],
)
def test_a_program_that_accepts_no_plain_message_is_explained(
    run: Run, write: Write, code: str, words: list[str], said: str
) -> None:
    write("reader.py", code)
    done = run("fire", "--exec", f"{sys.executable} reader.py", *words)
    assert done.exit_code == 2
    text = " ".join(done.stdout.split())
    assert "accepted none of 4 plain valid messages" in text
    assert said in text
    assert "No case was sent." in text


def test_a_function_without_a_meaningful_result_is_explained(run: Run) -> None:
    done = run("fire", "--call", "builtins:list")
    assert done.exit_code == 2
    assert "returned a list, which is not a valid answer: return True or False" in " ".join(done.output.split())


# -------------------------------------------------------------------------------------- the plain message is sent twice


class Shop:
    """Rejects a number that it already knows."""

    def __init__(self) -> None:
        self.numbers: set[str] = set()

    def __call__(self, body: bytes) -> int:
        if conforming(body) != 201:
            return 400
        number = json.loads(body)["number"]
        if number in self.numbers:
            return 409
        self.numbers.add(number)
        return 201


@pytest.mark.parametrize(("words", "said"), [((), True), (("--fresh", "number"), False)])
def test_a_note_recommends_fresh_numbers_if_the_target_rejects_the_plain_message_the_second_time(
    run: Run, words: tuple[str, ...], said: bool
) -> None:
    with serving(answers(Shop())) as url:
        done = run("fire", url, *FEW, *words)
    assert ("rejects a message that it accepted before (status 409)" in done.stderr) == said
    assert ("use --fresh number" in done.stderr) == said


# -------------------------------------------------------------------------------------- one session with the target


APPLICATION: Final = """
import brokerfuzz

def note(event):
    with open("log", "a") as log:
        print(event, file=log)

async def app(scope, receive, send):
    if scope["type"] == "lifespan":
        while True:
            kind = (await receive())["type"]
            note(kind)
            await send({"type": f"{kind}.complete"})
            if kind == "lifespan.shutdown":
                return
    body = b""
    while True:
        part = await receive()
        body += part.get("body", b"")
        if not part.get("more_body"):
            break
    note("request")
    status = 201 if b'"orderMinimum":0' in body or brokerfuzz.check("offer-creation-request", body).label != "invalid" else 400
    await send({"type": "http.response.start", "status": status, "headers": []})
    await send({"type": "http.response.body", "body": b""})
"""


def test_an_application_is_started_once_and_each_request_is_recorded_and_counted(run: Run, write: Write) -> None:
    write("lax_shop.py", APPLICATION)
    words = ("fire", "--app", "lax_shop:app", "/offers", *FEW[:-1], "5s", "--baseline", "known.json")
    assert run(*words, "--baseline-update").exit_code == 0
    Path("log").unlink()
    done = run(*words, "--journal", "run.ndjson", "--json")
    log = Path("log").read_text().splitlines()
    assert (log[0], log[-1], len(log) - log.count("request")) == ("lifespan.startup", "lifespan.shutdown", 2)
    assert json.loads(done.stdout)["baseline"], done.stderr
    assert (
        json.loads(done.stdout)["requests"]
        == log.count("request")
        == len(Path("run.ndjson").read_text().splitlines()) - 1
    )


def test_the_python_function_sends_the_same_requests_as_the_command(run: Run) -> None:
    received: dict[str, list[bytes]] = {"command": [], "function": []}

    def recording(name: str) -> Callable[[bytes], int]:
        def status_of(body: bytes) -> int:
            received[name].append(body)
            return conforming(body)

        return status_of

    now = "2026-03-01T12:00:00Z"
    with serving(answers(recording("command"))) as url:
        run("fire", url, *FEW, "--now", now, "--concurrency", "1")
    with serving(answers(recording("function"))) as url:
        brokerfuzz.fire(url, **SOME, now=datetime.fromisoformat(now), concurrency=1)
    assert received["command"][:-2] == received["function"][:-2]  # the last two have a number that no campaign has used
    assert len(received["command"]) == len(received["function"])


def test_the_rate_limits_plain_repeated_and_cleanup_requests_too(run: Run) -> None:
    times: list[tuple[str, float]] = []

    async def conversation(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while True:
            head, body = await read_request(reader)
            method = head.split(b" ", 1)[0].decode()
            times.append((method, time.monotonic()))
            writer.write(response(204 if method == "DELETE" else conforming(body)))
            await writer.drain()

    with serving_streams(conversation) as url:
        done = run("fire", url, *FEW, "--rate", "40", "--cleanup", "DELETE /offers/{number}", "--json")
    assert done.exit_code == 0, done.output
    assert [method for method, _ in times].count("DELETE") >= 3
    seconds = times[-1][1] - times[0][1]
    assert seconds >= 0.9 * (len(times) - 1) / 40


# ------------------------------------------------------------------------------------- a target that accepts everything


def test_a_target_that_accepts_everything_is_one_finding() -> None:
    report = brokerfuzz.fire(lambda body: True, verdicts=["invalid"], rules=["*:minimum", "*:type", "*:json"])
    (finding,) = report.findings
    assert finding.sentence().startswith("accepts everything: ")
    assert "{} and text that is not JSON" in finding.sentence()
    assert report.outcome.status == 1
    assert len(str(report)) < 1000


def test_the_reports_of_a_target_that_accepts_everything_show_no_rule_as_checked(run: Run) -> None:
    with serving(sends(response(200))) as url:
        done = run(
            "fire",
            url,
            "--verdict",
            "invalid",
            "--rule",
            "*:minimum",
            "--report",
            "r.xml",
            "--report",
            "r.md",
            "--report",
            "r.json",
        )
    assert done.exit_code == 1
    assert done.stdout.startswith("1 finding in ")
    assert len(done.stdout.splitlines()) < 40
    assert "accepts everything" in Path("r.md").read_text()
    document = Path("r.xml").read_text()
    assert document.count("<failure") == 1
    assert document.count('<skipped type="accepted"') == len(json.loads(Path("r.json").read_text())["rules"]) > 0


@pytest.mark.long
def test_a_target_that_reads_json_but_checks_nothing_has_a_finding_for_each_rule() -> None:
    def accepts(body: bytes) -> bool:
        json.loads(body)
        return True

    report = brokerfuzz.fire(accepts, rules=["*:minimum", "*:maximum"], shrink=0)
    rules = {reason.rule for finding in report.findings for reason in finding.reasons}
    assert {f"{OFFER}/orderMinimum:minimum", f"{OFFER}/orderMaximum:minimum"} <= rules


@pytest.mark.long
def test_the_finding_about_everything_is_known_in_the_next_run_and_replay_sees_when_it_is_fixed(run: Run) -> None:
    some = ("--rule", "*:minimum", "--baseline", "known.json")
    with serving(sends(response(201))) as url:
        assert run("fire", url, *some, "--baseline-update", "--report", "r.json").exit_code == 0
        again = run("fire", url, *some)
        assert (again.exit_code, "no new findings (1 known)" in again.stdout) == (0, True), again.output
        assert run("replay", "r.json", url).exit_code == 1
    with serving(answers(conforming)) as url:
        assert run("replay", "r.json", url).exit_code == 0
