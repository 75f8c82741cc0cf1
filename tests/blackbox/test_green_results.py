"""A campaign succeeds only if it proves something: docs/reference/green-results.md lists the conditions."""

import asyncio
import json
import random
import re
import time
import xml.etree.ElementTree as ET
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import pytest
from behaviours import OFFER, SCALARS, parsed
from click.testing import Result
from contracts import ORDER, own_contract, with_properties
from fixture_types import Run
from hand_made_servers import answers, conforming, fired, recording, response, serving
from known_identifiers import KnownIdentifiers
from pricing_reader import PRICING, lenient

import brokerfuzz

FEW: Final[dict[str, Any]] = {"rules": ["*orderMinimum:minimum"]}
OPTIONS: Final = ("--rule", "*orderMinimum:minimum")

pytestmark = pytest.mark.usefixtures("folder")


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


def test_a_resumed_campaign_says_how_many_answers_are_old_and_asks_for_some_again(run: Run) -> None:
    with recording(conforming) as (url, received):
        run("fire", url, *OPTIONS, *SHORT, "--random", "0", "--journal", "run.ndjson")
        earlier = set(received)
        received.clear()
        done = run("fire", url, "--resume", "run.ndjson", "--report", "junit.xml", "--report", "report.md", "--json")
    assert done.exit_code == 0
    found = re.fullmatch(r"no findings in 14 cases, (\d+) of them answered by the journal", headline(done))
    assert found is not None
    old = json.loads(done.stdout)["old"]
    assert old == {"cases": int(found[1]), "asked_again": int(found[1])}
    again = f"{found[1]} answers; {found[1]} of them were sent again, with the same answers"
    assert [again in Path(name).read_text() for name in ("junit.xml", "report.md")] == [True, True]
    assert len(earlier.intersection(received)) >= int(found[1])


# --------------------------------------------------------------------------------------------------- the time limit

SHORT: Final = ("--max-time", "1s", "--rate", "8")
UNFINISHED: Final = r"partial \(not finished: \d+ of 14 cases; use a longer --max-time, or fewer --rule\): no findings"


def test_a_catalogue_that_is_cut_short_is_no_success(run: Run) -> None:
    with serving(answers(conforming)) as url:
        done = run(
            "fire", url, *OPTIONS, *SHORT, "--random", "0", "--report", "junit.xml", "--report", "page.html", "--json"
        )
        with pytest.raises(AssertionError, match=UNFINISHED):
            brokerfuzz.assert_conforms(url, **FEW, max_time=1, rate=8)
    outcome = json.loads(done.stdout)["outcome"]
    assert done.exit_code == 2
    assert re.fullmatch(UNFINISHED, outcome["headline"])
    (error,) = ET.parse("junit.xml").iter("error")
    assert error.get("message") == outcome["headline"]
    assert f"<title>{outcome['headline']}" in Path("page.html").read_text()
    assert "No answer of the target contradicts" not in Path("page.html").read_text()


def test_random_cases_that_are_cut_short_are_a_success(run: Run) -> None:
    with serving(answers(conforming)) as url:
        done = run("fire", url, *OPTIONS, "--max-time", "1s", "--rate", "100")
    assert done.exit_code == 0
    assert re.match(r"no findings in \d+ cases \(the time limit of 1 s was reached\)", " ".join(done.stdout.split()))


def test_a_campaign_without_further_random_messages_says_so(run: Run) -> None:
    own_contract(Path("own"), {**with_properties(sent={"type": "boolean"}), "additionalProperties": False})
    cases = ("--contract", "own", "--tag", "random", "--verdict", "valid")
    with serving(answers(lambda _: 201)) as url:
        done = run("fire", url, *cases, "--random", "50")
        assert done.exit_code == 0
        assert re.match(r"no findings in \d+ of 50 cases \(no further messages were found\)", done.stdout)
        done = run("fire", url, *cases, "--max-time", "60s")
    assert re.match(r"no findings in \d+ cases \(no further messages were found\)", done.stdout)


