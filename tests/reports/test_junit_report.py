import re
from typing import Any
from xml.etree.ElementTree import Element, fromstring

import pytest
from campaign_documents import DEEP_RULE, OFFER, RULE, ambiguity, document, documents, finding, outcome, rejected, rule
from hypothesis import given

from brokerfuzz.reports import junit

NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
CHILDREN = {
    "testsuites": ["testsuite"],
    "testsuite": ["properties", "testcase", "system-out", "system-err"],
    "properties": ["property"],
    "testcase": ["skipped", "error", "failure", "system-out", "system-err"],
}
"""The allowed children of each element, in order. They come from the schema to which the documentation of Jenkins
refers.
"""
REQUIRED = {
    "testsuite": {"name", "tests", "failures"},
    "testcase": {"name", "classname"},
    "property": {"name", "value"},
}
ALLOWED = {
    "testsuites": {"name", "tests", "failures", "errors", "time", "disabled"},
    "testsuite": {
        "name",
        "tests",
        "failures",
        "errors",
        "skipped",
        "time",
        "timestamp",
        "hostname",
        "id",
        "package",
        "disabled",
    },
    "testcase": {"name", "classname", "time", "assertions", "status"},
    "property": {"name", "value"},
    "failure": {"type", "message"},
    "error": {"type", "message"},
    "skipped": {"type", "message"},
}


def suite_of(**changes: Any) -> Element:
    return fromstring(junit.report(document(**changes)))[0]


def cases_of(**changes: Any) -> dict[str, Element]:
    return {case.attrib["name"]: case for case in suite_of(**changes).iter("testcase")}


def check_structure(element: Element) -> None:
    allowed = CHILDREN.get(element.tag, [])
    order = [allowed.index(child.tag) for child in element]
    assert order == sorted(order)
    assert REQUIRED.get(element.tag, set()) <= element.attrib.keys() <= ALLOWED.get(element.tag, set())
    for child in element:
        check_structure(child)


@given(documents)
def test_the_report_of_any_document_has_a_valid_structure(hostile: dict[str, Any]) -> None:
    text = junit.report(hostile)
    assert NOT_XML.search(text) is None
    root = fromstring(text.encode())
    assert root.tag == "testsuites"
    check_structure(root)
    cases = list(root.iter("testcase"))
    for element in (root, root[0]):
        assert int(element.attrib["tests"]) == len(cases)
        assert int(element.attrib["failures"]) == sum(case.find("failure") is not None for case in cases)
    assert int(root[0].attrib["skipped"]) == sum(case.find("skipped") is not None for case in cases)
    assert all(line.isprintable() for element in root.iter() for line in (element.text or "").split("\n"))
    assert all(value.isprintable() for element in root.iter() for value in element.attrib.values())


def test_a_rule_fails_with_its_findings_and_others_pass() -> None:
    cases = cases_of(findings=[finding(), finding(sentence="Another one.", fingerprint="1" * 16)])
    failure = cases[RULE].find("failure")
    assert failure is not None
    assert failure.attrib["type"] == "invalid-accepted"
    assert failure.attrib["message"].endswith("(expected at least 1). (and 1 more finding)")
    assert failure.text is not None
    for part in (
        "Another one.",
        "Errors, validation rule 7",
        "status 201",
        '"orderMinimum":0',
        '"orderMinimum":1',
        "curl -sS",
        "00000000000000aa",
    ):
        assert part in failure.text
    assert [child.tag for child in cases[DEEP_RULE]] == ["system-out"]
    assert cases[DEEP_RULE][0].text == "12 rejected"


def test_sites_are_packages() -> None:
    classes = {
        name: case.attrib["classname"]
        for name, case in cases_of(rules=[rule(), rule(DEEP_RULE), rule(f"{OFFER}/:type")]).items()
    }
    assert classes[RULE] == f"{OFFER}.orderMinimum"
    assert classes[DEEP_RULE] == f"{OFFER}.productClusters[].products[].pageCount"
    assert classes[f"{OFFER}/:type"] == OFFER


def test_a_finding_has_a_test_case_even_if_its_rule_was_never_broken_alone() -> None:
    cases = cases_of(rules=[])
    assert cases[RULE].attrib["classname"] == f"{OFFER}.orderMinimum"
    assert cases[RULE].find("failure") is not None


def test_a_finding_that_does_not_concern_one_rule_is_a_separate_test_case() -> None:
    two = [{**finding()["rules"][0], "rule": name} for name in (RULE, DEEP_RULE)]
    cases = cases_of(findings=[rejected(), finding(rules=two)])
    names = [name for name, case in cases.items() if case.find("failure") is not None]
    assert names == ["valid-rejected /number (fedcba98)", f"invalid-accepted {RULE}, {DEEP_RULE} (01234567)"]
    assert {cases[name].attrib["classname"] for name in names} == {f"{OFFER}.headlines"}


def test_a_known_finding_is_skipped_with_its_sentence() -> None:
    suite = suite_of(findings=[finding(known=True)])
    assert suite.attrib["failures"] == "0"
    skipped = suite.find(f"testcase[@name='{RULE}']/skipped")
    assert skipped is not None
    assert skipped.attrib["message"].startswith("known: The target accepted an invalid offer")


