"""Everything that sends messages of a campaign again: `replay`, the tests in a `.py` report, printed commands, and a resumed campaign."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import pytest
from fixture_types import Run
from hand_made_servers import answers, serving

import brokerfuzz

OFFER: Final = "offer-creation-request"
NOTHING: Final = "http://127.0.0.1:1/"

pytestmark = pytest.mark.usefixtures("folder")


def is_valid(body: bytes) -> bool:
    return brokerfuzz.check(OFFER, body).label != "invalid"


def lenient(body: bytes) -> bool:
    """A reader that does not check the lower bound of the order minimum."""
    return is_valid(body.replace(b'"orderMinimum":0', b'"orderMinimum":1'))


def strict(body: bytes) -> bool:
    """A reader that rejects each comment."""
    return is_valid(body) and b'"comments"' not in body


def served(accepts: Callable[[bytes], bool]) -> Any:
    return serving(answers(lambda body: 201 if accepts(body) else 400))


@pytest.fixture
def report() -> str:
    """A report with one finding: the target accepts an order minimum of zero."""
    brokerfuzz.fire(lenient, rules=["*/orderMinimum:minimum"], reports=["report.json"])
    return "report.json"


def edited(**changes: Any) -> str:
    document = json.loads(Path("report.json").read_text())
    (finding,) = document["findings"]
    finding.update(changes)
    Path("report.json").write_text(json.dumps(document))
    return "report.json"


# ---------------------------------------------------------------------------------------------------- replay and its exit status


def test_a_finding_that_still_occurs_gives_status_1(run: Run, report: str) -> None:
    with served(lenient) as url:
        done = run("replay", report, url)
    assert (done.exit_code, done.stdout.splitlines()[-1]) == (1, "0 of 1 finding is gone, 1 still there")


def test_a_finding_is_gone_if_the_target_rejects_its_message_and_accepts_the_twin(run: Run, report: str) -> None:
    with served(is_valid) as url:
        done = run("replay", report, url)
    assert (done.exit_code, done.stdout.splitlines()[-1]) == (0, "1 of 1 finding is gone")


@pytest.mark.parametrize("words", [("--exec", "false"), ("--call", "target:rejects")])
@pytest.mark.parametrize("twin", [True, False])
def test_a_program_that_rejects_everything_proves_nothing(run: Run, report: str, words: tuple[str, str], *, twin: bool) -> None:
    Path("target.py").write_text("def rejects(body):\n    return False\n")
    done = run("replay", report if twin else edited(twin=None), *words)
    assert (done.exit_code, done.stdout.splitlines()[-1]) == (2, "0 of 1 finding is gone, 1 unproven")
    assert "the target does not accept the twin" in done.stdout if twin else "the target accepts no ordinary valid message" in done.stdout


@pytest.mark.parametrize("status", [301, 400, 401, 404, 409])
def test_a_url_that_accepts_nothing_proves_nothing(run: Run, report: str, status: int) -> None:
    with serving(answers(lambda _: status)) as url:
        done = run("replay", report, url, "--json")
    assert done.exit_code == 2
    assert [one["outcome"] for one in json.loads(done.stdout)["findings"]] == ["unproven"]


def test_a_target_that_rejects_the_twin_proves_nothing(run: Run, report: str) -> None:
    with served(lambda body: is_valid(body) and b"orderMinimum" not in body) as url:
        done = run("replay", report, url)
    assert (done.exit_code, done.stdout.splitlines()[-1]) == (2, "0 of 1 finding is gone, 1 unproven")


def test_a_rejected_valid_message_that_is_now_accepted_is_gone(run: Run) -> None:
    brokerfuzz.fire(strict, sites=["comments"], verdicts=["valid"], reports=["report.json"])
    with served(is_valid) as url:
        assert run("replay", "report.json", url).exit_code == 0
    with served(strict) as url:
        assert run("replay", "report.json", url).exit_code == 1


def test_a_message_with_another_verdict_is_not_gone(run: Run, report: str) -> None:
    edited(smallest={"body": {"number": "A", "offerType": "Email", "orderMinimum": 1}})
    with served(is_valid) as url:
        done = run("replay", report, url)
    assert (done.exit_code, done.stdout.splitlines()[-1]) == (2, "0 of 1 finding is gone, 1 other verdict")
    assert "the message is now valid" in done.stdout


def test_a_message_that_the_target_cannot_receive_is_not_gone(run: Run, report: str) -> None:
    edited(smallest={"body": {"number": "A", "offerType": "Email", "orderMinimum": 0}, "headers": [["accept", "application/json"]]})
    done = run("replay", report, "--exec", "true")
    assert (done.exit_code, done.stdout.splitlines()[-1]) == (2, "0 of 1 finding is gone, 1 not sent")


def test_one_finding_that_still_occurs_decides_the_status(run: Run, report: str) -> None:
    both = lambda body: lenient(body.replace(b'"orderMaximum":0', b'"orderMaximum":1'))  # noqa: E731
    brokerfuzz.fire(both, rules=["*/orderM*:minimum"], reports=[report])
    with served(lambda body: b"Max" not in body and b"comments" not in body and lenient(body)) as url:
        done = run("replay", report, url)
    assert (done.exit_code, done.stdout.splitlines()[-1]) == (1, "0 of 2 findings are gone, 1 unproven, 1 still there")


def test_known_findings_are_not_called_gone_if_the_target_rejects_everything(run: Run, report: str) -> None:
    words = ("--rule", "*/orderMinimum:minimum", "--baseline", "known.json", "--shrink", "10s")
    with served(lenient) as url:
        assert run("fire", url, *words, "--baseline-update").exit_code == 0
    with served(lambda _: False) as url:
        done = run("fire", url, *words)
    assert "known findings, sent first: 1 unproven" in done.stderr


def test_replay_knows_the_values_of_the_campaign(run: Run) -> None:
    Path("values.toml").write_text('"*.productId" = ["P-1", "P-2"]\n')
    contract = brokerfuzz.load_contract(values="values.toml")

    def knows(body: bytes) -> bool:
        return b'"productId"' not in body or b'"P-1"' in body or b'"P-2"' in body

    def rejects_a_quantity(body: bytes) -> bool:
        return is_valid(body) and knows(body) and b"productQuantityInOffer" not in body

    sites = ["productClusters[].products[].productQuantityInOffer"]
    brokerfuzz.fire(rejects_a_quantity, sites=sites, verdicts=["valid"], contract=contract, reports=["report.json"], journal="run.ndjson")
    with served(lambda body: is_valid(body) and knows(body)) as url:
        for words in (("run.ndjson",), ("report.json", "--values", "values.toml")):
            done = run("replay", *words, url)
            assert (done.exit_code, done.stdout.splitlines()[-1]) == (0, "1 of 1 finding is gone"), done.stdout
