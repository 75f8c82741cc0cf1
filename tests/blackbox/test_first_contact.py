"""What brokerfuzz does before the first case: it checks with ordinary valid messages that the target works."""

import json
import sys
import time
from pathlib import Path
from typing import Final

import pytest
from fixture_types import Run, Write
from hand_made_servers import (
    answers,
    conforming,
    one_after_another,
    response,
    sends,
    serving,
)

import brokerfuzz

FEW: Final = ("--rule", "*/orderMinimum:minimum", "--technique", "one-below", "--shrink", "off")
PLAIN_MESSAGES: Final = 4

pytestmark = pytest.mark.usefixtures("folder")


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


def test_the_beginning_of_each_different_answer_is_quoted_and_a_named_property_leads_to_a_file_of_values(
    run: Run,
) -> None:
    tenant = response(400, b'{"error":"no tenant"}')
    product = response(400, b'{"error":"unknown productId"}')
    with serving(one_after_another(tenant, product)) as url:
        done = run("fire", url)
    assert done.stdout.count("answered: ") == 2
    assert 'rejected (status 400): {"error":"no tenant"}' in done.stdout
    assert 'rejected (status 400): {"error":"unknown productId"}' in done.stdout
    advice = (
        "the answer names productClusters[].products[].productId: if the target knows only certain values, list them"
    )
    assert advice in " ".join(done.stdout.split())


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
    ("code", "words", "said"),
    [
        (
            "for line in __import__('sys').stdin: print('judged', flush=True)",
            ["--lines", "plain"],
            'answered with "judged"',
        ),
        ("import os; os.kill(os.getpid(), 11)", [], "killed by SIGSEGV"),
        ("raise SystemExit(3)", [], "exit status 3"),
        (
            "import time; time.sleep(60)",
            ["--lines", "plain", "--timeout", "0.5"],
            "no answer line within 0.5 s",
        ),
        ("import time; time.sleep(60)", ["--timeout", "0.5"], "still running after 0.5 s"),
    ],
)
def test_a_program_that_accepts_no_plain_message_is_explained_without_long_waiting(
    run: Run, write: Write, code: str, words: list[str], said: str
) -> None:
    started = time.monotonic()
    write("reader.py", code)
    done = run("fire", "--exec", f"{sys.executable} -IS reader.py", *words)
    assert done.exit_code == 2
    text = " ".join(done.stdout.split())
    assert text.startswith("untested (")
    assert said in text
    assert time.monotonic() - started < 30


# -------------------------------------------------------------------------------------- numbers that are already known


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
def test_fresh_numbers_are_recommended_if_the_target_rejects_numbers_that_it_knows(
    run: Run, words: tuple[str, ...], said: bool
) -> None:
    with serving(answers(Shop())) as url:
        done = run("fire", url, *FEW, *words)
    assert ("use --fresh number" in " ".join(done.stdout.split())) == said


# ------------------------------------------------------------------------------------- a target that accepts everything


def test_a_target_that_accepts_everything_is_one_finding() -> None:
    report = brokerfuzz.fire(lambda body: True, "offer-pricing-response", verdicts=["invalid"])
    (finding,) = report.findings
    assert finding.sentence().startswith("accepts (almost) every invalid message: ")
    assert report.outcome.status == 1
    assert len(str(report)) < 1000


def test_the_reports_of_a_target_that_accepts_everything_show_no_rule_as_checked(run: Run) -> None:
    reports = [word for name in ("r.xml", "r.md", "r.json") for word in ("--report", name)]
    with serving(sends(response(200))) as url:
        some = (
            "--message",
            "offer-pricing-response",
            "--verdict",
            "invalid",
            "--rule",
            "*:type",
            "--rule",
            "*:minimum",
        )
        done = run("fire", url, *some, *reports)
    assert done.exit_code == 1
    assert done.stdout.startswith("1 finding in ")
    assert len(done.stdout.splitlines()) < 40
    assert "accepts (almost) every invalid message" in Path("r.md").read_text()
    document = Path("r.xml").read_text()
    assert document.count("<failure") == 1
    assert document.count('<skipped type="accepted"') == len(json.loads(Path("r.json").read_text())["rules"]) > 0
