"""A campaign against a target with mistakes says what a developer would say about each of them, and nothing else."""

import json
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from typing import Any

import mistaken_service
import pytest
from behaviour_table import BEHAVIOURS, PAGE_COUNT, Behaviour
from behaviours import LINE_OF_CODE, OFFER, check, crashing, lenient, objects, strict
from fixture_types import Run
from hand_made_servers import answers, serving
from hypothesis import given
from hypothesis import strategies as st

import brokerfuzz


def row(behaviour: Behaviour) -> Any:
    """A campaign with all offers takes long."""
    is_long = not behaviour.chosen and behaviour.message_type == OFFER
    return pytest.param(behaviour, id=str(behaviour), marks=pytest.mark.long if is_long else ())


@pytest.mark.parametrize("behaviour", [row(behaviour) for behaviour in BEHAVIOURS])
def test_a_campaign_states_each_mistake_once_and_nothing_else(behaviour: Behaviour) -> None:
    report = brokerfuzz.fire(behaviour.accepts, behaviour.message_type, **behaviour.chosen)
    texts = sorted(LINE_OF_CODE.sub("", finding.text) for finding in report.findings)
    assert len(texts) == len(behaviour.texts), report
    for text, expected in zip(texts, sorted(behaviour.texts), strict=True):
        beginning, ellipsis, _ = expected.partition("…")
        assert text == expected or (ellipsis and text.startswith(beginning)), report
    assert (report.outcome.state, report.outcome.status) == ("complete", 1 if texts else 0)


# ---------------------------------------------------------------------------------------------------- any rule

RULES = [rule for message_type in brokerfuzz.MESSAGE_TYPES for rule in brokerfuzz.rules(message_type)]


def _about(rule: brokerfuzz.Rule) -> dict[str, Any]:
    """Selects the cases at the site of the rule, which are enough to name the rule."""
    return {"rules": [rule.site or rule.id]}


@given(rule=st.sampled_from(RULES))
def test_the_finding_of_a_lenient_service_names_its_rule(rule: brokerfuzz.Rule) -> None:
    name = rule.id.partition("/")[2]
    report = brokerfuzz.fire(lenient(name, message_type=rule.message_type), rule.message_type, **_about(rule))
    (finding,) = report.findings
    assert finding.rules == (rule.id,), report
    assert (report.outcome.state, report.outcome.status) == ("complete", 1), report


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


def price_tiers(message: dict[str, Any]) -> list[list[dict[str, Any]]]:
    return [one["priceTiers"] for one in objects(message, "priceClasses") if one.get("priceTiers")]


def has_null_in_third_tier(message: dict[str, Any]) -> bool:
    return any(tiers[2].get("maximumQuantity", "") is None for tiers in price_tiers(message) if len(tiers) > 2)


CRASHES: dict[str, tuple[Callable[[dict[str, Any]], bool], dict[str, Any]]] = {
    "a third price tier": (
        lambda message: any(len(tiers) == 3 for tiers in price_tiers(message)),
        {"verdicts": ["valid"]},
    ),
    "an allowed null in the third price tier": (has_null_in_third_tier, {"verdicts": ["valid"]}),
    "an array in an unknown property": (
        lambda message: "aaa" in (message.get("omniChannel") or {}),
        {"rules": ["*/omniChannel:additionalProperties"]},
    ),
}


@pytest.mark.parametrize("name", CRASHES)
def test_a_campaign_finds_a_reader_that_crashes_at_one_place(name: str) -> None:
    fails, chosen = CRASHES[name]
    report = brokerfuzz.fire(crashing(fails), OFFER, **chosen)
    assert {finding.kind for finding in report.findings} == {"crashed"}, report


def test_a_reader_that_crashes_on_a_number_of_more_than_4300_digits_has_a_finding() -> None:
    def accepts(body: bytes) -> bool:
        if re.search(rb"(?<![\d.])\d{4301,}(?![\d.eE])", body):
            raise RuntimeError
        return check(OFFER, body).label != "invalid"

    report = brokerfuzz.fire(accepts, verdicts=["unspecified"], shrink=0)
    assert [finding.kind for finding in report.findings] == ["crashed"]


# ------------------------------------------------------------------------------------ behind other mistakes


def test_a_fault_is_found_behind_values_that_the_service_rejects_and_is_not_sent_again_on_resume(
    run: Run, tmp_path: Path
) -> None:
    picky = strict(
        lambda message: message.get("isActive") is False or message.get("comments", "") is None,
        lenient(f"{PAGE_COUNT}:minimum"),
    )
    journal, sites = tmp_path / "run.ndjson", (PAGE_COUNT, "isActive", "comments", "orderMinimum")
    options = [option for site in sites for option in ("--rule", site)]
    with serving(answers(lambda body: 201 if picky(body) else 400)) as url:
        before = json.loads(run("fire", url, "--journal", journal, *options, "--json").stdout)
        after = json.loads(run("fire", url, "--resume", journal, "--json").stdout)
    assert {finding["text"] for finding in before["findings"]} == {
        f"{PAGE_COUNT}: accepted 0; must be at least 1",
        "isActive: rejected if it is false",
        "comments: rejected if it is null",
    }
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
    return brokerfuzz.fire(mistaken_service.accepts, rules=mistaken_service.SITES)


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_target_gives_the_same_findings(kind: str, run: Run, in_process: brokerfuzz.Report) -> None:
    with KINDS[kind]() as target:
        sites = [word for site in mistaken_service.SITES for word in ("--rule", site)]
        done = run("fire", *target, *sites, "--json")
    assert done.exit_code == 1, done.stderr
    document = json.loads(done.stdout)
    assert len(document["findings"]) == 3
    assert document["cases"] == in_process.result.cases
    failing = [finding["failing"] for finding in document["findings"]]
    assert sorted(failing) == sorted(list(finding.failing) for finding in in_process.findings)
