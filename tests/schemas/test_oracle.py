import enum
import json
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest

from brokerfuzz.errors import UnknownNameError
from brokerfuzz.schemas import Label, Verdict, check

OFFERS = "offer-creation-request"
OFFER: dict[str, Any] = {"number": "A-1", "offerType": "Email"}
PRODUCT: dict[str, Any] = {"productId": "p", "productQuantityInOffer": 1}
NOW = datetime(2024, 6, 1, 12, tzinfo=UTC)


def broken(verdict: Verdict) -> list[tuple[str, str]]:
    """Returns (rule without the message type, place) of each broken rule."""
    return [(entry.rule.partition("/")[2], entry.at) for entry in verdict.broken]


@pytest.mark.parametrize(
    ("change", "rule", "at"),
    [
        ({"number": 5}, "number:type", "/number"),
        ({"orderMinimum": "0"}, "orderMinimum:type", "/orderMinimum"),
        ({"a/b~c": 1}, ":additionalProperties", "/a~1b~0c"),
        ({"productClusters": "x", "offerType": "Product List"}, "productClusters:type", "/productClusters"),
        (
            {"productClusters": None, "offerType": "Product List"},
            "productClusters:type@offerType=Product-List",
            "/productClusters",
        ),
        (
            {"productClusters": [{"products": [PRODUCT]}, {}], "offerType": "Product List"},
            "productClusters[].products:required@offerType=Product-List",
            "/productClusters/1/products",
        ),
        (
            {"omniChannel": {"offers": [{"x": 1}]}},
            "omniChannel.offers[]:additionalProperties",
            "/omniChannel/offers/0/x",
        ),
        ({"accessGroups": ["a", None]}, "accessGroups[]:type", "/accessGroups/1"),
    ],
)
def test_one_violation_is_reported_with_its_rule_and_place_only(change: dict[str, Any], rule: str, at: str) -> None:
    verdict = check(OFFERS, OFFER | change, now=NOW)
    assert verdict.label == "invalid"
    assert broken(verdict) == [(rule, at)]
    assert verdict.ambiguities == ()


def test_a_missing_property_is_reported_at_the_place_where_it_belongs() -> None:
    assert broken(check(OFFERS, {})) == [("number:required", "/number"), ("offerType:required", "/offerType")]


def test_every_broken_rule_is_reported() -> None:
    verdict = check(OFFERS, {"number": "", "offerType": "?", "weightInPounds": "1", "x": 1, "y": 2})
    assert broken(verdict) == [
        ("number:minLength", "/number"),
        ("offerType:enum", "/offerType"),
        ("weightInPounds:type", "/weightInPounds"),
        (":additionalProperties", "/x"),
        (":additionalProperties", "/y"),
    ]


def test_a_verdict_is_printed_in_words() -> None:
    assert str(check(OFFERS, OFFER | {"number": 5, "deliveryScheduleCron": "@daily"})) == (
        "invalid\n  breaks offer-creation-request/number:type at /number: expected a string, found 5"
        '\n  touches cron-syntax at /deliveryScheduleCron: found "@daily"'
    )


def test_broken_rules_and_ambiguities_are_sorted_by_place() -> None:
    offer = {
        "surcharge": "?",
        "orderMinimum": 5,
        "orderMaximum": 4,
        "availableEndDate": 1,
        "accessGroups": ["a", "a"],
        "number": "",
        "unknown": "\0",
    }
    for order in (list(offer), sorted(offer), sorted(offer, reverse=True)):
        verdict = check("offer-creation-request", {name: offer[name] for name in order})
        assert len(verdict.broken) > 3
        assert len(verdict.ambiguities) > 1
        assert list(verdict.broken) == sorted(verdict.broken, key=lambda entry: (entry.at, entry.rule))
        assert list(verdict.ambiguities) == sorted(verdict.ambiguities, key=lambda touch: (touch.at, touch.ambiguity))


