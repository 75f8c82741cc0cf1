"""Services that reject ordinary values, and so the twins of many faults: their other mistakes are found all the same."""

import json
from pathlib import Path

from behaviours import OFFER, causes_of, lenient, strict
from fixture_types import Run
from hand_made_servers import answers, serving

import brokerfuzz

LENIENT = lenient("productClusters[].products[].pageCount:minimum")
PICKY = strict(lambda message: message.get("isActive") is False or message.get("comments", "") is None, LENIENT)
FEW = ("productClusters[].products[].pageCount", "isActive", "comments", "orderMinimum")


def test_a_fault_is_found_behind_values_that_the_service_rejects() -> None:
    report = brokerfuzz.fire(PICKY, OFFER, sites=FEW)
    assert causes_of(report) == {
        "accepts productClusters[].products[].pageCount:minimum",
        "rejects isActive",
        "rejects comments",
    }, report
    assert report.outcome.unproven == 0


def test_the_report_counts_the_faults_that_were_sent_again_and_a_resumed_campaign_does_not_send_them(
    run: Run, tmp_path: Path
) -> None:
    options = [option for site in FEW for option in ("--site", site)]
    journal = tmp_path / "run.ndjson"
    with serving(answers(lambda body: 201 if PICKY(body) else 400)) as url:
        before = json.loads(run("fire", url, "--journal", journal, *options, "--json").stdout)
        after = json.loads(run("fire", url, "--resume", journal, "--json").stdout)
    assert before["unproven"]["retested"] > 0
    assert before["unproven"]["count"] == 0
    assert (after["unproven"], after["findings"]) == (before["unproven"], before["findings"])
