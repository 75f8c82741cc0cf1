import io
import json
import re
from base64 import b64decode
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

import click
import jsonschema_rs
import pytest

from brokerfuzz.campaign import BrokenRule, CampaignProgress, Finding, Headline, Observed, Result, Stop
from brokerfuzz.campaign.proof import Proofs
from brokerfuzz.cases.case import Case, message_id
from brokerfuzz.reports import json_document, terminal
from brokerfuzz.schemas import load_contract
from brokerfuzz.targets import ANSWER_KINDS, Answer

OFFER: Final = "offer-creation-request"
NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
BODY = b'{"number":"0","offerType":"Direct Mail","orderMinimum":0}'
CASE = Case.judged(OFFER, BODY, now=NOW)
FINDING = Finding(
    kind="invalid-accepted",
    message_type=OFFER,
    label="invalid",
    reasons=(
        BrokenRule(f"{OFFER}/orderMinimum:minimum", "Errors, validation rule 7", "/orderMinimum", "0", "at least 1"),
    ),
    ambiguities=(),
    places=(),
    techniques=("one-below",),
    tags=(),
    count=3,
    case=CASE,
    body=BODY,
    answer=Answer("accepted", 201, b'{"id":7}', "status 201", 0.25),
    sent=2,
    shown=2,
    reproduction="curl -X POST ... ",
)


def with_findings(result: Result, *findings: Finding) -> Result:
    """Returns the result with these findings, each with a headline of its own."""
    headlines = [Headline(one.kind, one.summary(), (one,), one.count, one.count, one.name) for one in findings]
    return replace(result, findings=findings, headlines=tuple(headlines))


OBSERVED = Observed(
    load_contract().ambiguity("cron-syntax"),
    {"accepted": 2, "rejected": 1, "crashed": 0, "timeout": 0},
    {"accepted": CASE},
    contradicted={"accepted", "rejected"},
)
NOTHING_FOUND = Result(
    target="http://127.0.0.1:8000/offers",
    counts={("valid", "accepted"): 10, ("invalid", "accepted"): 3, ("invalid", "rejected"): 1200},
    findings=(),
    ambiguities=(OBSERVED,),
    cases=1213,
    requests=1250,
    seconds=2.0,
    proofs=Proofs(rejected=1200, proven=1200),
)
RESULT = with_findings(NOTHING_FOUND, FINDING)


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def shown(result: Result, stream: io.StringIO, about: dict[str, Any] | None = None, *, verbose: bool = False) -> str:
    terminal.show(result, stream, about, verbose=verbose)
    return stream.getvalue()


def test_a_pipe_gets_plain_text() -> None:
    text = shown(RESULT, io.StringIO())
    assert "\x1b" not in text
    assert text == click.unstyle(terminal.report(RESULT))


