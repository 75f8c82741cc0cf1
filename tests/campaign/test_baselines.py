"""The file of a baseline: its layout, what an update keeps, and files that somebody has changed."""

import json
from collections.abc import Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, Final

import behaviours
import pytest
from behaviours import OFFER, Accepts, Condition, parsed, strict
from fixture_types import Run
from hand_made_servers import answers, conforming, serving

import brokerfuzz

SOME: Final = ("--rule", "orderM*", "--now", "2026-03-01T12:00:00Z", "--shrink", "1s")
NAME: Final = "known.json"

pytestmark = pytest.mark.usefixtures("folder")


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    """A service with a wrong acceptance, and a crash on large messages."""

    def status_of(body: bytes) -> int:
        return 201 if b'"orderMinimum":0' in body else 500 if len(body) > 1200 else conforming(body)

    with serving(answers(status_of)) as url:
        yield url


def serving_function(accepts: Accepts) -> AbstractContextManager[str]:
    return serving(answers(lambda body: 201 if accepts(body) else 422))


def entries() -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(Path(NAME).read_text())["findings"]
    return found


def test_a_baseline_is_sorted_and_says_what_fails(run: Run, url: str) -> None:
    done = run("fire", url, *SOME, "--baseline", NAME, "--baseline-update", "--json")
    findings = {finding["name"]: finding for finding in json.loads(done.stdout)["findings"]}
    written = entries()
    assert {entry["finding"] for entry in written} == set(findings)
    assert [entry["sentence"] for entry in written] == sorted(entry["sentence"] for entry in written)
    assert len(Path(NAME).read_text().splitlines()) == 2 + 5 * len(written)
    for entry in written:
        finding = findings[entry["finding"]]
        assert all(entry[name] == finding[name] for name in ("sentence", "failing", "message"))
        assert f"added to the baseline: {entry['sentence']}\n" in done.stderr
    assert done.stderr.count("added to the baseline") == len(written)


# ------------------------------------------------------------------------------------------ what fails now is new

PAGE_COUNT: Final = "productClusters[].products[].pageCount"


def lenient(*rules: str) -> Accepts:
    return behaviours.lenient(*rules)


def rejecting(refuses: Condition) -> Accepts:
    return strict(lambda message: "orderMinimum" in message and refuses(message))


def crashing_at_one_line(refuses: Condition) -> Accepts:
    def accepts(body: bytes) -> bool:
        message = parsed(body)
        if refuses(message):
            raise RuntimeError("one line for all")
        return conforming(body) == 201

    return accepts


GROWN: Final[dict[str, tuple[Accepts, Accepts, tuple[str, ...]]]] = {
    "only zero was accepted": (
        lambda body: b'"orderMinimum":0' in body or conforming(body) == 201,
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
            for broken in brokerfuzz.check(OFFER, body).broken
        ),
        lenient("productClusters*"),
        ("--rule", "productClusters*", "--technique", "one-below", "--technique", "empty*", "--technique", "removed"),
    ),
    "only strings crashed": (
        crashing_at_one_line(lambda message: isinstance(message.get("orderMinimum"), str)),
        crashing_at_one_line(lambda message: isinstance(message.get("orderMinimum"), str | int)),
        ("--rule", "orderMinimum"),
    ),
}


@pytest.mark.parametrize("name", GROWN)
def test_what_fails_now_and_did_not_fail_then_is_new(run: Run, name: str) -> None:
    before, after, chosen = GROWN[name]
    update = ("--baseline", NAME, "--baseline-update")
    with serving_function(before) as url:
        run("fire", url, *chosen, *update)
        unchanged = run("fire", url, *chosen, "--baseline", NAME)
    assert (unchanged.exit_code, unchanged.stdout[:15]) == (0, "no new findings")
    with serving_function(after) as url:
        grown = run("fire", url, *chosen, "--baseline", NAME)
    assert grown.exit_code == 1, grown.stdout


def test_a_finding_that_shrinks_is_known(run: Run) -> None:
    _, both, chosen = GROWN["only zero was accepted"]
    with serving_function(both) as url:
        run("fire", url, *chosen, "--baseline", NAME, "--baseline-update")
    with serving_function(GROWN["only zero was accepted"][0]) as url:
        assert run("fire", url, *chosen, "--baseline", NAME).exit_code == 0
