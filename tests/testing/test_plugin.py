import subprocess
import sys
from importlib.metadata import entry_points

import pytest

import brokerfuzz.cases.random_cases
import brokerfuzz.targets.http_client
import brokerfuzz.testing.checked_target  # imported now, because each inner session forgets the modules that it imports
from brokerfuzz import parametrize
from brokerfuzz.corpus import load
from brokerfuzz.testing.parametrizing import names_of

pytest_plugins = ["pytester"]

SUITE = """
    import brokerfuzz, pytest
    OFFER, MINIMUM = "offer-creation-request", ["*orderM*:minimum"]

    def accepts(body):
        broken = brokerfuzz.check(OFFER, body).broken
        return all(entry.rule == "offer-creation-request/orderMinimum:minimum" for entry in broken)
"""
"""The beginning of a test suite, with a program that does not check the minimum of orderMinimum."""
BY_RULE = (
    "@brokerfuzz.parametrize(OFFER, rules=MINIMUM)\n    def test_offers(case): assert "
    'accepts(case.body) == (case.label == "valid")\n'
)
BY_CASE = BY_RULE.replace("MINIMUM)", 'MINIMUM, by="case", techniques=["one-below"])')
ALONE = ["-p", "brokerfuzz.testing.plugin", "-p", "no:cacheprovider"]


