"""Verdicts that an implementation of the contract would dispute if they were wrong, mostly under policies."""

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path

import pytest
from behaviours import OFFER, PRICING

import brokerfuzz
from brokerfuzz.errors import ContractError

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
SPELLINGS = ("offset", "no-zone", "lower-case", "space", "date-only", "fraction", "leap-second", "early-year", "other")
EVERY_TIMESTAMP_IS_PARSED = {f"timestamp-format.{spelling}": "parsed" for spelling in SPELLINGS}


def _label(
    message: object, policies: Mapping[str, str] | None = None, message_type: brokerfuzz.MessageType = OFFER
) -> str:
    return brokerfuzz.check(message_type, message, now=NOW, policies=dict(policies or {})).label


@pytest.mark.parametrize(
    ("unit", "quantity", "extended", "total", "label"),
    [
        ("1e-07", 1, "1e-07", "1e-07", "valid"),
        ("1e-07", 1, "1e-07", "0.0", "unspecified"),
        ("0.1", 3, "0.3", "0.3", "valid"),
        ("0.1", 3, "0.30000000000000004", "0.30000000000000004", "valid"),
        ("0.1", 3, "0.3", "0.30000000000000004", "unspecified"),
        ("0.3334", 3, "1", "1", "unspecified"),
        ("2.5", 1, "2.504", "2.504", "valid"),
        ("2.5", 1, "2.5", "2.504", "unspecified"),
    ],
)
def test_a_sum_is_valid_only_if_it_is_exact_and_a_policy_settles_whether_it_may_be_rounded(
    unit: str, quantity: int, extended: str, total: str, label: str
) -> None:
    offer = f'{{"offerId":"x","unitPrice":{unit},"quantity":{quantity},"extendedPrice":{extended}}}'
    data = f'{{"customerId":"a","offers":[{offer}],"totalExtendedPrice":{total}}}'
    rest = '"failureMessages":[],"informationalMessages":[],"operationWasSuccessful":true'
    message = f'{{"data":{data},{rest}}}'.encode()
    assert _label(message, message_type=PRICING) == label
    for interpretation, settled in (("accepted", "valid"), ("rejected", "invalid")):
        expected = settled if label == "unspecified" else label
        assert _label(message, {"price-rounding": interpretation}, PRICING) == expected


@pytest.mark.parametrize(
    ("policies", "rounded", "wrong"),
    [
        ({}, "unspecified", "unspecified"),
        ({"price-arithmetic": "accepted"}, "valid", "valid"),
        ({"price-arithmetic": "rejected"}, "unspecified", "invalid"),
        ({"price-rounding": "accepted"}, "valid", "unspecified"),
        ({"price-rounding": "rejected"}, "invalid", "invalid"),
        ({"price-arithmetic": "rejected", "price-rounding": "accepted"}, "valid", "invalid"),
        ({"price-arithmetic": "accepted,rejected", "price-rounding": "rejected"}, "invalid", "invalid"),
    ],
)
def test_who_accepts_wrong_sums_accepts_rounded_ones_and_who_rejects_rounded_ones_rejects_wrong_ones(
    policies: dict[str, str], rounded: str, wrong: str
) -> None:
    labels = []
    for extended in (2.496, 1.5):
        offer = {"offerId": "x", "unitPrice": 2.5, "quantity": 1, "extendedPrice": extended}
        data = {"customerId": "a", "offers": [offer], "totalExtendedPrice": extended}
        rest = {"failureMessages": [], "informationalMessages": [], "operationWasSuccessful": True}
        labels.append(_label({"data": data, **rest}, policies, PRICING))
    assert labels == [rounded, wrong]


def test_policies_about_wrong_and_rounded_sums_must_not_contradict_each_other() -> None:
    policies = {"price-arithmetic": "accepted", "price-rounding": "rejected"}
    with pytest.raises(ContractError, match=r"price-rounding=rejected and price-arithmetic=accepted contradict"):
        brokerfuzz.check(PRICING, {}, policies=policies)


def _updated(timestamp: str) -> bytes:
    return json.dumps({"number": "1", "offerType": "Email", "lastUpdatedDateTimeUtc": timestamp}).encode()


@pytest.mark.parametrize(
    "future",
    [
        "10000-01-01T00:00:00Z", "2999-12-31T23:59Z", "29991231T235959Z", "2999-01-01T00:00:00+0000",
        "9999-12-31T23:59:59-14:00", "2999-12-31T23:59:60Z", "2999-12-31 23:59:60+00:00", "+002999-01-01T00:00:00Z",
        " 2999-01-01T00:00:00Z", "2999-01-01t00:00:00.5z", "2999-01-01",
    ],
)  # fmt: skip
def test_a_timestamp_in_the_future_is_invalid_in_every_notation_and_under_every_policy(future: str) -> None:
    assert _label(_updated(future)) == _label(_updated(future), EVERY_TIMESTAMP_IS_PARSED) == "invalid"


