"""Headlines of targets that check almost nothing, also if a campaign has sent only a few cases."""

import json
import re
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from behaviours import OFFER, PRICING, PRODUCTS, everything_in, parsed
from fixture_types import Run

import brokerfuzz


def reads_objects(body: bytes) -> bool:
    return parsed(body) != {}


def checks_one_type(body: bytes) -> bool:
    return isinstance(parsed(body).get("offerType"), str)


@pytest.mark.parametrize("accepts", [reads_objects, checks_one_type])
def test_a_target_that_checks_almost_nothing_is_one_headline_after_a_few_cases(
    accepts: Callable[[bytes], bool],
) -> None:
    report = brokerfuzz.fire(accepts, rules=["*:minimum", "*:minLength"], shrink=0)
    (finding,) = report.findings or pytest.fail(str(report))
    assert "accepts (almost) every invalid message" in finding.sentence()


def test_a_line_that_crashes_for_many_values_is_one_headline() -> None:
    """The texts of the exceptions differ, and so do their types."""

    def accepts(body: bytes) -> bool:
        updated = parsed(body).get("lastUpdatedDateTimeUtc")
        return updated is None or datetime.fromisoformat(updated) < datetime.now(UTC)

    def app(environ: dict[str, Any], start_response: Callable[..., Any]) -> list[bytes]:
        body = environ["wsgi.input"].read()
        is_valid = brokerfuzz.check(OFFER, body).label != "invalid" and accepts(body)
        start_response("201 Created" if is_valid else "422 Invalid", [])
        return [b"{}"]

    report = brokerfuzz.fire(app, OFFER, path="/offers", tags=["probe:timestamp-format*"], shrink=1)
    (finding,) = report.findings or pytest.fail(str(report))
    assert finding.text.startswith("test_headlines.py:")
    assert "crashes (" in finding.text


