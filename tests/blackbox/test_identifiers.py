"""Targets that accept each offer number, or each ID of the order management system, only once."""

import asyncio
import json

import pytest
from behaviours import OFFER
from fixture_types import Run
from hand_made_servers import conforming, response, serving

import brokerfuzz


def test_offers_of_the_catalogue_share_an_id_only_where_the_id_matters() -> None:
    ids: list[str] = []
    for case in brokerfuzz.catalogue(OFFER, verdicts=["valid"]):
        identifier = json.loads(case.body).get("omsOfferId")
        ids += [identifier] if str(identifier).startswith("OMS-") else []
    assert len(ids) > 400
    assert len(set(ids)) > 0.98 * len(ids)


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
    assert " unproven" not in str(report)


@pytest.mark.parametrize("status", [400, 409])
def test_with_fresh_values_of_both_identifiers_a_target_that_accepts_each_only_once_has_no_finding(
    run: Run, status: int
) -> None:
    known: set[str] = set()

    async def behave(body: bytes, writer: asyncio.StreamWriter) -> None:
        if conforming(body) != 201:
            writer.write(response(422))
            return
        offer = json.loads(body)
        identifiers = {f"{name} {offer[name]}" for name in ("number", "omsOfferId") if offer.get(name)}
        writer.write(response(status if identifiers & known else 201))
        known.update(identifiers)

    with serving(behave) as url:
        some = ("--rule", "*orderMinimum*", "--shrink", "off", "--json")
        both = json.loads(run("fire", url, *some, "--fresh", "number,omsOfferId").stdout)
    assert both["findings"] == []


def test_an_unknown_name_among_several_fresh_properties_is_named(run: Run) -> None:
    done = run("fire", "http://127.0.0.1:1", "--fresh", "number,omsOfferID")
    assert done.exit_code == 2
    assert "'omsOfferID': did you mean 'omsOfferId'?" in done.stderr
