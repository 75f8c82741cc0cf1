"""Findings of earlier campaigns: the file of a baseline, which findings are new, and `replay`."""

import json
import re
import shutil
from collections.abc import Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, Final

import pytest
from behaviours import (
    CONFORMING,
    OFFER,
    Accepts,
    Condition,
    check,
    conforming,
    crashing,
    is_null,
    lenient,
    parsed,
    strict,
)
from fixture_types import Run, Start
from hand_made_servers import answers, serving, status_by
from pricing_reader import BUG, PRICING
from pricing_reader import lenient as lenient_about_prices

from brokerfuzz.cases.catalogue import plain_messages

PLAIN: Final = plain_messages(PRICING)[0].body
REASON: Final = {"reason": "ticket 17"}
FILES: Final = ("known.json", "report.json")
SOME: Final = ("--message", PRICING, "--rule", BUG, "--shrink", "10s", "--baseline", "known.json")


@pytest.fixture(scope="module")
def written(run: Run, tmp_path_factory: pytest.TempPathFactory, url: str) -> Path:
    """A folder with the files of a campaign against a service with one bug."""
    folder = tmp_path_factory.mktemp("written")
    known, report = (folder / name for name in FILES)
    done = run("fire", url, *SOME[:-1], known, "--baseline-update", "--report", report)
    assert done.exit_code == 0, done.output
    return folder


@pytest.fixture(autouse=True)
def known(folder: Path, written: Path) -> Any:
    """Returns the finding in the baseline `known.json`."""
    for name in FILES:
        shutil.copy(written / name, folder)
    return entries()[0]


@pytest.fixture(scope="module")
def conforming_url() -> Iterator[str]:
    with serving(answers(status_by(conforming(PRICING)))) as url:
        yield url


def entries(name: str = "known.json") -> Any:
    return json.loads(Path(name).read_text())["findings"]


def edited(**changes: Any) -> None:
    document = json.loads(Path("known.json").read_text())
    document["findings"][0] |= changes
    Path("known.json").write_text(json.dumps(document))


def test_a_known_finding_that_is_still_there_does_not_make_a_campaign_fail(run: Run, known: Any, url: str) -> None:
    done = run("fire", url, *SOME)
    assert "known findings: 1 still there\n" in done.stderr
    assert known["finding"] not in done.stdout
    assert re.match(rf"no new findings \(1 known\) in \d+ cases at {url}\n", done.stdout)
    assert done.exit_code == 0


def test_a_fixed_bug_is_named_and_removed_from_the_baseline(run: Run, known: Any, conforming_url: str) -> None:
    done = run("fire", conforming_url, *SOME, "--baseline-update", "--report", "after.json")
    assert f"known findings: 1 gone\nbrokerfuzz: gone: {known['sentence']}\n" in done.stderr
    assert (done.exit_code, entries()) == (0, [])
    assert json.loads(Path("after.json").read_text())["baseline"] == [{"finding": known["finding"], "outcome": "gone"}]


def rejects_everything_else(body: bytes) -> int:
    """A service that accepts one message, and answers all others as if they were wrong."""
    return 200 if body == PLAIN else 400


@pytest.mark.parametrize(
    "words",
    [
        pytest.param(("--message", PRICING, "--rule", "*unitPrice:minimum"), id="other cases"),
        pytest.param((*SOME[:4], "--max-time", "0.001s"), id="no time"),
    ],
)
def test_a_campaign_that_did_not_send_the_first_case_of_a_known_finding_keeps_it(
    run: Run, known: Any, conforming_url: str, words: tuple[str, ...]
) -> None:
    done = run("fire", conforming_url, *words, "--baseline", "known.json", "--baseline-update")
    assert "known findings: 1 unclear\n" in done.stderr
    assert entries() == [known]


def test_a_rejection_that_proves_nothing_does_not_show_that_a_finding_is_gone(run: Run, known: Any) -> None:
    with serving(answers(rejects_everything_else)) as url:
        done = run("fire", url, *SOME, "--baseline-update")
    assert "known findings: 1 unclear\n" in done.stderr
    assert known in entries()


