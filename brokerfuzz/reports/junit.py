"""Creates the report for build servers such as Jenkins and GitLab: JUnit XML with a test case for each headline, and for
each rule without a headline of its own.

The test case of a headline fails, or is skipped if the headline is known. Its name contains the rule, or the name of
the headline, so build servers recognise it in the next run. The test case of a rule is skipped if no rejection proves
that the target checks this rule. The test case of the campaign has an error if the campaign is not complete. Characters
that XML cannot contain, or that are not printable, are escaped: for example, as `\\u001b`.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from brokerfuzz.reports import facts
from brokerfuzz.reports.document_messages import Document
from brokerfuzz.wording import counted, printable

_STARTED = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d", re.ASCII)
_PROPERTIES = ("brokerfuzz", "target", "seed", "now", "campaign", "cases", "requests", "stopped")


def report(document: Document) -> str:
    """The text must be saved in UTF-8."""
    headlines = list(_headlines(document))
    names = {case.get("name") for case in headlines}
    rules = [case for case in (_rule(rule, document) for rule in document["rules"]) if case.get("name") not in names]
    cases = [_campaign(document), *headlines, *rules, *_ambiguities(document)]
    numbers = {"tests": str(len(cases)), "time": f"{document['seconds']:.3f}"}
    for plural, result in (("failures", "failure"), ("errors", "error")):
        numbers[plural] = _number(cases, result)
    root = Element("testsuites", {"name": "brokerfuzz", **numbers})
    about = {"name": f"brokerfuzz {_line(document['message'])}", **numbers, "skipped": _number(cases, "skipped")}
    suite = SubElement(root, "testsuite", about)
    if started := _STARTED.match(document["started"]):
        suite.set("timestamp", started[0])
    properties = SubElement(suite, "properties")
    for name in _PROPERTIES:
        if document.get(name) is not None:
            SubElement(properties, "property", name=name, value=_line(str(document[name])))
    suite.extend(cases)
    indent(root)
    return f'<?xml version="1.0" encoding="utf-8"?>\n{tostring(root, encoding="unicode")}\n'


def _number(cases: Sequence[Element], result: str) -> str:
    return str(sum(case.find(result) is not None for case in cases))


def _passed(group: str, name: str, output: Iterable[str] = (), seconds: float = 0.0) -> Element:
    case = Element("testcase", classname=_line(group), name=_line(name), time=f"{seconds:.3f}")
    if lines := list(map(_line, output)):
        SubElement(case, "system-out").text = "\n".join(lines)
    return case


def _with_result(case: Element, result: str, kind: str, message: str, details: Iterable[str] = ()) -> Element:
    """Adds the result `failure`, `error` or `skipped` to a test case."""
    element = Element(result, type=kind, message=_line(message))
    element.text = "\n".join(map(_line, details)) or None
    case.insert(0, element)
    return case


def _campaign(document: Document) -> Element:
    """The report always contains this test case, because build servers reject a file without test cases."""
    outcome = document["outcome"]
    output = [*facts.outcome_of(document), *facts.text_lines(facts.campaign_facts(document), indent="")]
    case = _passed(document["message"], "campaign", output, document["seconds"])
    if outcome["state"] == "complete" and not outcome["unwritten"]:
        return case
    return _with_result(case, "error", outcome["state"], outcome["headline"])


def _headlines(document: Document) -> Iterator[Element]:
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
        result, kind = ("skipped", "known") if headline["known"] else ("failure", headline["kind"])
        yield _with_result(_passed(group, name), result, kind, facts.title_of(headline), _details(some))


def _details(findings: Sequence[Document]) -> Iterator[str]:
    for finding in findings:
        yield facts.sentence_of(finding)
        yield from facts.text_lines(facts.facts_of(finding))


def _rule(rule: Document, document: Document) -> Element:
    name = rule["rule"]
    doubt = f", {rule['unproven']:,} of the rejections unproven" if rule["unproven"] else ""
    case = _passed(_group(document, name), name, [(facts.answers_in_words(rule) or "no answer") + doubt])
    if rule["accepted"]:
        accepted = f"{counted(rule['accepted'], 'message')} that break this rule were accepted: see the headlines"
        return _with_result(case, "skipped", "accepted", accepted)
    if name in document["unproven"]["rules"]:
        return _with_result(case, "skipped", "unproven", f"no rejection is proven: {rule['why']}")
    return case


def _ambiguities(document: Document) -> Iterator[Element]:
    for one in document["ambiguities"]:
        text = f"the contract leaves this question open: {one['question']} Answers: {facts.answers_in_words(one)}"
        case = _passed(f"{document['message']}.ambiguities", one["ambiguity"])
        yield _with_result(case, "skipped", "ambiguity", text)


def _group(document: Document, rule: str) -> str:
    """Returns a class name. Most build servers group test cases by the part of the class name before the last dot."""
    site = "ambiguities" if rule.startswith("ambiguity/") else rule.partition("/")[2].rpartition(":")[0]
    return f"{document['message']}.{site}" if site else document["message"]


def _line(text: str) -> str:
    return printable(text, 2 * facts.LONGEST)
