"""What `check` says about policies, Python values and lengths. `tests/schemas/test_second_judge.py` shows that verdicts are
right, also under policies.
"""

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from behaviours import OFFER, PRICING

import brokerfuzz
from brokerfuzz.errors import ContractError

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)


def test_policies_about_wrong_and_rounded_sums_must_not_contradict_each_other() -> None:
    policies = {"price-arithmetic": "accepted", "price-rounding": "rejected"}
    with pytest.raises(ContractError, match=r"price-rounding=rejected and price-arithmetic=accepted contradict"):
        brokerfuzz.check(PRICING, {}, policies=policies)


@pytest.mark.parametrize("unknown", ["2999-001", "12/31/2999", "32472144000", "yesterday", "", "1997-02-30T00:00:00Z"])
def test_a_timestamp_that_may_be_in_the_future_stays_open_even_if_its_notation_is_parsed(unknown: str) -> None:
    body = json.dumps({"number": "1", "offerType": "Email", "lastUpdatedDateTimeUtc": unknown}).encode()
    verdict = brokerfuzz.check(OFFER, body, now=NOW, policies={"timestamp-format": "parsed"})
    assert verdict.label == "unspecified"
    assert str(verdict).endswith(f'found "{unknown}", which may be in the future')


def test_a_string_that_may_be_meant_as_a_message_is_refused_and_other_values_are_judged() -> None:
    with pytest.raises(TypeError, match=r"bytes.*body\.encode\(\)"):
        brokerfuzz.check(OFFER, '{"number":"a","offerType":"Email"}')
    body = b'{"number":"a","offerType":"Email"}'
    valid: list[Any] = [json.loads(body), body, bytearray(body), memoryview(body)]
    invalid: list[Any] = [None, 1, []]
    assert {brokerfuzz.check(OFFER, value).label for value in valid} == {"valid"}
    assert {brokerfuzz.check(OFFER, value).label for value in invalid} == {"invalid"}


@pytest.mark.parametrize(
    ("keywords", "longest"), [({}, 255), ({"maxLength": 300}, 300), ({"minLength": 300}, 300), ({"maxLength": 20}, 20)]
)
def test_a_length_is_open_only_above_255_characters_and_where_the_contract_has_no_bound(
    keywords: dict[str, int], longest: int, tmp_path: Path
) -> None:
    schema = {"type": "object", "required": ["text"], "properties": {"text": {"type": "string", **keywords}}}
    tmp_path.joinpath("order.schema.json").write_text(json.dumps(schema))
    tmp_path.joinpath("messages.json").write_text(json.dumps({"order": {"direction": "request", "route": "POST /"}}))
    contract = brokerfuzz.load_contract(tmp_path)
    labels = [
        brokerfuzz.check("order", {"text": "a" * length}, contract=contract).label for length in (longest, longest + 1)
    ]
    assert labels == ["valid", "invalid" if "maxLength" in keywords else "unspecified"]
    lengths = {len(case.value["text"]) for case in brokerfuzz.catalogue("order", verdicts=["valid"], contract=contract)}
    assert max(lengths) == longest
