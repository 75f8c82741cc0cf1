"""What a finding says about its cause, and which contradictions count as the same finding."""

import json
import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path
from typing import Any
from unicodedata import bidirectional

import pytest
from behaviours import (
    OFFER,
    PRICING,
    VALID,
    Condition,
    conforming,
    crashing,
    everything_in,
    lenient,
    objects,
    overlooking,
    parsed,
    strict,
)
from contracts import changed_contract
from hand_made_servers import Behaviour, response, serving

import brokerfuzz

CONFORMS = conforming()
PAGE_COUNT = "productClusters[].products[].pageCount"
WORDS = ("null", "true", "false", "NaN", "undefined", "None")
ANY_PRODUCT: dict[str, Any] = {}
ANY_ID = ""


def rejecting(problem: Callable[[dict[str, Any]], str | None]) -> Behaviour:
    """The server rejects messages with the text that `problem` returns."""

    async def behave(body: bytes, writer: Any) -> None:
        text = problem(parsed(body))
        status = 422 if text or not CONFORMS(body) else 201
        writer.write(response(status, (text or "").encode()))

    return behave


@pytest.mark.parametrize(
    ("accepts", "chosen", "properties"),
    [
        (strict(lambda message: (message.get("orderMaximum") or 0) > 123_456), VALID, {"orderMaximum": 123_457}),
        (lenient(f"{PAGE_COUNT}:minimum"), {"sites": [PAGE_COUNT]}, {"productClusters": [{"products": [ANY_PRODUCT]}]}),
        (overlooking(r"/categoryIds/\d\d"), {"sites": ["categoryIds[]"]}, {"categoryIds": [*[ANY_ID] * 10, None]}),
    ],
    ids=["a limit", "a nested number", "the eleventh item"],
)
def test_the_smallest_message_has_only_what_causes_the_problem(
    accepts: Callable[[bytes], bool], chosen: dict[str, Any], properties: dict[str, Any]
) -> None:
    (finding,) = brokerfuzz.fire(accepts, **chosen).findings
    message = json.loads(finding.body)
    assert finding.whole
    assert message.keys() == {"number", "offerType", *properties}
    assert len(finding.body) < 300
    ((name, value),) = properties.items()
    assert message[name] == value or len(message[name]) == len(value)


@pytest.mark.parametrize(
    ("refuses", "text"),
    [
        (
            lambda message: "isActive" not in message and "description" not in message,
            "description: rejected if it is absent and isActive is absent",
        ),
        (
            lambda message: any("offerId" not in one for one in objects(message, "offers")),
            "omniChannel.offers[].offerId: rejected if it is absent",
        ),
        (
            lambda message: len(message.get("accessGroups") or ()) > 10,
            "accessGroups: rejected if it has more than 10 items",
        ),
        (
            lambda message: "description" not in message and "comments" in message,
            "description: rejected if it is absent and comments is present",
        ),
        (
            lambda message: message.get("isActive") is True and "'" in str(message.get("comments")),
            'comments: rejected if it contains "\'" and isActive is true',
        ),
        (lambda message: "\n" in str(message.get("number")), 'number: rejected if it contains "\\n"'),
        (
            lambda message: len(message.get("secureEmailSubject") or "") > 100,
            "secureEmailSubject: rejected if it is longer than 100 characters",
        ),
        (
            lambda message: (message.get("orderMaximum") or 0) > 123_456,
            "orderMaximum: rejected if it is above 123,456",
        ),
        (
            lambda message: len(str(message.get("description")).encode()) > 200,
            "description: rejected if it is longer than 200 bytes in UTF-8",
        ),
        (
            lambda message: isinstance(message.get("weightInPounds"), float),
            "weightInPounds: rejected if it has a decimal point or an exponent",
        ),
        (
            lambda message: not str(message.get("comments") or "a").replace(" ", "").isalpha(),
            'comments: rejected if it is unusual, such as "0"',
        ),
    ],
)
def test_the_sentence_names_the_place_and_all_that_is_needed_to_show_the_problem(refuses: Condition, text: str) -> None:
    assert [finding.text for finding in brokerfuzz.fire(strict(refuses), **VALID).findings] == [text]


