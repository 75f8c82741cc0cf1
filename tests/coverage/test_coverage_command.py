import json
import re
import shlex
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from fixture_types import Run, Write

from brokerfuzz import MESSAGE_TYPES, MessageType, catalogue, corpus

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
PLAIN = '{"number":"1","offerType":"Email"}'
QUOTED = '{"number":"1","offerType":"Email","orderMinimum":"5"}'
CRON = '{"number":"1","offerType":"Email","deliveryScheduleCron":"weekly"}'
PRODUCTS = '{"data":[],"failureMessages":[],"informationalMessages":[],"operationWasSuccessful":true}'


def data(run: Run, *args: object) -> Any:
    result = run("coverage", "--json", *args)
    assert result.exit_code == 0, result.stderr
    return json.loads(result.stdout)


def of_offers(run: Run, *args: object) -> Any:
    return data(run, *args)["messages"]["offer-creation-request"]


def at(found: Any, site: str) -> Any:
    return next(entry for entry in found["sites"] if entry["site"] == site)


# ------------------------------------------------------------------------------------------------------------- json


def test_messages_and_goals_are_counted(run: Run, write: Write) -> None:
    every = data(run, write("a.ndjson", PLAIN, QUOTED, CRON, PRODUCTS))
    assert {name: one["messages"] for name, one in every["messages"].items()} == {
        "offer-creation-request": 3,
        "product-list-response": 1,
    }
    assert every["left_out"] == {"other_traffic": 0, "type_unknown": 0}
    found = every["messages"]["offer-creation-request"]
    assert found["verdicts"] == {"valid": 1, "invalid": 1, "unspecified": 1}
    there = at(found, "orderMinimum")
    assert (there["rule"]["covered"], there["technique"]["covered"]) == (["type"], [])
    assert "minimum" in there["rule"]["missing"]
    for kind, counts in found["goals"].items():
        covered = sum(len(entry[kind]["covered"]) for entry in found["sites"] if kind in entry)
        missing = sum(len(entry[kind]["missing"]) for entry in found["sites"] if kind in entry)
        assert (covered, covered + missing) == (counts["covered"], counts["all"])
    assert found["goals"]["ambiguity"]["covered"] == 1


NOT_COVERED = {
    "data.offers[].extendedPrice  tiny": "sums are rounded to the cent",
    "data.totalExtendedPrice  tiny": "sums are rounded to the cent",
    "item-count": "the catalogue has no such long arrays of anything but strings",
}
"""Maps the end of each goal that the catalogue does not cover to the reason."""


@pytest.mark.every(3)
@pytest.mark.parametrize("message_type", sorted(MESSAGE_TYPES, reverse=True))
def test_the_catalogue_covers_all_goals_and_only_all_goals_are_100_percent(
    run: Run, tmp_path: Path, message_type: MessageType
) -> None:
    corpus.write(tmp_path / "c.ndjson", catalogue(message_type, now=NOW))
    command = ("coverage", "--now", f"{NOW:%Y-%m-%dT%H:%M:%SZ}", tmp_path / "c.ndjson")
    missing = run(*command, "--missing").stdout.splitlines()
    assert [line for line in missing if not line.endswith(tuple(NOT_COVERED))] == []
    for line in run(*command).stdout.splitlines()[1:5]:
        covered, whole, percent = re.findall(r"[\d,]+", line)
        assert (percent == "100") == (covered == whole), line


def test_a_message_covers_its_edges_and_an_ambiguous_one_only_its_ambiguity(run: Run, write: Write) -> None:
    plain, ambiguous = of_offers(run, write("a.ndjson", PLAIN)), of_offers(run, write("b.ndjson", CRON))
    assert at(plain, "offerType")["edge"]["covered"] == ["=Email"]
    assert at(plain, "")["edge"]["covered"] == ["only-required"]
    assert {kind: counts["covered"] for kind, counts in ambiguous["goals"].items()} == {
        "rule": 0, "technique": 0, "edge": 0, "ambiguity": 1,
    }  # fmt: skip
    assert at(ambiguous, "deliveryScheduleCron")["ambiguity"]["covered"] == ["cron-syntax"]


def test_the_technique_of_a_false_record_is_ignored(run: Run, write: Write) -> None:
    fault = {"rule": "offer-creation-request/number:minLength", "at": "/number", "technique": "one-shorter"}
    record = {
        "id": "0" * 16, "message": "offer-creation-request", "verdict": "invalid", "faults": [fault], "ambiguities": [],
        "tags": [], "twin": None,
    }  # fmt: skip
    line = json.dumps({**record, "body": json.loads(QUOTED)}, separators=(",", ":"))
    assert at(of_offers(run, write("c.ndjson", line)), "number")["technique"]["covered"] == []
    assert at(of_offers(run, "c.ndjson"), "orderMinimum")["rule"]["covered"] == ["type"]


def test_a_message_of_unclear_type_is_skipped_and_reported(run: Run, write: Write) -> None:
    result = run("coverage", "--json", write("a.ndjson", PLAIN, "{}", "nope"))
    assert json.loads(result.stdout)["left_out"]["type_unknown"] == 2
    assert "left out 2 messages that match several message types (the first is a.ndjson:2): specify" in result.stderr
    named = of_offers(run, "a.ndjson", "--message", "offer-creation-request")
    assert named["verdicts"] == {"valid": 1, "invalid": 2, "unspecified": 0}
    assert at(named, "")["rule"]["covered"] == ["json"]


# ------------------------------------------------------------------------------------------------------------ table


def test_the_table_has_totals_and_one_row_per_site(run: Run, write: Write) -> None:
    lines = run("coverage", write("a.ndjson", PLAIN, QUOTED)).stdout.splitlines()
    assert lines[0] == "offer-creation-request: 2 messages (1 valid, 1 invalid)"
    assert re.fullmatch(r"  rules +1/117 +1 %", lines[1])
    row = next(line for line in lines if line.startswith("  orderMinimum"))
    assert re.fullmatch(r"  orderMinimum +1/3 +0/\d+ +1/5 +0/1", row)
    assert len({len(line) for line in lines[6:]}) == 1, "columns are aligned"


# ---------------------------------------------------------------------------------------------------------- missing


def test_missing_goals_are_listed_one_per_line_with_names_that_explain_accepts(run: Run, write: Write) -> None:
    lines = run("coverage", "--missing", write("a.ndjson", PLAIN, QUOTED)).stdout.splitlines()
    goals = of_offers(run, "a.ndjson")["goals"].values()
    assert len(lines) == sum(counts["all"] - counts["covered"] for counts in goals)
    for kind, count in (("rule", 1), ("technique", 2), ("ambiguity", 2)):
        words = next(shlex.split(line) for line in lines if line.startswith(kind))[1:]
        assert len(words) == count
        assert run("explain", words[-1]).exit_code == 0
    assert "technique  offer-creation-request/orderMinimum:minimum  one-below" in lines


# ------------------------------------------------------------------------------------------------------- fail under


def test_coverage_below_the_limit_is_a_failure(run: Run, write: Write) -> None:
    for percent, status in (("0", 0), ("0.5", 0), ("20", 1), ("100", 1)):
        result = run("coverage", "--fail-under", percent, write("a.ndjson", PLAIN, QUOTED, CRON))
        assert result.exit_code == status
        assert result.stdout.startswith("offer-creation-request: 3 messages")
        assert ("--fail-under requires" in result.stderr) == bool(status)