def test_answers_that_arrive_while_brokerfuzz_searches_for_messages_are_no_timeouts() -> None:
    async def slow(body: bytes, writer: asyncio.StreamWriter) -> None:
        await asyncio.sleep(0.2)
        writer.write(response(lenient(body)))

    report = fired(slow, PRICING, tags=["edge:data.offers*"], random=10, timeout=0.7)
    assert report.outcome.headline.endswith("(no further messages were found)")
    assert (report.findings, report.result.sporadic) == ((), ())


@pytest.mark.long
def test_the_time_limit_includes_shrinking() -> None:
    with serving(answers(lambda body: 400 if b"null" in body else conforming(body))) as url:
        begun = time.monotonic()
        report = brokerfuzz.fire(url, random=1_000_000, max_time=8)
    assert time.monotonic() - begun < 38
    assert "8 s" in str(report.result.stopped)
    assert any(len(finding.body) < len(finding.case.body) for finding in report.findings)


# ----------------------------------------------------------------------------------------------------- stored answers


def test_rejections_prove_nothing_if_the_target_accepts_only_the_first_message() -> None:
    first: list[bytes] = []

    def status_of(body: bytes) -> int:
        first[:] = first or [body]
        return 201 if body == first[0] else 422

    report = fired(answers(status_of), rules=["orderMinimum:*"], verdicts=["invalid"])
    assert report.result.proofs.proven == 0
    assert report.outcome.headline.startswith("untested (no rejection was proven)")


@pytest.mark.every(2)
@pytest.mark.parametrize("fresh", [None, "number"])
def test_a_target_that_accepts_only_one_kind_of_ordinary_message_proves_rejections(fresh: str | None) -> None:
    def status_of(body: bytes) -> int:
        return conforming(body) if b'"omsOfferId":"OMS-44354946-619835"' in body else 400

    report = fired(answers(status_of), rules=["orderMinimum:*"], verdicts=["invalid"], fresh=fresh)
    assert report.result.proofs.proven > 10


# ------------------------------------------------------------------------------------------------------ known numbers


@pytest.mark.parametrize(("status", "refuses"), [(400, bool), (409, lambda conflicts: conflicts % 2 == 0), (422, bool)])
def test_a_number_that_the_target_knows_is_no_finding(status: int, refuses: Callable[[int], bool]) -> None:
    with serving(answers(KnownIdentifiers(status, "number", refuses=refuses))) as url:
        report = brokerfuzz.fire(url, rules=["orderMinimum:*"])
        assert report.findings == ()
        assert report.result.renamed > 0
        assert "accepted only with a number that the target does not know: use --fresh number" in str(report)
        assert report.outcome.status == (2 if report.result.unproven else 0)
        assert brokerfuzz.fire(url, rules=["orderMinimum:*"], fresh="number").outcome.status == 0


@pytest.mark.parametrize(("fresh", "looks_first"), [(None, False), ("number", True), ("number,omsOfferId", False)])
def test_an_oms_offer_id_that_the_target_knows_is_no_finding_even_if_it_is_empty(
    fresh: str | None, looks_first: bool
) -> None:
    edges = "edge:*" if fresh == "number,omsOfferId" else "edge:omsOfferId*"  # few fresh values are known
    report = fired(
        answers(KnownIdentifiers(409, "omsOfferId", looks_first=looks_first)), tags=[edges, "pairs*"], fresh=fresh
    )
    assert report.findings == ()
    known = "accepted only with an omsOfferId that the target does not know"
    advice = {None: ": use --fresh omsOfferId", "number": ": use --fresh number,omsOfferId"}.get(fresh or None, "")
    assert f"{known}{advice}" in str(report)
    assert report.result.known_names == ("omsOfferId",)


def test_the_advice_about_known_identifiers_names_those_that_the_target_knows() -> None:
    service = KnownIdentifiers(409, "number", "omsOfferId")
    with serving(answers(service)) as url:
        report = brokerfuzz.fire(url, rules=["orderMinimum:*"])
        again = brokerfuzz.fire(url, rules=["orderMinimum:*"])
        assert report.findings == ()
        assert "use --fresh number" in str(report)
        assert "with another number and omsOfferId: use --fresh number,omsOfferId" in again.outcome.headline
        fresh = brokerfuzz.fire(url, rules=["orderMinimum:*"], fresh="number,omsOfferId")
    assert (fresh.outcome.status, fresh.result.renamed) == (0, 0)