@pytest.mark.parametrize(
    ("is_refused", "condition"),
    [
        (lambda text: "&" in text, 'it contains "&"'),
        (lambda text: "../" in text, 'it contains "../"'),
        (lambda text: text in WORDS, "it is a word such as null, true or NaN"),
        (
            lambda text: any(bidirectional(letter) in ("R", "AL", "RLO") for letter in text),
            "it contains right-to-left letters",
        ),
        (lambda text: max(text, default="") > "\uffff", "it contains a character beyond U+FFFF"),
        (lambda text: len(text) > 50, "it is longer than 50 characters"),
        (
            lambda text: len(text.encode("utf-16-le", "surrogatepass")) > 100,
            "it is longer than 50 characters in UTF-16",
        ),
        (lambda text: bool(text) and not text.strip(" \t\r\n"), "it contains only spaces, tabs and line breaks"),
    ],
    ids=["ampersands", "paths", "words of JSON", "right-to-left", "astral", "long", "long in UTF-16", "blank in ASCII"],
)
def test_what_any_string_may_not_contain_is_one_finding(is_refused: Callable[[str], bool], condition: str) -> None:
    def refuses(message: dict[str, Any]) -> bool:
        return any(isinstance(value, str) and is_refused(value) for value in everything_in(message))

    texts = [finding.text for finding in brokerfuzz.fire(strict(refuses), **VALID).findings]
    assert texts == [f"any string: rejected if {condition}"]


def test_a_crash_at_later_items_names_the_items() -> None:
    def crashes(message: dict[str, Any]) -> bool:
        clusters = [cluster for cluster in (message.get("productClusters") or ())[1:] if isinstance(cluster, dict)]
        return any(product.get("surcharge", "") is None for one in clusters for product in objects(one, "products"))

    (finding,) = brokerfuzz.fire(crashing(crashes), **VALID).findings
    condition = "productClusters[].products[].surcharge is null in item 2 or later of productClusters"
    assert finding.text.endswith(f": crashes (RuntimeError) if {condition}")


def test_a_limit_of_32_bits_is_one_finding_whatever_the_property() -> None:
    def crashes(message: dict[str, Any]) -> bool:
        numbers = [value for value in everything_in(message) if type(value) is int]
        return any(not -(2**31) <= number < 2**31 for number in numbers)

    (finding,) = brokerfuzz.fire(crashing(crashes), **VALID).findings
    assert finding.text.endswith(": crashes (RuntimeError) if a number is an integer beyond 32 bits")


def test_a_validation_rule_is_not_hidden_among_the_bounds_of_types() -> None:
    unchecked = lenient("*:minimum", "*:maximum")
    rules = ["*:minimum", "*:maximum", "*:required"]
    texts = {finding.text for finding in brokerfuzz.fire(unchecked, rules=rules).findings}
    assert texts == {"accepts numbers below the minimum", "accepts integers beyond 32 bits"}


def test_what_a_wrong_rejection_masks_is_sent_again_without_its_cause() -> None:
    """A service rejects fractions in one property, as Go does for integers, which most messages contain."""

    def accepts(body: bytes) -> bool:
        weight = parsed(body).get("weightInPounds")
        is_fraction = isinstance(weight, float) and weight % 1 != 0
        broken = brokerfuzz.check(OFFER, body).broken
        return not is_fraction and all(one.rule.endswith("pageCount:minimum") for one in broken)

    report = brokerfuzz.fire(accepts, sites=[PAGE_COUNT, "weightInPounds", "orderMinimum"])
    texts = {finding.text for finding in report.findings}
    assert texts == {
        "weightInPounds: rejected if it has decimal places",
        f"{PAGE_COUNT}: accepted 0; must be at least 1",
    }
    assert report.result.unproven < 10, report


def test_unknown_ids_are_one_finding_that_names_the_property_and_the_option() -> None:
    def knows(message: dict[str, Any]) -> bool:
        return any(one.get("productId") != "P-1" for one in objects(message, "products"))

    report = brokerfuzz.fire(strict(knows), OFFER, sites=["productClusters[].products[].productId"])
    (finding,) = [finding for finding in report.findings if finding.kind == "valid-rejected"]
    assert finding.text == "productClusters: rejected if it has a value"


def test_a_limit_of_items_is_named_even_if_fewer_items_need_another_sum() -> None:
    refuses_several = strict(lambda message: len([*objects(message, "offers")]) > 3, conforming(PRICING))
    (finding,) = brokerfuzz.fire(refuses_several, PRICING, verdicts=["valid"]).findings
    assert finding.text == "data.offers: rejected if it has more than 3 items"


