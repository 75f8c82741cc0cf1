"""Everything that sends messages of a campaign again: `replay`, the tests in a `.py` report, printed commands, and a
resumed campaign.
"""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import pytest
from fixture_types import Run
from hand_made_servers import answers, serving
from validators import NODE

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


# ------------------------------------------------------------------------------------------- replay and its exit status


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
def test_a_program_that_rejects_everything_proves_nothing(
    run: Run, report: str, words: tuple[str, str], *, twin: bool
) -> None:
    Path("target.py").write_text("def rejects(body):\n    return False\n")
    done = run("replay", report if twin else edited(twin=None), *words)
    assert (done.exit_code, done.stdout.splitlines()[-1]) == (2, "0 of 1 finding is gone, 1 unproven")
    assert (
        "the target does not accept the twin" in done.stdout
        if twin
        else "the target accepts no ordinary valid message" in done.stdout
    )


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
    edited(
        smallest={
            "body": {"number": "A", "offerType": "Email", "orderMinimum": 0},
            "headers": [["accept", "application/json"]],
        }
    )
    done = run("replay", report, "--exec", "true")
    assert (done.exit_code, done.stdout.splitlines()[-1]) == (2, "0 of 1 finding is gone, 1 not sent")


def test_one_finding_that_still_occurs_decides_the_status(run: Run, report: str) -> None:
    both = lambda body: lenient(body.replace(b'"orderMaximum":0', b'"orderMaximum":1'))  # noqa: E731
    brokerfuzz.fire(both, rules=["*/orderM*:minimum"], reports=[report])
    with served(lambda body: b"Max" not in body and b"comments" not in body and lenient(body)) as url:
        done = run("replay", report, url)
    assert done.exit_code == 1
    assert {"1 unproven", "1 still there"} <= set(done.stdout.splitlines()[-1].split(", "))


def test_known_findings_are_not_called_gone_if_the_target_rejects_everything(run: Run, report: str) -> None:
    words = ("--rule", "*/orderMinimum:minimum", "--baseline", "known.json", "--shrink", "10s")
    with served(lenient) as url:
        assert run("fire", url, *words, "--baseline-update").exit_code == 0
    with served(lambda _: False) as url:
        done = run("fire", url, *words)
    assert (done.exit_code, "known findings" in done.stderr) == (2, False)


def test_replay_knows_the_values_of_the_campaign(run: Run) -> None:
    Path("values.toml").write_text('"*.productId" = ["P-1", "P-2"]\n')
    contract = brokerfuzz.load_contract(values="values.toml")

    def knows(body: bytes) -> bool:
        return b'"productId"' not in body or b'"P-1"' in body or b'"P-2"' in body

    def rejects_a_quantity(body: bytes) -> bool:
        return is_valid(body) and knows(body) and b"productQuantityInOffer" not in body

    sites = ["productClusters[].products[].productQuantityInOffer"]
    brokerfuzz.fire(
        rejects_a_quantity,
        sites=sites,
        verdicts=["valid"],
        contract=contract,
        reports=["report.json"],
        journal="run.ndjson",
    )
    with served(lambda body: is_valid(body) and knows(body)) as url:
        for words in (("run.ndjson",), ("report.json", "--values", "values.toml")):
            done = run("replay", *words, url)
            assert (done.exit_code, done.stdout.splitlines()[-1]) == (0, "1 of 1 finding is gone"), done.stdout


# ------------------------------------------------------------------------------------- targets that want unique numbers


class Shop:
    """A service that stores offers and rejects each number that it already knows. With a bug, it does not check the
    lower bound of the order minimum. With `late` checks, it looks at the number before it checks the message.
    """

    def __init__(self, *, bug: bool, late: bool = True) -> None:
        self.bug, self.late = bug, late
        self.numbers: set[str] = set()
        self.conflicts = 0

    def __call__(self, body: bytes) -> int:
        accepted = lenient(body) if self.bug else is_valid(body)
        number = self._number(body)
        if number in self.numbers and (accepted or self.late):
            self.conflicts += 1
            return 409
        if not accepted:
            return 422
        self.numbers.add(number)
        return 201

    @staticmethod
    def _number(body: bytes) -> str:
        try:
            return str(json.loads(body)["number"])
        except (ValueError, LookupError, TypeError, RecursionError):
            return ""