def test_a_rule_with_a_new_and_a_known_finding_fails() -> None:
    case = cases_of(findings=[finding(known=True, sentence="Old.", fingerprint="0" * 16), finding(sentence="New.")])[
        RULE
    ]
    assert [child.tag for child in case] == ["failure", "system-out"]
    assert case[0].attrib["message"] == "New."
    assert "known: Old." in (case[0].text or "")


def test_ambiguities_are_skipped() -> None:
    case = cases_of(ambiguities=[ambiguity("cron-syntax", accepted=2)])["cron-syntax"]
    assert case.attrib["classname"] == f"{OFFER}.ambiguities"
    assert [child.tag for child in case] == ["skipped"]
    assert (
        case[0].attrib["message"]
        == "the contract leaves this question open: Which cron dialect is accepted? Answers of this target: 2 accepted"
    )


def test_a_broken_policy_is_a_test_case_among_the_ambiguities() -> None:
    pinned = [{**finding()["rules"][0], "rule": "ambiguity/cron-syntax"}]
    assert (
        cases_of(findings=[finding(rules=pinned)])["ambiguity/cron-syntax"].attrib["classname"]
        == f"{OFFER}.ambiguities"
    )


def test_the_campaign_is_always_a_test_case() -> None:
    doubt = {"count": 2, "rules": [], "examples": [], "retested": 0}
    (case,) = cases_of(
        findings=[], rules=[], ambiguities=[], unproven=doubt, outcome=outcome(headline="no findings")
    ).values()
    assert [child.tag for child in case] == ["system-out"]
    assert case[0].text == "no findings\n1,213 cases, 1,250 requests in 2.0 s\n2 rejections unproven"


@pytest.mark.parametrize("state", ["partial", "untested"])
def test_a_campaign_that_is_not_complete_has_an_error(state: str) -> None:
    suite = suite_of(
        outcome=outcome(state, "interrupted", 2, f"{state} (interrupted): no findings"), stopped="interrupted"
    )
    assert suite.attrib["errors"] == "1"
    error = suite.find("testcase[@name='campaign']/error")
    assert error is not None
    assert error.attrib == {"type": state, "message": f"{state} (interrupted): no findings"}


def test_a_report_that_was_not_written_is_an_error_of_the_campaign() -> None:
    case = cases_of(outcome=outcome(headline="no findings, 1 file not written", unwritten=["a.md cannot be written"]))[
        "campaign"
    ]
    assert [child.tag for child in case] == ["error", "system-out"]
    assert "a.md cannot be written" in (case[1].text or "")


def test_a_rule_without_a_proven_rejection_is_skipped_with_the_reason() -> None:
    doubtful = [rule(rejected=3, unproven=3, why="the twin was not accepted"), rule(DEEP_RULE, rejected=3, unproven=2)]
    cases = cases_of(findings=[], rules=doubtful, unproven={"count": 5, "rules": [RULE], "examples": [], "retested": 0})
    assert [child.tag for child in cases[RULE]] == ["skipped", "system-out"]
    assert cases[RULE][0].attrib == {"type": "unproven", "message": "no rejection is proven: the twin was not accepted"}
    assert [child.tag for child in cases[DEEP_RULE]] == ["system-out"]
    assert cases[DEEP_RULE][0].text == "3 rejected, 2 of the rejections unproven"


def test_a_rule_with_a_new_finding_fails_even_if_no_rejection_is_proven() -> None:
    crash = finding(kind="crashed", sentence="The target crashed.")
    suite = suite_of(
        findings=[crash],
        rules=[rule(rejected=3, unproven=3)],
        unproven={"count": 3, "rules": [RULE], "examples": [], "retested": 0},
    )
    case = suite.find(f"testcase[@name='{RULE}']")
    assert case is not None
    assert [child.tag for child in case] == ["failure", "system-out"]
    assert suite.attrib["failures"] == "1"


def test_the_suite_contains_the_time_and_the_duration() -> None:
    suite = suite_of()
    assert (suite.attrib["timestamp"], suite.attrib["time"], suite.attrib["name"]) == (
        "2026-01-01T12:00:00",
        "2.000",
        f"brokerfuzz {OFFER}",
    )
    assert sum(float(case.attrib["time"]) for case in suite.iter("testcase")) == 2.0


def test_a_flaky_finding_is_marked() -> None:
    failure = cases_of(findings=[finding(sent=3, shown=1)])[RULE].find("failure")
    assert failure is not None
    assert "reproduced in 1 of 3 repetitions" in (failure.text or "")


@pytest.mark.parametrize("size", [10_000_000])
def test_long_texts_are_cut(size: int) -> None:
    long = "x" * size
    found = finding(
        sentence=long,
        got={**finding()["got"], "response": long, "reason": long},
        reproduce=long,
        smallest={"body": long},
    )
    assert len(junit.report(document(findings=[found]))) < 30_000