def test_the_order_of_properties_does_not_matter() -> None:
    props = list((OFFER | {"offerType": "Product List", "productClusters": []}).items())
    assert check(OFFERS, dict(props)) == check(OFFERS, dict(reversed(props)))


# -------------------------------------------------------------------------------------------------------------- time


def at_time(seconds: float) -> bytes:
    """Returns an offer that was updated this number of seconds after `NOW`."""
    when = (NOW + timedelta(seconds=seconds)).strftime("%Y-%m-%dT%H:%M:%SZ")
    return json.dumps(OFFER | {"lastUpdatedDateTimeUtc": when}).encode()


@pytest.mark.parametrize("now", [NOW.replace(tzinfo=None), NOW.astimezone(timezone(timedelta(hours=9)))])
def test_a_time_without_a_zone_is_utc_and_a_zone_is_respected(now: datetime) -> None:
    assert check(OFFERS, at_time(301), now=now).label == "invalid"
    assert check(OFFERS, at_time(-301), now=now).label == "valid"
    assert check(OFFERS, at_time(1), now=now).label == "unspecified"


def test_the_default_time_is_the_present() -> None:
    assert check(OFFERS, OFFER | {"lastUpdatedDateTimeUtc": "2020-01-01T00:00:00Z"}).label == "valid"
    assert check(OFFERS, OFFER | {"lastUpdatedDateTimeUtc": "9999-12-31T23:59:59Z"}).label == "invalid"


@pytest.mark.parametrize("text", ["0001-01-01T00:00:00Z", "9999-12-31T23:59:59.999999999999Z"])
@pytest.mark.parametrize(
    "now", [datetime.min, datetime.max, datetime.min.replace(tzinfo=timezone(timedelta(hours=14)))]
)
def test_the_earliest_and_latest_times_do_not_raise(text: str, now: datetime) -> None:
    check(OFFERS, OFFER | {"lastUpdatedDateTimeUtc": text}, now=now)


def test_only_the_time_of_the_last_change_is_compared_with_the_clock() -> None:
    assert (
        check(
            OFFERS, OFFER | {"availableStartDate": "9998-01-01T00:00:00Z", "availableEndDate": "9999-01-01T00:00:00Z"}
        ).label
        == "valid"
    )


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


def test_a_policy_does_not_excuse_a_broken_rule() -> None:
    assert check(OFFERS, OFFER | {"number": "", "pdfUrl": "x"}, policies={"url-syntax": "accepted"}).label == "invalid"


def test_a_policy_for_an_untouched_ambiguity_changes_nothing() -> None:
    assert check(OFFERS, OFFER, policies={"encoding": "rejected"}).label == "valid"


def test_the_broken_rules_of_both_properties_are_listed_once() -> None:
    twice = b'{"number":"","number":5,"offerType":"Emai","orderMinimum":1e-400}'
    verdict = check(OFFERS, twice, policies={"duplicate-properties": "both", "double-range": "rounded"})
    assert [one.rule.removeprefix(f"{OFFERS}/") for one in verdict.broken] == [
        "number:minLength",
        "number:type",
        "offerType:enum",
        "orderMinimum:minimum",
    ]


@pytest.mark.parametrize(
    ("body", "faults"),
    [
        (
            b'{"number":"","number":5,"offerType":"Email"}',
            {("number:minLength", "duplicate-properties=first"), ("number:type", "duplicate-properties=last")},
        ),
        (
            b'{"number":"a","offerType":"Product List","productClusters":[],"productClusters":null}',
            {("productClusters:minItems@offerType=Product-List", "duplicate-properties=first"),
             ("productClusters:type@offerType=Product-List", "duplicate-properties=last")},
        ),
        (
            b'{"number":"a","offerType":"Email","orderMinimum":1e-400}',
            {("orderMinimum:type", "double-range=exact"), ("orderMinimum:minimum", "double-range=rounded")},
        ),
    ],
)  # fmt: skip
def test_a_message_that_breaks_another_rule_in_each_interpretation_is_invalid(
    body: bytes, faults: set[tuple[str, str]]
) -> None:
    verdict = check(OFFERS, body)
    assert verdict.label == "invalid"
    assert {(one.rule.removeprefix(f"{OFFERS}/"), one.under) for one in verdict.broken} == faults