FRESH: Final = (
    "--rule",
    "*/orderMinimum:minimum",
    "--rule",
    "*/offerType:enum",
    "--shrink",
    "10s",
    "--fresh",
    "number",
)


def fired(run: Run, url: str, *words: str, status: int = 1) -> Any:
    done = run("fire", url, *FRESH, *words, "--json")
    assert done.exit_code == status, done.stderr
    return json.loads(done.stdout)


def test_replay_gives_each_message_a_new_number_if_the_campaign_did(run: Run) -> None:
    buggy, fixed = Shop(bug=True), Shop(bug=False)
    with serving(answers(buggy)) as url:
        report = fired(run, url, "--journal", "run.ndjson", "--report", "report.json")
        assert (report["fresh"], len(report["findings"])) == ("number", 1)
        for source in ("run.ndjson", "report.json"):
            assert run("replay", source, url).exit_code == 1
    with serving(answers(fixed)) as url:
        for source in ("run.ndjson", "report.json", "run.ndjson"):
            assert run("replay", source, url).exit_code == 0
    assert (buggy.conflicts, fixed.conflicts) == (1, 0)  # the campaign itself sends one offer twice


def test_a_known_number_proves_nothing(run: Run) -> None:
    shop = Shop(bug=True)
    with serving(answers(shop)) as url:
        report = fired(run, url, "--report", "report.json")
        shop.numbers |= {report["findings"][0][name]["body"]["number"] for name in ("smallest", "twin")}
        done = run("replay", "report.json", url, "--fresh", "off")
    assert (done.exit_code, done.stdout.splitlines()[-1]) == (2, "0 of 1 finding is gone, 1 unproven")
    assert "the target may already know the number of this message: use --fresh number" in done.stdout


def test_a_campaign_without_new_numbers_does_not_count_a_known_number_as_a_proof(run: Run) -> None:
    with serving(answers(Shop(bug=True))) as url:
        done = run("fire", url, *FRESH[:-2], "--json")
    report = json.loads(done.stdout)
    conflicts = sum(one["count"] for one in report["unproven"]["examples"] if "use --fresh number" in one["why"])
    assert conflicts > 10


@pytest.mark.parametrize("words", [("--demo",), ()])
def test_a_journal_contains_new_numbers_in_messages_that_are_not_utf_8(run: Run, words: tuple[str, ...]) -> None:
    with serving(answers(Shop(bug=False))) as url:
        target = words or (url,)
        some = (
            "--tag",
            "probe:encoding.*",
            "--tag",
            "probe:content-encoding",
            "--fresh",
            "number",
            "--journal",
            "run.ndjson",
            "--shrink",
            "off",
        )
        first = run("fire", *target, *some, "--json")
        assert first.exit_code == 0, first.stderr
        again = run("fire", *target, "--resume", "run.ndjson", "--json")
        assert again.exit_code == 0, again.stderr
    assert json.loads(again.stdout)["fresh"] == "number"
    assert json.loads(first.stdout)["ambiguities"] == json.loads(again.stdout)["ambiguities"]


def test_a_resumed_campaign_gives_each_message_a_new_number_again(run: Run) -> None:
    shop = Shop(bug=True)
    with serving(answers(shop)) as url:
        fired(run, url, "--journal", "run.ndjson")
        lines = Path("run.ndjson").read_text().splitlines(keepends=True)
        Path("run.ndjson").write_text("".join(lines[:10]))
        assert run("fire", url, "--resume", "run.ndjson", "--shrink", "10s").exit_code == 1
    assert shop.conflicts <= 2


