"""A campaign succeeds only if it proves something: docs/reference/green-results.md lists the conditions."""

import asyncio
import json
import re
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any, Final

import pytest
from fixture_types import Run
from hand_made_servers import answers, conforming, response, serving
from pricing_reader import PRICING, lenient

import brokerfuzz

FEW: Final[dict[str, Any]] = {"rules": ["*orderMinimum:minimum"]}
OPTIONS: Final = ("--rule", "*orderMinimum:minimum")

pytestmark = pytest.mark.usefixtures("folder")


def accepts(body: bytes) -> bool:
    return conforming(body) == 201


# --------------------------------------------------------------------------------------------------- the time limit

SHORT: Final = ("--max-time", "1s", "--rate", "8")
UNFINISHED: Final = r"partial \(not finished: \d+ of 13 cases; use a longer --max-time, or fewer --rule\): no findings"


def test_a_catalogue_that_is_cut_short_is_no_success(run: Run) -> None:
    with serving(answers(conforming)) as url:
        done = run("fire", url, *OPTIONS, *SHORT, "--count", "0", "--report", "junit.xml", "--json")
        with pytest.raises(AssertionError, match=UNFINISHED):
            brokerfuzz.assert_conforms(url, **FEW, max_time=1, rate=8)
    outcome = json.loads(done.stdout)["outcome"]
    assert done.exit_code == 2
    assert re.fullmatch(UNFINISHED, outcome["headline"])
    (error,) = ET.parse("junit.xml").iter("error")
    assert error.get("message") == outcome["headline"]


def test_random_cases_that_are_cut_short_are_a_success(run: Run) -> None:
    with serving(answers(conforming)) as url:
        done = run("fire", url, *OPTIONS, "--max-time", "3s", "--rate", "100")
    assert done.exit_code == 0
    assert re.match(r"no findings in \d+ cases \(the time limit of 3 s was reached\)", " ".join(done.stdout.split()))


def test_a_campaign_without_further_random_messages_says_so(run: Run) -> None:
    Path("own").mkdir()
    schema = {"type": "object", "required": ["sent"], "properties": {"sent": {"type": "boolean"}}}
    Path("own/order.schema.json").write_text(json.dumps({**schema, "additionalProperties": False}))
    Path("own/messages.json").write_text(json.dumps({"order": {"direction": "request", "route": "POST /"}}))
    cases = ("--contract", "own", "--random", "--verdict", "valid")
    with serving(answers(lambda _: 201)) as url:
        done = run("fire", url, *cases, "--count", "50")
        assert done.exit_code == 0
        assert re.match(r"no findings in \d+ of 50 cases \(no further messages were found\)", done.stdout)
        done = run("fire", url, *cases, "--max-time", "60s")
    assert re.match(r"no findings in \d+ cases \(no further messages were found\)", done.stdout)


def test_answers_that_arrive_while_brokerfuzz_searches_for_messages_are_no_timeouts() -> None:
    async def slow(body: bytes, writer: asyncio.StreamWriter) -> None:
        await asyncio.sleep(0.2)
        writer.write(response(lenient(body)))

    with serving(slow) as url:
        report = brokerfuzz.fire(url, PRICING, tags=["edge:*"], count=10, timeout=0.7)
    assert report.outcome.headline.endswith("(no further messages were found)")
    assert (report.findings, report.result.sporadic) == ((), ())
