"""Targets that accept each offer number, or each ID of the order management system, only once."""

import json

import pytest
from behaviours import OFFER

import brokerfuzz

GENERATOR = "One generator: the core in half the code"


@pytest.mark.xfail(strict=True, reason=GENERATOR)
def test_offers_of_the_catalogue_share_an_id_only_where_the_id_matters() -> None:
    ids: list[str] = []
    for case in brokerfuzz.catalogue(OFFER, verdicts=["valid"]):
        identifier = json.loads(case.body).get("omsOfferId")
        ids += [identifier] if identifier else []
    assert len(set(ids)) > 0.9 * len(ids)


@pytest.mark.xfail(strict=True, reason=GENERATOR)
def test_a_target_that_accepts_each_id_only_once_has_no_finding_and_hardly_any_unproven_rejection() -> None:
    known: set[str] = set()

    def target(body: bytes) -> None:
        if brokerfuzz.check(OFFER, body).label == "invalid":
            raise ValueError("invalid")
        identifier = json.loads(body).get("omsOfferId")
        if identifier and identifier in known:
            raise ValueError("this omsOfferId exists")
        known.add(identifier)

    report = brokerfuzz.fire(target, OFFER, rules=["*orderMinimum*"], shrink=0)
    assert not report.findings
    assert "unproven" not in str(report)
