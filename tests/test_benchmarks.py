"""The benchmarks measure what they say: the fleet contains many services with different bugs, of which the catalogue
finds nearly all, and the comparison of generators judges messages correctly.
"""

import re
import subprocess
import sys
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from contracts import changed_contract

from benchmarks.fleet.fleet import fleet
from benchmarks.fleet.messages import FAMILIES, OFFER, Reader
from benchmarks.generators import scores
from brokerfuzz import catalogue, load_contract

SHARE_KILLED = 0.98
SHARE_KILLED_BY_400 = 0.68
"""The minimum share of mutants that the first 400 cases of the catalogue must kill."""
NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
ROOT = Path(__file__).parents[1]


@pytest.mark.long
def test_the_catalogue_kills_nearly_all_of_a_fleet_with_many_bugs_of_each_family() -> None:
    reader = Reader(load_contract(), NOW)
    messages = [reader(case.body) for case in catalogue(OFFER, now=NOW)]
    mutants = fleet(NOW)
    families = Counter(mutant.family for mutant in mutants)
    assert families.total() >= 1000
    assert min(families[family] for family in FAMILIES) >= 50
    assert len({mutant.name for mutant in mutants}) == len(mutants)
    first = {mutant.name: mutant.first_kill(messages) for mutant in mutants}
    survivors = [name for name, index in first.items() if index is None]
    assert len(survivors) <= (1 - SHARE_KILLED) * len(mutants), survivors
    assert sum(index is not None and index < 400 for index in first.values()) >= SHARE_KILLED_BY_400 * len(mutants)


def test_a_changed_contract_has_its_own_mutants_which_the_first_message_with_a_wrong_answer_kills(
    tmp_path: Path,
) -> None:
    def add(schema: dict[str, Any]) -> None:
        schema["properties"]["shelf"] = {"type": "integer", "minimum": 3}

    contract = changed_contract(tmp_path, "offer-creation-request", add)
    bodies = (b'{"number":"A","offerType":"Email"}', b'{"number":"A","offerType":"Email","shelf":2}')
    messages = list(map(Reader(contract, NOW), bodies))
    first = {mutant.name: mutant.first_kill(messages) for mutant in fleet(NOW, contract)}
    assert first["rejects no white space between tokens"] == 0
    assert first["does not check shelf:minimum"] == 1
    assert first["does not check shelf:type"] is None


@pytest.mark.long
def test_the_table_of_generators_has_a_row_or_an_installation_hint_for_each() -> None:
    command = [sys.executable, "-m", "benchmarks", "generators", "--sample", "30", "--seconds", "0.001"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stderr
    rows = {name: cells for name, *cells in (line.strip("| ").split(" | ") for line in done.stdout.splitlines())}
    for name in ("brokerfuzz `messages()`", "brokerfuzz `offer_requests()`"):
        _, invalid, distinct, _ = rows[name]
        assert invalid == "0 %"
        assert float(distinct.rstrip(" %")) > 80
    for name in ("hypothesis-jsonschema", "Schemathesis", "jsf", "json-schema-faker"):
        assert name in rows or re.search(
            rf"^{name} is not included \(.+\)\. To install it: \w+", done.stdout, re.MULTILINE
        )


def test_a_score_counts_invalid_and_distinct_messages_and_sites_that_have_a_value() -> None:
    valid = b'{"number":"1","offerType":"VDM","omniChannel":null,"priceClasses":[{"price":null}]}'
    by_the_clock = b'{"number":"1","offerType":"VDM","lastUpdatedDateTimeUtc":"2999-01-01T00:00:00Z"}'
    invalid, distinct, sites = scores([valid, valid, by_the_clock, b'{"number":"1","offerType":"?"}', b"no JSON"])
    assert (invalid, distinct) == ("60.0 %", "80.0 %")
    assert sites.startswith("6 of "), "the message, number, offerType, priceClasses, its item, lastUpdatedDateTimeUtc"