def test_a_limit_names_the_open_question_and_a_contract_of_ones_own_settles_it(tmp_path: Path) -> None:
    accepts = strict(lambda message: len(message.get("description") or "") > 100)
    report = brokerfuzz.fire(accepts, OFFER, **VALID)
    assert len(report.findings) == 1
    question = "the contract leaves open how long a string may be (string-length)"
    assert f"{question}: if the limit of the target is right, state it" in str(report)
    limit = {"maxLength": 100}
    settled = changed_contract(tmp_path, OFFER, lambda schema: schema["properties"]["description"].update(limit))
    assert brokerfuzz.fire(accepts, OFFER, **VALID, contract=settled).findings == ()


def test_columns_of_255_characters_are_no_finding() -> None:
    accepts = strict(lambda message: any(isinstance(text, str) and len(text) > 255 for text in everything_in(message)))
    report = brokerfuzz.fire(accepts, OFFER, tags=["edge:*", "probe:string-length"])
    assert report.findings == ()
    assert [observed.ambiguity.id for observed in report.result.ambiguities] == ["string-length"]


def test_texts_that_name_the_property_hide_neither_that_the_cause_is_one_nor_add_another() -> None:
    """The service names the first wrong property only, so the texts change if another one is undone."""

    def problem(message: dict[str, Any]) -> str | None:
        for name, value in message.items():
            if name == "isTaxable" and value is None:
                return "isTaxable must be a boolean"
            if any(isinstance(text, str) and max(text, default="") > "\uffff" for text in everything_in(value)):
                return f"{name} cannot be stored"
            if name == "number" and "/" in str(value):
                return "number contains a slash"
        return None

    with serving(rejecting(problem)) as url:
        report = brokerfuzz.fire(url, **VALID)
    assert {finding.text for finding in report.findings} == {
        "isTaxable: rejected if it is null",
        "any string: rejected if it contains a character beyond U+FFFF",
        'number: rejected if it contains "/"',
    }


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
    async def behave(body: bytes, writer: Any) -> None:
        channel = parsed(body).get("omniChannel")
        is_without_offers = isinstance(channel, dict) and not channel.get("offers")
        text = trace.format(value=json.dumps(channel)) if is_without_offers else ""
        status = 500 if text else 201 if CONFORMS(body) else 422
        writer.write(response(status, text.encode()))

    with serving(behave) as url:
        (finding,) = brokerfuzz.fire(url, **VALID, reports=[tmp_path / "page.html"]).findings
    assert finding.text.startswith("index.php:28: crashes (status 500) if omniChannel.offers is ")
    (row,) = re.findall("<summary>.*index.php:28.*</summary>", (tmp_path / "page.html").read_text())
    assert "rror: " in row


def test_a_crash_counts_although_its_text_changes() -> None:
    crashes = count()

    async def behave(body: bytes, writer: Any) -> None:
        status = 201 if CONFORMS(body) else 422
        text = ""
        if parsed(body).get("weightInPounds", 1) is None:
            status = 500
            text = "NullPointerException" if next(crashes) >= 20 else "NullPointerException\n\tat Shop(Shop.java:28)"
        writer.write(response(status, text.encode()))

    with serving(behave) as url:
        report = brokerfuzz.fire(url, **VALID)
    assert report.result.sporadic == ()
    assert [finding.text for finding in report.findings] == [
        "Shop.java:28: crashes (status 500) if weightInPounds is null"
    ]


def test_two_lines_that_crash_under_the_same_condition_have_names_of_their_own() -> None:
    def reads(body: bytes) -> bool:
        minimum = parsed(body).get("orderMinimum")
        if minimum == 0:
            raise RuntimeError
        if isinstance(minimum, int) and minimum < 0:
            raise ZeroDivisionError
        return CONFORMS(body)

    report = brokerfuzz.fire(reads, rules=["*/orderMinimum:minimum"])
    assert len({finding.name for finding in report.findings}) == 2
    assert sum(finding.failed for finding in report.findings) == report.result.counts["invalid", "crashed"]


def test_a_number_of_items_is_a_cause_beside_properties_whose_names_contain_brackets() -> None:
    def crashes(message: dict[str, Any]) -> bool:
        return len([*objects(message, "offers")]) == 3

    (finding,) = brokerfuzz.fire(crashing(crashes), OFFER, sites=["omniChannel.offers*", ""]).findings
    assert finding.text.endswith(": crashes (RuntimeError) if omniChannel.offers has 3 items")