def test_a_terminal_gets_colour_unless_it_is_declined(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    assert "\x1b[" in shown(RESULT, Terminal())
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b" not in shown(RESULT, Terminal())


def test_the_report_contains_everything_needed_to_fix_a_finding() -> None:
    first, *rest = shown(RESULT, io.StringIO()).splitlines()
    assert first == "1 finding in 1,213 cases at http://127.0.0.1:8000/offers"
    text = "\n".join(rest)
    for part in (
        "rule        orderMinimum:minimum at /orderMinimum",
        "contract    Errors, validation rule 7",
        "technique   one-below",
        "expected    rejected",
        "got         accepted (status 201)",
        'answer      {"id":7}',
        f"count       3, first in case {CASE.id}",
        f"smallest    {BODY.decode()}",
        "reproduce   curl -X POST",
    ):
        assert part in text


def test_the_ledger_is_a_table() -> None:
    lines = shown(RESULT, io.StringIO()).splitlines()
    place = next(number for number, line in enumerate(lines) if line.split()[:1] == ["ambiguity"])
    assert [line.split() for line in lines[place : place + 3]] == [
        ["ambiguity", "accepted", "rejected"],
        ["cron-syntax", "2", "1"],
        ["Which", "cron", "dialect", "is", "accepted?"],
    ]
    assert len({len(line) for line in lines[place : place + 2]}) == 1


def test_questions_with_one_answer_are_only_counted() -> None:
    decided = replace(OBSERVED, contradicted={"rejected"})
    text = shown(replace(RESULT, ambiguities=(decided, decided)), io.StringIO())
    assert "2 questions answered in one way" in text
    assert "cron-syntax" not in text


def test_unproven_rejections_have_a_column_in_the_ledger() -> None:
    doubtful = replace(OBSERVED, unproven=7)
    text = shown(replace(RESULT, ambiguities=(doubtful,)), io.StringIO())
    assert re.search(r"ambiguity +accepted +rejected +unproven\n +cron-syntax +2 +1 +7\n", text)


def test_the_summary_comes_last_and_has_the_verdicts_by_answer() -> None:
    stream = io.StringIO()
    terminal.show(RESULT, stream, {"message": OFFER, "seed": 5})
    terminal.show_files(stream, ["a.html", "b.json"], ["c.md cannot be written"], "brokerfuzz fire --resume a")
    lines = stream.getvalue().splitlines()
    assert lines[lines.index("Summary") + 1 :] == [
        "   outcome     1 finding in 1,213 cases",
        "   tested      http://127.0.0.1:8000/offers",
        "   message     offer-creation-request",
        "   sent        1,213 cases, 1,250 requests in 2.0 s",
        "   valid       10 accepted",
        "   invalid     3 accepted, 1,200 rejected",
        "   seed        5",
        "   wrote       a.html, b.json",
        "   not written c.md cannot be written",
        "   continue    brokerfuzz fire --resume a",
    ]


def test_no_word_is_broken_and_only_text_to_copy_is_wider_than_80_columns() -> None:
    ambiguities = tuple(
        Observed(one, {**dict.fromkeys(ANSWER_KINDS, 0), "accepted": 1234}, unproven=5)
        for one in load_contract().ambiguities
    )
    rule = f"{OFFER}/priceClasses[].priceTiers[].pageCounts[].minimumPages:type"
    reason = BrokenRule(rule, "Page-count price, row minimumPages " * 4, "/a", "0", "1")
    text = shown(
        with_findings(replace(RESULT, ambiguities=ambiguities), replace(FINDING, reasons=(reason,), count=12345)),
        io.StringIO(),
    )
    wide = [line for line in text.splitlines() if len(line) > 80]
    assert {line.split()[0] for line in wide} <= {"smallest", "reproduce", "twin", "answer"}


def test_a_long_ledger_has_one_line_for_each_ambiguity_and_names_the_command_for_the_questions() -> None:
    ambiguities = tuple(replace(OBSERVED, ambiguity=one) for one in load_contract().ambiguities)
    for count in (2, len(ambiguities)):
        result = replace(RESULT, ambiguities=ambiguities[:count])
        lines = shown(result, io.StringIO(), verbose=True).splitlines()
        first = next(number for number, line in enumerate(lines) if line.split()[:1] == ["ambiguity"])
        ledger = lines[first : lines.index("", first)]
        questions = [
            one
            for one in ambiguities[:count]
            if any(one.ambiguity.question.split()[:5] == line.split()[:5] for line in ledger)
        ]
        assert (len(questions), len(ledger)) == ((count, len(ledger)) if count == 2 else (0, count + 2))
        assert any("brokerfuzz explain" in line for line in ledger) == (count > 2)


def test_forty_findings_leave_the_summary_on_the_last_screen() -> None:
    lines = shown(with_findings(RESULT, *[FINDING] * 40), io.StringIO()).splitlines()
    assert "Summary" in lines[-24:]


def test_the_report_says_why_a_campaign_stopped() -> None:
    stopped = replace(RESULT, stop=Stop("interrupted", "interrupt"))
    assert shown(stopped, io.StringIO()).startswith("partial (interrupted): 1 finding in 1,213 cases at ")
    limited = shown(replace(RESULT, stop=Stop("the time limit of 5 s was reached", "limit")), io.StringIO())
    assert limited.startswith("1 finding in 1,213 cases (")
    assert "   stopped     the time limit of 5 s was reached" in limited


def test_a_report_without_findings_says_so() -> None:
    assert shown(replace(NOTHING_FOUND, ambiguities=()), io.StringIO()).startswith("no findings in 1,213 cases at ")


def test_cases_that_the_target_cannot_get_are_counted_with_the_reason() -> None:
    assert "   not sent    38 cases: this target cannot receive request headers" in shown(
        replace(RESULT, left_out=38), io.StringIO()
    )


def test_incomplete_shrinking_names_the_option_that_continues_it() -> None:
    text = shown(with_findings(RESULT, replace(FINDING, whole=False)), io.StringIO())
    assert "   shrinking   stopped early for 1 finding: use a longer --shrink" in text


def test_texts_of_a_target_or_a_message_cannot_control_the_terminal() -> None:
    evil = "\x1b]0;owned\x07\x9b31m\r\u202e"
    hostile = replace(
        FINDING,
        answer=Answer("accepted", 200, evil.encode(), f"operationWasSuccessful is false: {evil}"),
        body=evil.encode() + b"\xff",
        reasons=(BrokenRule(f"{OFFER}/:json", "", f"/{evil}", evil, "a JSON text"),),
        places=(f"/{evil}",),
        tags=(evil,),
    )
    lines = shown(with_findings(RESULT, hostile), io.StringIO()).splitlines()
    assert all(line.isprintable() for line in lines)
    json.dumps(json_document.document(with_findings(RESULT, hostile)))


def test_long_bodies_and_many_findings_are_cut() -> None:
    long = replace(FINDING, body=b"x" * 1_000_000, reproduction="y" * 1_000_000)
    text = shown(with_findings(RESULT, *[long] * 300), io.StringIO())
    assert len(text) < 500_000
    assert "(1,000,000 bytes)" in text
    assert "... and 200 more headlines" in text


# ---------------------------------------------------------------------------------------------------- progress


def test_progress_is_shown_on_one_line_of_a_terminal_and_then_removed() -> None:
    stream = Terminal()
    with terminal.live_progress(stream) as show_progress:
        show_progress(CampaignProgress("firing", 300, 2, 4000, 1.0, 1000))
    assert "firing: 300 of 1,000 cases, 2 contradictions, 4,000 requests/s" in stream.getvalue()
    assert stream.getvalue().endswith("\r\x1b[K")
    assert "\n" not in stream.getvalue()


def test_a_pipe_gets_a_line_of_progress_every_thirty_seconds() -> None:
    stream = io.StringIO()
    with terminal.live_progress(stream) as show_progress:
        for seconds in range(100):
            show_progress(CampaignProgress("shrinking", 300, 2, 100 * seconds, float(seconds), 1000))
    assert stream.getvalue() == "brokerfuzz: shrinking: 300 of 1,000 cases, 2 contradictions, 100 requests/s\n" * 3


# ---------------------------------------------------------------------------------------------------- the JSON report


SCHEMA = json.loads(Path(json_document.__file__).with_name("report.schema.json").read_bytes())


def test_the_document_is_valid_by_its_schema() -> None:
    jsonschema_rs.validate(SCHEMA, json_document.document(RESULT))


def test_the_schema_requires_exactly_the_properties_of_the_document() -> None:
    assert set(SCHEMA["required"]) <= set(json_document.document(RESULT)) <= set(SCHEMA["properties"])
    described = SCHEMA["$defs"]["finding"]
    assert (
        set(described["required"]) <= set(json_document.document(RESULT)["findings"][0]) <= set(described["properties"])
    )


def test_equal_results_give_equal_documents() -> None:
    assert json_document.document(RESULT) == json_document.document(replace(RESULT))


@pytest.mark.parametrize(
    "body", [b"", b"\xff", b'{ "number":"1"}', b'{"a":1,"a":2}', b"[1e400]", b'"\\ud800"', b"[" * 100_000, b'"\\u00e9"']
)
def test_a_body_that_is_not_compact_json_is_stored_as_bytes(body: bytes) -> None:
    document = json_document.document(with_findings(RESULT, replace(FINDING, body=body)))
    assert b64decode(document["findings"][0]["smallest"]["raw"]) == body


def test_a_body_that_is_compact_json_is_stored_as_its_value() -> None:
    finding = json_document.document(RESULT)["findings"][0]
    assert finding["smallest"] == {"id": message_id(finding["message"], (), BODY), "body": json.loads(BODY)}
