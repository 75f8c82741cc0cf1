import asyncio
import re
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from itertools import islice
from typing import Any, NamedTuple
from xml.etree import ElementTree as ET

import click
import pytest
from chosen_campaigns import fired
from hand_made_servers import OFFER, Service, response, serving

from brokerfuzz.campaign import Result
from brokerfuzz.cases.case import Case
from brokerfuzz.cases.catalogue import catalogue, plainest
from brokerfuzz.reports import findings_page, json_document, junit, markdown, terminal
from brokerfuzz.schemas import check
from brokerfuzz.targets import HttpTarget

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
RULE = f"{OFFER}/orderMinimum:minimum"
OPTIONS: dict[str, Any] = {"shrink": 0.0, "plain": (plainest(OFFER),), "longest_wait": 0.3}


def cases(*labels: str) -> list[Case]:
    found = (case for case in catalogue(OFFER, now=NOW) if not case.headers and len(case.body) < 20_000)
    return list(islice((case for case in found if not labels or case.label in labels), 150))


def correct(body: bytes) -> int:
    return 400 if check(OFFER, body, now=NOW).label == "invalid" else 201


def accepting_zero(body: bytes) -> int:
    return 201 if b'"orderMinimum":0' in body else correct(body)


def unauthorised(body: bytes) -> int:
    return 401 if correct(body) == 400 else 201


def blocking_zero(body: bytes) -> int:
    """Answers 403 if `RULE` is broken. The rule remains unproven, because a firewall can also answer 403."""
    broken = {entry.rule for entry in check(OFFER, body, now=NOW).broken}
    return 403 if RULE in broken else correct(body)


def sent_to(status_of: Callable[[bytes], int], *labels: str) -> Result:
    some = (
        [*cases(*labels), *(case for case in catalogue(OFFER, now=NOW) if case.faults and case.faults[0].rule == RULE)]
        if not labels
        else cases(*labels)
    )
    return fired(dict.fromkeys(some), Service(status_of), **OPTIONS)


def known_only() -> Result:
    result = sent_to(accepting_zero)
    return result.marked([finding.name for finding in result.findings])


def limited() -> Result:
    return fired(cases(), Service(lambda _: 201), **OPTIONS, max_findings=1, concurrency=1)


def losing_the_target(status: int | None) -> Result:
    """Runs a campaign. After 100 requests, the server answers each request with `status`, or stops answering if
    `status` is None.
    """
    seen = []

    async def behave(body: bytes, writer: asyncio.StreamWriter) -> None:
        seen.append(body)
        if len(seen) > 100 and status is None:
            await asyncio.sleep(3600)
        writer.write(response(status if len(seen) > 100 and status is not None else correct(body)))

    with serving(behave) as url:
        return fired(cases(), HttpTarget(url, timeout=1.0), **OPTIONS)


def interrupted() -> Result:
    def some() -> Iterator[Case]:
        yield from cases()[:50]
        raise KeyboardInterrupt

    return fired(some(), Service(correct), **OPTIONS)


class Row(NamedTuple):
    """`line` is a pattern for the first line of every report."""

    campaign: Callable[[], Result]
    state: str
    status: int
    line: str


ROWS = {
    "complete": Row(lambda: sent_to(correct), "complete", 0, r"no findings in \d+ cases"),
    "complete with a finding": Row(lambda: sent_to(accepting_zero), "complete", 1, r"1 finding in \d+ cases"),
    "complete with known findings": Row(known_only, "complete", 0, r"no new findings \(1 known\) in \d+ cases"),
    "complete with an unproven rule": Row(
        lambda: sent_to(blocking_zero), "complete", 0, r"no findings in \d+ cases, 1 rule unproven"
    ),
    "a limit of the user": Row(
        limited, "complete", 1, r"1 finding in \d+ cases? \(the limit of 1 finding was reached\)"
    ),
    "expired credentials": Row(
        lambda: losing_the_target(401),
        "partial",
        2,
        r"partial \(the target now rejects an ordinary valid message that it accepted before \(status 401\): .*\): no "
        r"findings in \d+ cases",
    ),
    "a target that hangs": Row(
        lambda: losing_the_target(None),
        "partial",
        1,
        r"partial \(the target stopped answering \(.*\)\): 1 finding in \d+ cases",
    ),
    "interrupted": Row(interrupted, "partial", 130, r"partial \(interrupted\): no findings in \d+ cases"),
    "no case": Row(
        lambda: fired([], Service(correct), **OPTIONS),
        "untested",
        2,
        r"untested \(no case was sent\): no findings in 0 cases",
    ),
    "nothing accepted": Row(
        lambda: sent_to(lambda _: 400),
        "untested",
        2,
        r"untested \(the target accepted none of \d+ plain valid messages?: status 400\): no findings in 0 cases "
        r"\(.*\)",
    ),
    "nothing proven": Row(
        lambda: sent_to(unauthorised, "valid", "invalid"),
        "untested",
        2,
        r"untested \(no rejection was proven\): no findings in \d+ cases, \d+ rules unproven",
    ),
}


@pytest.mark.parametrize("name", ROWS)
def test_the_outcome_determines_the_exit_status_and_every_report(name: str) -> None:
    row = ROWS[name]
    result = row.campaign()
    outcome = result.outcome
    assert (outcome.state, outcome.status) == (row.state, row.status)
    assert re.fullmatch(row.line, outcome.headline)
    document = json_document.document(result)
    assert (document["outcome"]["state"], document["outcome"]["status"], document["outcome"]["headline"]) == (
        row.state,
        row.status,
        outcome.headline,
    )
    assert " ".join(click.unstyle("\n".join(terminal.lines_of(document))).split()).startswith(
        f"{outcome.headline} at {result.target}"
    )
    assert markdown.report(document).splitlines()[0].replace("`", "") == f"## brokerfuzz: {outcome.headline}"
    check_junit(ET.fromstring(junit.report(document)), result)
    check_page(findings_page.report(document), result)


def check_junit(root: ET.Element, result: Result) -> None:
    """In the report, only incomplete campaigns cause an error, and only new findings cause failures. Unproven rules are
    skipped tests.
    """
    errors = [error.get("type") for error in root.iter("error")]
    assert errors == ([] if result.outcome.state == "complete" else [result.outcome.state])
    assert bool([*root.iter("failure")]) == bool(result.outcome.new)
    skipped = {
        case.get("name")
        for case in root.iter("testcase")
        if (skip := case.find("skipped")) is not None and skip.get("type") == "unproven"
    }
    assert skipped == set(result.unproven_rules)
    assert result.outcome.headline in next(text.text or "" for text in root.iter("system-out"))


def check_page(page: str, result: Result) -> None:
    """Only the page of a complete campaign without findings says that no answer contradicts the contract. The page
    lists unproven rejections.
    """
    title = re.search("<title>(.*?)</title>", page)
    assert title is not None
    assert title[1].startswith(result.outcome.headline)
    assert ("No answer of the target contradicts" in page) == (
        result.outcome.state == "complete" and not result.findings
    )
    assert (">Unproven rejections<" in page) == bool(result.unproven)
