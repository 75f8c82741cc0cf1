import re
import subprocess
import sys
from itertools import islice
from pathlib import Path

import pytest

from benchmarks.generators.generator import written
from benchmarks.generators.messages import OFFER
from benchmarks.generators.scoring import known_sites, score, sites_reached
from brokerfuzz import messages

ROOT = Path(__file__).parents[2]
OURS = ("brokerfuzz `messages()`", "brokerfuzz under Hypothesis")
PEERS = ("hypothesis-jsonschema", "Schemathesis", "jsf", "polyfactory", "json-schema-faker")


@pytest.mark.long
def test_the_table_has_a_row_or_an_installation_hint_for_each_generator() -> None:
    command = [sys.executable, "-m", "benchmarks", "generators", "--sample", "30", "--seconds", "0.001"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stderr
    rows = {
        name: cells for name, *cells in (_cells(line) for line in done.stdout.splitlines() if line.startswith("| "))
    }
    for name in OURS:
        _, _, invalid, distinct, _ = rows[name]
        assert invalid == "0 %"
        assert float(distinct.rstrip(" %")) > 80
    for name in PEERS:
        assert name in rows or re.search(
            rf"^{name} is not included \(.+\). To install it: (pip install|npm ci) .", done.stdout, re.MULTILINE
        )
    assert "hypothesis-jsonschema" in rows


def _cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip("|").split("|")]


def test_a_score_counts_invalid_and_distinct_messages() -> None:
    good = [written(message) for message in islice(messages(OFFER, 1), 6)]
    by_schema, by_the_clock = (
        b'{"number":"1","offerType":"?"}',
        b'{"number":"1","offerType":"VDM","lastUpdatedDateTimeUtc":"2999-01-01T00:00:00Z"}',
    )
    found = score([*good, good[0], by_schema, by_the_clock, b"no JSON"])
    assert (found.invalid, found.invalid_by_schema, found.distinct) == (0.3, 0.2, 0.9)


def test_a_site_is_reached_if_it_has_a_value() -> None:
    found = sites_reached(
        [b'{"number":"1","omniChannel":null,"priceClasses":[{"price":null}],"unknown":{"number":1}}', b"no JSON"]
    )
    assert found == {"", "number", "priceClasses", "priceClasses[]"}
    assert found < set(known_sites())
