"""Exports contain cases about the current time only with `--clock`, because these cases expire."""

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest
from fixture_types import Run

from brokerfuzz import Case, check, corpus

pytestmark = pytest.mark.usefixtures("folder")

OFFERS = ("--message", "offer-creation-request")
CLOCK = ("--clock", "--now", "2025-06-15T12:00:00Z")
TIMESTAMP = ("--site", "lastUpdatedDateTimeUtc")


def label_at(year: int, case: Case) -> str:
    return check(case.message_type, case.body, now=datetime(year, 1, 1, tzinfo=UTC), headers=case.headers).label


def test_the_option_adds_cases_about_the_clock_with_their_time(run: Run) -> None:
    run("export", "without.ndjson", *OFFERS, *TIMESTAMP)
    run("export", "with.ndjson", *OFFERS, *TIMESTAMP, *CLOCK)
    without = {case.id for case in corpus.read("without.ndjson")}
    added = [case for case in corpus.read("with.ndjson") if case.id not in without]
    assert {fault.technique for case in added for fault in case.faults} >= {"hour-ahead", "minutes-ahead"}
    assert all("now:2025-06-15T12:00:00Z" in case.tags for case in added)


# ------------------------------------------------------------------------------------------------------ expired cases


@pytest.mark.parametrize("form", ["ndjson", "files"])
def test_verify_counts_expired_cases_and_shows_the_first(run: Run, form: str) -> None:
    run("export", "a", "--format", form, *OFFERS, *TIMESTAMP, *CLOCK)
    expired = [case for case in corpus.read("a") if label_at(2026, case) != case.label]
    assert run("corpus", "verify", "a", "--now", "2025-06-15T12:00:00Z").stdout.endswith("no problems found\n")
    verified = run("corpus", "verify", "a", "--now", "2026-01-01T00:00:00Z")
    assert verified.exit_code == 1
    lines = verified.stdout.splitlines()
    assert lines[-1].endswith(f"cases judged again, {len(expired)} expired cases found")
    assert lines[0].startswith("The verdicts of expired cases are no longer correct at 2026-01-01T00:00:00Z.")
    said = "was generated for 2025-06-15T12:00:00Z: at 2026-01-01T00:00:00Z, its verdict is "
    assert sum(said in line for line in lines) == 5
    data = json.loads(run("corpus", "verify", "a", "--now", "2026-01-01T00:00:00Z", "--json").stdout)
    assert (data["wrong"], data["expired"]["count"], len(data["expired"]["first"])) == ([], len(expired), 5)


@pytest.mark.long
def test_a_wrong_record_and_an_expired_one_are_counted_separately(run: Run) -> None:
    run("export", "a.ndjson", *OFFERS, "--technique", "hour-ahead", *CLOCK)
    twin, *others = Path("a.ndjson").read_text().splitlines()
    Path("a.ndjson").write_text("\n".join([json.dumps({**json.loads(twin), "verdict": "invalid"}), *others]) + "\n")
    verified = run("corpus", "verify", "a.ndjson", "--now", "2030-01-01T00:00:00Z")
    assert verified.exit_code == 1
    assert verified.stdout.splitlines()[-1] == "2 cases judged again, 1 problem and 1 expired case found"
