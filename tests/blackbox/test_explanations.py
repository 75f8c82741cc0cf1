"""What a finding says about its cause, and which contradictions count as the same finding."""

import json
import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from itertools import count
from typing import Any

import pytest
from behaviours import OFFER, PRICING, VALID, Condition, conforming, lenient, objects, overlooking, parsed, strict
from hand_made_servers import Behaviour, response, serving

import brokerfuzz

CONFORMS = conforming()
PAGE_COUNT = "productClusters[].products[].pageCount"
SMALLEST = {"number": "0", "offerType": "Direct Mail"}


def rejecting(problem: Callable[[dict[str, Any]], str | None]) -> Behaviour:
    """The server rejects messages with the text that `problem` returns."""

    async def behave(body: bytes, writer: Any) -> None:
        text = problem(parsed(body))
        status = 422 if text or not CONFORMS(body) else 201
        writer.write(response(status, (text or "").encode()))

    return behave


@pytest.mark.parametrize(
    ("accepts", "chosen", "smallest"),
    [
        (
            strict(lambda message: (message.get("orderMaximum") or 0) > 123_456),
            VALID,
            {**SMALLEST, "orderMaximum": 123_457},
        ),
        (
            lenient(f"{PAGE_COUNT}:minimum"),
            {"sites": [PAGE_COUNT]},
            {
                **SMALLEST,
                "productClusters": [{"products": [{"productId": "0", "productQuantityInOffer": 0, "pageCount": 0}]}],
            },
        ),
        (overlooking(r"/categoryIds/\d\d"), {"sites": ["categoryIds[]"]}, {**SMALLEST, "categoryIds": [*[""] * 10, 0]}),
    ],
    ids=["a limit", "a nested number", "the eleventh item"],
)
def test_the_smallest_message_has_only_what_causes_the_problem(
    accepts: Callable[[bytes], bool], chosen: dict[str, Any], smallest: dict[str, Any]
) -> None:
    report = brokerfuzz.fire(accepts, **chosen)
    assert smallest in [json.loads(finding.body) for finding in report.findings], report
    assert all(finding.whole for finding in report.findings)


@pytest.mark.parametrize(
    ("refuses", "cause"),
    [
        (
            lambda message: "isActive" not in message and "description" not in message,
            "description is absent and isActive is absent",
        ),
        (
            lambda message: any("offerId" not in one for one in objects(message, "offers")),
            "omniChannel.offers[].offerId is absent",
        ),
        (lambda message: len(message.get("accessGroups") or ()) > 10, 'accessGroups is ["","0"'),
    ],
    ids=["two missing properties", "a missing nested property", "too many items"],
)
def test_the_sentence_names_the_difference_from_an_accepted_message(refuses: Condition, cause: str) -> None:
    report = brokerfuzz.fire(strict(refuses), **VALID)
    assert len(report.headlines) == 1, report
    assert any(cause in finding.sentence() for finding in report.findings), report


def test_unknown_ids_are_one_finding_that_names_the_property_and_the_option() -> None:
    def knows(message: dict[str, Any]) -> bool:
        return any(one.get("productId") != "P-1" for one in objects(message, "products"))

    report = brokerfuzz.fire(strict(knows), OFFER, sites=["productClusters[].products[].productId"])
    (finding,) = [one for one in report.findings if one.kind == "valid-rejected"]
    values = (
        "if the target knows only certain values of productClusters[].products[].productId, list them with --values"
    )
    assert values in finding.sentence()


def test_the_advice_names_a_property_of_several_items_once() -> None:
    refuses_several = strict(lambda message: len([*objects(message, "offers")]) > 1, conforming(PRICING))
    report = brokerfuzz.fire(refuses_several, PRICING, verdicts=["valid"])
    sentences = [finding.sentence() for finding in report.findings]
    assert any("values of data.offers[].offerId" in sentence for sentence in sentences), sentences
    assert not any(sentence.count("data.offers[].offerId") > 1 for sentence in sentences), sentences


def test_answers_that_differ_only_in_details_show_the_same_problem() -> None:
    numbers = count()

    def blank(message: dict[str, Any]) -> str | None:
        return f"request {next(numbers)}: 'x{next(numbers)}' is blank" if message.get("comments") == "" else None

    with serving(rejecting(blank)) as url:
        report = brokerfuzz.fire(url, **VALID)
    assert [finding.places for finding in report.findings] == [("/comments",)], report


def test_shrinking_keeps_one_problem_of_a_message_with_two() -> None:
    def blank(message: dict[str, Any]) -> str | None:
        names = [name for name in ("comments", "description") if message.get(name) == ""]
        return json.dumps({"errors": [f"{name} must not be blank" for name in names]}) if names else None

    with serving(rejecting(blank)) as url:
        report = brokerfuzz.fire(url, **VALID)
    assert {finding.places for finding in report.findings} == {("/comments",), ("/description",)}, report
    for finding in report.findings:
        assert json.loads(finding.answer.body) == {"errors": [f"{finding.sites[0]} must not be blank"]}


def test_a_finding_has_the_same_name_whatever_cases_are_sent() -> None:
    accepts = strict(lambda message: message.get("comments") == "")
    reports = [
        brokerfuzz.fire(accepts, **VALID),
        *(brokerfuzz.fire(accepts, sites=["comments"], count=200, seed=seed) for seed in (1, 2)),
    ]
    assert len({finding.name for report in reports for finding in report.findings}) == 1


def test_a_time_in_the_future_shrinks_to_a_time_that_stays_in_the_future() -> None:
    """The target does not check whether the time is in the future, but its database cannot store far years."""
    updated = "lastUpdatedDateTimeUtc"
    future = lenient(f"{updated}:not-in-future")
    (finding,) = brokerfuzz.fire(
        lambda body: future(body) and b'"9999-' not in body and b'"9998-' not in body, sites=[updated]
    ).findings
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", json.loads(finding.body)[updated])
    in_twenty_years = datetime.now(UTC) + timedelta(days=20 * 365)
    assert brokerfuzz.check(OFFER, finding.body, now=in_twenty_years).label == "invalid"