def test_a_service_that_cannot_write_lone_surrogates_has_one_finding() -> None:
    def cannot_write(message: dict[str, Any]) -> bool:
        texts = "".join(value for value in everything_in(message) if isinstance(value, str))
        return any("\ud800" <= letter <= "\udfff" for letter in texts)

    (finding,) = brokerfuzz.fire(crashing(cannot_write), tags=["probe:*", "edge:*"]).findings
    assert finding.text.endswith("half of a surrogate pair")


def test_what_a_crash_masks_is_sent_again_without_its_cause() -> None:
    def accepts(body: bytes) -> bool:
        message = parsed(body)
        if message.get("weightInPounds", "") is None:
            raise RuntimeError
        broken = brokerfuzz.check(OFFER, body).broken
        return all(one.rule.endswith("pageCount:minimum") for one in broken)

    report = brokerfuzz.fire(accepts, sites=[PAGE_COUNT, "weightInPounds", "isActive"])
    assert {finding.kind for finding in report.findings} == {"crashed", "invalid-accepted"}
    assert report.result.unproven == 0, report


def test_what_a_number_of_items_masks_is_sent_again_in_the_plain_message_whose_sums_are_right() -> None:
    def fails(message: dict[str, Any]) -> bool:
        data = message.get("data")
        return isinstance(data, dict) and data.get("offers") == []

    report = brokerfuzz.fire(crashing(fails, conforming(PRICING)), PRICING, sites=["data.customerId", "data"])
    (finding,) = report.findings
    assert finding.text.endswith(": crashes (RuntimeError) if data.offers is empty")
    assert report.result.unproven == 0, report


def test_a_conversion_at_one_place_names_only_what_is_converted_there() -> None:
    """Another mistake, that only the first cluster is checked, seems to convert values of all types."""
    first_cluster_only = overlooking(r"/productClusters/[1-9]")
    orders = lenient("orderMaximum:type")

    def accepts(body: bytes) -> bool:
        value = parsed(body).get("orderMaximum")
        return first_cluster_only(body) or (isinstance(value, str | bool) and orders(body))

    texts = [finding.text for finding in brokerfuzz.fire(accepts, sites=["productClusters*", "orderMaximum"]).findings]
    assert texts == [
        "productClusters: only the first item is checked",
        "orderMaximum: accepts strings and booleans for numbers",
    ]


def test_several_unchecked_rules_of_one_property_are_one_finding() -> None:
    site = "productClusters[].products[].productQuantityInOffer"
    (finding,) = brokerfuzz.fire(lenient(f"{site}:minimum", f"{site}:maximum", f"{site}:type"), sites=[site]).findings
    assert finding.text == f"{site}: does not always check type, minimum and maximum"


def test_a_target_that_repeats_its_first_answer_rejects_almost_every_valid_message() -> None:
    first: list[bytes] = []

    async def behave(body: bytes, writer: Any) -> None:
        if not first:
            first.append(body)
        writer.write(response(201 if body == first[0] else 422, b"this key was used for another request"))

    with serving(behave) as url:
        report = brokerfuzz.fire(url, **VALID, headers=[("Idempotency-Key", "1")])
    (finding,) = report.findings
    assert finding.text == "rejects (almost) every valid message (status 422)"
    assert "the header Idempotency-Key is the same in all requests" in report.result.advice


def test_a_target_that_reports_results_in_bodies_needs_a_hook() -> None:
    async def behave(body: bytes, writer: Any) -> None:
        writer.write(response(200, b'{"data": {}}' if CONFORMS(body) else b'{"errors": ["invalid"]}'))

    with serving(behave) as url:
        report = brokerfuzz.fire(url, sites=["order*", "number", "offerType", "isActive"])
    (finding,) = report.findings
    assert finding.text == "accepts (almost) every invalid message"
    assert "use the hook classify" in report.result.advice


