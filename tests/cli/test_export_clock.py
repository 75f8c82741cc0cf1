import json
from datetime import UTC, datetime, tzinfo
from pathlib import Path
from typing import Self

import pytest
from fixture_types import Run

from brokerfuzz import check, corpus
from brokerfuzz.cases.case import Case, tagged_now
from brokerfuzz.schemas import oracle

pytestmark = pytest.mark.usefixtures("folder")

OFFERS = ("--message", "offer-creation-request")
MADE = datetime(2025, 6, 15, 12, tzinfo=UTC)
CLOCK = ("--clock", "--now", "2025-06-15T12:00:00Z")
RANDOM = ("--random", "--count", "300")
TIMESTAMP = ("--site", "lastUpdatedDateTimeUtc")


def label_at(year: int, case: Case) -> str:
    return check(case.message_type, case.body, now=datetime(year, 1, 1, tzinfo=UTC), headers=case.headers).label


@pytest.mark.parametrize("choice", [(), RANDOM], ids=["catalogue", "random"])
def test_an_export_is_true_at_any_time(run: Run, choice: tuple[str, ...]) -> None:
    assert run("export", "a.ndjson", *OFFERS, *choice).exit_code == 0
    cases = list(corpus.read("a.ndjson"))
    assert len(cases) >= 300
    assert all(label_at(year, case) == case.label for case in cases for year in (2001, 2099))
    assert not [case for case in cases if tagged_now(case.tags)]


@pytest.mark.parametrize("choice", [(), RANDOM], ids=["catalogue", "random"])
def test_an_export_is_the_same_on_another_day(
    run: Run, monkeypatch: pytest.MonkeyPatch, choice: tuple[str, ...]
) -> None:
    class EveryDatetime(type):
        def __instancecheck__(cls, value: object) -> bool:
            return isinstance(value, datetime)

    class LaterDatetime(datetime, metaclass=EveryDatetime):
        @classmethod
        def now(cls, tz: tzinfo | None = None) -> Self:
            return cls(2099, 12, 31, tzinfo=UTC)

    run("export", "today.ndjson", *OFFERS, *choice)
    monkeypatch.setattr(oracle, "datetime", LaterDatetime)
    run("export", "later.ndjson", *OFFERS, *choice)
    assert Path("today.ndjson").read_bytes() == Path("later.ndjson").read_bytes()


def test_the_option_adds_cases_about_the_clock_with_their_time(run: Run) -> None:
    run("export", "without.ndjson", *OFFERS, *TIMESTAMP)
    run("export", "with.ndjson", *OFFERS, *TIMESTAMP, *CLOCK)
    without = {case.id for case in corpus.read("without.ndjson")}
    added = [case for case in corpus.read("with.ndjson") if case.id not in without]
    assert {fault.technique for case in added for fault in case.faults} >= {"hour-ahead", "minutes-ahead"}
    assert all(tagged_now(case.tags) == MADE for case in added)


def test_the_summary_names_what_only_cases_about_the_clock_cover(run: Run) -> None:
    text = run("export", "a.ndjson", *OFFERS).stdout
    assert "not covered without --clock: 8 techniques and 1 ambiguity (--json lists them)\n" in text
    data = json.loads(
        run("export", "b.ndjson", *OFFERS, "--technique", "hour-ahead", "--technique", "one-below", "--json").stdout
    )
    rule = "offer-creation-request/lastUpdatedDateTimeUtc:not-in-future"
    assert data["covered_only_with_clock"] == {"rules": [rule], "techniques": ["hour-ahead"]}


@pytest.mark.parametrize(
    "args", [(*OFFERS, *CLOCK), ("--message", "offer-pricing-response")], ids=["with the cases", "no such cases"]
)
def test_the_summary_names_nothing_if_nothing_is_missing(run: Run, args: tuple[str, ...]) -> None:
    assert "clock" not in run("export", "a.ndjson", *args).stdout
    assert "covered_only_with_clock" not in json.loads(run("export", "b.ndjson", *args, "--json").stdout)


def test_an_export_with_only_cases_about_the_clock_suggests_the_option(run: Run) -> None:
    failed = run("export", "a.ndjson", *OFFERS, "--technique", "hour-ahead")
    assert failed.exit_code == 2
    assert "--clock or" in failed.stderr
    assert not Path("a.ndjson").exists()


# ------------------------------------------------------------------------------------------------------ expired cases


@pytest.mark.parametrize("form", ["ndjson", "files"])
def test_verify_counts_expired_cases_and_shows_the_first(run: Run, form: str) -> None:
    run("export", "a", "--format", form, *OFFERS, *TIMESTAMP, *CLOCK)
    expired = [case for case in corpus.read("a") if label_at(2026, case) != case.label]
    verified = run("corpus", "verify", "a", "--now", "2026-01-01T00:00:00Z")
    assert verified.exit_code == 1
    lines = verified.stdout.splitlines()
    assert lines[-1].endswith(f"cases judged again, {len(expired)} expired cases found")
    assert lines[0].startswith("The verdicts of expired cases are no longer correct at 2026-01-01T00:00:00Z.")
    assert (
        len(
            [
                line
                for line in lines
                if "was generated for 2025-06-15T12:00:00Z: at 2026-01-01T00:00:00Z, its verdict is " in line
            ]
        )
        == 5
    )
    data = json.loads(run("corpus", "verify", "a", "--now", "2026-01-01T00:00:00Z", "--json").stdout)
    assert (data["wrong"], data["expired"]["count"], len(data["expired"]["first"])) == ([], len(expired), 5)


def test_a_case_is_not_expired_at_the_time_for_which_it_was_made(run: Run) -> None:
    run("export", "a.ndjson", *OFFERS, *TIMESTAMP, *CLOCK)
    verified = run("corpus", "verify", "a.ndjson", "--now", "2025-06-15T12:00:00Z")
    assert verified.exit_code == 0, verified.stdout
    assert verified.stdout.endswith("no problems found\n")


def test_a_corpus_without_cases_about_the_clock_never_expires(run: Run) -> None:
    run("export", "a.ndjson", *OFFERS, *RANDOM)
    for year in (2001, 2099):
        assert run("corpus", "verify", "a.ndjson", "--now", f"{year}-01-01T00:00:00Z").exit_code == 0


def test_a_wrong_record_and_an_expired_one_are_counted_separately(run: Run) -> None:
    run("export", "a.ndjson", *OFFERS, "--technique", "hour-ahead", *CLOCK)
    lines = Path("a.ndjson").read_text().splitlines()
    twin = json.loads(lines[0])
    Path("a.ndjson").write_text("\n".join([json.dumps({**twin, "verdict": "invalid"}), *lines[1:]]) + "\n")
    verified = run("corpus", "verify", "a.ndjson", "--now", "2030-01-01T00:00:00Z")
    assert verified.exit_code == 1
    assert verified.stdout.splitlines()[-1] == "2 cases judged again, 1 problem and 1 expired case found"
