"""The catalogue finds nearly all bugs of the fleet, and the comparison of generators runs."""

import re
import subprocess
import sys
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path

import pytest

from benchmarks.fleet.fleet import fleet
from benchmarks.fleet.messages import FAMILIES, OFFER, Reader
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
