import asyncio
import json
from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime
from typing import Any

import pytest
from hand_made_servers import OFFER, Behaviour, response, serving
from hypothesis import given
from hypothesis import strategies as st
from sampled import percent

from brokerfuzz.campaign import Finding, Options, fire
from brokerfuzz.campaign.answer_texts import text_of, without_details
from brokerfuzz.cases.case import Case
from brokerfuzz.cases.catalogue import catalogue
from brokerfuzz.cases.plan import Plan
from brokerfuzz.schemas import check
from brokerfuzz.targets import Answer, HttpTarget

pytestmark = pytest.mark.internals

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
Reply = tuple[int, bytes]


def says(reply: Callable[[Any], Reply | None]) -> Behaviour:
    """If a message is a JSON object, the server sends the response that `reply` returns. If `reply` returns None, the
    server follows the contract.
    """

    async def behave(body: bytes, writer: asyncio.StreamWriter) -> None:
        value = json_of(body)
        said = reply(value) if isinstance(value, dict) else None
        ok = check(OFFER, body, now=NOW).label != "invalid"
        status, text = said or ((201, b"") if ok else (400, b"invalid offer"))
        writer.write(response(status, text))

    return behave


def without_headers(cases: Iterable[Case]) -> Iterator[Case]:
    return (case for case in cases if not case.headers)


def found(reply: Callable[[Any], Reply | None], cases: Iterable[Case], **options: Any) -> tuple[Finding, ...]:
    with serving(says(reply)) as url:
        return fire(without_headers(cases), HttpTarget(url), Options(now=NOW, **options)).findings


def about(reply: Callable[[Any], Reply | None], percent: int) -> Iterator[Case]:
    """Yields at least a third of the cases for which `reply` returns a response, and `percent` percent of the other
    cases.
    """
    step = 100 // percent
    for number, case in enumerate(catalogue(OFFER, now=NOW)):
        value = json_of(case.body)
        if number % (min(step, 3) if isinstance(value, dict) and reply(value) else step) == 0:
            yield case


def json_of(body: bytes) -> Any:
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        return None


def objects(value: Any) -> list[Any]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def products(value: Any) -> list[Any]:
    return [
        product for cluster in objects(value.get("productClusters")) for product in objects(cluster.get("products"))
    ]


def two_wrong_rejections(value: Any) -> Reply | None:
    """Rejects clusters without products, and quantities of zero, with the same response."""
    empty = any(not cluster.get("products") for cluster in objects(value.get("productClusters")))
    return (
        (400, b"invalid offer")
        if empty or any(product.get("productQuantityInOffer") == 0 for product in products(value))
        else None
    )


@percent(5)
def test_two_wrong_rejections_with_the_same_answer_are_two_findings(size: int) -> None:
    findings = found(two_wrong_rejections, about(two_wrong_rejections, size))
    assert {finding.sites for finding in findings} == {
        ("productClusters[].products",),
        ("productClusters[].products[].productQuantityInOffer",),
    }
    for finding in findings:
        assert (finding.kind, finding.reproduced, finding.whole) == ("valid-rejected", True, True)
        first = json.loads(finding.case.body)
        if finding.sites[0].endswith("products"):
            assert any(not cluster.get("products") for cluster in first["productClusters"])
        else:
            assert any(product["productQuantityInOffer"] == 0 for product in products(first))


def numbers(value: Any) -> list[float]:
    if isinstance(value, dict | list):
        return [number for inner in (value.values() if isinstance(value, dict) else value) for number in numbers(inner)]
    return [value] if isinstance(value, int | float) and not isinstance(value, bool) else []


@percent(5)
@pytest.mark.rotated(3)
def test_a_crash_at_several_sites_is_one_finding_for_each_family_of_techniques(size: int) -> None:
    def crashes(value: Any) -> Reply | None:
        return (500, b"overflow: 1e308 is too large") if any(abs(number) > 1e15 for number in numbers(value)) else None

    findings = found(crashes, about(crashes, size))
    assert {finding.kind for finding in findings} == {"crashed"}
    assert len({finding.families for finding in findings}) == len(findings) < 6
    (first,) = [finding for finding in findings if finding.label == "valid"]
    assert {"defaultPrice", "weightInPounds", "priceClasses[].price"} <= set(first.sites)
    assert "also at" in first.sentence()


