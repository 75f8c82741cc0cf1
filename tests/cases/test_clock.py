"""Some verdicts depend on the current time. Cases with such verdicts have a tag, and exist only if a time is given."""

import json
from datetime import UTC, datetime
from functools import cache
from itertools import islice
from pathlib import Path

import pytest
from fixture_types import Run
from sampled import sample

from brokerfuzz import MESSAGE_TYPES, Case, Contract, MessageType, catalogue, check, load_contract, messages

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
TIMES = (datetime(2001, 1, 1, tzinfo=UTC), datetime(9900, 1, 1, tzinfo=UTC))
"""The earliest and the latest supported time. If a verdict depends on the time, it is different at one of these
times.
"""
OFFER: MessageType = "offer-creation-request"


@cache
def drawn(message_type: MessageType, now: datetime | None, contract: Contract | None = None) -> list[Case]:
    stream = messages(message_type, 1, verdicts=["valid", "invalid", "unspecified"], now=now, contract=contract)
    return list(islice(stream, 300))


def is_changing(case: Case, contract: Contract | None = None) -> bool:
    """Returns True if the verdict is different at one of the `TIMES`."""
    verdicts = [check(case.message_type, case.body, now=now, contract=contract) for now in TIMES]
    return any(verdict != case.verdict for verdict in verdicts)


def is_tagged(case: Case) -> bool:
    return f"now:{NOW:%Y-%m-%dT%H:%M:%SZ}" in case.tags


@pytest.mark.every(3)
@pytest.mark.parametrize("message_type", MESSAGE_TYPES)
@sample(4, 1)
def test_each_verdict_that_changes_with_time_has_the_tag(message_type: MessageType, size: int) -> None:
    cases = [*catalogue(message_type, now=NOW), *drawn(message_type, NOW)][::size]
    changed = list(filter(is_changing, cases))
    assert bool(changed) is (message_type == OFFER), "only an offer has a timestamp that must not be in the future"
    assert all(map(is_tagged, changed))
    assert [case for case in cases if case.faults and is_tagged(case)] == [case for case in changed if case.faults]


@pytest.mark.every(3)
@pytest.mark.parametrize("message_type", MESSAGE_TYPES)
def test_without_a_time_no_verdict_changes_and_the_catalogue_has_only_the_other_cases(
    message_type: MessageType,
) -> None:
    assert not any(is_changing(case) or any("now:" in tag for tag in case.tags) for case in drawn(message_type, None))
    rest = [case.id for case in catalogue(message_type, now=NOW) if not is_tagged(case)]
    assert [case.id for case in catalogue(message_type)] == rest


@pytest.mark.long
def test_the_verdicts_of_a_contract_with_the_rule_at_another_property_do_not_change_either(tmp_path: Path) -> None:
    own = [{"id": "not-in-future", "sites": {OFFER: ["availableStartDate"]}}]
    (tmp_path / "semantics.json").write_text(json.dumps(own))
    contract = load_contract(tmp_path)
    cases = drawn(OFFER, None, contract)
    assert any(fault.rule.endswith("availableStartDate:not-in-future") for case in cases for fault in case.faults)
    assert not any(is_changing(case, contract) for case in cases)


def test_an_export_counts_the_cases_that_depend_on_the_time(run: Run, folder: Path) -> None:
    late = ["--rule", "*:not-in-future"]
    for filters, has_some in ((["--rule", "*orderMinimum:minimum"], False), (late, True), ([*late, "--clock"], False)):
        shown = run("export", "a.ndjson", "--force", "--message", OFFER, "--json", *filters).stdout
        assert bool(json.loads(shown).get("time_dependent")) == has_some