def test_an_entry_no_longer_applies_after_its_date(run: Run, known: Any, url: str) -> None:
    edited(until="2020-01-31", **REASON)
    done = run("fire", url, *SOME, "--baseline-update")
    assert done.exit_code == 1
    assert f"the entry {known['finding']} in known.json was valid only until 2020-01-31" in done.stderr
    assert [(entry["until"], entry["reason"]) for entry in entries()] == [("2020-01-31", "ticket 17")]


def test_a_reason_that_a_person_adds_and_a_finding_that_another_campaign_adds_during_a_campaign_stay(
    run: Run, known: Any
) -> None:
    received: list[bytes] = []
    other = {**known, "finding": "00000000", "sentence": "A crash.", "failing": ["crashes"]}

    def status_of(body: bytes) -> int:
        received.append(body)
        if len(received) == 4:
            Path("known.json").write_text(json.dumps({"baseline": 4, "findings": [known | REASON, other]}))
        return lenient_about_prices(body)

    with serving(answers(status_of)) as url:
        assert run("fire", url, *SOME, "--baseline-update").exit_code == 0
    assert entries() == [other, known | REASON]


def test_a_finding_is_sent_again_from_the_id_of_its_case(run: Run, url: str, conforming_url: str) -> None:
    case = json.loads(Path("report.json").read_text())["findings"][0]["case"]["id"]
    words = [case, "--now", "2026-03-01T12:00:00Z"]
    still = run("replay", *words, url)
    assert still.exit_code == 1, still.stderr
    assert still.stdout.startswith("still there (accepted: status 200): ")
    gone = run("replay", *words, conforming_url)
    assert (gone.exit_code, gone.stdout.splitlines()[-1]) == (0, "1 of 1 finding is gone")


# ---------------------------------------------------------------------------------------------------- several bugs


def has_no_groups(offer: dict[str, Any]) -> bool:
    return offer.get("accessGroups") == []


def lacks_comments(offer: dict[str, Any]) -> bool:
    return "description" in offer and "comments" not in offer


def shop(crashes: Condition, rejects: Condition = lambda _: False) -> AbstractContextManager[str]:
    """A service that does not check two lower bounds, crashes for some messages, and rejects others."""
    accepts = crashing(crashes, otherwise=strict(rejects, otherwise=lenient("orderM*:minimum")))

    def status_of(body: bytes) -> int:
        try:
            return 201 if accepts(body) else 400
        except RuntimeError:
            return 500

    return serving(answers(status_of))


SITES: Final = [
    word for site in ("orderM*", "comments", "description", "surcharge", "accessGroups") for word in ("--rule", site)
]


def test_a_baseline_is_sorted_and_after_a_fix_nothing_is_new_but_a_new_bug_is_new_beside_known_ones(run: Run) -> None:
    words = [*SITES, "--baseline", "shop.json"]
    with shop(has_no_groups, lacks_comments) as url:
        before = run("fire", url, *words, "--baseline-update", "--json")
    findings = {finding["name"]: finding for finding in json.loads(before.stdout)["findings"]}
    written = entries("shop.json")
    assert {entry["finding"] for entry in written} == set(findings)
    assert [entry["sentence"] for entry in written] == sorted(entry["sentence"] for entry in written)
    assert len(Path("shop.json").read_text().splitlines()) == 2 + 5 * len(written)
    for entry in written:
        finding = findings[entry["finding"]]
        assert all(entry[name] == finding[name] for name in ("sentence", "failing", "message"))
        assert f"added to the baseline: {entry['sentence']}\n" in before.stderr
    assert (before.exit_code, before.stderr.count("added to the baseline")) == (0, len(written))
    with shop(has_no_groups) as url:
        assert run("fire", url, *words).exit_code == 0
    with shop(lambda offer: has_no_groups(offer) or is_null("surcharge")(offer), lacks_comments) as url:
        done = run("fire", url, *words, "--json")
    findings = json.loads(done.stdout)["findings"]
    new = [finding["places"] for finding in findings if finding["state"] != "known"]
    assert (done.exit_code, new) == (1, [["/surcharge"]])
    assert len(findings) > 3