def test_unknown_products_and_known_numbers_are_one_finding_with_the_steps_that_help() -> None:
    """The most common service: each number is accepted once, and only known products."""
    numbers: set[str] = set()

    async def behave(body: bytes, writer: Any) -> None:
        message = parsed(body)
        product_ids = [str(product["productId"]) for product in objects(message, "products") if "productId" in product]
        status, text = 201, b""
        if not CONFORMS(body):
            status = 400
        elif set(product_ids) - {"P-1"}:
            status, text = 422, f"there is no product {product_ids[0]}".encode()
        elif message.get("number") in numbers:
            status, text = 409, b"the number exists"
        else:
            numbers.add(str(message.get("number")))
        writer.write(response(status, text))

    with serving(behave) as url:
        report = brokerfuzz.fire(url, sites=["productClusters*", "isActive"])
    (finding,) = [finding for finding in report.findings if finding.kind == "valid-rejected"]
    assert finding.text.startswith("productClusters")
    assert "use --fresh number" in report.outcome.headline
    assert "certain values of productClusters[].products[].productId, list them: --values" in report.result.advice


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
    (finding,) = report.findings
    assert finding.text == "comments and description: rejected if it is empty"
    ((place,), (error,)) = finding.places, json.loads(finding.answer.body)["errors"]
    assert error == f"{place.removeprefix('/')} must not be blank"


def test_a_finding_has_the_same_name_whatever_cases_are_sent() -> None:
    accepts = strict(lambda message: message.get("comments") == "")
    reports = [
        brokerfuzz.fire(accepts, **VALID),
        *(brokerfuzz.fire(accepts, sites=["comments"], random=200, seed=seed) for seed in (1, 2)),
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


def test_an_absent_property_and_null_are_one_condition() -> None:
    def lacks_channel(message: dict[str, Any]) -> bool:
        return message.get("offerType") == "Omnichannel" and message.get("omniChannel") is None

    (finding,) = brokerfuzz.fire(strict(lacks_channel), OFFER, **VALID).findings
    assert finding.text == 'offerType: rejected if it is "Omnichannel" and omniChannel is absent or null'


def test_only_the_property_of_a_later_item_that_matters_is_named() -> None:
    def lacks_file(message: dict[str, Any]) -> bool:
        clusters = message.get("productClusters") or []
        products = [product for cluster in clusters for product in (cluster.get("products") or [])[1:]]
        return any(product.get("associatedFileName") is None for product in products)

    (finding,) = brokerfuzz.fire(strict(lacks_file), OFFER, **VALID).findings
    site = "productClusters[].products[].associatedFileName"
    assert finding.text == f"{site}: rejected if it is absent or null in item 2 or later of productClusters[].products"


@pytest.mark.parametrize(
    ("message_type", "path"),
    [(OFFER, ["priceClasses"]), ("product-list-response", ["data"]), (PRICING, ["data", "offers"])],
)
def test_a_limit_of_the_number_of_objects_is_found_although_they_differ_and_have_sums(
    message_type: brokerfuzz.MessageType, path: list[str]
) -> None:
    def has_too_many(message: Any) -> bool:
        for name in path:
            message = message.get(name) if isinstance(message, dict) else None
        return isinstance(message, list) and len(message) > 50

    reads = strict(has_too_many, conforming(message_type))
    (finding,) = brokerfuzz.fire(reads, message_type, verdicts=["valid"]).findings
    assert finding.text == f"{'.'.join(path)}: rejected if it has more than 50 items"
    assert finding.places == ("/" + "/".join(path),)


def test_an_array_in_an_unknown_property_has_no_limit() -> None:
    def has_unknown_array(message: dict[str, Any]) -> bool:
        return "aaa" in (message.get("omniChannel") or {})

    report = brokerfuzz.fire(crashing(has_unknown_array), OFFER, rules=["*/omniChannel:additionalProperties"])
    assert {finding.kind for finding in report.findings} == {"crashed"}


def test_a_crash_at_deep_nesting_is_named() -> None:
    def reads(body: bytes) -> bool:
        if body.count(b"[") > 2000:
            raise RecursionError
        return CONFORMS(body)

    (finding,) = brokerfuzz.fire(reads, rules=["*/:json"], shrink=2).findings
    assert finding.text.endswith(": crashes (RecursionError) if there is an array nested 1,000 levels deep")


def test_a_limit_of_web_addresses_is_found() -> None:
    def too_long(message: dict[str, Any]) -> bool:
        return len(message.get("pdfUrl") or "") > 100

    (finding,) = brokerfuzz.fire(strict(too_long), OFFER, **VALID).findings
    assert finding.text == "pdfUrl: rejected if it is longer than 100 characters"
