"""What a finding says about its cause, and which contradictions count as the same finding. `behaviour_table.py` has the
sentences of many more targets.
"""

import json
import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from applications import wsgi_of
from behaviours import (
    CONFORMING,
    EDGES,
    OFFER,
    PRICING,
    PRODUCTS,
    SCALARS,
    check,
    conforming,
    everything_in,
    lenient,
    objects,
    parsed,
    strict,
)
from contracts import ORDER, own_contract, with_properties
from hand_made_servers import Behaviour, fired, response
from known_identifiers import KnownIdentifiers

import brokerfuzz
from brokerfuzz import load_contract


def responding(answer: Callable[[dict[str, Any]], tuple[int, str] | None]) -> Behaviour:
    """The server answers with a status and a text, or as the contract demands if there is none."""

    async def behave(body: bytes, writer: Any) -> None:
        status, text = answer(parsed(body)) or (201 if CONFORMING(body) else 422, "")
        writer.write(response(status, text.encode()))

    return behave


@pytest.mark.parametrize(
    ("schema", "is_refused", "condition"),
    [
        ({"maxLength": 80}, lambda text: len(text.encode()) > 80, "80 bytes in UTF-8"),
        ({"maxLength": 80}, lambda text: len(text.encode("utf-16-le")) > 160, "80 characters in UTF-16"),
        ({"pattern": "^[A-Z]{3}-[0-9]{4,8}$"}, lambda text: len(text) > 11, "11 characters"),
    ],
    ids=["bytes", "UTF-16", "a pattern"],
)
def test_a_limit_of_strings_is_found_where_the_contract_has_one_too(
    schema: dict[str, Any], is_refused: Callable[[str], bool], condition: str, tmp_path: Path
) -> None:
    contract = own_contract(tmp_path, with_properties(comments={"type": "string", **schema}))

    def accepts(body: bytes) -> bool:
        is_wrong = is_refused(str(parsed(body).get("comments")))
        return not is_wrong and brokerfuzz.check(ORDER, body, contract=contract).label != "invalid"

    report = brokerfuzz.fire(accepts, ORDER, contract=contract, random=20)
    texts = [finding.text for finding in report.findings]
    assert texts == [f"comments: rejected if it is longer than {condition}"]


def test_a_limit_names_the_open_question_and_a_contract_of_ones_own_settles_it(tmp_path: Path) -> None:
    text = {"type": "string"}
    unlimited = own_contract(tmp_path / "unlimited", with_properties(comments=text))
    limited = own_contract(tmp_path / "limited", with_properties(comments={**text, "maxLength": 100}))

    def accepts(body: bytes) -> bool:
        return brokerfuzz.check(ORDER, body, contract=limited).label != "invalid"

    report = brokerfuzz.fire(accepts, ORDER, contract=unlimited, random=20)
    assert len(report.findings) == 1
    question = "the contract leaves open how long a string may be (string-length)"
    assert f"{question}: if the limit of the target is right, state it" in str(report)
    assert brokerfuzz.fire(accepts, ORDER, contract=limited, random=20).findings == ()


# ----------------------------------------------------------------------------------- texts with which a service rejects


def names_the_first_problem(message: dict[str, Any]) -> str | None:
    """The text changes if another property is undone."""
    for name, value in message.items():
        if any(isinstance(text, str) and max(text, default="") > "\uffff" for text in everything_in(value)):
            return f"{name} cannot be stored"
        if name == "number" and "/" in str(value):
            return "number contains a slash"
    return None


def names_all_problems(message: dict[str, Any]) -> str | None:
    names = [name for name in ("comments", "description") if message.get(name) == ""]
    return json.dumps({"errors": [f"{name} must not be blank" for name in names]}) if names else None


numbers = count()


def counts_its_requests(message: dict[str, Any]) -> str | None:
    return f"request {next(numbers)}: 'x{next(numbers)}' is blank" if message.get("comments") == "" else None


REJECTIONS: list[tuple[Callable[[dict[str, Any]], str | None], set[str]]] = [
    (
        names_the_first_problem,
        {
            "any string: rejected if it contains a character beyond U+FFFF",
            'number: rejected if it contains "/"',
        },
    ),
    (names_all_problems, {"comments and description: rejected if it is empty"}),
    (counts_its_requests, {"comments: rejected if it is empty"}),
]


