"""No text of a target, a message or a contract can escape from its place in a report."""

import io
import json
import re
from html.parser import HTMLParser
from typing import Any
from xml.etree.ElementTree import fromstring

from campaign_documents import documents
from hypothesis import given

from brokerfuzz.reports import har, json_document, junit, pages, terminal


class Page(HTMLParser):
    """Collects the tags of a page. Fails if the tags are not nested correctly, or if an attribute runs or loads something."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[tuple[str, set[str]]] = []
        self.texts: list[str] = []
        self.feed(text)
        self.close()
        assert not self.open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        names = {name for name, _ in attrs}
        assert not {name for name in names if name.startswith("on") or name in ("href", "src", "action")}
        self.tags.append((tag, names))
        if tag not in ("meta", "br", "input"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.texts.append(data)


NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
OURS = re.compile(r"</?(?:details|summary)>|\*\*|^\|(?: --- \|)+$|^- |^## brokerfuzz: ", re.MULTILINE)
SAFE = re.compile(r"[A-Za-z0-9 .,:;?()\n|-]*")


@given(documents())
def test_no_hostile_text_escapes(hostile: dict[str, Any]) -> None:
    check_page(pages.findings_page(hostile), len(hostile["findings"]))
    check_markdown(pages.comment(hostile))
    check_junit(junit.report(hostile))
    (har_text, json_text) = (har.report(hostile), json_document.report(hostile))
    assert har_text.isascii()
    assert len(json.loads(har_text)["log"]["entries"]) == len(hostile["findings"])
    assert json_text.isascii()
    assert json.loads(json_text) == json.loads(json.dumps(hostile))
    stream = io.StringIO()
    terminal.show(hostile, stream, verbose=True)
    assert [line for line in stream.getvalue().split("\n") if not line.isprintable()] == []


def check_page(text: str, findings: int) -> None:
    page = Page(text)
    expected = {"html", "head", "meta", "title", "style", "script", "body", "header", "h1", "h2", "p", "code", "div"}
    expected |= {"label", "input", "button", "output", "main", "section", "details", "summary", "span", "small", "dl"}
    expected |= {"dt", "dd", "pre", "br", "table", "thead", "tbody", "tr", "th", "td", "ul", "li"}
    assert {tag for tag, _ in page.tags} <= expected
    assert [tag for tag, _ in page.tags].count("script") == 1
    assert "".join(page.texts).replace("\n", "").isprintable()
    assert [tag for tag, _ in page.tags].count("details") >= findings


def check_markdown(text: str) -> None:
    outside = without_code(text)
    assert outside.count("<details>") == outside.count("</details>")
    outside = OURS.sub("", outside)
    assert SAFE.fullmatch(outside), re.sub(SAFE, "", outside)
    tables = re.findall(r"(?:^\|.*\n)+", text, re.MULTILINE)
    for table in (table for table in tables if "| --- |" in table):
        assert len({line.count("|") for line in table.splitlines()}) == 1


def without_code(text: str) -> str:
    """Removes code from Markdown by the rules of CommonMark: first fenced blocks, then code spans."""
    left, fence = [], ""
    for line in text.split("\n"):
        if fence:
            fence = "" if line == fence else fence
        elif opened := re.match("(`{3,})[^`]*$", line):
            fence = opened[1]
        else:
            left.append(re.sub(r"(?<!`)(`+)(?!`).+?(?<!`)\1(?!`)", "", line))
    assert not fence, "a block of code is not closed"
    assert "`" * 40 not in text, "parsers do not support such long runs of backticks"
    return "\n".join(left)


def check_junit(text: str) -> None:
    assert NOT_XML.search(text) is None
    root = fromstring(text.encode())
    cases = list(root.iter("testcase"))
    assert {element.tag for element in root.iter()} <= {
        *("testsuites", "testsuite", "properties", "property", "testcase", "failure", "error", "skipped", "system-out")
    }
    for kind, element in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
        assert int(root[0].attrib[kind]) == sum(case.find(element) is not None for case in cases)
    assert all(line.isprintable() for element in root.iter() for line in (element.text or "").split("\n"))
    assert all(value.isprintable() for element in root.iter() for value in element.attrib.values())
