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
        command = [
            sys.executable,
            "-m",
            "pytest",
            "-q",
            "-c",
            "/dev/null",
            "-p",
            "no:cacheprovider",
            "-p",
            "brokerfuzz.testing.plugin",
            "test_offers.py",
        ]
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


def first_failure(printed: str, group: str) -> str:
    """Returns the description of the first failed case of a group."""
    return printed.split(f"[{group}]", 1)[1].split("\n   observed ", 1)[0]


def test_the_plainest_failure_of_a_rule_comes_first(suite: Suite) -> None:
    printed = suite(by_rule("len(offer) == 3", README_ASSERTION, verdicts=["valid"]))
    first = first_failure(printed, f"valid {OFFER}")
    assert 'message       {"number":"a","offerType":"Direct Mail"}' in first
    assert "\\u" not in first


@pytest.mark.long
def test_unusual_characters_come_last_even_in_long_groups(suite: Suite) -> None:
    printed = suite(by_rule('"comments" not in offer and "b" not in str(offer)', README_ASSERTION, verdicts=["valid"]))
    assert "\\" not in "".join(printed.split(" failed)\n", 1)[1].splitlines()[:8])


@pytest.mark.long
def test_the_rest_of_the_failures_can_be_shown(suite: Suite) -> None:
    printed = suite(by_rule("True", README_ASSERTION, rules=["*number:type"]))
    assert 'more: by="case" shows each of them' in printed


@pytest.mark.long
def test_the_explanation_of_hypothesis_names_only_lines_of_the_user(suite: Suite) -> None:
    printed = suite(
        dedent(PARSER.replace("BUG", "judged(offer, body)"))
        + dedent("""
        import brokerfuzz
        import brokerfuzz.hypothesis_plugin
        from brokerfuzz.strategies import invalid_offer_requests
        from hypothesis import given, settings

        brokerfuzz.hypothesis_plugin.register()

        def judged(offer, body):
            if isinstance(offer.get("orderMinimum"), int) and offer["orderMinimum"] < 1:
                return True
            return brokerfuzz.check("offer-creation-request", body).label == "valid"

        @settings(derandomize=True)
        @given(invalid_offer_requests(rules=["*:minimum"]))
        def test_rules(case):
            assert not accepts(case.body)
    """)
    )
    explanation = printed.partition("Explanation:")[2]
    assert "test_offers.py:" in explanation, printed
    assert str(Path(brokerfuzz.__file__).parent) not in explanation


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


@pytest.mark.long
def test_an_error_with_many_findings_says_how_to_see_all_of_them(tmp_path: Path) -> None:
    file = tmp_path / "findings.html"
    with pytest.raises(AssertionError) as caught:
        brokerfuzz.assert_conforms(
            lambda body: body[:1] == b"{", rules=["*:type"], techniques=["number-instead"], shrink=0, reports=[file]
        )
    last = str(caught.value).splitlines()[-1]
    assert "more findings" in last
    assert "reports=['findings.html']" in last
    assert "report.findings" in last
    assert file.exists()
    assert len(caught.value.report.findings) > 10  # type: ignore[attr-defined]


@pytest.mark.every(4)
@pytest.mark.parametrize("kind", ["Broken", "Case"])
@pytest.mark.parametrize("order", ["hypothesis first", "brokerfuzz first"])
def test_a_strategy_from_the_type_of_cases_says_what_to_use_instead(kind: str, order: str) -> None:
    imports = [
        "import hypothesis, brokerfuzz.hypothesis_plugin as plugin; plugin.register()",
        f"from brokerfuzz import {kind}",
    ]
    code = [
        *(imports if order == "hypothesis first" else imports[::-1]),
        f"hypothesis.find(hypothesis.strategies.from_type({kind}), bool)",
    ]
    done = subprocess.run([sys.executable, "-c", "\n".join(code)], capture_output=True, text=True, check=False)
    said = next(line for line in done.stderr.splitlines() if line.startswith("hypothesis.errors.InvalidArgument"))
    assert f"st.from_type({kind})" in said
    assert "brokerfuzz.strategies.invalid_offer_requests()" in said
    assert "brokerfuzz.strategies.cases(message_type)" in said