@pytest.mark.parametrize(("problem", "texts"), REJECTIONS)
def test_the_text_of_a_rejection_neither_joins_nor_separates_findings(
    problem: Callable[[dict[str, Any]], str | None], texts: set[str]
) -> None:
    def answer(message: dict[str, Any]) -> tuple[int, str] | None:
        text = problem(message)
        return (422, text) if text else None

    report = fired(responding(answer), **SCALARS)
    assert {finding.text for finding in report.findings} == texts
    assert all(len(finding.places) == 1 for finding in report.findings), "the smallest message has one problem"


# ------------------------------------------------------------------------------------------------------------- crashes


@pytest.mark.parametrize(
    "trace",
    [
        '{{"error": "TypeError: strlen() (index.php:28)", "value": {value}}}',
        'Traceback:\n  File "/srv/web.py", line 7, in do\n  File "/srv/index.php", line 28, in f\nError: {value}',
        "Error: {value}\n    at check (/srv/index.php:28:11)\n    at /srv/web.js:7:1",
        '{{"error": "NoMethodError: {{}}.size\\nindex.php:28:in check\\nweb.rb:7"}}',
        "Error: {value}\n\tat java.base/jdk.internal.util.Preconditions.check(Preconditions.java:64)\n\tat Shop(index.php:28)",
    ],
    ids=["php", "python", "node", "ruby", "java"],
)
def test_crashes_at_one_line_of_a_service_are_one_finding_whatever_the_text(trace: str, tmp_path: Path) -> None:
    def answer(message: dict[str, Any]) -> tuple[int, str] | None:
        channel = message.get("omniChannel")
        is_without_offers = isinstance(channel, dict) and not channel.get("offers")
        return (500, trace.format(value=json.dumps(channel))) if is_without_offers else None

    page = tmp_path / "page.html"
    (finding,) = fired(responding(answer), verdicts=["valid"], tags=["edge:omniChannel*"], reports=[page]).findings
    assert finding.text.startswith("index.php:28: crashes (status 500) if omniChannel.offers is ")
    (row,) = re.findall("<summary>.*index.php:28.*</summary>", page.read_text())
    assert "rror: " in row


def test_a_line_that_crashes_for_many_values_is_one_finding_even_if_the_exceptions_differ() -> None:
    def status_of(body: bytes) -> int:
        updated = parsed(body).get("lastUpdatedDateTimeUtc")
        is_past = updated is None or datetime.fromisoformat(updated) < datetime.now(UTC)
        return 201 if check(OFFER, body).label != "invalid" and is_past else 422

    report = brokerfuzz.fire(wsgi_of(status_of), OFFER, path="/offers", tags=["probe:timestamp-format*"], shrink=1)
    (finding,) = report.findings or pytest.fail(str(report))
    assert re.match(r"test_explanations\.py:\d+: crashes \(", finding.text)


def test_a_crash_counts_although_its_text_changes() -> None:
    crashes = count()

    def answer(message: dict[str, Any]) -> tuple[int, str] | None:
        if message.get("isActive") is not False:
            return None
        line = "" if next(crashes) >= 20 else "\n\tat Shop(Shop.java:28)"
        return 500, f"NullPointerException{line}"

    report = fired(responding(answer), **SCALARS)
    assert report.result.sporadic == ()
    assert [finding.text for finding in report.findings] == ["Shop.java:28: crashes (status 500) if isActive is false"]


def test_two_lines_that_crash_under_the_same_condition_have_names_of_their_own() -> None:
    def reads(body: bytes) -> bool:
        minimum = parsed(body).get("orderMinimum")
        if minimum == 0:
            raise RuntimeError
        if isinstance(minimum, int) and minimum < 0:
            raise ZeroDivisionError
        return CONFORMING(body)

    report = brokerfuzz.fire(reads, rules=["*/orderMinimum:minimum"])
    assert len({finding.name for finding in report.findings}) == 2
    assert sum(finding.failed for finding in report.findings) == report.result.counts["invalid", "crashed"]


# -------------------------------------------------------------------------------------------- advice about all findings


