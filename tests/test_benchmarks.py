"""The catalogue finds nearly all bugs of the fleet."""

from collections import Counter
from datetime import UTC, datetime

import pytest

from benchmarks.fleet.fleet import fleet
from benchmarks.fleet.messages import FAMILIES, OFFER, Reader
from brokerfuzz import catalogue, load_contract

SHARE_KILLED = 0.98
SHARE_KILLED_BY_400 = 0.68
"""The minimum share of mutants that the first 400 cases of the catalogue must kill."""
NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)


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
