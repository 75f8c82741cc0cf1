"""Policies settle open questions, and reference data restricts values to those that a target knows."""

import json
from pathlib import Path
from typing import Any

import pytest
from behaviours import OFFER, causes_of, lenient, objects, parsed

import brokerfuzz

DUPLICATES: Any = {"tags": ["probe:duplicate-properties*"]}
PRODUCTS: Any = {"sites": ["productClusters[].products[].p*"]}


def _rejects_duplicates(body: bytes) -> bool:
    try:
        json.loads(body, object_pairs_hook=_without_duplicates)
    except (ValueError, RecursionError):
        return False
    return brokerfuzz.check(OFFER, body).label != "invalid"


def _without_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if len({name for name, _ in pairs}) < len(pairs):
        raise ValueError("duplicate property")
    return dict(pairs)


def test_a_policy_turns_the_behaviour_for_an_open_question_into_findings() -> None:
    assert not brokerfuzz.fire(_rejects_duplicates, **DUPLICATES).findings
    report = brokerfuzz.fire(_rejects_duplicates, policies={"duplicate-properties": "last"}, **DUPLICATES)
    assert report.findings
    assert {finding.kind for finding in report.findings} == {"valid-rejected"}


def test_a_policy_that_a_target_obeys_gives_no_findings() -> None:
    report = brokerfuzz.fire(_rejects_duplicates, policies={"duplicate-properties": "rejected"}, **DUPLICATES)
    assert not report.findings, report
    assert report.outcome.state == "complete"


@pytest.mark.long
def test_reference_data_reveals_a_mistake_in_products(tmp_path: Path) -> None:
    values = tmp_path / "values.toml"
    values.write_text('"*.productId" = ["P-1", "P-2"]\n')

    def accepts(body: bytes) -> bool:
        known = all(one.get("productId") in ("P-1", "P-2") for one in objects(parsed(body), "products"))
        return known and lenient("*.pageCount:minimum")(body)

    report = brokerfuzz.fire(accepts, contract=brokerfuzz.load_contract(values=str(values)), **PRODUCTS)
    assert causes_of(report) == {"accepts productClusters[].products[].pageCount:minimum"}, report