def test_a_target_that_repeats_its_first_answer_rejects_almost_every_valid_message() -> None:
    first: list[bytes] = []

    async def behave(body: bytes, writer: Any) -> None:
        first[:] = first or [body]
        writer.write(response(201 if body == first[0] else 422, b"this key was used for another request"))

    report = fired(behave, **SCALARS, headers=[("Idempotency-Key", "1")])
    (finding,) = report.findings
    assert finding.text == "rejects (almost) every valid message (status 422)"
    assert "the header Idempotency-Key is the same in all requests" in report.result.advice


def test_a_target_that_reports_results_in_bodies_needs_a_hook() -> None:
    async def behave(body: bytes, writer: Any) -> None:
        writer.write(response(200, b'{"data": {}}' if CONFORMING(body) else b'{"errors": ["invalid"]}'))

    report = fired(behave, rules=["order*", "number", "offerType", "isActive"])
    (finding,) = report.findings
    assert finding.text == "accepts (almost) every invalid message"
    assert "use the hook classify" in report.result.advice


def test_unknown_products_and_known_numbers_are_one_finding_with_the_steps_that_help() -> None:
    """The most common service: each number is accepted once, and only known products."""
    service = KnownIdentifiers(409, "number")

    async def behave(body: bytes, writer: Any) -> None:
        ids = [str(product["productId"]) for product in objects(parsed(body), "products") if "productId" in product]
        is_unknown = CONFORMING(body) and set(ids) - {"P-1"}
        text = f"there is no product {ids[0]}" if is_unknown else ""
        writer.write(response(422 if is_unknown else service(body), text.encode()))

    report = fired(behave, rules=["productClusters[].products[].productId", "isActive"])
    (finding,) = [finding for finding in report.findings if finding.kind == "valid-rejected"]
    assert finding.text.startswith("productClusters")
    assert "use --fresh number" in report.outcome.headline
    assert "certain values of productClusters[].products[].productId, list them: --values" in report.result.advice


def later_products(message: dict[str, Any]) -> list[dict[str, Any]]:
    return [
        product for cluster in message.get("productClusters") or () for product in (cluster.get("products") or ())[1:]
    ]


@pytest.mark.parametrize(
    "is_refused",
    [
        lambda product: product.get("associatedFileName") is None and product.get("pageCount") is None,
        lambda product: product["productQuantityInOffer"] == 1,
    ],
    ids=["absence", "a value"],
)
@pytest.mark.every(2)
def test_two_equal_values_are_a_cause_only_if_others_fail_too_and_differing_ones_pass(
    is_refused: Callable[[dict[str, Any]], bool],
) -> None:
    accepts = strict(lambda message: any(map(is_refused, later_products(message))))
    report = brokerfuzz.fire(accepts, verdicts=["valid"], tags=["edge:*"])
    assert report.findings
    assert not [finding.text for finding in report.findings if "in two items" in finding.text]


# ------------------------------------------------------------------------------------------------ the smallest message


def test_a_finding_has_the_same_name_whatever_cases_are_sent() -> None:
    accepts = strict(lambda message: message.get("comments") == "")
    reports = [
        brokerfuzz.fire(accepts, verdicts=["valid"], rules=["comments"]),
        brokerfuzz.fire(accepts, rules=["comments"], random=100, seed=1),
    ]
    assert len({finding.name for report in reports for finding in report.findings}) == 1


def test_a_parser_that_reads_more_than_json_is_one_finding_with_the_slips_that_it_accepts_and_a_small_message() -> None:
    def accepts(body: bytes) -> bool:
        try:
            message = json.loads(body, parse_constant=lambda constant: 1.5)
        except (ValueError, RecursionError):
            return False
        return conforming(OFFER)(json.dumps(message).encode())

    (finding,) = brokerfuzz.fire(accepts, rules=["*:json"]).findings
    assert finding.text == "message: accepts text that is not JSON (infinite-value and nan-value)"
    assert finding.whole
    assert len(finding.body) < 70


def test_near_a_limit_that_varies_a_message_is_shown_that_fails_each_time() -> None:
    """As a parser that needs a little more of the stack from one call to the next."""
    calls = count()

    def accepts(body: bytes) -> bool:
        depth = len(body) - len(body.lstrip(b"["))
        if depth > 990 + 25 * (next(calls) % 4):
            raise RecursionError
        return conforming()(body)

    (finding,) = brokerfuzz.fire(accepts, rules=["*:json"]).findings
    assert finding.whole
    assert finding.sent == finding.shown
    assert 1000 < len(finding.body) < 3000


