import re
import subprocess
import sys
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from benchmarks.generators.brokerfuzz_generators import exported, ours
from benchmarks.generators.figures import rounded, share
from benchmarks.generators.messages import OFFER
from benchmarks.generators.scoring import known_sites, score, sites_reached
from benchmarks.generators.table import Row
from brokerfuzz.cases.case import compact
from brokerfuzz.cases.plan import Plan
from brokerfuzz.contract_names import LABELS
from brokerfuzz.decoder import messages

ROOT = Path(__file__).parents[2]
OURS = ("brokerfuzz `messages()`", "brokerfuzz `export`, valid", "brokerfuzz under Hypothesis")
MIXED = "brokerfuzz `export`, mixed"
PEERS = ("hypothesis-jsonschema", "Schemathesis", "jsf", "polyfactory", "json-schema-faker")
SAMPLE = 30


@dataclass(frozen=True)
class Outcome:
    printed: str
    plot: str

    @property
    def rows(self) -> dict[str, list[str]]:
        """Maps the name of each generator to the cells of its row."""
        rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in self.printed.splitlines() if line.startswith("| ")]
        return {name: cells for name, *cells in rows[2:]}


@pytest.fixture(scope="module")
def outcome(tmp_path_factory: pytest.TempPathFactory) -> Outcome:
    plot = tmp_path_factory.mktemp("plot") / "generators.svg"
    command = [sys.executable, "-m", "benchmarks", "generators", "--sample", str(SAMPLE), "--seconds", "0.001", "--plot", str(plot)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stderr
    return Outcome(done.stdout, plot.read_text(encoding="utf-8"))


@pytest.mark.long
def test_brokerfuzz_generates_no_invalid_and_few_duplicate_messages(outcome: Outcome) -> None:
    for name in OURS:
        _, _, _, invalid, distinct, _ = outcome.rows[name]
        assert invalid == "0 %"
        assert float(distinct.rstrip(" %")) > 80


@pytest.mark.long
def test_both_exports_are_compared_with_orjson_on_the_same_messages(outcome: Outcome) -> None:
    for name in ("brokerfuzz `export`, valid", MIXED):
        rate, _, ratio, *_ = map(figure, outcome.rows[name])
        assert ratio > 1
        assert figure(outcome.rows[f"floor: `orjson.dumps` alone, {name}"][0]) > rate


def test_the_ratio_to_the_floor_is_computed_in_each_round() -> None:
    export = next(generator for generator in ours() if generator.in_bulk)
    row = Row(export, score([b"{}"]), rates=[10, 10, 30], floors=[100, 200, 300])
    assert (row.rate, row.floor, row.times) == (10, 200, 10)


@pytest.mark.long
def test_each_other_generator_has_a_row_or_an_installation_hint(outcome: Outcome) -> None:
    for name in PEERS:
        if name in outcome.rows:
            assert figure(outcome.rows[name][0]) > 0
        else:
            assert re.search(rf"^{name} is not included \(.+\). To install it: (pip install|npm ci) .", outcome.printed, re.MULTILINE)
    assert "hypothesis-jsonschema" in outcome.rows


@pytest.mark.long
def test_the_chart_contains_every_row_of_the_table(outcome: Outcome) -> None:
    drawn = "".join(ET.fromstring(outcome.plot).itertext())
    for name in (*OURS, MIXED, *(peer for peer in PEERS if peer in outcome.rows)):
        assert name.replace("`", "") in drawn


def test_a_score_counts_invalid_and_distinct_messages() -> None:
    good = [compact(message) for message in islice(messages(OFFER, 1), 6)]
    by_schema, by_the_clock = b'{"number":"1","offerType":"?"}', b'{"number":"1","offerType":"VDM","lastUpdatedDateTimeUtc":"2999-01-01T00:00:00Z"}'
    found = score([*good, good[0], by_schema, by_the_clock, b"no JSON"])
    assert (found.invalid, found.invalid_by_schema, found.distinct) == (0.3, 0.2, 0.9)


def test_a_site_is_reached_if_it_has_a_value() -> None:
    found = sites_reached([b'{"number":"1","omniChannel":null,"priceClasses":[{"price":null}],"unknown":{"number":1}}', b"no JSON"])
    assert found == {"", "number", "priceClasses", "priceClasses[]"}
    assert found < set(known_sites())


def test_the_messages_of_an_export_are_the_exact_bytes_of_its_cases() -> None:
    plan = Plan(message_type=OFFER, seed=1, count=SAMPLE, only_random=True)
    made = exported(LABELS, SAMPLE)
    assert made.bodies == [case.body for _, case in plan.numbered()]
    assert made.seconds > 0


@pytest.mark.parametrize(("value", "words"), [(12345.6, "12,300"), (999.6, "1,000"), (5.0, "5.00"), (0.4567, "0.457"), (0, "0")])
def test_figures_have_three_digits(value: float, words: str) -> None:
    assert rounded(value) == words


@pytest.mark.parametrize(("part", "words"), [(0, "0 %"), (0.0001, "0.1 %"), (0.1234, "12.3 %"), (0.9999, "99.9 %"), (1, "100 %")])
def test_a_share_is_rounded_to_0_or_100_percent_only_if_it_is_exact(part: float, words: str) -> None:
    assert share(part) == words


def figure(cell: str) -> float:
    return float(re.sub(r"[^0-9.]", "", cell.removeprefix("1/")) or 0)