def test_a_printed_command_sends_a_new_number_each_time(run: Run) -> None:
    shop = Shop(bug=True)
    with serving(answers(shop)) as url:
        (finding,) = fired(run, url)["findings"]
        before, numbers = shop.conflicts, len(shop.numbers)
        for _ in range(2):
            done = subprocess.run(["sh", "-c", finding["reproduce"]], capture_output=True, text=True, check=True)
            assert done.stdout.startswith("HTTP/1.1 201"), finding["reproduce"]
    assert (shop.conflicts, len(shop.numbers)) == (before, numbers + 2)


def test_the_smallest_message_of_a_finding_has_a_number_that_the_target_accepts(run: Run) -> None:
    """An empty number is rejected for another reason, also in a message that is not JSON."""

    def accepts_a_comma_too_many(body: bytes) -> int:
        repaired = body.replace(b",}", b"}")
        return 201 if is_valid(repaired) and b'"number":""' not in body else 422

    with serving(answers(accepts_a_comma_too_many)) as url:
        done = run(
            "fire",
            url,
            "--technique",
            "trailing-comma*",
            "--fresh",
            "number",
            "--shrink",
            "20s",
            "--json",
            "--report",
            "report.json",
        )
        findings = json.loads(done.stdout)["findings"]
        assert findings
        assert run("replay", "report.json", url).stdout.splitlines()[-1].startswith("0 of ")


# -------------------------------------------------------------------------------------------- the tests in a .py report


def run_tests(**environment: str) -> subprocess.CompletedProcess[str]:
    """Runs the tests of `report.py` with the pytest of this environment."""
    command = [sys.executable, "-m", "pytest", "-c", os.devnull, "-p", "no:cacheprovider", "-q", "report.py"]
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST_", "BROKERFUZZ_"))}
    return subprocess.run(
        command,
        env={**clean, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", **environment},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


@pytest.mark.long
def test_the_tests_of_a_report_send_new_numbers_and_pass_only_after_the_fix(run: Run) -> None:
    with serving(answers(Shop(bug=True))) as url:
        fired(run, url, "--report", "report.py")
        assert "1 failed, 1 passed" in run_tests().stdout
    with serving(answers(Shop(bug=False))) as url:
        for _ in range(2):
            done = run_tests(BROKERFUZZ_TARGET=url)
            assert done.returncode == 0, done.stdout


def test_a_known_number_passes_no_test_of_a_report(run: Run) -> None:
    with serving(answers(lambda body: 201 if lenient(body) else 422)) as url:
        run("fire", url, *FRESH[:-2], "--report", "report.py")
    with serving(answers(lambda _: 409)) as url:
        done = run_tests(BROKERFUZZ_TARGET=url)
    assert "2 failed" in done.stdout
    assert "the target may already know the number of this message (409), so the answer proves nothing" in done.stdout


# --------------------------------------------------------------------------------------- an exported Postman collection


@pytest.mark.every(2)
@pytest.mark.parametrize(("words", "status"), [((), 1), (("--env-var", "newNumbers=yes"), 0)])
def test_a_postman_collection_can_send_new_numbers_and_does_not_count_a_known_number(
    run: Run, words: tuple[str, ...], status: int
) -> None:
    newman = NODE / "node_modules/newman/bin/newman.js"
    if shutil.which("node") is None or not newman.exists():
        pytest.skip("newman is not installed: run `npm ci` in tests/node")
    some = ("--rule", "*/orderMinimum:minimum", "--rule", "*/number:*")
    assert run("export", "tests", "--format", "postman", "--message", OFFER, *some).exit_code == 0
    shop = Shop(bug=False)
    with serving(answers(shop)) as url:
        for expected in (
            0 if status == 0 else None,
            status,
        ):  # the first run may succeed, because the service knows no number
            command = ["node", str(newman), "run", "tests/collection.json", "--env-var", f"url={url}", *words]
            done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
            assert expected is None or done.returncode == expected, done.stdout
    assert ("your system may already know the number (use --env-var newNumbers=yes)" in done.stdout) == bool(status)
