import json
import re
from base64 import b64encode
from hashlib import sha256
from html.parser import HTMLParser
from pathlib import Path
from time import process_time
from typing import Any

import pytest
from campaign_documents import OFFER, ambiguity, documents, finding, outcome
from campaign_documents import rule as rule_row
from example_document import PLAIN, broken, example, findings, hostile_example, many, raw
from hypothesis import given, settings
from hypothesis import strategies as st

from brokerfuzz.pointers import site_of
from brokerfuzz.reports import report_files
from brokerfuzz.reports.document_messages import name_of
from brokerfuzz.reports.findings_page import page
from brokerfuzz.reports.heat_map import Cell

VOID = {"meta", "br", "input", "wbr"}
TAGS = VOID | {
    "html", "head", "title", "style", "body", "a", "header", "h1", "h2", "h3", "h4", "p", "ol", "code", "b", "i", "small",
    "div", "span", "dl", "dt", "dd",
    "ul", "li", "time", "table", "thead", "tbody", "tr", "th", "td", "nav", "main", "section", "label", "select",
    "option", "button", "output",
    "details", "summary", "pre", "del", "ins", "mark", "svg", "rect", "line", "text", "desc", "script",
}  # fmt: skip
ATTRIBUTES = {
    "aria-describedby", "aria-hidden", "aria-label", "aria-labelledby", "aria-live", "aria-pressed", "autocomplete",
    "charset", "class", "colspan",
    "content", "data-family", "data-flaky", "data-keyword", "data-kind", "data-known", "data-label", "data-site",
    "datetime", "dx", "for", "height",
    "hidden", "href", "http-equiv", "id", "lang", "name", "placeholder", "role", "scope", "spellcheck", "tabindex",
    "text-anchor", "title", "type",
    "value", "width", "x", "x1", "x2", "y", "y1", "y2",
}  # fmt: skip
SCHEMA = json.loads(report_files._SCHEMA.read_bytes())


