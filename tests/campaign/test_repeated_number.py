import asyncio
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import pytest
from fixture_types import Run
from hand_made_servers import Behaviour, conforming, response, serving

import brokerfuzz
from brokerfuzz.campaign import Result as CampaignResult

Store = Callable[[dict[str, int], str], bytes]
SOME: Final = ("--rule", "*orderMinimum:minimum", "--technique", "one-below", "--shrink", "off", "--fresh", "number")


def created(stored: dict[str, int], number: str) -> bytes:
    stored[number] = stored.get(number, 0) + 1
    return response(201, b'{"id": %d}' % sum(stored.values()))


def idempotent(stored: dict[str, int], number: str) -> bytes:
    return response(201, b'{"id": %d}' % stored.setdefault(number, len(stored)))


def unique(stored: dict[str, int], number: str) -> bytes:
    return response(409) if number in stored else created(stored, number)


def silent(stored: dict[str, int], number: str) -> bytes:
    return response(201)


BEHAVIOURS: Final[dict[str, tuple[Store, str]]] = {
    "created again": (created, "accepted"),
    "same answer": (idempotent, "accepted"),
    "rejected": (unique, "rejected"),
    "accepted": (silent, "accepted"),
}


def serves(store: Store) -> Behaviour:
    stored: dict[str, int] = {}

    async def behave(body: bytes, writer: asyncio.StreamWriter) -> None:
        writer.write(store(stored, json.loads(body)["number"]) if conforming(body) == 201 else response(422))

    return behave


def result_of(store: Store, **options: Any) -> CampaignResult:
    with serving(serves(store)) as url:
        some = {"rules": ["*orderMinimum:minimum"], "techniques": ["one-below"], "shrink": 0}
        return brokerfuzz.fire(url, fresh="number", **some, **options).result  # type: ignore[arg-type]


@pytest.mark.parametrize("behaviour", BEHAVIOURS)
def test_the_ledger_shows_what_the_target_does_with_a_known_number(behaviour: str) -> None:
    store, kind = BEHAVIOURS[behaviour]
    result = result_of(store)
    (observed,) = (one for one in result.ambiguities if one.ambiguity.id == "repeated-number")
    assert observed.behaviour == behaviour
    assert {answer for answer, count in observed.counts.items() if count} == {kind}
    assert result.findings == ()


def test_a_crash_at_the_second_offer_is_a_finding_that_can_be_replayed(run: Run, tmp_path: Path) -> None:
    journal, report, baseline = (str(tmp_path / name) for name in ("run.ndjson", "report.json", "known.json"))
    with serving(serves(lambda stored, number: response(500) if number in stored else created(stored, number))) as url:
        done = run(
            "fire",
            url,
            *SOME,
            "--journal",
            journal,
            "--report",
            report,
            "--baseline",
            baseline,
            "--baseline-update",
            "--json",
        )
        again = run("replay", report, url)
        from_journal = run("replay", journal, url)
        known = run("fire", url, *SOME, "--baseline", baseline)
    (finding,) = json.loads(done.stdout)["findings"]
    assert finding["kind"] == "repeated-crash"
    assert finding["sentence"].startswith(
        "crashed (status 500) when it got the same message again that it had accepted before"
    )
    assert finding["reproduce"].count("curl") == 2
    for replayed in (again, from_journal):
        assert replayed.stdout.startswith("still there (crashed: status 500)"), replayed.output
    assert known.exit_code == 0
    assert known.stdout.startswith("no new findings (1 known)")
    with serving(serves(unique)) as url:
        assert "1 of 1 finding is gone" in run("replay", report, url).stdout


def test_a_journal_and_all_reports_contain_the_behaviour(run: Run, tmp_path: Path) -> None:
    journal, names = (
        str(tmp_path / "run.ndjson"),
        [str(tmp_path / f"report.{suffix}") for suffix in ("json", "md", "html")],
    )
    with serving(serves(unique)) as url:
        done = run(
            "fire", url, *SOME, "--journal", journal, "-v", *(word for name in names for word in ("--report", name))
        )
        again = run("fire", url, "--resume", journal, "--json")
    assert re.search(r"repeated-number +rejected", done.stdout)
    for name in names:
        assert "repeated-number" in Path(name).read_text()
    (entry,) = (one for one in json.loads(again.stdout)["ambiguities"] if one["ambiguity"] == "repeated-number")
    assert entry["behaviour"] == "rejected"