def test_crashes_with_different_answers_are_different_findings() -> None:
    def crashes(value: Any) -> Reply | None:
        if value.get("comments") == "":
            return 500, b'{"error": "Cannot read properties of undefined"}'
        return (500, b'{"error": "Division by zero"}') if value.get("description") == "" else None

    texts = [json.loads(finding.answer.body)["error"] for finding in found(crashes, both("comments", "description"))]
    assert sorted(texts) == ["Cannot read properties of undefined", "Division by zero"]


def both(*names: str) -> list[Case]:
    plain = {"number": "N-1", "offerType": "Email"}
    values = [{**plain, **dict.fromkeys(names, "")}, *({**plain, name: ""} for name in names)]
    return [
        Case.judged(OFFER, json.dumps(value, separators=(",", ":")).encode(), tags=(f"edge:{number}",))
        for number, value in enumerate(values)
    ]


def test_timeouts_are_one_finding_for_each_site() -> None:
    async def behave(body: bytes, writer: asyncio.StreamWriter) -> None:
        value = json.loads(body)
        if value.get("comments") == "" or value.get("description") == "":
            await asyncio.sleep(30)
        writer.write(response(201))

    with serving(behave) as url:
        findings = fire(both("comments", "description") * 2, HttpTarget(url, timeout=0.3), Options(now=NOW)).findings
    assert [(finding.kind, finding.sites) for finding in findings] == [
        ("timeout", ("comments",)),
        ("timeout", ("description",)),
    ]
    assert sum(finding.count for finding in findings) == 7  # one of the messages shows both


@percent(5)
def test_how_a_case_was_found_plays_no_part(size: int) -> None:
    def rejects(value: Any) -> Reply | None:
        return (400, b"no") if value.get("comments") == "" else None

    seeds = [
        found(
            rejects,
            (case for _, case in Plan(message_type=OFFER, now=NOW, seed=seed, only_random=True, count=400).numbered()),
        )
        for seed in (1, 2)
    ]
    names = {finding.name for findings in [*seeds, found(rejects, about(rejects, size))] for finding in findings}
    assert len(names) == 1
    (name,) = names
    assert len(name) == 8


@pytest.mark.parametrize("workers", [1, 7])
def test_shrinking_keeps_the_answer(workers: int) -> None:
    """Before shrinking, each message has two problems, and the answer names both problems."""

    def rejects(value: Any) -> Reply | None:
        problems = [
            f"{name} must not be blank (id {len(json.dumps(value))})"
            for name in ("comments", "description")
            if value.get(name) == ""
        ]
        return (422, json.dumps({"errors": problems}).encode()) if problems else None

    for finding in found(rejects, both("comments", "description"), concurrency=workers):
        (site,) = finding.sites
        assert json.loads(finding.answer.body)["errors"][0].startswith(f"{site} must not be blank")


# ----------------------------------------------------------------------------------------------------- texts of answers


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("status 500 at 12:34", "status 500 at 23:59", True),
        ("unknown value 'a b'", "unknown value 'c'", True),
        ('unknown value "a"', 'unknown value "b"', True),
        ("trace 4bf92f3577b34da6", "trace 00f067aa0ba902b7", True),
        ("can't read", "can't write", False),
        ("no offer", "no product", False),
    ],
)
def test_details_are_ignored(one: str, other: str, same: bool) -> None:
    assert (without_details(one) == without_details(other)) is same


def test_parts_of_the_message_that_the_answer_repeats_are_ignored() -> None:
    def text(message: Any) -> Any:
        body = json.dumps(message).encode()
        return text_of(
            Answer("rejected", 422, json.dumps({"detail": "Field required", "input": message}).encode()), body
        )

    assert text({"comments": "a long comment"}) == text({"description": "another text", "number": "1"})


@given(st.binary(max_size=300), st.binary(max_size=300))
def test_any_answer_includes_itself(body: bytes, message: bytes) -> None:
    text = text_of(Answer("rejected", 400, body), message)
    assert text.includes(text)
    assert not text.includes(text_of(Answer("rejected", 401, body), message))
