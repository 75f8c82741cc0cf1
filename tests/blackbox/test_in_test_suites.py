"""What users read when a test of their own suite fails: with pytest, with Hypothesis, and with
`brokerfuzz.assert_conforms`.
"""

import subprocess
import sys
from collections.abc import Callable, Mapping
from itertools import count
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest

import brokerfuzz

OFFER = "offer-creation-request"
Suite = Callable[[str], str]
PARSER = """
    import json

    def accepts(body):
        try:
            offer = json.loads(body)
        except ValueError:
            return False
        return isinstance(offer, dict) and BUG
"""
"""A program with a bug. It accepts every object that the expression BUG accepts."""


@pytest.fixture
def suite(tmp_path: Path, environment: Mapping[str, str]) -> Suite:
    """Runs a module of tests with pytest, and returns what pytest prints."""

    def run(code: str) -> str:
        (tmp_path / "test_offers.py").write_text(dedent(code))
        options = ["-q", "-c", "/dev/null", "-p", "no:cacheprovider", "-p", "brokerfuzz.testing.plugin"]
        command = [sys.executable, "-m", "pytest", *options, "test_offers.py"]
        alone = {**environment, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
        return subprocess.run(
            command, cwd=tmp_path, env=alone, capture_output=True, text=True, check=False, timeout=120
        ).stdout

    return run


numbers = count(1)


def by_rule(bug: str, assertion: str, *, by: str = "rule", **filters: object) -> str:
    """Returns a suite like that of the README, for a program with a bug."""
    arguments = "".join(f", {name}={value!r}" for name, value in filters.items())
    return dedent(PARSER.replace("BUG", bug)) + dedent(f"""
        import brokerfuzz

        @brokerfuzz.parametrize("{OFFER}", by="{by}"{arguments})
        def test_{next(numbers)}(case):
            {assertion}
    """)


README_ASSERTION = 'assert accepts(case.body) == (case.label == "valid")'


@pytest.mark.every(2)
@pytest.mark.parametrize("by", ["rule", "case"])
def test_a_failure_of_the_assertion_in_the_readme_says_what_the_program_did(suite: Suite, by: str) -> None:
    cases: dict[str, Any] = {"rules": ["*orderMinimum:minimum"], "techniques": ["one-below"], "by": by}
    printed = suite(
        by_rule("offer.get('orderMinimum') != 1", README_ASSERTION, **cases)
        + by_rule(
            "offer.get('orderMinimum') != 1",
            README_ASSERTION.replace("==", "is", 1).replace('== "valid"', '!= "invalid"'),
            **cases,
        )
        + by_rule("offer.get('orderMinimum') != 1", "assert len(case.body) == 5", **cases)
    )
    accepted, rejected = (f"observed      {answer} (test_offers.py:" for answer in ("accepted", "rejected"))
    assert printed.count(accepted) == printed.count(rejected) > 1
    assert "assert True" not in printed
    assert "assert False" not in printed
    assert "observed      assert 5" in printed, "other assertions are shown as they are"


@pytest.mark.parametrize("text", ["text", "", '{"number":"a","offerType":"Email"}'])
def test_check_says_that_it_needs_bytes_if_it_gets_a_string(text: str) -> None:
    with pytest.raises(TypeError, match=r"bytes.*body\.encode\(\)") as caught:
        brokerfuzz.check(OFFER, text)
    assert "\n" not in str(caught.value)


def test_check_still_accepts_values_and_all_kinds_of_bytes() -> None:
    value = {"number": "a", "offerType": "Email"}
    body = b'{"number":"a","offerType":"Email"}'
    assert {brokerfuzz.check(OFFER, one).label for one in (value, body, bytearray(body), memoryview(body))} == {"valid"}
    others: tuple[object, ...] = (None, 1, True, [])
    assert {brokerfuzz.check(OFFER, one).label for one in others} == {"invalid"}
