import json
from pathlib import Path
from typing import Any, Final

import pytest
from fixture_types import Run
from hand_made_servers import answers, serving
from pricing_reader import BUG, PRICING, lenient

from brokerfuzz.schemas import check

SOME: Final = ("--message", PRICING, "--rule", BUG, "--shrink", "10s", "--baseline", "known.json")


@pytest.fixture(autouse=True)
def known(folder: Path, run: Run) -> Any:
    """Returns the finding of a service with one bug. The baseline `known.json` contains this finding."""
    with serving(answers(lenient)) as url:
        assert run("fire", url, *SOME, "--baseline-update").exit_code == 0
    return json.loads(Path("known.json").read_text())["findings"][0]


def edited(**changes: Any) -> None:
    document = json.loads(Path("known.json").read_text())
    document["findings"][0] |= changes
    Path("known.json").write_text(json.dumps(document))


def test_the_message_of_a_known_finding_is_sent_after_one_ordinary_message_and_before_all_cases(
    run: Run, known: Any
) -> None:
    received: list[bytes] = []

    def status_of(body: bytes) -> int:
        received.append(body)
        return lenient(body)

    with serving(answers(status_of)) as url:
        done = run("fire", url, *SOME, "--no-preflight", "--json")
    assert json.loads(received[1]) == known["smallest"]["body"]  # the first message checks that the target works
    assert json.loads(done.stdout)["baseline"] == [{"finding": known["finding"], "outcome": "still there"}]
    assert "known findings, sent first: 1 still there" in done.stderr
    assert done.exit_code == 0


def test_a_fixed_bug_is_reported_first_and_pruned(run: Run, known: Any) -> None:
    with serving(answers(lambda body: 200 if check(PRICING, body).label != "invalid" else 400)) as url:
        done = run("fire", url, *SOME, "--baseline-prune")
    assert f"known findings, sent first: 1 gone ({known['finding']})" in done.stderr
    assert done.exit_code == 0
    assert json.loads(Path("known.json").read_text())["findings"] == []


def test_a_known_finding_that_is_still_there_is_not_pruned_by_a_campaign_with_other_cases(run: Run, known: Any) -> None:
    with serving(answers(lenient)) as url:
        assert run("fire", url, *SOME[:2], "--rule", "*unitPrice:minimum", *SOME[4:], "--baseline-prune").exit_code == 0
    assert json.loads(Path("known.json").read_text())["findings"] == [known]


def test_an_entry_no_longer_applies_after_its_date(run: Run, known: Any) -> None:
    edited(until="2020-01-31", reason="ticket 17")
    with serving(answers(lenient)) as url:
        done = run("fire", url, *SOME, "--baseline-update")
    assert done.exit_code == 1
    assert (
        f"the entry of the finding {known['finding']} in known.json was valid only until 2020-01-31, so this finding "
        "counts as new" in done.stderr
    )
    entry = json.loads(Path("known.json").read_text())["findings"][0]
    assert (entry["until"], entry["reason"]) == ("2020-01-31", "ticket 17")


def test_explain_shows_an_entry_with_its_message(run: Run, known: Any) -> None:
    edited(until="2099-01-31", reason="ticket 17")
    text = run("explain", known["finding"], "known.json").stdout
    for said in (
        known["sentence"],
        "Reason: ticket 17",
        "The entry applies until 2099-01-31.",
        '"totalExtendedPrice":-',
    ):
        assert said in text


def test_an_entry_without_a_fingerprint_is_an_error_with_file_and_line(run: Run) -> None:
    Path("known.json").write_text('{"baseline": 3, "findings": [\n{"sentence": "A."}]}')
    done = run("fire", "http://127.0.0.1:1/", *SOME)
    assert (done.exit_code, done.stdout, len(done.stderr.splitlines())) == (2, "", 1)
    assert "known.json, line 2: the entry does not name a finding" in done.stderr
