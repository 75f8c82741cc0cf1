"""Everything that sends messages of a campaign again: `replay`, printed commands, and a resumed campaign."""

import json
import re
import shutil
import subprocess
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from typing import Any, Final

import pytest
from behaviours import PRODUCTS
from fixture_types import Run
from hand_made_servers import answers, fired, response, serving, status_by
from known_identifiers import KnownIdentifiers
from validators import NODE

import brokerfuzz

OFFER: Final = "offer-creation-request"
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
    return serving(answers(status_by(accepts)))


# ------------------------------------------------------------------------------------------- replay and its exit status


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A report with one finding: the target accepts an order minimum of zero."""
    path = tmp_path_factory.mktemp("reports") / "report.json"
    brokerfuzz.fire(lenient, rules=["*/orderMinimum:minimum"], reports=[path])
    return path.read_text()


MINIMUM: Final = {"number": "A", "offerType": "Email", "orderMinimum": 0}
NO_TWIN: Final = {"twin": None}
VALID: Final = {"smallest": {"body": {**MINIMUM, "orderMinimum": 1}}}
REJECTS: Final = ("--call", "target:rejects")


@pytest.mark.parametrize(
    ("target", "changes", "status", "count", "said"),
    [
        (lenient, {}, 1, "1 still there", "still there (accepted: status 201)"),
        (is_valid, {}, 0, "", "gone"),
        (REJECTS, {}, 2, "1 unproven", "the target does not accept the twin"),
        (REJECTS, NO_TWIN, 2, "1 unproven", "the target accepts no ordinary valid message"),
        (lambda _: False, {}, 2, "1 unproven", "the target does not accept the twin"),
        (is_valid, VALID, 2, "1 other verdict", "the message is now valid"),
    ],
)
def test_a_finding_is_gone_only_if_the_target_rejects_its_message_and_accepts_the_twin(
    run: Run, written: str, target: Any, changes: dict[str, Any], status: int, count: str, said: str
) -> None:
    Path("target.py").write_text("def rejects(body):\n    return False\n")
    document = json.loads(written)
    document["findings"][0].update(changes)
    Path("report.json").write_text(json.dumps(document))
    with nullcontext(target) if isinstance(target, tuple) else served(target) as words:
        done = run("replay", "report.json", *([words] if isinstance(words, str) else words))
    last = f"0 of 1 finding is gone, {count}" if count else "1 of 1 finding is gone"
    assert (done.exit_code, done.stdout.splitlines()[-1]) == (status, last)
    assert said in done.stdout


def test_a_rejected_valid_message_that_is_now_accepted_is_gone_and_a_rejection_for_another_reason_is_another_finding(
    run: Run,
) -> None:
    reason = b'{"error": "comments are not allowed"}'

    async def behave(body: bytes, writer: Any) -> None:
        text = b"" if strict(body) else reason
        writer.write(response(400 if text else 201, text))

    with serving(behave) as url:
        assert run("fire", url, "--rule", "comments", "--verdict", "valid", "--report", "report.json").exit_code == 1
        assert run("replay", "report.json", url).output.startswith("still there (rejected: status 400)")
        reason = b'{"error": "the database is read-only"}'
        done = run("replay", "report.json", url)
    assert done.output.startswith("another (rejected: status 400; now rejected for another reason)")
    assert done.exit_code == 1
    with served(is_valid) as url:
        assert run("replay", "report.json", url).exit_code == 0


def test_replay_uses_the_known_values_of_the_user(run: Run) -> None:
    Path("values.toml").write_text('"*.productId" = ["P-1", "P-2"]\n')

    def knows(body: bytes) -> bool:
        is_known = b'"productId"' not in body or b'"P-1"' in body or b'"P-2"' in body
        return is_known and brokerfuzz.check(PRODUCTS, body).label != "invalid"

    options: Any = {"rules": ["data[].weight"], "verdicts": ["valid"], "shrink": 0, "reports": ["report.json"]}
    contract = brokerfuzz.load_contract(values="values.toml")
    brokerfuzz.fire(lambda body: knows(body) and b'"weight"' not in body, PRODUCTS, contract=contract, **options)
    with served(knows) as url:
        done = run("replay", "report.json", "--values", "values.toml", url)
    assert (done.exit_code, done.stdout.splitlines()[-1]) == (0, "1 of 1 finding is gone"), done.stdout


# ------------------------------------------------------------------------------------- targets that want unique numbers


def test_a_service_that_allows_comments_and_accepts_each_number_once_has_a_finding() -> None:
    service = KnownIdentifiers(422, "number", reads=lambda body: re.sub(rb"/\*.*?\*/", b"", body))
    report = fired(answers(service), rules=["*:json"], techniques=["comment"], fresh="number")
    (finding,) = report.findings
    assert finding.text == "message: accepts text that is not JSON (comment)"


def test_a_service_that_decodes_utf_16_and_accepts_each_number_once_has_no_finding() -> None:
    policies = {"encoding.utf-16": "decoded", "byte-order-mark": "ignored"}

    def accepts(body: bytes) -> bool:
        return brokerfuzz.check(OFFER, body, policies=policies).label != "invalid"

    report = fired(
        answers(KnownIdentifiers(422, "number", accepts=accepts)),
        tags=["probe:encoding.utf-16"],
        fresh="number",
        policies=policies,
    )
    assert (report.findings, report.outcome.state) == ((), "complete")


SOME: Final = ("--rule", "*/orderMinimum:minimum", "--rule", "*/offerType:enum", "--shrink", "10s")


def test_replay_resumed_campaigns_and_printed_commands_give_each_message_a_new_number_if_the_campaign_did(
    run: Run,
) -> None:
    buggy = KnownIdentifiers(409, "number", accepts=lenient, looks_first=True)
    fixed = KnownIdentifiers(409, "number", looks_first=True)
    with serving(answers(buggy)) as url:
        fired = run("fire", url, *SOME, "--fresh", "number", "--journal", "run.ndjson", "--report", "report.json")
        assert fired.exit_code == 1
        report = json.loads(Path("report.json").read_text())
        (finding,) = report["findings"]
        assert run("replay", "report.json", url).exit_code == 1
        assert buggy.conflicts == 0
        for _ in range(2):
            done = subprocess.run(["sh", "-c", finding["reproduce"]], capture_output=True, text=True, check=True)
            assert done.stdout.startswith("HTTP/1.1 201"), finding["reproduce"]
        buggy.known |= {("number", finding[name]["body"]["number"]) for name in ("smallest", "twin")}
        known = run("replay", "report.json", url, "--fresh", "off")
    assert known.stdout.endswith("\n0 of 1 finding is gone, 1 unproven\n")
    assert "the target may already know an identifier of this message: use --fresh number,omsOfferId" in known.stdout
    with serving(answers(fixed)) as url:
        assert [run("replay", "report.json", url).exit_code for _ in range(2)] == [0, 0]
        Path("cut.ndjson").write_text("".join(Path("run.ndjson").read_text().splitlines(keepends=True)[:10]))
        assert run("fire", url, "--resume", "cut.ndjson").exit_code == 0
    assert fixed.conflicts <= 1


@pytest.mark.long
def test_a_postman_collection_can_send_new_numbers_and_does_not_count_a_known_number(run: Run) -> None:
    newman = NODE / "node_modules/newman/bin/newman.js"
    if shutil.which("node") is None or not newman.exists():
        pytest.skip("newman is not installed: run `npm ci` in tests/node")
    some = ("--rule", "*/orderMinimum:minimum", "--rule", "*/number:*")
    assert run("export", "tests", "--format", "postman", "--message", OFFER, *some).exit_code == 0
    with serving(answers(KnownIdentifiers(409, "number", looks_first=True))) as url:
        command = ["node", str(newman), "run", "tests/collection.json", "--env-var", f"url={url}"]
        runs = [
            subprocess.run([*command, *words], capture_output=True, text=True, timeout=120, check=False)
            for words in ((), (), ("--env-var", "newNumbers=yes"))
        ]
    assert [done.returncode for done in runs[1:]] == [1, 0]
    assert "your system may already know the number (use --env-var newNumbers=yes)" in runs[1].stdout
