"""A campaign succeeds only if it proves something: docs/reference/green-results.md lists the conditions."""

import asyncio
import json
import re
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any, Final

import pytest
from click.testing import Result
from fixture_types import Run
from hand_made_servers import answers, conforming, response, serving
from pricing_reader import PRICING, lenient

import brokerfuzz

FEW: Final[dict[str, Any]] = {"rules": ["*orderMinimum:minimum"]}
OPTIONS: Final = ("--rule", "*orderMinimum:minimum")

pytestmark = pytest.mark.usefixtures("folder")


def accepts(body: bytes) -> bool:
    return conforming(body) == 201


# ---------------------------------------------------------------------------------------------------------- journals


def headline(done: Result) -> str:
    return str(json.loads(done.stdout)["outcome"]["headline"])


@pytest.mark.parametrize("now", [201, 400])
def test_a_journal_says_nothing_about_a_target_that_has_changed_since(run: Run, now: int) -> None:
    plain: list[bytes] = []

    def changed(body: bytes) -> int:
        plain[:] = plain or [body]
        return 201 if body == plain[0] else now

    with serving(answers(conforming)) as url:
        assert run("fire", url, *OPTIONS, "--journal", "run.ndjson").exit_code == 0
    with serving(answers(changed)) as url:
        done = run("fire", url, "--resume", "run.ndjson", "--json", "--report", "junit.xml")
    assert done.exit_code == 2
    assert "the target has changed since the journal was written: message " in headline(done)
    assert headline(done).endswith("(start a new campaign, with another --journal)")
    assert list(ET.parse("junit.xml").iter("error"))


def test_a_campaign_whose_answers_are_all_old_is_no_success(run: Run) -> None:
    with serving(answers(conforming)) as url:
        assert run("fire", url, *OPTIONS, "--journal", "run.ndjson").exit_code == 0
        done = run("fire", url, "--resume", "run.ndjson", "--json")
    assert done.exit_code == 2
    assert headline(done).startswith("untested (all answers come from the journal: start a new campaign")


def test_a_resumed_campaign_says_how_many_answers_are_old_and_asks_for_some_again(run: Run) -> None:
    received: list[bytes] = []

    def status_of(body: bytes) -> int:
        received.append(body)
        return conforming(body)

    with serving(answers(status_of)) as url:
        run("fire", url, *OPTIONS, *SHORT, "--count", "0", "--journal", "run.ndjson")
        earlier = set(received)
        received.clear()
        done = run("fire", url, "--resume", "run.ndjson", "--report", "junit.xml", "--report", "report.md", "--json")
    assert done.exit_code == 0
    found = re.fullmatch(r"no findings in 13 cases, (\d+) of them answered by the journal", headline(done))
    assert found is not None
    old = json.loads(done.stdout)["old"]
    assert old == {"cases": int(found[1]), "asked_again": int(found[1])}
    again = f"{found[1]} answers; {found[1]} of them were sent again, with the same answers"
    assert [again in Path(name).read_text() for name in ("junit.xml", "report.md")] == [True, True]
    assert len(earlier.intersection(received)) >= int(found[1])


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