@pytest.fixture(autouse=True)
def _only_this_plugin(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")


def run(pytester: pytest.Pytester, code: str, *options: str) -> pytest.RunResult:
    pytester.makepyfile(test_offers=f"{SUITE}\n    {code}")
    return pytester.runpytest_inprocess(*ALONE, *options)


def test_the_plugin_is_an_entry_point_of_pytest() -> None:
    assert "brokerfuzz.testing.plugin" in {point.value for point in entry_points(group="pytest11")}


# ----------------------------------------------------------------------------------------------------------- collection


def test_ids_are_readable_and_valid_selects_no_invalid_case(pytester: pytest.Pytester) -> None:
    for message_type in brokerfuzz.MESSAGE_TYPES:
        names = dict(zip(names_of(cases := load(message_type)), cases, strict=True))
        assert len(names) == len(cases)
        begins = {"invalid": "breaks ", "unspecified": "touches ", "valid": "valid "}
        assert all(name.startswith(begins[case.label]) for name, case in names.items())
        assert not [name for name, case in names.items() if case.label == "invalid" and "valid" in name]
    listed = run(pytester, BY_CASE, "--collect-only", "-q", "-k", "valid").outlines
    assert [line.partition("[")[2].split()[0] for line in listed if "::" in line] == ["valid", "valid"]


def test_there_is_one_test_per_rule_and_one_for_the_valid_cases(pytester: pytest.Pytester) -> None:
    listed = run(pytester, BY_RULE, "--collect-only", "-q").outlines
    ids = [line.partition("[")[2] for line in listed if "::" in line]
    assert ids == ["valid offer-creation-request]", "breaks orderMinimum minimum]", "breaks orderMaximum minimum]"]


def test_random_cases_follow_from_the_seed(pytester: pytest.Pytester) -> None:
    def ids(*options: str) -> list[str]:
        return [line for line in run(pytester, BY_CASE, "--collect-only", "-q", *options).outlines if "::" in line]

    usual, seven = ids(), ids("--brokerfuzz-count=20", "--brokerfuzz-seed=7")
    assert seven[: len(usual)] == usual
    assert len(usual) < len(seven) <= len(usual) + 20
    assert ids("--brokerfuzz-count=20", "--brokerfuzz-seed=7") == seven != ids("--brokerfuzz-count=20")


@pytest.mark.parametrize(
    ("arguments", "function", "said"),
    [
        ("'offer'", "case", "unknown message type 'offer': did you mean 'offer-creation-request' or"),
        ("OFFER, rules=['*pageCounts:minimum']", "case", "unknown rule '*pageCounts:minimum'"),
        ("OFFER, verdicts=['wrong']", "case", "unknown verdict 'wrong'"),
        ("OFFER, rules='number'", "case", "rules='number' is not a list: use a list or tuple"),
        ("OFFER, by='rules'", "case", "by='rules' is not supported: use 'case' for one test per case, or 'rule'"),
        ("OFFER", "message", "test_offers has no parameter `case`: add one, so that the test receives the case"),
        (
            "OFFER, rules=MINIMUM, techniques=['null-instead']",
            "case",
            "no case matches the arguments of brokerfuzz.parametrize",
        ),
    ],
)
def test_an_invalid_use_is_explained_in_a_few_lines(
    pytester: pytest.Pytester, arguments: str, function: str, said: str
) -> None:
    done = run(pytester, f"@brokerfuzz.parametrize({arguments})\n    def test_offers({function}): pass")
    assert done.ret == pytest.ExitCode.INTERRUPTED
    assert said in done.stdout.str()
    assert len(done.outlines) < 30


def test_a_second_decorator_and_a_decorated_class_are_errors() -> None:
    decorate = parametrize("offer-creation-request")
    with pytest.raises(TypeError, match="twice: use it once, or write two functions"):
        decorate(decorate(lambda case: None))
    with pytest.raises(TypeError, match="move it to each test function"):
        decorate(type("TestOffers", (), {}))


@pytest.mark.parametrize(
    ("option", "said"),
    [
        ("--brokerfuzz-url", "expected one argument"),
        ("--brokerfuzz-url=", "--brokerfuzz-url is empty: specify a URL"),
        ("--brokerfuzz-seed=one", "invalid int value: 'one'"),
        ("--brokerfuzz-count=-1", "--brokerfuzz-count is negative: use 0 or more"),
    ],
)
def test_an_option_with_a_wrong_value_ends_the_session_at_once(
    pytester: pytest.Pytester, option: str, said: str
) -> None:
    done = run(pytester, BY_CASE, option)
    assert done.ret == pytest.ExitCode.USAGE_ERROR
    assert said in done.stderr.str()


# ------------------------------------------------------------------------------------------------------------- failures


def test_a_failed_case_shows_its_facts(pytester: pytest.Pytester) -> None:
    done = run(pytester, BY_CASE)
    done.assert_outcomes(passed=3, failed=1)
    lines = done.outlines
    start = next(
        index for index, line in enumerate(lines) if "test_offers[breaks orderMinimum minimum one-below]" in line
    )
    assert [line.partition(" (test_")[0].rstrip() for line in lines[start + 1 : start + 7]] == [
        "orderMinimum: accepted 0; must be at least 1",
        "   rule          offer-creation-request/orderMinimum:minimum at /orderMinimum (one-below)",
        '   message       {"number":"a","offerType":"Direct Mail","orderMinimum":0}',
        '   twin differs  -   "orderMinimum": 1',
        '                 +   "orderMinimum": 0',
        "   observed      accepted",
    ]


def test_a_failed_rule_shows_the_number_and_the_three_plainest_cases(pytester: pytest.Pytester) -> None:
    done = run(pytester, BY_RULE)
    done.assert_outcomes(passed=2, failed=1)
    printed = done.stdout.str().partition("short test summary")[
        0
    ]  # pytest repeats failures in its summary on build servers
    assert "\norderMinimum: accepted 0; must be at least 1 (8 of 8 cases failed)\n" in printed
    assert printed.count("\norderMinimum: accepted") == 3
    assert "\nand 5 more" in printed
    assert "brokerfuzz/" not in printed


def test_a_crash_keeps_its_traceback(pytester: pytest.Pytester) -> None:
    crash = BY_CASE.replace("assert accepts(case.body)", "{}[1]")
    printed = run(pytester, crash).stdout.str()
    assert "in test_offers" in printed
    assert "E   KeyError: 1" in printed
    assert "at /orderMinimum" in printed


def test_a_requested_traceback_stays(pytester: pytest.Pytester) -> None:
    printed = run(pytester, BY_CASE, "--tb=long").stdout.str()
    assert ">" in printed
    assert "where True = accepts(" in printed
    assert "at /orderMinimum" in printed


# -------------------------------------------------------------------------------------------------------------- markers


def test_a_rule_can_be_expected_to_fail(pytester: pytest.Pytester) -> None:
    marker = 'pytest.mark.brokerfuzz_xfail("*orderMinimum:minimum", reason="T-1")'
    done = run(pytester, f"@{marker}\n    {BY_RULE}", "-rx")
    done.assert_outcomes(passed=2, xfailed=1)
    run(pytester, f"pytestmark = {marker}\n    def test_other(): pass\n\n    {BY_RULE}").assert_outcomes(
        passed=3, xfailed=1
    )
    assert "breaks orderMinimum minimum] - T-1" in done.stdout.str()


@pytest.mark.parametrize(
    ("marked", "said"),
    [
        (
            f'@pytest.mark.brokerfuzz_xfail("orderMinimum:minimun")\n    {BY_RULE}',
            "marker brokerfuzz_xfail: unknown rule 'orderMinimum:minimun'",
        ),
        (f"@pytest.mark.brokerfuzz_xfail\n    {BY_RULE}", "the marker brokerfuzz_xfail has no rule: write"),
        (
            '@pytest.mark.brokerfuzz_xfail("*")\n    def test_offers(): pass',
            "needs @brokerfuzz.parametrize: add this decorator",
        ),
    ],
)
def test_a_wrong_marker_is_explained(pytester: pytest.Pytester, marked: str, said: str) -> None:
    done = run(pytester, marked)
    assert done.ret == pytest.ExitCode.INTERRUPTED
    assert said in done.stdout.str()
    assert "Traceback" not in done.stdout.str()


# ------------------------------------------------------------------------------------------------------------- unittest

TEST_CASE = """
    import unittest

    class OfferTests(unittest.TestCase):
        @brokerfuzz.parametrize(OFFER, rules=MINIMUM)
        def test_offers(self, case):
            self.assertEqual(accepts(case.body), case.label == "valid")

    class MoreOfferTests(OfferTests):
        pass
"""


def test_methods_of_unittest_report_each_rule_as_a_subtest(pytester: pytest.Pytester) -> None:
    done = run(pytester, TEST_CASE)
    assert done.parseoutcomes()["failed"] >= 2
    assert "breaks orderMinimum minimum" in done.stdout.str()
    assert "(8 of 8 cases failed)" in done.stdout.str()


def test_unittest_alone_reports_each_rule_as_a_subtest(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(test_offers=f"{SUITE}{TEST_CASE}")
    done = subprocess.run(
        [sys.executable, "-m", "unittest", "test_offers.OfferTests"], capture_output=True, text=True, check=False
    )
    assert "[breaks orderMinimum minimum]" in done.stderr
    assert "(8 of 8 cases failed)" in done.stderr
    assert "FAILED (failures=1)" in done.stderr


# --------------------------------------------------------------------------------------------- fixtures and the summary

WITH_SERVICE = """
    @pytest.fixture(scope="session")
    def brokerfuzz_url(brokerfuzz_service):
        return f"{brokerfuzz_service}/offers"

    @pytest.mark.parametrize("brokerfuzz_service", [["accepts-zero-order-minimum"]], indirect=True)
    @brokerfuzz.parametrize(OFFER, verdicts=["invalid"], rules=MINIMUM)
    def test_offers(case, brokerfuzz_service, brokerfuzz_target):
        brokerfuzz_target.check(case)
"""


def test_a_target_is_checked_case_by_case_and_its_twins_prove_rejections(pytester: pytest.Pytester) -> None:
    done = run(pytester, WITH_SERVICE)
    done.assert_outcomes(passed=1, failed=1)
    printed = done.stdout.str()
    assert "observed      accepted (status 201)" in printed
    assert "offer-creation-request: 2 of 117 rules exercised, 0 unproven, 115 missing" in printed


APPLICATION = """
    def app(environ, start_response):
        body = environ["wsgi.input"].read()
        start_response("422 Invalid" if b'"orderMinimum":-' in body else "201 Created", [])
        return [b"{}"]

    @pytest.fixture(scope="session")
    def brokerfuzz_app():
        return app, "/offers"

    @brokerfuzz.parametrize(OFFER, verdicts=["invalid"], rules=["*orderMinimum:minimum"], techniques=["one-below", "negative"], by="case")
    def test_offers(case, brokerfuzz_target):
        brokerfuzz_target.check(case)
"""


def test_the_target_can_be_an_application_in_this_process(pytester: pytest.Pytester) -> None:
    done = run(pytester, APPLICATION)
    done.assert_outcomes(passed=1, failed=1)
    assert "observed      accepted (status 201)" in done.stdout.str()


def test_a_fixture_with_a_wrong_scope_is_explained_once(pytester: pytest.Pytester) -> None:
    done = run(pytester, APPLICATION.replace('@pytest.fixture(scope="session")', "@pytest.fixture"))
    done.assert_outcomes(errors=1)
    assert (
        'the fixture brokerfuzz_app has the scope function: write @pytest.fixture(scope="session")' in done.stdout.str()
    )


SECRETIVE = """
    import os
    import pytest
    @pytest.fixture(scope="session")
    def brokerfuzz_app():
        def rejects(body): raise ValueError("no " + os.environ["KEY"])
        return rejects
    @brokerfuzz.parametrize(OFFER, rules=MINIMUM, verdicts=["valid"])
    def test_offers(case, brokerfuzz_target):
        brokerfuzz_target.check(case)
"""


def test_a_failure_contains_no_secret_that_an_option_names(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KEY", "c4nary-key")
    output = run(pytester, SECRETIVE, "--brokerfuzz-secret", "KEY").stdout.str()
    assert "observed      rejected (ValueError: no ${KEY})" in output
    assert "c4nary-key" not in output
    assert (
        "the environment variable GONE, which should contain a secret, is not set"
        in run(pytester, SECRETIVE, "--brokerfuzz-secret=GONE").stderr.str()
    )


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ([], "no target given: use --brokerfuzz-url URL, or define the fixture brokerfuzz_url"),
        (["--brokerfuzz-url=http://127.0.0.1:1"], "cannot be reached"),
    ],
)
def test_a_missing_target_is_explained_in_one_line(pytester: pytest.Pytester, options: list[str], said: str) -> None:
    code = (
        "@brokerfuzz.parametrize(OFFER, rules=MINIMUM)\n    def test_offers(case, brokerfuzz_target): "
        "brokerfuzz_target.check(case)"
    )
    done = run(pytester, code, "-rN", *options)
    done.assert_outcomes(errors=3)
    assert done.stdout.str().count(said) == 3  # one line for each of the three tests
    assert "Traceback" not in done.stdout.str()


def test_a_rejection_is_unproven_if_no_test_accepted_a_twin(pytester: pytest.Pytester) -> None:
    rejects_all = BY_RULE.replace('accepts(case.body) == (case.label == "valid")', "case.label == 'invalid'")
    assert "2 of 117 rules exercised, 2 unproven, 115 missing" in run(pytester, rejects_all).stdout.str()