@pytest.mark.long
def test_two_campaigns_that_update_a_baseline_at_the_same_time_lose_no_finding(start: Start) -> None:
    chosen = ("--message", PRICING, "--technique", "one-below", "--shrink", "10s")
    update = ("--baseline", "both.json", "--baseline-update")
    accepts = lenient("*quantity:minimum", "*pageCount:minimum", message_type=PRICING)
    with serving(answers(status_by(accepts))) as url:
        for process in [start("fire", url, "--rule", site, *chosen, *update) for site in ("*quantity", "*pageCount")]:
            _, stderr = process.communicate(timeout=60)
            assert process.returncode == 0, stderr
    assert len(json.loads(Path("both.json").read_text())["findings"]) == 2


# ------------------------------------------------------------------------------------------ what fails now is new

PAGE_COUNT: Final = "productClusters[].products[].pageCount"


def rejecting(refuses: Condition) -> Accepts:
    return strict(lambda message: "orderMinimum" in message and refuses(message))


def crashing_at_one_line(refuses: Condition) -> Accepts:
    def accepts(body: bytes) -> bool:
        message = parsed(body)
        if refuses(message):
            raise RuntimeError("one line for all")
        return CONFORMING(body)

    return accepts


GROWN: Final[dict[str, tuple[Accepts, Accepts, tuple[str, ...]]]] = {
    "only zero was accepted": (
        lambda body: b'"orderMinimum":0' in body or CONFORMING(body),
        lenient("orderMinimum:minimum"),
        ("--rule", "orderMinimum"),
    ),
    "only null was rejected": (
        rejecting(lambda message: message["orderMinimum"] is None),
        rejecting(lambda message: message["orderMinimum"] is not None),
        ("--verdict", "valid", "--tag", "pairs*"),
    ),
    "one property was checked": (
        lambda body: all(
            broken.at.startswith("/productClusters") and not broken.rule.startswith(f"{OFFER}/{PAGE_COUNT}")
            for broken in check(OFFER, body).broken
        ),
        lenient("productClusters*"),
        ("--rule", "productClusters*", "--technique", "one-below", "--technique", "empty*", "--technique", "removed"),
    ),
    "only strings crashed": (
        crashing_at_one_line(lambda message: isinstance(message.get("orderMinimum"), str)),
        crashing_at_one_line(lambda message: isinstance(message.get("orderMinimum"), str | int)),
        ("--rule", "orderMinimum:type", "--shrink", "off"),
    ),
}


@pytest.mark.parametrize(
    "name", ["only zero was accepted", "only null was rejected", "only strings crashed", "one property was checked"]
)
@pytest.mark.every(2)
def test_what_fails_now_and_did_not_fail_then_is_new(run: Run, name: str) -> None:
    before, after, chosen = GROWN[name]
    update = ("--baseline", "grown.json", "--baseline-update")
    with serving(answers(status_by(before))) as url:
        run("fire", url, *chosen, *update)
        unchanged = run("fire", url, *chosen, "--baseline", "grown.json")
    assert (unchanged.exit_code, unchanged.stdout[:15]) == (0, "no new findings")
    with serving(answers(status_by(after))) as url:
        grown = run("fire", url, *chosen, "--baseline", "grown.json")
    assert grown.exit_code == 1, grown.stdout


def test_a_finding_that_shrinks_is_known(run: Run) -> None:
    first, both, chosen = GROWN["only zero was accepted"]
    with serving(answers(status_by(both))) as url:
        run("fire", url, *chosen, "--baseline", "grown.json", "--baseline-update")
    with serving(answers(status_by(first))) as url:
        assert run("fire", url, *chosen, "--baseline", "grown.json").exit_code == 0