@pytest.mark.parametrize(
    "past", ["1998-12-31T23:59Z", "19981231T235959Z", "1998-01-01T00:00:00+0000", "1998-12-31T23:59:60Z", "1998-12-31"]
)
def test_a_timestamp_in_the_past_depends_on_the_policy_about_its_notation(past: str) -> None:
    assert _label(_updated(past)) == "unspecified"
    assert _label(_updated(past), EVERY_TIMESTAMP_IS_PARSED) == "valid"


@pytest.mark.parametrize(
    "unknown",
    ["2999-001", "2999/01/01", "12/31/2999", "2999-W01-3", "32472144000", "yesterday", "", "1997-02-30T00:00:00Z"],
)
def test_a_timestamp_that_is_not_known_to_be_past_stays_open_even_if_its_notation_is_parsed(unknown: str) -> None:
    for policies in ({}, {"timestamp-format": "parsed"}, {"timestamp-format.other": "parsed"}):
        assert _label(_updated(unknown), policies) == "unspecified"
    assert _label(_updated(unknown), {"timestamp-format.other": "rejected"}) == "invalid"
    verdict = brokerfuzz.check(OFFER, _updated(unknown), now=NOW, policies={"timestamp-format": "parsed"})
    assert str(verdict).endswith(f'found "{unknown}", which may be in the future')


@pytest.mark.parametrize(
    ("start", "end", "label"),
    [
        ("2016-12-31T23:59:60Z", "2016-12-31T12:00:00Z", "unspecified"),
        ("2016-12-31T12:00:00Z", "2016-12-31T23:59:60Z", "valid"),
        ("2024/02/01", "2024-01-01T00:00:00Z", "unspecified"),
        ("2024-02-01T00:00Z", "2024-01-01T00:00Z", "unspecified"),
        ("2024-01-01T00:00Z", "2024-02-01T00:00Z", "valid"),
    ],
)
def test_the_order_of_two_times_stays_open_unless_the_end_is_known_to_be_later(
    start: str, end: str, label: str
) -> None:
    message = {"number": "1", "offerType": "Email", "availableStartDate": start, "availableEndDate": end}
    assert _label(message, {"timestamp-format": "parsed"}) == label
    assert _label(message, {"timestamp-format": "parsed", "availability-order": "accepted"}) == "valid"


def _with_numbers(*numbers: str) -> bytes:
    members = ",".join(f'"number":"{number}"' for number in numbers)
    return f'{{{members},"offerType":"Email"}}'.encode()


def test_both_means_that_each_of_two_properties_with_the_same_name_counts() -> None:
    both = {"duplicate-properties": "both"}
    assert _label(_with_numbers("1", "2"), both) == "valid"
    assert _label(_with_numbers("", "1"), both) == _label(_with_numbers("1", ""), both) == "invalid"


@pytest.mark.parametrize("numbers", [["1", "", "2"], ["1", "2", "3"], ["1", "2", "", "3", "4"], ["", "1", "2"]])
@pytest.mark.parametrize("policy", ["both", "first,both", "last,both", "first,last,both"])
def test_both_does_not_settle_what_more_than_two_properties_with_the_same_name_mean(
    numbers: list[str], policy: str
) -> None:
    message = _with_numbers(*numbers)
    assert _label(message) == _label(message, {"duplicate-properties": policy}) == "unspecified"
    assert _label(message, {"duplicate-properties": "last"}) == "valid"
    assert _label(_with_numbers("", *numbers, ""), {"duplicate-properties": policy}) == "invalid"


@pytest.mark.parametrize(
    ("message", "decoded", "replaced"),
    [
        (b'{"number":"\xc0\xa2","offerType":"Email"}', "invalid", "valid"),
        (b'{"number":"\xc0\xaf","offerType":"Email"}', "valid", "valid"),
        (b'{"numb\xc1\xa5r":"1","offerType":"Email"}', "valid", "invalid"),
        (b'{"number":"1","offerType":"Emai\xe0\x81\xac"}', "valid", "invalid"),
        (b'{"number":"1","offerType":"\xc1\x81"}', "invalid", "invalid"),
    ],
)
def test_overlong_characters_are_open_unless_every_interpretation_is_invalid(
    message: bytes, decoded: str, replaced: str
) -> None:
    assert _label(message, {"encoding.overlong": "decoded"}) == decoded
    assert _label(message, {"encoding.overlong": "replaced"}) == replaced
    assert _label(message, {"encoding.overlong": "rejected"}) == "invalid"
    assert _label(message) == ("invalid" if decoded == replaced == "invalid" else "unspecified")


def test_a_string_that_may_be_meant_as_a_message_is_refused_and_other_values_are_judged() -> None:
    with pytest.raises(TypeError, match=r"bytes.*body\.encode\(\)"):
        brokerfuzz.check(OFFER, '{"number":"a","offerType":"Email"}')
    body = b'{"number":"a","offerType":"Email"}'
    assert {_label(one) for one in (json.loads(body), body, bytearray(body), memoryview(body))} == {"valid"}
    assert _label(None) == _label(1) == _label([]) == "invalid"


# ------------------------------------------------------------------------------------------------------------- sizes


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