@pytest.mark.long
def test_searches_that_end_at_the_limit_are_soon_left_out() -> None:
    """json.loads refuses each integer of more than 4,300 digits, and the smallest message still has thousands."""

    def status_of(body: bytes) -> int:
        message = json.loads(body)
        updated = message.get("lastUpdatedDateTimeUtc") if isinstance(message, dict) else None
        if isinstance(updated, str) and datetime.fromisoformat(updated) > datetime.now(UTC):
            return 422
        return 201 if conforming()(body) else 422

    rules = ["*:json", "*:maximum", "lastUpdatedDateTimeUtc"]
    report = brokerfuzz.fire(wsgi_of(status_of), path="/offers", rules=rules)
    assert len(report.findings) == 2
    assert report.result.requests < 3000


def test_a_time_in_the_future_shrinks_to_a_time_that_stays_in_the_future() -> None:
    """The target does not check whether the time is in the future, but its database cannot store far years."""
    updated = "lastUpdatedDateTimeUtc"
    future = lenient(f"{updated}:not-in-future")
    (finding,) = brokerfuzz.fire(
        lambda body: future(body) and b'"9999-' not in body and b'"9998-' not in body, rules=[updated]
    ).findings
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", json.loads(finding.body)[updated])
    in_twenty_years = datetime.now(UTC) + timedelta(days=20 * 365)
    assert brokerfuzz.check(OFFER, finding.body, now=in_twenty_years).label == "invalid"


def test_a_word_of_an_answer_that_the_ordinary_message_contains_too_is_no_part_of_the_cause() -> None:
    def application(environ: dict[str, Any], start: Callable[..., Any]) -> list[bytes]:
        number = json.loads(environ["wsgi.input"].read())["number"]
        is_faulty = any("\ud800" <= letter <= "\udfff" for letter in number)
        start("500 Internal Server Error" if is_faulty else "201 Created", [])
        return [b"Internal Server Error"] if is_faulty else []  # "Internal" is also the name of a class of prices

    (finding,) = brokerfuzz.fire(application, path="/offers", tags=["probe:lone-surrogates"]).findings
    assert finding.text == "number: crashes if it contains half of a surrogate pair (status 500)"


def test_a_finding_is_no_reason_for_unproven_rejections_of_which_it_masks_only_a_few() -> None:
    def accepts_one_ordinary_message(body: bytes) -> bool:
        message = parsed(body)
        records = [*objects(message, "data")]
        if any(record.get("unitOfMeasure", "") is None for record in records):
            raise RuntimeError
        is_unusual = any(record.get("status") != "Active" or record.get("weight") is None for record in records)
        has_products = bool(records) or (message.get("data") is None and message.get("operationWasSuccessful") is True)
        return has_products and not is_unusual and conforming(PRODUCTS)(body)

    sites = ["data[].status", "data[].weight", "data[].unitOfMeasure"]
    report = brokerfuzz.fire(accepts_one_ordinary_message, PRODUCTS, rules=sites)
    assert report.outcome.headline.endswith("rejections prove nothing")


# ---------------------------------------------------------------------------------------------------------- sizes


def test_a_limit_on_the_size_of_messages_is_the_only_cause_and_names_the_open_question_and_how_to_settle_it(
    tmp_path: Path,
) -> None:
    def accepts(body: bytes) -> bool:
        return len(body) <= 4000 and brokerfuzz.check(PRICING, body).label != "invalid"

    entry = '{"id": "message-size", "limit": 4000}'
    question = "the contract leaves open how large a message may be (message-size)"
    remedy = f"state it in a contract of your own, with {entry} in ambiguities.json"
    report = brokerfuzz.fire(accepts, PRICING, **EDGES)
    (finding,) = report.findings
    assert "rejected if it has more than 4,000 bytes" in finding.text
    assert (len(finding.body), finding.label) == (4001, "valid")
    assert f"{question}: if the limit of the target is right, {remedy}" in str(report)
    (tmp_path / "ambiguities.json").write_text(f"[{entry}]")
    settled = brokerfuzz.check(PRICING, finding.body, contract=load_contract(tmp_path))
    assert settled.label == "unspecified"
