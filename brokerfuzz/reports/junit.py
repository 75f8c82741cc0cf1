"""Creates the report for build servers such as Jenkins and GitLab: JUnit XML with a test case for each headline, and for
each rule without a headline of its own.

The test case of a headline fails, or is skipped if the headline is known. Its name contains the rule, or the name of
the headline, so build servers recognise it in the next run. The test case of a rule is skipped if no rejection proves
that the target checks this rule. The test case of the campaign has an error if the campaign is not complete. Characters
that XML cannot contain, or that are not printable, are escaped: for example, as `\\u001b`.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from brokerfuzz.reports import facts
from brokerfuzz.reports.document_messages import Document
from brokerfuzz.wording import counted, printable

_STARTED = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d", re.ASCII)


@dataclass(frozen=True)
class _TestCase:
    """`result` is the name of an XML element, and `kind` and `message` are its attributes `type` and `message`."""

    group: str
    name: str
    result: Literal["passed", "failure", "error", "skipped"] = "passed"
    kind: str = ""
    message: str = ""
    details: Sequence[str] = ()
    output: str = ""
    seconds: float = 0.0


def report(document: Document) -> str:
    """The text must be saved in UTF-8."""
    headlines = list(_headlines(document))
    names = {case.name for case in headlines}
    rules = (case for case in (_rule(rule, document) for rule in document["rules"]) if case.name not in names)
    cases = [_campaign(document), *headlines, *rules, *_ambiguities(document)]
    numbers = {"tests": str(len(cases)), "time": f"{document['seconds']:.3f}"}
    for plural, result in (("failures", "failure"), ("errors", "error")):
        numbers[plural] = str(sum(case.result == result for case in cases))
    root = Element("testsuites", {"name": "brokerfuzz", **numbers})
    skipped = str(sum(case.result == "skipped" for case in cases))
    name = f"brokerfuzz {_line(document['message'])}"
    suite = SubElement(root, "testsuite", {"name": name, **numbers, "skipped": skipped})
    if started := _STARTED.match(document["started"]):
        suite.set("timestamp", started[0])
    properties = SubElement(suite, "properties")
    for name in ("brokerfuzz", "target", "seed", "now", "campaign", "cases", "requests", "stopped"):
        if document.get(name) is not None:
            SubElement(properties, "property", name=name, value=_line(str(document[name])))
    for case in cases:
        _add(suite, case)
    indent(root)
    return f'<?xml version="1.0" encoding="utf-8"?>\n{tostring(root, encoding="unicode")}\n'


def _add(suite: Element, case: _TestCase) -> None:
    element = SubElement(
        suite, "testcase", classname=_line(case.group), name=_line(case.name), time=f"{case.seconds:.3f}"
    )
    if case.result != "passed":
        result = SubElement(element, case.result, type=case.kind, message=_line(case.message))
        result.text = "\n".join(map(_line, case.details)) or None
    if case.output:
        SubElement(element, "system-out").text = case.output


def _campaign(document: Document) -> _TestCase:
    """The report always contains this test case, because build servers reject a file without test cases."""
    outcome = document["outcome"]
    lines = [*facts.outcome_of(document), *facts.text_lines(facts.campaign_facts(document), indent="")]
    output, seconds = "\n".join(map(_line, lines)), document["seconds"]
    if outcome["state"] == "complete" and not outcome["unwritten"]:
        return _TestCase(document["message"], "campaign", output=output, seconds=seconds)
    return _TestCase(
        document["message"], "campaign", "error", outcome["state"], outcome["headline"], output=output, seconds=seconds
    )


def _headlines(document: Document) -> Iterator[_TestCase]:
    findings = {facts.name_of(finding): finding for finding in document["findings"]}
    used: set[str] = set()
    for headline in document["headlines"]:
        some = [findings[name] for name in headline["findings"]]
        rules = {broken["rule"] for finding in some for broken in finding["rules"]}
        name = min(rules, default="")
        if len(rules) != 1 or name in used:
            what = headline["text"] if len(some) > 1 else f"{headline['kind']} {facts.place_of(some[0])}"
            name = f"{what[:200]} ({headline['name']})"
        used.add(name)
        group = _group(document, name) if name in rules else f"{document['message']}.headlines"
        result: Literal["skipped", "failure"] = "skipped" if headline["known"] else "failure"
        kind = "known" if headline["known"] else headline["kind"]
        yield _TestCase(group, name, result, kind, facts.title_of(headline), list(_details(some)))


def _details(findings: Sequence[Document]) -> Iterator[str]:
    for finding in findings:
        yield facts.sentence_of(finding)
        yield from facts.text_lines(facts.facts_of(finding))


def _rule(rule: Document, document: Document) -> _TestCase:
    group, name = _group(document, rule["rule"]), rule["rule"]
    doubt = f", {rule['unproven']:,} of the rejections unproven" if rule["unproven"] else ""
    output = (facts.answers_in_words(rule) or "no answer") + doubt
    if rule["accepted"]:
        accepted = f"{counted(rule['accepted'], 'message')} that break this rule were accepted: see the headlines"
        return _TestCase(group, name, "skipped", "accepted", accepted, output=output)
    if name in document["unproven"]["rules"]:
        return _TestCase(group, name, "skipped", "unproven", f"no rejection is proven: {rule['why']}", output=output)
    return _TestCase(group, name, output=output)


def _ambiguities(document: Document) -> Iterator[_TestCase]:
    for one in document["ambiguities"]:
        text = f"the contract leaves this question open: {one['question']} Answers: {facts.answers_in_words(one)}"
        yield _TestCase(f"{document['message']}.ambiguities", one["ambiguity"], "skipped", "ambiguity", text)


def _group(document: Document, rule: str) -> str:
    """Returns a class name. Most build servers group test cases by the part of the class name before the last dot."""
    site = "ambiguities" if rule.startswith("ambiguity/") else rule.partition("/")[2].rpartition(":")[0]
    return f"{document['message']}.{site}" if site else document["message"]


def _line(text: str) -> str:
    return printable(text, 2 * facts.LONGEST)