class Page(HTMLParser):
    """Collects the tags, attributes and texts of a page. Fails if the tags are not nested correctly."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.text = text
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str]] = []
        self.open: list[str] = []
        self.texts: list[str] = []
        self.findings: dict[str, str] = {}
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += [(name, value or "") for name, value in attrs]
        if ("class", "finding") in attrs:
            self.findings[dict(attrs)["id"] or ""] = ""
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] not in ("script", "style"):
            self.texts.append(data)
        if "details" in self.open and self.findings:
            self.findings[list(self.findings)[-1]] += data

    def handle_comment(self, data: str) -> None:
        raise AssertionError(f"a comment: {data}")


def one(**changes: Any) -> Page:
    return Page(page(example(findings=[finding(**changes)])))


def marked(text: str, tag: str) -> list[str]:
    return re.findall(rf"<{tag}>(.*?)</{tag}>", text)


# -------------------------------------------------------------------------------------------------------- contents


@pytest.mark.parametrize("document", [example(), many(50), hostile_example(100)], ids=["example", "many", "hostile"])
def test_the_examples_are_valid_documents(document: dict[str, Any]) -> None:
    assert [problem.message for problem in report_files._validator().iter_errors(report_files._plain(document))] == []


def test_the_page_contains_every_finding_new_and_worst_ones_first() -> None:
    read = Page(page(example()))
    assert set(read.findings) == {name_of(one) for one in findings()}
    kinds = [found["kind"] for name in read.findings for found in findings() if name_of(found) == name]
    assert kinds[:5] == ["crashed"] * 4 + ["timeout"]
    assert list(read.findings)[-1] == "7f35a2c1", "known findings are last"


def test_a_finding_shows_its_details_and_how_to_reproduce_it() -> None:
    said = Page(page(example())).findings["2cbdcdfc"]
    rule = (
        "productClusters[].products[].pageCount:minimum",
        "requires at least 1",
        "/productClusters/0/products/0/pageCount",
        "found 0",
    )
    others = (
        "Errors, validation rule 5",
        "one-below",
        "bound",
        "112 cases",
        "accepted (status 201)",
        "The offer was created.",
        "curl -sS -i",
    )
    for part in (*rule, *others):
        assert part in said


def test_a_finding_that_is_not_reproducible_each_time_is_flaky() -> None:
    said = Page(page(example())).findings["aa10bb20"]
    assert "reproduced in 1 of 3 repetitions: flaky" in said
    assert "flaky" not in Page(page(example())).findings["2cbdcdfc"]


@pytest.mark.parametrize(
    ("place", "body", "value"),
    [
        ("/a", {}, "absent"),
        ("/a/0/b", {"a": [{"b": None}]}, "contains null"),
        ("/a/1", {"a": [0]}, "absent"),
        ("/a", {"a": [1, 2]}, "contains an array with 2 items"),
        ("/a", {"a": "x" * 1000}, f'contains "{"x" * 39}…'),
        ("", {"a": 1}, "contains an object with 1 property"),
    ],
)
def test_findings_with_the_same_cause_are_distinguished_by_the_value(place: str, body: Any, value: str) -> None:
    [said] = one(rules=[], places=[place], smallest={"body": body}, twin=None).findings.values()
    assert f" {value}, status 201" in said


def test_the_head_summarises_the_campaign() -> None:
    said = " ".join(Page(page(example(stopped="interrupted"))).texts)
    for part in (
        "http://127.0.0.1:8000/offers",
        "2026-11-21 11:48:17 UTC",
        "5,143",
        "5,768",
        "3,603",
        "10",
        "1 known",
        "interrupted",
        "12 not sent",
    ):
        assert part in said


def test_the_table_of_answers_marks_only_contradictions() -> None:
    text = page(example())
    assert '<td class="wrong">223<span' in text
    assert '<td class="right">3,603</td>' in text
    assert '<td class="right">264</td>' in text
    assert '<td class="none">0</td>' in text


def test_a_page_without_findings_says_so_and_has_no_filters() -> None:
    timing = {**example()["timing"], "histogram": [], "throughput": []}
    nothing = {
        "findings": [],
        "ambiguities": [],
        "rules": [],
        "elsewhere": [],
        "unproven": {"count": 0, "rules": [], "examples": [], "retested": 0},
        "timing": timing,
    }
    read = Page(page(example(**nothing)))
    assert "No answer of the target contradicts the contract." in read.texts
    assert ("id", "tools") not in read.attributes


def test_ambiguities_rejections_and_times_are_also_shown_as_text() -> None:
    said = " ".join(Page(page(example())).texts)
    for part in (
        "Which cron dialect is accepted?",
        "34 accepted",
        "570 rejections of invalid messages are unproven",
        "orderMaximum must be at least 1",
        "median 6.84 ms",
    ):
        assert part in said


@pytest.mark.parametrize(
    ("counts", "shade"),
    [((8, 0), "s4"), ((9, 1), "s3"), ((5, 5), "s2"), ((1, 9), "s1"), ((0, 8), "s0"), ((0, 0), "s4")],
)
def test_a_cell_is_darker_if_more_messages_were_not_rejected(counts: tuple[int, int], shade: str) -> None:
    assert Cell(*counts).shade == shade


def test_a_cell_without_a_proven_rejection_is_grey() -> None:
    assert [Cell(*counts).shade for counts in ((8, 0, 8), (8, 0, 7), (8, 1, 8))] == ["unproven", "s4", "s3"]
    text = page(example(rules=[rule_row("offer-creation-request/number:minLength", rejected=9, unproven=9)]))
    assert re.search(r'class="cell unproven" title="minLength: 0 of 9 cases not rejected, 9 rejections unproven"', text)


def test_a_campaign_that_is_not_complete_does_not_say_that_no_answer_contradicts_the_contract() -> None:
    said = " ".join(
        Page(
            page(
                example(
                    findings=[], outcome=outcome("partial", "interrupted", 130, "partial (interrupted): no findings")
                )
            )
        ).texts
    )
    assert "No answer of the target contradicts the contract." not in said
    assert "partial (interrupted): no findings" in said


def test_a_cell_of_the_map_links_to_its_findings() -> None:
    text = page(example())
    cell = re.search(
        r'<td><a class="cell s1" href="#2cbdcdfc" aria-label="([^"]*)" data-site="(\d+)" data-keyword="(\d+)">', text
    )
    assert cell is not None
    assert cell[1] == (
        "minimum of productClusters[].products[].pageCount: 112 of 151 cases not rejected; show the findings"
    )
    narrowed = re.findall(rf'id="(\w+)" class="finding"[^>]* data-keyword="{cell[3]}" data-site="{cell[2]}"', text)
    assert narrowed == ["2cbdcdfc"]


@pytest.mark.parametrize(
    ("place", "site"),
    [("", ""), ("/a", "a"), ("/a/0/b", "a[].b"), ("/a/0/1", "a[][]"), ("/a~1b/~0c", "a/b.~c"), ("/0", "[]")],
)
def test_a_place_has_a_site(place: str, site: str) -> None:
    assert site_of(place) == site


# ----------------------------------------------------------------------------------------------------- differences


def test_the_difference_is_marked_in_both_messages() -> None:
    text = page(example())
    assert "<del>        &quot;" not in text
    assert '<del>          "pageCount": <mark>10002</mark></del>' in text
    assert '<ins>          "pageCount": <mark>0</mark></ins>' in text


def test_a_line_in_only_one_message_is_shown_next_to_an_empty_cell() -> None:
    text = one(smallest={"body": PLAIN}, twin={"body": {**PLAIN, "description": "x"}}).text
    assert '<td><del><mark>  "description": "x"</mark></del></td><td class="none"></td>' in text
    assert len(marked(text, "del")) == 1
    assert marked(text, "ins") == [], "the comma before it is not a difference"


def test_a_comma_is_a_difference_only_if_there_is_no_other() -> None:
    text = one(smallest=raw(b'{"a":1,}'), twin={"body": {"a": 1}}).text
    assert marked(text, "ins") == ['  "a": 1<mark>,</mark>']


def test_white_space_is_a_difference_only_if_there_is_no_other() -> None:
    text = one(smallest=raw(b'{"a": 1}'), twin={"body": {"a": 1}}).text
    assert marked(text, "ins") == ['{"a":<mark> </mark>1}']


def test_headers_are_compared_too() -> None:
    text = one(
        smallest={"body": PLAIN, "headers": [["content-type", "text/plain"], ["accept", None]]}, twin={"body": PLAIN}
    ).text
    assert marked(text, "ins") == ["<mark>content-type: text/plain</mark>", "<mark>no accept</mark>"]


def test_binary_data_is_shown_in_hex() -> None:
    assert '0000  ff fe 7b 00 22 00 6e 00  ··{·"·n·\n' in page(example())


def test_the_different_part_of_long_messages_is_shown() -> None:
    alike = "x" * 50_000
    text = one(
        smallest={"body": {"a": alike, "b": 1, "c": alike}}, twin={"body": {"a": alike, "b": 2, "c": alike}}
    ).text
    assert '"b":<mark>1</mark>,' in text
    assert re.search(r"49,\d\d\d bytes omitted before this", text)
    assert re.search(r"38,\d\d\d bytes omitted after this", text)


@pytest.mark.parametrize("at", [0, 100, 2000, 4999])
def test_only_the_lines_around_a_difference_are_shown(at: int) -> None:
    items = [1] * 5000
    text = one(smallest={"body": [*items[:at], 2, *items[at + 1 :]]}, twin={"body": items}).text
    assert marked(text, "ins") == ["  <mark>2</mark>,"] if at < 4999 else ["  <mark>2</mark>"]
    assert re.search(r"[0-9,]+ equal lines omitted", text)
    assert len(text) < 100_000


def test_if_very_many_lines_differ_the_first_are_shown() -> None:
    text = one(smallest={"body": [1] * 3000}, twin={"body": [2] * 3000}).text
    assert len(marked(text, "ins")) < 200
    assert "2,842 more lines omitted" in text


# --------------------------------------------------------------------------------------------------------- hostile


def check(read: Page) -> None:
    assert set(read.tags) <= TAGS
    assert {name for name, _ in read.attributes} <= ATTRIBUTES
    assert all(value.startswith("#") for name, value in read.attributes if name == "href")
    assert read.tags.count("script") == read.tags.count("style") == 1
    assert all(char.isprintable() or char == "\n" for char in read.text)
    assert read.text.encode()


@settings(deadline=None)
@given(documents)
def test_every_text_is_escaped(document: dict[str, Any]) -> None:
    check(Page(page(document)))


@settings(deadline=None)
@given(st.text(st.characters(), max_size=30))
def test_a_text_is_shown_unchanged_except_for_unprintable_characters(text: str) -> None:
    shown = "".join(
        char if char.isprintable() else f"\\u{ord(char):04x}" if ord(char) < 0x10000 else f"\\U{ord(char):08x}"
        for char in text
    )
    read = one(sentence=f"<{text}>", got={**findings()[0]["got"], "reason": f"[{text}]"})
    check(read)
    assert f"<{shown}>" in read.findings["01234567"]
    assert f"[{shown}]" in read.findings["01234567"]


def test_hostile_texts_are_escaped_in_every_place() -> None:
    read = Page(page(hostile_example(100)))
    check(read)
    assert "".join(read.texts).count('<img src=x onerror="alert(1)">\'&amp;<script>alert(2)</script>') > 25
    assert set(read.findings) == {"bad0bad0", *(name_of(one) for one in findings())}


def test_our_escapes_are_distinguished_from_escapes_in_the_text() -> None:
    text = one(sentence="a\u202eb\\u202ec").text
    assert 'a<i class="escape">\\u202e</i>b\\u202ec' in text


def test_a_command_with_unprintable_characters_has_no_copy_button() -> None:
    assert "Copy the command" in one(reproduce="curl 'a'").text
    assert "Copy the command" not in one(reproduce="curl '\x00'").text
    assert "The command is too long to be shown (100,000 characters)" in one(reproduce="c" * 100_000).text


def test_the_policy_allows_only_the_script_and_the_style_of_the_page() -> None:
    text = page(example())
    read = Page(text)
    for tag, directive in (("script", "script-src"), ("style", "style-src")):
        [own] = re.findall(rf"<{tag}>(.*?)</{tag}>", text, re.DOTALL)
        digest = b64encode(sha256(own.encode()).digest()).decode()
        assert any(f"{directive} 'sha256-{digest}'" in value for name, value in read.attributes if name == "content")
    [policy] = [value for name, value in read.attributes if name == "content" and "default-src" in value]
    assert policy.startswith("default-src 'none'; ")
    assert "unsafe" not in policy
    assert not re.search(r"url\(|@import|fetch\(|XMLHttpRequest|import\(|innerHTML", text)


# ------------------------------------------------------------------------------------------------------------ size


def test_very_long_responses_and_messages_are_cut_and_counted() -> None:
    big = "x" * 10_000_000
    document = example(
        findings=[
            finding(
                got={**findings()[0]["got"], "response": big},
                smallest={"body": {"a": big}},
                sentence=big,
                reproduce=big,
            )
        ]
    )
    text = page(document)
    assert len(text) < 200_000
    assert "9,998,000 bytes omitted after this" in text
    assert "9,998,000 more characters" in text


def written(findings: int) -> float:
    """Writes a page with the details of all findings. Returns the processor time in seconds."""
    document, start = many(findings), process_time()
    text = page(document)
    assert len(text) < 9_000_000
    assert text.count("<h4>Reproduce</h4>") == findings
    return process_time() - start


def test_two_thousand_findings_are_shown_in_full_in_linear_time() -> None:
    assert written(2000) < 10 * written(500), "4 times is linear, and 16 times is quadratic"


@pytest.mark.rotated(3)
def test_after_a_size_limit_findings_are_single_lines_and_then_only_counted() -> None:
    text = page(many(10_000))
    assert len(text) < 15_000_000
    assert "The details are omitted, because there are too many findings" in text
    assert re.search(r"and [0-9,]+ more findings, omitted to limit the size of this page", text)


def test_thousands_of_sites_rules_and_ambiguities_are_cut_and_counted() -> None:
    names = [f"s{number}" for number in range(3000)]
    rules = [rule_row(f"{OFFER}/{name}:{name}", accepted=1) for name in names]
    broad = [
        finding(fingerprint=f"{number:08x}00000000", rules=[broken(f"{name}:{name}", "/", "0", "1")])
        for number, name in enumerate(names[:600])
    ]
    text = page(example(rules=rules, ambiguities=[ambiguity(name, accepted=1) for name in names], findings=broad))
    assert len(text) < 5_000_000
    assert "and 2,600 more sites" in text
    assert "and 2,700 more ambiguities" in text


def test_the_indentation_of_deep_nesting_is_limited() -> None:
    read = one(smallest=raw(b"[" * 100_000), twin=None)
    check(read)
    assert len(read.text) < 200_000


# ----------------------------------------------------------------------------------------------------------- files


def test_the_report_file_contains_the_page(tmp_path: Path) -> None:
    document = hostile_example()
    report_files.write_all([str(tmp_path / "a.html")], document)
    assert (tmp_path / "a.html").read_text() == page(document)
