"""The report that build servers read: JUnit's XML, a test case a rule, as Jenkins, GitLab and what reports tests on GitHub take it.

A rule fails with its findings. What hangs on no single rule is a test case of its own, named by its fingerprint, so that it has a history.
Only what is new fails: findings that the baseline has and ambiguities, of which nothing is judged, are skipped. There is one
`failure` a test case, because readers show the first one alone. Characters that XML cannot hold, or that do not print, are escaped as `\\u001b`.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from brokerfuzz.reports.document_messages import Document, body_of, counted, is_flaky
from brokerfuzz.targets.answers import ANSWER_KINDS
from brokerfuzz.wording import printable, readable

LONGEST = 2000
"""How many characters of a body, a response or a sentence are shown."""

_STARTED = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d", re.ASCII)


@dataclass
class _TestCase:
    group: str
    name: str
    seconds: float = 0.0
    output: str = ""
    skipped: tuple[str, str] | None = None
    """(type, message)"""
    findings: list[Document] = field(default_factory=list)

    @property
    def failing(self) -> list[Document]:
        return [finding for finding in self.findings if not finding["known"]]

    @property
    def skips(self) -> tuple[str, str] | None:
        known = ("known", f"known: {self.findings[0]['sentence']}") if self.findings and not self.failing else None
        return known or self.skipped


def report(document: Document) -> str:
    """The report, as a text to be written in UTF-8."""
    cases = [_campaign(document), *_judged(document), *_ambiguities(document)]
    numbers = {
        "tests": str(len(cases)),
        "failures": str(sum(bool(case.failing) for case in cases)),
        "errors": "0",
        "time": f"{document['seconds']:.3f}",
    }
    root = Element("testsuites", {"name": "brokerfuzz", **numbers})
    skipped = str(sum(case.skips is not None for case in cases))
    suite = SubElement(root, "testsuite", {"name": f"brokerfuzz {_line(document['message'])}", **numbers, "skipped": skipped})
    if started := _STARTED.match(document["started"]):
        suite.set("timestamp", started[0])
    properties = SubElement(suite, "properties")
    for name in ("brokerfuzz", "target", "seed", "now", "cases", "requests", "stopped"):
        if document[name] is not None:
            SubElement(properties, "property", name=name, value=_line(str(document[name])))
    for case in cases:
        _add(suite, case)
    indent(root)
    return f'<?xml version="1.0" encoding="utf-8"?>\n{tostring(root, encoding="unicode")}\n'


def _add(suite: Element, case: _TestCase) -> None:
    """The test case as an element, its children in the order that Jenkins' schema has them in."""
    element = SubElement(suite, "testcase", classname=_line(case.group), name=_line(case.name), time=f"{case.seconds:.3f}")
    told = "\n\n".join("\n".join(_story(finding)) for finding in [*case.failing, *(one for one in case.findings if one["known"])])
    if case.skips is not None:
        kind, message = case.skips
        SubElement(element, "skipped", type=kind, message=_line(message)).text = told or None
    elif case.failing:
        first, *others = case.failing
        more = f" (and {counted(len(others), 'more finding')})" if others else ""
        SubElement(element, "failure", type=_line(first["kind"]), message=_line(first["sentence"]) + more).text = told
    if case.output:
        SubElement(element, "system-out").text = case.output


# ------------------------------------------------------------------------------------------------------ test cases


def _campaign(document: Document) -> _TestCase:
    """What holds of the campaign as a whole: there is always this one, because readers take a file without test cases for broken."""
    said = [f"{counted(document['cases'], 'case')}, {counted(document['requests'], 'request')} in {document['seconds']:.1f} s"]
    said += [f"stopped early: {_line(document['stopped'])}"] if document["stopped"] else []
    if unproven := document["unproven"]["count"]:
        said.append(f"{counted(unproven, 'rejection proves', 'rejections prove')} nothing: the valid twin was rejected too")
    skipped = None if document["cases"] else ("nothing-sent", "no case was answered")
    return _TestCase(document["message"], "campaign", document["seconds"], "\n".join(said), skipped)


def _judged(document: Document) -> Iterable[_TestCase]:
    """A test case a rule, then those of findings that are not of one rule alone."""
    message = document["message"]
    cases = {rule["rule"]: _TestCase(_group(message, rule["site"]), rule["rule"], output=_counts(rule)) for rule in document["rules"]}
    for finding in document["findings"]:
        rules = {broken["rule"] for broken in finding["rules"]}
        name = min(rules) if len(rules) == 1 else _name(finding)
        group = _group(message, _site(name)) if len(rules) == 1 else f"{message}.findings"
        cases.setdefault(name, _TestCase(group, name)).findings.append(finding)
    return cases.values()


def _name(finding: Document) -> str:
    """What a finding is called that is not of one rule alone; the same in each run."""
    what: Sequence[str] = [broken["rule"] for broken in finding["rules"]] or finding["places"] or finding["ambiguities"]
    about = f" {', '.join(what[:3])[:200]}" if what else ""
    return f"{finding['kind']}{about} ({finding['fingerprint']})"


def _site(rule: str) -> str:
    """The site in a rule's id; of an ambiguity that the user pinned, what all ambiguities are under."""
    return "ambiguities" if rule.startswith("ambiguity/") else rule.partition("/")[2].rpartition(":")[0]


def _group(message: str, site: str) -> str:
    """The class name: what is before its last dot is a package to most readers, and so sites fold up as they lie in one another."""
    return f"{message}.{site}" if site else message


def _ambiguities(document: Document) -> Iterator[_TestCase]:
    for ambiguity in document["ambiguities"]:
        said = f"the contract does not say: {ambiguity['question']} This target: {_counts(ambiguity)}"
        yield _TestCase(f"{document['message']}.ambiguities", ambiguity["ambiguity"], skipped=("ambiguity", said))


def _counts(counts: Document) -> str:
    return ", ".join(f"{counts[kind]:,} {kind}" for kind in ANSWER_KINDS if counts[kind]) or "no answer"


# ----------------------------------------------------------------------------------------------------------- words


def _story(finding: Document) -> Iterator[str]:
    """A finding, line by line."""
    known, flaky = ("known: " if finding["known"] else ""), is_flaky(finding)
    yield f"{known}{_line(finding['sentence'])}"
    for broken in finding["rules"]:
        source = f" (contract: {broken['source']})" if broken["source"] else ""
        yield _entry("rule", f"{broken['rule']}{source}")
        yield _entry("place", broken["at"] or "the whole message")
    yield _entry("expected", finding["expected"])
    yield _entry("got", f"{finding['got']['answer']} ({finding['got']['reason']})")
    if finding["got"]["response"]:
        yield _entry("response", finding["got"]["response"])
    yield _entry("count", f"{counted(finding['count'], 'case')}, first {finding['case']['id']}")
    if flaky:
        yield _entry("flaky", f"of {counted(finding['sent'], 'time')} that it was sent again it came {counted(finding['shown'], 'time')}")
    yield _entry("smallest", readable(body_of(finding["smallest"]), LONGEST) or "(no bytes)")
    if finding["twin"] is not None:
        yield _entry("twin", readable(body_of(finding["twin"]), LONGEST) or "(no bytes)")
    line = finding["reproduce"]
    yield _entry("reproduce", line, 2 * LONGEST) if len(line) <= 2 * LONGEST else _entry("reproduce", "too long to show: the JSON report has it")


def _entry(name: str, value: str, most: int = LONGEST) -> str:
    return f"{name:<10} {_line(value, most)}"


def _line(text: str, most: int = LONGEST) -> str:
    """One line of characters that print, all of which XML can hold."""
    return printable(text, most)
