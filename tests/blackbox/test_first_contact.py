"""What brokerfuzz does before the first case: it checks with ordinary valid messages that the target works."""

import json
from pathlib import Path
from typing import Final

import pytest
from fixture_types import Run
from hand_made_servers import answers, conforming, one_after_another, recording, response, sends, serving

FEW: Final = ("--rule", "*/orderMinimum:minimum", "--technique", "one-below", "--shrink", "off")
PLAIN_MESSAGES: Final = 10

pytestmark = pytest.mark.usefixtures("folder")


def untested(run: Run, url: str, *words: str) -> str:
    """Returns what a campaign against a target prints that accepts no plain message."""
    done = run("fire", url, *words)
    assert done.exit_code == 2
    assert len(done.stdout.splitlines()) < 25
    return " ".join(done.stdout.split())


def test_a_target_that_accepts_no_plain_message_gets_no_case_and_one_short_explanation(run: Run) -> None:
    with recording(lambda _: 422) as (url, received):
        text = untested(run, url)
    assert len(received) == PLAIN_MESSAGES + 1  # the first one is also sent with another number
    assert text.startswith(
        "untested (the target accepted none of 10 plain valid messages: status 422): no findings in 0 cases "
    )
    for said in (
        '"offerType":',
        "answered: rejected (status 422)",
        "-H",
        "--values FILE",
        "--fresh number",
        "--accept",
    ):
        assert said in text


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
        (
            301,
            [],
            "a redirect to https://offers.example/v2?token=${TOKEN}, which brokerfuzz does not follow: use that URL",
        ),
    ],
)
def test_a_status_about_the_request_leads_to_one_remedy(
    run: Run, monkeypatch: pytest.MonkeyPatch, status: int, words: list[str], advice: str
) -> None:
    monkeypatch.setenv("PASSWORD", "hunter22")
    location = "Location: https://me:hunter22@offers.example/v2?token=hunter23"
    with serving(sends(response(status, b"", location))) as url:
        text = untested(run, url, *words)
    assert advice in text
    assert "hunter2" not in text


def test_each_different_answer_is_shown_and_a_property_that_it_names_suggests_known_values(run: Run) -> None:
    tenant = response(400, b'{"error":"no tenant"}')
    product = response(400, b'{"error":"unknown productId"}')
    with serving(one_after_another(tenant, product)) as url:
        text = untested(run, url)
    assert text.count("answered: ") == 2
    assert 'rejected (status 400): {"error":"no tenant"}' in text
    assert "the answer names productClusters[].products[].productId: if the target knows only certain values" in text


def test_a_json_document_on_standard_output_stays_a_document_and_standard_error_explains(run: Run) -> None:
    with serving(sends(response(404, b"no such path"))) as url:
        done = run("fire", url, "--json")
    document = json.loads(done.stdout)
    found = (done.exit_code, document["outcome"]["state"], document["cases"], document["requests"])
    assert found == (2, "untested", 0, PLAIN_MESSAGES)
    assert "nothing exists at this path" in document["outcome"]["headline"]
    assert "answered: rejected (status 404): no such path" in done.stderr


def test_known_findings_stay_and_the_journal_can_be_continued_if_the_target_accepts_nothing(run: Run) -> None:
    with serving(sends(response(201))) as url:
        assert run("fire", url, *FEW, "--baseline", "known.json", "--baseline-update").exit_code == 0
    before = Path("known.json").read_text()
    with serving(sends(response(404))) as url:
        words = ("--baseline", "known.json", "--baseline-update", "--journal", "run.ndjson")
        done = run("fire", url, *FEW, *words)
    assert (done.exit_code, "gone" in done.stderr, Path("known.json").read_text()) == (2, False, before)
    with serving(answers(conforming)) as url:
        assert run("fire", url, "--resume", "run.ndjson").exit_code == 0


def test_a_target_that_accepts_everything_is_one_finding_and_no_report_shows_a_rule_as_checked(run: Run) -> None:
    reports = [word for name in ("r.xml", "r.md", "r.json") for word in ("--report", name)]
    some = ("--message", "offer-pricing-response", "--verdict", "invalid", "--rule", "data.offers*:type")
    with serving(sends(response(200))) as url:
        done = run("fire", url, *some, *reports)
    assert done.exit_code == 1
    assert done.stdout.startswith("1 finding in ")
    assert len(done.stdout.splitlines()) < 40
    assert "accepts (almost) every invalid message" in Path("r.md").read_text()
    document = Path("r.xml").read_text()
    assert document.count("<failure") == 1
    assert document.count('<skipped type="accepted"') == len(json.loads(Path("r.json").read_text())["rules"]) > 0
