"""Creates the report for build servers such as Jenkins and GitLab: JUnit XML with a test case for each finding, and for
each rule without a finding of its own.

The test case of a finding fails, or is skipped if the finding is known. Its name contains the rule, or the name of
the finding, so build servers recognise it in the next run. The test case of a rule is skipped if no rejection proves
that the target checks this rule. The test case of the campaign has an error if the campaign is not complete.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from brokerfuzz.reports import facts
from brokerfuzz.reports.fact import text_lines
from brokerfuzz.reports.json_document import Document
from brokerfuzz.reports.rendering import markup
from brokerfuzz.schemas.judged_interpretations import AMBIGUITY_RULE
from brokerfuzz.schemas.rule import parts_of_id
from brokerfuzz.wording import counted

_STARTED = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d", re.ASCII)
_PROPERTIES = ("brokerfuzz", "target", "seed", "now", "campaign", "cases", "requests", "stopped")


@dataclass(frozen=True)
class TestCase:
    """Most build servers group test cases by the part of the class name (`group`) before the last dot."""

    group: str
    name: str
    result: Literal["passed", "failure", "error", "skipped"] = "passed"
    kind: str = ""
    message: str = ""
    details: Iterable[str] = ()
    output: Sequence[str] = ()
    seconds: float = 0.0


def report(document: Document) -> str:
    """The text must be saved in UTF-8."""
    findings = list(_findings(document))
    names = {case.name for case in findings}
    rules = [case for case in (_rule(rule, document) for rule in document["rules"]) if case.name not in names]
    cases = [_campaign(document), *findings, *rules, *_ambiguities(document)]
    started = _STARTED.match(document["started"])
    return markup(
        "report.xml",
        document=document,
        cases=cases,
        numbers=Counter(case.result for case in cases),
        started=started and started[0],
        properties=dict(_properties(document)),
    )


def _properties(document: Document) -> Iterator[tuple[str, str]]:
    yield from ((name, document[name]) for name in _PROPERTIES if document.get(name) is not None)
    if document.get("sporadic"):
        yield "sporadic", facts.sporadic_in_words(document["sporadic"])


def _campaign(document: Document) -> TestCase:
    """The report always contains this test case, because build servers reject a file without test cases."""
    outcome = document["outcome"]
    output = [outcome["headline"], *text_lines(facts.campaign_facts(document), indent="")]
    if outcome["state"] == "complete":
        return TestCase(document["message"], "campaign", output=output, seconds=document["seconds"])
    about = (outcome["state"], outcome["headline"])
    return TestCase(document["message"], "campaign", "error", *about, output=output, seconds=document["seconds"])


def _findings(document: Document) -> Iterator[TestCase]:
    used: set[str] = set()
    for finding in document["findings"]:
        name = f"{finding['text'][:200]} ({finding['name']})"
        group = f"{document['message']}.findings"
        if len(finding["unchecked"]) == 1 and finding["unchecked"][0] not in used:
            (name,) = finding["unchecked"]
            group = _group(document, name)
        used.add(name)
        title = facts.sentence_of(finding)
        details = text_lines(facts.facts_of(finding))
        if finding["state"] == "known":
            yield TestCase(group, name, "skipped", "known", title, details)
        else:
            yield TestCase(group, name, "failure", finding["kind"], title, details)


def _rule(rule: Document, document: Document) -> TestCase:
    name = rule["rule"]
    group, doubt = _group(document, name), f", {rule['unproven']:,} of the rejections unproven"
    output = [(facts.answers_in_words(rule) or "no answer") + (doubt if rule["unproven"] else "")]
    if rule["accepted"]:
        accepted = f"{counted(rule['accepted'], 'message')} that break this rule were accepted: see the findings"
        return TestCase(group, name, "skipped", "accepted", accepted, output=output)
    if name in document["unproven"]["rules"]:
        return TestCase(group, name, "skipped", "unproven", f"no rejection is proven: {rule['why']}", output=output)
    return TestCase(group, name, output=output)


def _ambiguities(document: Document) -> Iterator[TestCase]:
    for ambiguity in document["ambiguities"]:
        answers = facts.answers_in_words(ambiguity)
        text = f"the contract leaves this question open: {ambiguity['question']} Answers: {answers}"
        yield TestCase(f"{document['message']}.ambiguities", ambiguity["ambiguity"], "skipped", "ambiguity", text)


def _group(document: Document, rule: str) -> str:
    site = "ambiguities" if rule.startswith(AMBIGUITY_RULE) else parts_of_id(rule).site
    return f"{document['message']}.{site}" if site else document["message"]
