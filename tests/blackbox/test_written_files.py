"""What a campaign does with files: it never replaces one of its own files, and no campaign loses what another one has
written.
"""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import pytest
from fixture_types import Run, Start
from hand_made_servers import answers, serving

from brokerfuzz import check

OFFER: Final = "offer-creation-request"
MINIMUM, MAXIMUM = ("--site", "orderMinimum"), ("--site", "orderMaximum")
QUICK: Final = ("--technique", "one-below", "--shrink", "10s", "--baseline", "known.json", "--baseline-update")

pytestmark = pytest.mark.usefixtures("folder")


def lenient(body: bytes) -> int:
    """A service that accepts an order minimum and an order maximum of zero."""
    repaired = body.replace(b'"orderMinimum":0', b'"orderMinimum":1').replace(b'"orderMaximum":0', b'"orderMaximum":1')
    return 400 if check(OFFER, repaired).label == "invalid" else 201


def entries() -> dict[str, Any]:
    return {entry["finding"]: entry for entry in json.loads(Path("known.json").read_text())["findings"]}


def changed(**changes: str) -> None:
    document = json.loads(Path("known.json").read_text())
    document["findings"][0].update(changes)
    Path("known.json").write_text(json.dumps(document))


def calls_once(change: Callable[[], object]) -> Callable[[bytes], int]:
    """A service that calls `change` when it receives the tenth message."""
    received: list[bytes] = []

    def status_of(body: bytes) -> int:
        received.append(body)
        if len(received) == 10:
            change()
        return lenient(body)

    return status_of


def test_a_reason_that_a_person_adds_during_a_campaign_stays(run: Run) -> None:
    with serving(answers(lenient)) as url:
        assert run("fire", url, *MINIMUM, *QUICK).exit_code == 0
    with serving(answers(calls_once(lambda: changed(reason="ticket 17")))) as url:
        assert run("fire", url, *MINIMUM, *QUICK).exit_code == 0
    assert [entry["reason"] for entry in entries().values()] == ["ticket 17"]


def test_two_campaigns_that_update_a_baseline_at_the_same_time_lose_no_finding(start: Start) -> None:
    with serving(answers(lenient)) as url:
        for process in [start("fire", url, *site, *QUICK) for site in (MINIMUM, MAXIMUM)]:
            _, stderr = process.communicate(timeout=60)
            assert process.returncode == 0, stderr
    assert len(entries()) == 2


@pytest.mark.parametrize(
    "words",
    [
        ("--journal", "x.json", "--report", "x.json"),
        ("--journal", "x.json", "--report", "./x.json"),
        ("--baseline", "x.json", "--baseline-update", "--report", "x.json"),
        ("--baseline", "x.json", "--baseline-update", "--journal", "x.json"),
        ("--report", "x.json", "--report", "x.json"),
        ("--hooks", "hooks.py", "--report", "hooks.py"),
    ],
)
def test_one_file_cannot_have_two_purposes(run: Run, words: tuple[str, ...]) -> None:
    Path("hooks.py").write_text("def authenticate():\n    return {}\n")
    done = run("fire", "http://127.0.0.1:1/", *words)
    assert (done.exit_code, done.stdout, len(done.stderr.splitlines())) == (2, "", 1)
    assert "are the same file: specify different files" in done.stderr
    assert [path.name for path in Path().iterdir()] == ["hooks.py"]


def test_a_report_replaces_an_existing_file(run: Run) -> None:
    Path("notes.md").write_text("notes")
    with serving(answers(lenient)) as url:
        assert run("fire", url, *MINIMUM, *QUICK, "--report", "notes.md").exit_code == 0
    assert Path("notes.md").read_text().startswith("## brokerfuzz: ")
