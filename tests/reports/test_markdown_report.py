import re
from base64 import b64encode
from typing import Any

import pytest
from campaign_documents import DEEP_RULE, RULE, ambiguity, document, documents, finding, got, hostile, outcome, rejected
from hypothesis import given

from brokerfuzz.reports import markdown

OURS = re.compile(
    r"</?(?:details|summary)>|\*\*(?:Finding|Contract|Headers):\*\*|^\|(?: --- \|)+$|^- |^## brokerfuzz: ", re.MULTILINE
)
ENTITIES = re.compile(r"<code>[^<>]*</code>")
SAFE = re.compile(r"[A-Za-z0-9 .,:;?()\n|-]*")


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


@given(documents)
def test_texts_of_others_appear_only_as_code(hostile: dict[str, Any]) -> None:
    text = markdown.report(hostile)
    outside = without_code(text)
    assert outside.count("<details>") == outside.count("</details>")
    outside = OURS.sub("", ENTITIES.sub("", outside))
    assert SAFE.fullmatch(outside), re.sub(SAFE, "", outside)
    assert "www." not in re.sub(r"www\.(?= |\n)", "", outside)


@given(documents)
def test_rows_of_tables_have_as_many_cells_as_their_headings(hostile: dict[str, Any]) -> None:
    tables = re.findall(r"(?:^\|.*\n)+", markdown.report(hostile), re.MULTILINE)
    for table in (table for table in tables if "| --- |" in table):
        assert len({line.count("|") for line in table.splitlines()}) == 1


@given(hostile)
def test_code_is_one_printable_line(text: str) -> None:
    shown = markdown.code(text, 1000)
    assert "\n" not in shown
    assert shown.isprintable()
    assert without_code(shown) in ("", "(empty)", "(blank)")


def test_the_heading_states_the_result() -> None:
    def heading(**changes: Any) -> str:
        return markdown.report(document(**changes)).splitlines()[0]

    assert heading() == "## brokerfuzz: 1 finding"
    headline = "partial (the target stopped answering): 2 new findings (1 known), 3 rules unproven"
    assert (
        heading(outcome=outcome("partial", "the target stopped answering", 1, headline)) == f"## brokerfuzz: {headline}"
    )


DOUBT = {
    "count": 6,
    "rules": [RULE],
    "examples": [{"why": "the twin was rejected", "count": 6}],
    "retested": 3,
}


def test_the_comment_of_a_campaign() -> None:
    text = markdown.report(
        document(
            stopped="interrupted by a signal",
            ambiguities=[ambiguity(accepted=2, rejected=1, unproven=4)],
            unproven=DOUBT,
        )
    )
    for line in (
        "Offer creation requests at `http://127.0.0.1:8000/offers`: 1,213 cases, 1,250 requests in 2.0 s.",
        "- invalid: 3 accepted, 1,200 rejected",
        "- 6 unproven rejections, including all rejections for 1 rule",
        "  - 6: the twin was rejected",
        "- 3 faults were sent again in an ordinary message, because the target rejected the twins",
        "- The campaign stopped early: interrupted by a signal",
        f"| 1 | invalid-accepted | `{RULE}` | `/orderMinimum` | accepted, `status 201` | 3 |",
        f"<details><summary>1. 01234567: invalid-accepted <code>{RULE}</code></summary>",
        (
            f"**Finding:** The target accepted an invalid offer creation request (status 201); broken rule: `{RULE}` "
            "(expected at least 1)."
        ),
        '{"number":"0","offerType":"Direct Mail","orderMinimum":0}',
        '-  "orderMinimum": 1',
        '+  "orderMinimum": 0',
        "curl -sS -i -X POST http://127.0.0.1:8000/offers",
        "<details><summary>Questions that the contract leaves open, and the behaviour of this target</summary>",
        "| `cron-syntax` | mixed | 2 | 1 | 0 | 0 | 4 | Which cron dialect is accepted? |",
    ):
        assert line in text.splitlines(), line


def test_known_and_flaky_findings_are_marked_and_new_ones_come_first() -> None:
    text = markdown.report(document(findings=[finding(known=True), rejected(sent=2, shown=1)]))
    assert "| 1 | valid-rejected, flaky | none | `/number` |" in text
    assert "| 2 | invalid-accepted, known |" in text
    assert text.count("<details><summary>1. ") == 1
    assert "<details><summary>2. " not in text


@pytest.mark.parametrize("letter", ["x", "\U0001f600", "`", "\x00", "<", "|"])
def test_a_comment_never_exceeds_the_maximum_length(letter: str) -> None:
    long = letter * 100_000
    found = finding(
        sentence=long,
        got=got(reason=long, response=long),
        reproduce=long,
        smallest={"body": long},
        twin={"body": long + "y"},
    )
    ledger = [{**ambiguity(long), "question": long}] * 300
    text = markdown.report(document(findings=[found] * 300, ambiguities=ledger, target=long, stopped=long))
    assert 10_000 < len(text.encode("utf-16-le")) // 2 <= markdown.LONGEST
    assert re.search(r"\.\.\. and \d+ more findings: see the JSON report\.", text)
    assert re.search(r"\.\.\. and \d+ more ambiguities", text)
    assert re.search(r"The details of \d+ more findings are omitted", text)


def test_new_findings_without_details_are_counted() -> None:
    text = markdown.report(document(findings=[finding()] * 80))
    shown = text.count("<details><summary>") - 1
    assert f"The details of {80 - shown} more findings are omitted" in text
    assert "... and 30 more findings" in text


def test_messages_that_differ_only_in_their_bytes_are_shown_as_bytes() -> None:
    def twins(smallest: bytes, twin: bytes) -> str:
        return markdown.report(
            document(
                findings=[
                    finding(**{k: {"raw": b64encode(v).decode()} for k, v in (("smallest", smallest), ("twin", twin))})
                ]
            )
        )

    assert '```diff\n-{"a":2}\n+{"a":1,"a":2}\n```' in twins(b'{"a":1,"a":2}', b'{"a":2}')
    assert "```diff\n-x\n+\\xff\n```" in twins(b"\xff", b"x")
    assert "# only the headers differ" in twins(b"{}", b"{}")
    assert "# too long to show" in twins(b"[" * 30_000, b"{}")


def test_a_finding_of_several_rules_names_the_first_in_the_table() -> None:
    two = [{**finding()["rules"][0], "rule": name} for name in (RULE, DEEP_RULE)]
    assert f"| `{RULE}` and 1 more |" in markdown.report(document(findings=[finding(rules=two)]))


def test_the_headers_of_a_message_are_shown() -> None:
    message = {"body": 1, "headers": [["accept", None], ["content-type", "text/`x`"]]}
    assert "**Headers:** `` no accept, content-type: text/`x` ``" in markdown.report(
        document(findings=[finding(smallest=message)])
    )
