"""The same behaviour gives the same findings through every kind of target."""

import json
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path

import mistaken_service
import pytest
from behaviours import causes_in, causes_of
from click.testing import Result
from fixture_types import Run
from hand_made_servers import answers, serving

import brokerfuzz

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


def _options(**patterns: list[str]) -> list[str]:
    return [word for name, values in patterns.items() for value in values for word in (f"--{name}", value)]


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_target_gives_the_same_findings(kind: str, run: Run) -> None:
    with KINDS[kind]() as target:
        done = run("fire", *target, *_options(site=mistaken_service.SITES), "--json")
    report = brokerfuzz.fire(mistaken_service.accepts, sites=mistaken_service.SITES)
    _check_equality(done, report, mistaken_service.CAUSES)


def test_a_program_that_starts_for_each_message_gives_the_same_findings(run: Run) -> None:
    done = run("fire", "--exec", "cat", *_options(rule=["*number:minLength"]), "--json")
    report = brokerfuzz.fire(lambda _: True, rules=["*number:minLength"])
    _check_equality(done, report, {"accepts number:minLength"})


def _check_equality(done: Result, report: brokerfuzz.Report, causes: set[str]) -> None:
    assert done.exit_code == 1, done.stderr
    document = json.loads(done.stdout)
    assert causes_in(document) == causes_of(report) == causes
    assert document["cases"] == report.result.cases
    assert sorted(finding["count"] for finding in document["findings"]) == sorted(
        finding.count for finding in report.findings
    )