def test_the_manifest_says_which_properties_of_an_own_message_type_a_target_may_know(tmp_path: Path) -> None:
    schema = with_properties(sku={"type": "string"}, quantity={"type": "integer", "minimum": 1})
    contract = own_contract(tmp_path, schema, identifiers=["sku"])
    known = set[str]()

    def status_of(body: bytes) -> int:
        if brokerfuzz.check(ORDER, body, contract=contract).label == "invalid":
            return 400
        sku = parsed(body)["sku"]
        status = 422 if sku in known else 201
        known.add(sku)
        return status

    report = fired(answers(status_of), ORDER, contract=contract, rules=["*quantity:*"])
    assert (report.findings, report.result.known_names) == ((), ("sku",))


def test_messages_of_the_catalogue_have_different_oms_offer_ids() -> None:
    catalogue = brokerfuzz.catalogue(OFFER, verdicts=["valid", "unspecified"])
    offers = [parsed(case.body) for case in catalogue]
    values = [offer["omsOfferId"] for offer in offers if isinstance(offer.get("omsOfferId"), str)]
    assert len(values) > 150
    assert len(values) - len(set(values)) < 30  # unusual values occur several times


def test_a_number_that_is_too_short_is_a_finding() -> None:
    def status_of(body: bytes) -> int:
        return 422 if b'"number":"a"' in body else conforming(body)

    report = fired(answers(status_of), **SCALARS)
    assert {finding.kind for finding in report.findings} == {"valid-rejected"}
    assert report.result.renamed == 0


def test_other_numbers_are_soon_left_alone_if_the_target_accepts_known_ones() -> None:
    report = fired(
        answers(lambda body: 422 if b'"isActive":true' in body else conforming(body)),
        tags=["edge:values*", "pairs*"],
        journal="run.ndjson",
    )
    (finding,) = report.findings
    assert finding.failed > 50
    assert Path("run.ndjson").read_text().count('"role":"renamed"') < 30


def test_a_campaign_that_continues_with_a_target_that_keeps_numbers_is_not_told_that_the_target_has_changed(
    run: Run,
) -> None:
    with serving(answers(KnownIdentifiers(400, "number"))) as url:
        short = ("--max-time", "1s", "--rate", "40", "--random", "0")
        run("fire", url, "--rule", "*orderM*", "--journal", "run.ndjson", *short)
        done = run("fire", url, "--resume", "run.ndjson", "--json")
    assert "has changed" not in headline(done)


# -------------------------------------------------------------------------------------------------- differing answers


@pytest.mark.every(2)
@pytest.mark.parametrize(("share", "causes"), [(0.2, ["isActive: rejected if it is false"]), (0.5, [])])
def test_rejections_at_random_are_one_finding_about_differing_answers_beside_a_cause(
    share: float, causes: list[str]
) -> None:
    chance = random.Random(0)

    def status_of(body: bytes) -> int:
        if causes and b'"isActive":false' in body:
            return 422
        status = conforming(body)
        return 422 if status == 201 and chance.random() < share else status

    report = fired(answers(status_of), **SCALARS)
    differing, *others = sorted(report.findings, key=lambda finding: finding.kind)
    assert [finding.text for finding in others] == causes
    assert differing.text == "answers differ for the same message: valid messages are sometimes rejected (status 422)"
    assert (differing.kind, differing.failed > 3) == ("differing-answers", True)
    assert re.search(r"\d+ rejections of valid messages did not recur", report.outcome.headline)


def test_a_few_rejections_that_do_not_recur_are_counted_in_the_first_line() -> None:
    rejected_once = [b'"number":"a"', b'"number":" "']

    def status_of(body: bytes) -> int:
        for text in rejected_once:
            if text in body:
                rejected_once.remove(text)
                return 422
        return conforming(body)

    report = fired(answers(status_of), **SCALARS)
    assert report.findings == ()
    assert report.outcome.headline.endswith("2 rejections of valid messages did not recur")