def test_an_exception_whose_text_is_a_value_of_the_message_is_one_headline(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("reader.py").write_text(
        "import brokerfuzz, json\n"
        "def read(body):\n"
        "    if brokerfuzz.check('product-list-response', body).label == 'invalid':\n"
        "        raise ValueError\n"
        "    for product in json.loads(body)['data'] or []:\n"
        "        assert product['status'] in {'Active', 'Retired', 'Draft'}, product['status']\n"
    )
    valid = ("--verdict", "valid", "--tag", "edge:data*", "--message", PRODUCTS)
    result = run("fire", "--call", "reader:read", *valid, "--report", "report.json")
    assert result.exit_code == 1, result.output
    (finding,) = json.loads(Path("report.json").read_bytes())["findings"]
    assert finding["text"].startswith("reader.py:6: crashes (AssertionError) if data[].status ")


def test_an_answer_that_repeats_the_value_is_one_headline_about_its_property() -> None:
    def read(body: bytes) -> str:
        comments = parsed(body).get("comments") or "none"
        return "accepted" if comments.isalpha() else f"rejected: bad comment {comments}!"

    report = brokerfuzz.fire(read, verdicts=["valid"], tags=["edge:*"])
    assert {place for finding in report.findings for place in finding.places} == {"/comments"}
    assert len(report.findings) == 1, report


def test_a_limit_of_lengths_is_one_headline() -> None:
    def accepts(body: bytes) -> bool:
        return all(len(value) <= 50 for value in everything_in(parsed(body)) if isinstance(value, str))

    report = brokerfuzz.fire(accepts, verdicts=["valid"], tags=["edge:*"], shrink=5)
    (finding,) = report.findings or pytest.fail(str(report))
    assert finding.text == "any string: rejected if it is longer than 50 characters"


def test_a_reader_that_converts_values_is_one_headline_beside_other_mistakes() -> None:
    def is_converted(message: Any, at: str) -> bool:
        for step in at.split("/")[1:]:
            message = message[int(step)] if isinstance(message, list) else message[step]
        return isinstance(message, str | int)

    def accepts(body: bytes) -> bool:
        return all(
            broken.rule.endswith(".quantity:minimum")
            or (broken.rule.endswith(":type") and is_converted(parsed(body), broken.at))
            for broken in brokerfuzz.check(PRICING, body).broken
        )

    rules = ["*:type", "*quantity:minimum", "!*/:type"]
    report = brokerfuzz.fire(accepts, PRICING, rules=rules, verdicts=["invalid"], shrink=0)
    texts = {finding.text.partition(": ")[0] for finding in report.findings}
    assert texts == {"converts values of wrong types", "data.offers[].quantity"}, report


def is_in_another_case(pointer: str) -> bool:
    name = pointer.rpartition("/")[2]
    return name.lower() in {"number", "name", "price"} and name != name.lower()


def test_a_reader_of_names_in_any_case_differs_from_one_that_ignores_unknown_properties() -> None:
    """As in Go, names of properties are read without regard to case, and other unknown properties are rejected."""

    def accepts(body: bytes) -> bool:
        return all(
            broken.rule.endswith("additionalProperties") and is_in_another_case(broken.at)
            for broken in brokerfuzz.check(OFFER, body).broken
        )

    report = brokerfuzz.fire(accepts, rules=["*:additionalProperties"], verdicts=["invalid"], shrink=0)
    (finding,) = report.findings or pytest.fail(str(report))
    assert finding.text == "accepts names of properties in another case"


def test_an_object_with_any_property_beside_others_with_names_in_any_case_is_a_finding_of_its_own() -> None:
    def accepts(body: bytes) -> bool:
        return all(
            broken.rule.endswith("additionalProperties")
            and (broken.at.startswith("/omniChannel/") or is_in_another_case(broken.at))
            for broken in brokerfuzz.check(OFFER, body).broken
        )

    report = brokerfuzz.fire(accepts, rules=["*:additionalProperties"], verdicts=["invalid"], shrink=0)
    texts = {finding.text for finding in report.findings}
    assert texts == {"accepts names of properties in another case", "omniChannel: nothing is checked"}, report


def test_only_what_is_accepted_instead_of_an_array_is_named() -> None:
    def accepts(body: bytes) -> bool:
        """As in Go, where an absent or null slice is nil."""
        broken = brokerfuzz.check(PRICING, body).broken
        return all(
            fault.rule.endswith("/failureMessages:required")
            or (fault.at == "/failureMessages" and fault.found == "null")
            for fault in broken
        )

    report = brokerfuzz.fire(accepts, PRICING, techniques=["removed", "null-instead"], shrink=0)
    (finding,) = report.findings or pytest.fail(str(report))
    assert finding.text == "failureMessages: accepted if it is missing or null"


def test_a_reader_that_takes_null_for_any_value_is_one_headline() -> None:
    def accepts(body: bytes) -> bool:
        broken = brokerfuzz.check(PRICING, body).broken
        return all(one.rule.endswith(":type") and one.found == "null" for one in broken)

    rules = ["*offers[]*:type", "*customerId:type"]
    report = brokerfuzz.fire(accepts, PRICING, rules=rules, verdicts=["invalid"], shrink=0)
    texts = [finding.text for finding in report.findings]
    assert texts == ["accepts null for strings, numbers and objects"], report


def test_a_property_that_is_checked_only_for_some_messages_is_one_headline() -> None:
    def accepts(body: bytes) -> bool:
        return all(
            broken.at.startswith("/productClusters") and parsed(body).get("offerType") != "Product List"
            for broken in brokerfuzz.check(OFFER, body).broken
        )

    sites = ["productClusters*", "priceClasses", "offerType"]
    report = brokerfuzz.fire(accepts, sites=sites, verdicts=["invalid"], shrink=0)
    texts = [finding.text for finding in report.findings]
    assert texts == ['productClusters: nothing is checked if offerType is not "Product List"'], report


def test_rules_with_one_condition_that_are_not_checked_are_one_headline() -> None:
    def accepts(body: bytes) -> bool:
        return all("@" in broken.rule for broken in brokerfuzz.check(OFFER, body).broken)

    sites = ["productClusters*", "offerType"]
    report = brokerfuzz.fire(accepts, sites=sites, verdicts=["invalid"], shrink=0)
    texts = [finding.text for finding in report.findings]
    assert texts == ["the rules for offerType=Product-List are not checked"], report


def test_a_target_that_was_tested_with_few_rules_is_not_said_to_accept_everything() -> None:
    report = brokerfuzz.fire(lambda _: True, rules=["*orderMinimum:minimum"], verdicts=["invalid"], shrink=0)
    assert report.findings
    assert not [finding for finding in report.findings if "every invalid" in finding.text]


@pytest.mark.parametrize(
    ("pattern", "notation"),
    [
        (rb":[0-9.-]+[eE]", "an exponent"),
        (rb'"[^"]*\\u[0-9a-f]{4}[^"]*"\s*:', "an escape in the name of a property"),
    ],
)
def test_a_reader_that_rejects_a_notation_is_one_headline(pattern: bytes, notation: str) -> None:
    def accepts(body: bytes) -> bool:
        return not re.search(pattern, body) and brokerfuzz.check(PRICING, body).label != "invalid"

    report = brokerfuzz.fire(accepts, PRICING, verdicts=["valid"], shrink=5)
    (finding,) = report.findings or pytest.fail(str(report))
    assert finding.text == f"any message: rejected if there is {notation}"