def test_a_verdict_shows_numbers_as_they_are_written() -> None:
    for number in ("1e400", "0.99999999999999999999", "-1e-400"):
        verdict = check(OFFERS, b'{"number":"a","offerType":"Email","orderMinimum":%b}' % number.encode())
        assert {*(one.found for one in verdict.broken), *(one.found for one in verdict.ambiguities)} == {number}


def test_a_lone_surrogate_in_a_name_is_reported_at_the_object() -> None:
    (touch,) = check(OFFERS, b'{"number":"a","offerType":"Email","omniChannel":{"offers":[{"\\ud800":1}]}}').ambiguities
    assert touch.at == "/omniChannel/offers/0"


# ------------------------------------------------------------------------------------------------------------- names


@pytest.mark.parametrize(
    ("arguments", "nearest"),
    [
        ({"message_type": "offer-creation"}, "offer-creation-request"),
        ({"policies": {"cron": "accepted"}}, "cron-syntax"),
        ({"policies": {"cron-syntax": "acepted"}}, "accepted"),
    ],
)
def test_the_error_for_an_unknown_name_suggests_the_nearest(arguments: dict[str, Any], nearest: str) -> None:
    with pytest.raises(UnknownNameError, match=f"did you mean '{nearest}'"):
        check(**({"message_type": OFFERS, "body": OFFER} | arguments))


@pytest.mark.parametrize(
    ("policies", "choices"),
    [
        *(
            ({"encoding": value}, "encoding can be decoded or rejected")
            for value in (True, None, 5, "", "decoded,", "Decoded", ["decoded", "x"])
        ),
        *(
            ({"clock-tolerance": value}, "a number of seconds from 0 to 86,400")
            for value in (-1, 86401, 0.5, "-0", "", "0,-1", "٣", "30s")
        ),
        ({"http-status": "accepted"}, "no policy settles http-status"),
        ({"timestamp-format": "first"}, "can be parsed or rejected"),
    ],
)
def test_an_unknown_interpretation_is_rejected_with_the_choices(policies: Any, choices: str) -> None:
    with pytest.raises(UnknownNameError, match=choices):
        check(OFFERS, OFFER, policies=policies)


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


@pytest.mark.parametrize(
    ("value", "label"),
    [
        (OFFER, "valid"),
        (OFFER | {"accessGroups": ("a", "b")}, "valid"),
        (OFFER | {"offerType": Kind.EMAIL, "orderMinimum": Count.ONE}, "valid"),
        (OFFER | {"defaultPrice": float("nan")}, "invalid"),
        (OFFER | {"defaultPrice": float("-inf")}, "invalid"),
        (OFFER | {"orderMinimum": 1.0}, "unspecified"),
        (OFFER | {"comments": "\ud800"}, "unspecified"),
        (OFFER | {"comments": "\0"}, "unspecified"),
        (OFFER | {1: "x"}, "invalid"),
        (None, "invalid"),
        (json.dumps(OFFER).encode(), "valid"),
        (bytearray(json.dumps(OFFER).encode()), "valid"),
        (memoryview(json.dumps(OFFER).encode()), "valid"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_python_values_are_judged_like_their_json(value: Any, label: Label) -> None:
    assert check(OFFERS, value, now=NOW).label == label


def circle() -> list[Any]:
    value: list[Any] = []
    value += [value, value]
    return value


@pytest.mark.parametrize(
    "value",
    [circle(), {"number": b"A"}, {1, 2}, object(), OFFER | {"number": datetime.min}, nested(100_000), [10**5000]],
    ids=["circle", "bytes", "set", "object", "datetime", "nested", "integer"],
)
def test_a_value_that_json_cannot_represent_raises_a_type_error(value: Any) -> None:
    with pytest.raises(TypeError, match="cannot be written as JSON"):
        check(OFFERS, value)
