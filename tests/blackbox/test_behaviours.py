"""A campaign against a target with mistakes names the causes that a developer would name, and no others."""

import json
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from typing import Any

import mistaken_service
import pytest
from behaviours import BEHAVIOURS, OFFER, Behaviour, causes_in, causes_of, conforming, lenient, objects, parsed, strict
from fixture_types import Run
from hand_made_servers import answers, serving
from hypothesis import given
from hypothesis import strategies as st

import brokerfuzz


@pytest.mark.every(8)
@pytest.mark.parametrize("behaviour", BEHAVIOURS, ids=str)
@pytest.mark.parametrize("scope", ["some cases", pytest.param("all cases", marks=pytest.mark.long)])
def test_a_campaign_names_the_causes_and_nothing_else(scope: str, behaviour: Behaviour) -> None:
    filters: Any = behaviour.filters() if scope == "some cases" else {}
    report = brokerfuzz.fire(behaviour.accepts, behaviour.message_type, **filters)
    assert report.outcome.state == "complete", report
    assert behaviour.is_named_by(causes_of(report)), report
    assert report.outcome.status == (1 if behaviour.causes else 0)
    mistakes = 1 if "*" in "".join(behaviour.causes) else len(behaviour.causes)
    assert len(report.findings) == mistakes, report


# ---------------------------------------------------------------------------------------------------- any rule

RULES = [rule for message_type in brokerfuzz.MESSAGE_TYPES for rule in brokerfuzz.rules(message_type)]


def _about(rule: brokerfuzz.Rule) -> dict[str, Any]:
    """Selects the cases at the site of the rule, which are enough to name the rule."""
    return {"sites": [rule.site]} if rule.site else {"rules": [rule.id]}


@given(rule=st.sampled_from(RULES))
def test_findings_of_a_lenient_service_name_its_rule(rule: brokerfuzz.Rule) -> None:
    name = rule.id.partition("/")[2]
    report = brokerfuzz.fire(lenient(name, message_type=rule.message_type), rule.message_type, **_about(rule))
    assert causes_of(report) == {f"accepts {name}"}, report
    assert (report.outcome.state, report.outcome.status, len(report.findings)) == ("complete", 1, 1), report


@pytest.mark.long
@given(rule=st.sampled_from(RULES))
def test_findings_of_a_service_that_crashes_name_its_rule(rule: brokerfuzz.Rule) -> None:
    def accepts(body: bytes) -> bool:
        verdict = brokerfuzz.check(rule.message_type, body)
        if any(broken.rule == rule.id for broken in verdict.broken):
            raise RuntimeError("the rule is broken")
        return verdict.label == "valid"

    report = brokerfuzz.fire(accepts, rule.message_type, **_about(rule))
    assert {finding.kind for finding in report.findings} == {"crashed"}
    assert all(rule.id in {reason.rule for reason in finding.reasons} for finding in report.findings), report


# ------------------------------------------------------------------------------------------- crashes at one place


def tiers(body: bytes) -> list[list[dict[str, Any]]]:
    return [one["priceTiers"] for one in objects(parsed(body), "priceClasses") if one.get("priceTiers")]


CRASHES: dict[str, tuple[Callable[[bytes], bool], str]] = {
    "a third price tier": (lambda body: any(len(found) == 3 for found in tiers(body)), "valid"),
    "an allowed null in the third price tier": (
        lambda body: any(found[2].get("maximumQuantity", "") is None for found in tiers(body) if len(found) > 2),
        "valid",
    ),
    "a number of more than 4,300 digits": (
        lambda body: re.search(rb"(?<![\d.])\d{4301,}(?![\d.eE])", body) is not None,
        "unspecified",
    ),
}


@pytest.mark.parametrize("name", CRASHES)
def test_a_campaign_finds_a_reader_that_crashes_at_one_place(name: str) -> None:
    crashes, verdict = CRASHES[name]
    conforms = conforming()

    def reader(body: bytes) -> bool:
        if crashes(body):
            raise RuntimeError("a bug")
        return conforms(body)

    some: Any = {"verdicts": [verdict], "shrink": 0}
    assert [finding.kind for finding in brokerfuzz.fire(reader, OFFER, **some).findings] == ["crashed"]


# ------------------------------------------------------------------------------------ behind other mistakes


def test_a_fault_is_found_behind_values_that_the_service_rejects_and_is_not_sent_again_on_resume(
    run: Run, tmp_path: Path
) -> None:
    page_count = "productClusters[].products[].pageCount"
    picky = strict(
        lambda message: message.get("isActive") is False or message.get("comments", "") is None,
        lenient(f"{page_count}:minimum"),
    )
    journal, sites = tmp_path / "run.ndjson", (page_count, "isActive", "comments", "orderMinimum")
    options = [option for site in sites for option in ("--site", site)]
    with serving(answers(lambda body: 201 if picky(body) else 400)) as url:
        before = json.loads(run("fire", url, "--journal", journal, *options, "--json").stdout)
        after = json.loads(run("fire", url, "--resume", journal, "--json").stdout)
    assert causes_in(before) == {f"accepts {page_count}:minimum", "rejects isActive", "rejects comments"}
    assert before["unproven"]["count"] == 0
    assert (after["unproven"], after["findings"]) == (before["unproven"], before["findings"])


# ---------------------------------------------------------------------------------------------------- kinds of targets

PROGRAM = f"{sys.executable} {Path(mistaken_service.__file__)}"


@contextmanager
def _served() -> Iterator[list[str]]:
    with serving(answers(mistaken_service.status_of)) as url:
        yield [url]


KINDS: dict[str, Callable[[], AbstractContextManager[list[str]]]] = {
    "a URL": _served,
    "a WSGI application": lambda: nullcontext(["--app", "mistaken_service:wsgi", "/offers"]),
    "an ASGI application": lambda: nullcontext(["--app", "mistaken_service:asgi", "/offers"]),
    "a function that creates an application": lambda: nullcontext(["--app", "mistaken_service:create", "/offers"]),
    "a function": lambda: nullcontext(["--call", "mistaken_service:accepts"]),
    "a program that keeps running": lambda: nullcontext(["--exec", PROGRAM, "--lines", "base64"]),
}


@pytest.fixture(scope="module")
def in_process() -> brokerfuzz.Report:
    return brokerfuzz.fire(mistaken_service.accepts, sites=mistaken_service.SITES)


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_target_gives_the_same_findings(kind: str, run: Run, in_process: brokerfuzz.Report) -> None:
    with KINDS[kind]() as target:
        sites = [word for site in mistaken_service.SITES for word in ("--site", site)]
        done = run("fire", *target, *sites, "--json")
    assert done.exit_code == 1, done.stderr
    document = json.loads(done.stdout)
    assert causes_in(document) == causes_of(in_process) == mistaken_service.CAUSES
    assert document["cases"] == in_process.result.cases
    failing = [finding["failing"] for finding in document["findings"]]
    assert sorted(failing) == sorted(list(finding.failing) for finding in in_process.findings)
