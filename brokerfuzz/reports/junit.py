"""Creates the report for build servers such as Jenkins and GitLab: JUnit XML with a test case for each rule.

The test case of a rule fails if the rule has new findings. The findings of a headline with several findings have one
test case together, and so has a finding without a rule, or with several rules. The name of this test case contains the
name of the headline, so build servers recognise it in the next run. A test case is marked as skipped if all its findings are known, or if it belongs to an ambiguity. A test case
without new findings is also skipped if its rule is unproven: no rejection proves that the target checks this rule. The
test case of the campaign has an error if the campaign is not complete. A test case has at most one `failure`, because
most build servers show only the first. Characters that XML cannot contain, or that are not printable, are escaped: for
example, as `\\u001b`.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from brokerfuzz.reports.document_messages import Document, body_of, is_flaky, name_of, retested_in_words, sporadic_lines
from brokerfuzz.targets.answers import ANSWER_KINDS
from brokerfuzz.wording import counted, printable, readable

LONGEST = 2000
"""The maximum number of characters of a body, a response or a sentence in the report."""

_STARTED = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d", re.ASCII)


@dataclass
class _TestCase:
    group: str
    name: str
    seconds: float = 0.0
    output: str = ""
    skipped: tuple[str, str] | None = None
    """The values of the attributes `type` and `message` of the XML element `skipped`."""
    error: tuple[str, str] | None = None
    """The values of the attributes `type` and `message` of the XML element `error`."""
    findings: list[Document] = field(default_factory=list)

    @property
    def failing(self) -> list[Document]:
        return [finding for finding in self.findings if not finding["known"]]

    @property
    def skips(self) -> tuple[str, str] | None:
        if self.failing:
            return None
        return ("known", f"known: {self.findings[0]['sentence']}") if self.findings else self.skipped


def report(document: Document) -> str:
    """The text must be saved in UTF-8."""
    cases = [_campaign(document), *_judged(document), *_ambiguities(document)]
    numbers = {
        "tests": str(len(cases)),
        "failures": str(sum(bool(case.failing) for case in cases)),
        "errors": str(sum(case.error is not None for case in cases)),
        "time": f"{document['seconds']:.3f}",
    }
    root = Element("testsuites", {"name": "brokerfuzz", **numbers})
    skipped = str(sum(case.skips is not None for case in cases))
    suite = SubElement(
        root, "testsuite", {"name": f"brokerfuzz {_line(document['message'])}", **numbers, "skipped": skipped}
    )
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
    """The children of the XML element have the order that the XML schema of Jenkins requires."""
    element = SubElement(
        suite, "testcase", classname=_line(case.group), name=_line(case.name), time=f"{case.seconds:.3f}"
    )
    details = "\n\n".join(
        "\n".join(_details(finding)) for finding in [*case.failing, *(one for one in case.findings if one["known"])]
    )
    if case.error is not None:
        kind, message = case.error
        SubElement(element, "error", type=kind, message=_line(message))
    elif case.skips is not None:
        kind, message = case.skips
        SubElement(element, "skipped", type=kind, message=_line(message)).text = details or None
    elif case.failing:
        first, *others = case.failing
        more = f" (and {counted(len(others), 'more finding')})" if others else ""
        SubElement(
            element, "failure", type=_line(first["kind"]), message=_line(first["sentence"]) + more
        ).text = details
    if case.output:
        SubElement(element, "system-out").text = case.output


# ------------------------------------------------------------------------------------------------------ test cases


def _campaign(document: Document) -> _TestCase:
    """The report always contains this test case, because build servers reject a file without test cases."""
    outcome = document["outcome"]
    lines = [_line(outcome["headline"])]
    lines.append(
        f"{counted(document['cases'], 'case')}, {counted(document['requests'], 'request')} in "
        f"{document['seconds']:.1f} s"
    )
    lines += [f"stopped early: {_line(document['stopped'])}"] if document["stopped"] else []
    if unproven := document["unproven"]["count"]:
        lines.append(f"{counted(unproven, 'rejection')} unproven")
    if retested := document["unproven"]["retested"]:
        lines.append(retested_in_words(retested))
    lines += map(_line, sporadic_lines(document))
    lines += [_line(problem) for problem in outcome["unwritten"]]
    complete = outcome["state"] == "complete" and not outcome["unwritten"]
    error = None if complete else (outcome["state"], outcome["headline"])
    return _TestCase(document["message"], "campaign", document["seconds"], "\n".join(lines), error=error)


def _judged(document: Document) -> Iterable[_TestCase]:
    message = document["message"]
    unproven = set(document["unproven"]["rules"])
    cases = {rule["rule"]: _of_rule(message, rule, is_unproven=rule["rule"] in unproven) for rule in document["rules"]}
    findings = {name_of(finding): finding for finding in document["findings"]}
    for headline in document["headlines"]:
        some = [findings[name] for name in headline["findings"]]
        rules = {broken["rule"] for finding in some for broken in finding["rules"]}
        name = min(rules) if len(rules) == 1 else _name(headline, some[0])
        group = _group(message, _site(name)) if len(rules) == 1 else f"{message}.headlines"
        cases.setdefault(name, _TestCase(group, name)).findings += some
    return cases.values()


def _of_rule(message: str, rule: Document, *, is_unproven: bool) -> _TestCase:
    doubt = f", {rule['unproven']:,} of the rejections unproven" if rule["unproven"] else ""
    skipped = ("unproven", f"no rejection is proven: {rule['why']}") if is_unproven else None
    if rule["accepted"]:  # this counts only if the rule has no finding of its own
        skipped = (
            "accepted",
            f"{counted(rule['accepted'], 'message')} that break this rule were accepted: see the other findings",
        )
    return _TestCase(_group(message, rule["site"]), rule["rule"], output=_counts(rule) + doubt, skipped=skipped)


def _name(headline: Document, finding: Document) -> str:
    """Returns the name of the test case for a headline without a rule or with several rules. The name is the same in
    every run.
    """
    if len(headline["findings"]) > 1:
        return f"{headline['text'][:200]} ({headline['name']})"
    what: Sequence[str] = [broken["rule"] for broken in finding["rules"]] or finding["places"] or finding["ambiguities"]
    about = f" {', '.join(what[:3])[:200]}" if what else ""
    return f"{finding['kind']}{about} ({name_of(finding)})"


def _site(rule: str) -> str:
    """Returns the site in the ID of a rule. A rule that comes from a policy, such as `ambiguity/duplicate-properties`,
    has no site, so the function returns `ambiguities`.
    """
    return "ambiguities" if rule.startswith("ambiguity/") else rule.partition("/")[2].rpartition(":")[0]


def _group(message: str, site: str) -> str:
    """Returns the class name of a test case. Most build servers group test cases by the part of the class name before
    the last dot.
    """
    return f"{message}.{site}" if site else message


def _ambiguities(document: Document) -> Iterator[_TestCase]:
    for ambiguity in document["ambiguities"]:
        text = (
            f"the contract leaves this question open: {ambiguity['question']} Answers of this target: "
            f"{_counts(ambiguity)}"
        )
        text += f", {counted(ambiguity['unproven'], 'unproven rejection')}" if ambiguity["unproven"] else ""
        yield _TestCase(f"{document['message']}.ambiguities", ambiguity["ambiguity"], skipped=("ambiguity", text))


def _counts(counts: Document) -> str:
    return ", ".join(f"{counts[kind]:,} {kind}" for kind in ANSWER_KINDS if counts[kind]) or "no answer"


# ----------------------------------------------------------------------------------------------------------- words


def _details(finding: Document) -> Iterator[str]:
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
        yield _entry("flaky", f"reproduced in {finding['shown']:,} of {counted(finding['sent'], 'repetition')}")
    yield _entry("smallest", readable(body_of(finding["smallest"]), LONGEST) or "(no bytes)")
    if finding["twin"] is not None:
        yield _entry("twin", readable(body_of(finding["twin"]), LONGEST) or "(no bytes)")
    line = finding["reproduce"]
    yield (
        _entry("reproduce", line, 2 * LONGEST)
        if len(line) <= 2 * LONGEST
        else _entry("reproduce", "too long to show: see the JSON report")
    )


def _entry(name: str, value: str, limit: int = LONGEST) -> str:
    return f"{name:<10} {_line(value, limit)}"


def _line(text: str, limit: int = LONGEST) -> str:
    return printable(text, limit)
