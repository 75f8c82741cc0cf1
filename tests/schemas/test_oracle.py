"""What verdicts say, and what `check` accepts. `test_second_judge.py` shows that verdicts are right."""

import enum
import json
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest
from contracts import ORDER, own_contract, with_properties

from brokerfuzz import catalogue
from brokerfuzz.errors import ContractError, UnknownNameError
from brokerfuzz.schemas import Label, Verdict, check

OFFERS = "offer-creation-request"
OFFER: dict[str, Any] = {"number": "A-1", "offerType": "Email"}
PLAIN = json.dumps(OFFER).encode()
NOW = datetime(2024, 6, 1, 12, tzinfo=UTC)


def broken(verdict: Verdict) -> list[tuple[str, str]]:
    """Returns (rule without the message type, place) of each broken rule."""
    return [(entry.rule.partition("/")[2], entry.at) for entry in verdict.broken]


def test_a_verdict_is_printed_in_words() -> None:
    assert str(check(OFFERS, OFFER | {"number": 5, "deliveryScheduleCron": "@daily"})) == (
        "invalid\n  breaks offer-creation-request/number:type at /number: expected a string, found 5"
        '\n  touches cron-syntax at /deliveryScheduleCron: found "@daily"'
    )
    for number in ("1e400", "0.99999999999999999999", "-1e-400"):
        verdict = check(OFFERS, b'{"number":"a","offerType":"Email","orderMinimum":%b}' % number.encode())
        assert {*(one.found for one in verdict.broken), *(one.found for one in verdict.ambiguities)} == {number}


FAULTS_OF_INTERPRETATIONS = [
    (
        b'{"number":"","number":5,"offerType":"Email"}',
        {("number:minLength", "duplicate-properties=first"), ("number:type", "duplicate-properties=last")},
    ),
    (
        b'{"number":"a","offerType":"Email","orderMinimum":1e-400}',
        {("orderMinimum:type", "double-range=exact"), ("orderMinimum:minimum", "double-range=rounded")},
    ),
]


def test_a_message_that_breaks_another_rule_in_each_interpretation_is_invalid() -> None:
    for body, faults in FAULTS_OF_INTERPRETATIONS:
        verdict = check(OFFERS, body)
        assert verdict.label == "invalid"
        assert {(one.rule.removeprefix(f"{OFFERS}/"), one.under) for one in verdict.broken} == faults
    twice = b'{"number":"","number":5,"offerType":"Emai","orderMinimum":1e-400}'
    both = check(OFFERS, twice, policies={"duplicate-properties": "both", "double-range": "rounded"})
    assert [rule for rule, _ in broken(both)] == [
        "number:minLength", "number:type", "offerType:enum", "orderMinimum:minimum",
    ]  # fmt: skip


@pytest.mark.parametrize("now", [NOW.replace(tzinfo=None), NOW.astimezone(timezone(timedelta(hours=9)))])
def test_a_time_without_a_zone_is_utc_and_a_zone_is_respected(now: datetime) -> None:
    for seconds, label in ((301, "invalid"), (-301, "valid"), (1, "unspecified")):
        when = f"{NOW + timedelta(seconds=seconds):%Y-%m-%dT%H:%M:%SZ}"
        assert check(OFFERS, OFFER | {"lastUpdatedDateTimeUtc": when}, now=now).label == label


def test_the_default_time_is_the_present_and_any_time_is_allowed() -> None:
    for text, label in (("0001-01-01T00:00:00Z", "unspecified"), ("9999-12-31T23:59:59Z", "invalid")):
        offer = OFFER | {"lastUpdatedDateTimeUtc": text}
        assert check(OFFERS, offer).label == label
        for now in (datetime.min, datetime.max, datetime.min.replace(tzinfo=timezone(timedelta(hours=14)))):
            check(OFFERS, offer, now=now)


def test_each_ambiguity_is_reported_once_per_place() -> None:
    body = b'{"number":"A-1","offerType":"Email","number":"A-2","omniChannel":{"offers":[{"offerId":"\\u0000\\ud800"},{"\\ud800":1}]},"number":"A-3"}'
    found = [(touch.ambiguity, touch.at) for touch in check(OFFERS, body).ambiguities]
    assert sorted(found) == [
        ("duplicate-properties", "/number"), ("lone-surrogates", "/omniChannel/offers/0/offerId"),
        ("lone-surrogates", "/omniChannel/offers/1"), ("nul-characters", "/omniChannel/offers/0/offerId"),
    ]  # fmt: skip


# ----------------------------------------------------------------------------------------------------------- policies


def test_a_policy_settles_an_ambiguity() -> None:
    body = OFFER | {"deliveryScheduleCron": "@daily", "pdfUrl": "x"}
    assert check(OFFERS, body).label == "unspecified"
    assert check(OFFERS, body, policies={"cron-syntax": "accepted"}).label == "unspecified"
    assert check(OFFERS, body, policies={"cron-syntax": "accepted", "url-syntax": "accepted"}) == Verdict("valid")
    rejected = check(OFFERS, body, policies={"cron-syntax": "rejected", "url-syntax": ["accepted", "rejected"]})
    assert rejected.label == "invalid"
    assert [(entry.rule, entry.at) for entry in rejected.broken] == [("ambiguity/cron-syntax", "/deliveryScheduleCron")]
    assert rejected.broken[0].demanded == "five numeric fields, as in crontab(5)"
    assert [touch.ambiguity for touch in rejected.ambiguities] == ["url-syntax"]


def test_an_unknown_interpretation_is_rejected_with_the_choices() -> None:
    for ambiguity, values, choices in (
        ("encoding", (True, None, 5, "", "decoded,", "Decoded", ["decoded", "x"]), "can be decoded or rejected"),
        ("clock-tolerance", (-1, 86401, 0.5, "-0", "", "0,-1", "٣", "30s"), "a number of seconds from 0 to 86,400"),
        ("http-status", ("accepted",), "no policy settles http-status"),
        ("timestamp-format", ("first",), "can be parsed or rejected"),
    ):
        for value in values:
            with pytest.raises(UnknownNameError, match=choices):
                check(OFFERS, OFFER, policies={ambiguity: value})  # type: ignore[dict-item]


def test_policies_about_wrong_and_rounded_sums_must_not_contradict_each_other() -> None:
    policies = {"price-arithmetic": "accepted", "price-rounding": "rejected"}
    with pytest.raises(ContractError, match=r"price-rounding=rejected and price-arithmetic=accepted contradict"):
        check("offer-pricing-response", {}, policies=policies)


def test_a_timestamp_that_may_be_in_the_future_stays_open_even_if_its_notation_is_parsed() -> None:
    verdict = check(OFFERS, OFFER | {"lastUpdatedDateTimeUtc": "2999-001"}, policies={"timestamp-format": "parsed"})
    assert verdict.label == "unspecified"
    assert str(verdict).endswith('found "2999-001", which may be in the future')


@pytest.mark.parametrize(
    ("keywords", "longest"), [({}, 255), ({"maxLength": 300}, 300), ({"minLength": 300}, 300), ({"maxLength": 20}, 20)]
)
def test_a_length_is_open_only_above_255_characters_and_where_the_contract_has_no_bound(
    keywords: dict[str, int], longest: int, tmp_path: Path
) -> None:
    contract = own_contract(tmp_path, with_properties(text={"type": "string", **keywords}))
    labels = [check(ORDER, {"text": "a" * length}, contract=contract).label for length in (longest, longest + 1)]
    assert labels == ["valid", "invalid" if "maxLength" in keywords else "unspecified"]
    lengths = {len(case.value["text"]) for case in catalogue(ORDER, verdicts=["valid"], contract=contract)}
    assert max(lengths) == longest


# ------------------------------------------------------------------------------------------------------ Python values


class Kind(enum.StrEnum):
    EMAIL = "Email"


class Count(enum.IntEnum):
    ONE = 1


def nested(depth: int) -> list[Any]:
    value: list[Any] = []
    for _ in range(depth):
        value = [value]
    return value


def circle() -> list[Any]:
    value: list[Any] = []
    value += [value, value]
    return value


VALUES: list[tuple[Any, Label]] = [
    (OFFER | {"accessGroups": ("a", "b")}, "valid"),
    (OFFER | {"offerType": Kind.EMAIL, "orderMinimum": Count.ONE}, "valid"),
    (OFFER | {"defaultPrice": float("nan")}, "invalid"),
    (OFFER | {"defaultPrice": float("-inf")}, "invalid"),
    (OFFER | {"orderMinimum": 1.0}, "unspecified"),
    (OFFER | {"comments": "\ud800"}, "unspecified"),
    (OFFER | {"comments": "\0"}, "unspecified"),
    (OFFER | {1: "x"}, "invalid"),
    (None, "invalid"),
    (PLAIN, "valid"),
    (bytearray(PLAIN), "valid"),
    (memoryview(PLAIN), "valid"),
]


def test_python_values_are_judged_like_their_json() -> None:
    assert [check(OFFERS, value, now=NOW).label for value, _ in VALUES] == [label for _, label in VALUES]


def test_a_string_that_may_be_meant_as_a_message_is_rejected() -> None:
    with pytest.raises(TypeError, match=r"bytes.*body\.encode\(\)"):
        check(OFFERS, PLAIN.decode())


def test_a_value_that_json_cannot_represent_raises_a_type_error() -> None:
    odd = [circle(), {"number": b"A"}, {1, 2}, object(), OFFER | {"number": datetime.min}, nested(100_000), [10**5000]]
    for value in odd:
        with pytest.raises(TypeError, match="cannot be written as JSON"):
            check(OFFERS, value)
