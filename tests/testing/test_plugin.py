"""The plugin of pytest: each row of a table is a test suite, and what pytest prints about it."""

import unittest
from importlib.metadata import entry_points
from io import StringIO
from typing import NamedTuple

import pytest

import brokerfuzz.cases.random_cases
import brokerfuzz.targets.http_client
import brokerfuzz.testing.checked_target  # imported now, because each inner session forgets the modules that it imports
from brokerfuzz import parametrize
from brokerfuzz.corpus import load
from brokerfuzz.testing.parametrizing import names_of

pytest_plugins = ["pytester"]

SUITE = """
    import brokerfuzz, os, pytest, unittest
    OFFER, MINIMUM = "offer-creation-request", ["*orderM*:minimum"]

    def accepts(body):
        broken = brokerfuzz.check(OFFER, body).broken
        return all(entry.rule == "offer-creation-request/orderMinimum:minimum" for entry in broken)
"""
"""The beginning of a test suite, with a program that does not check the minimum of orderMinimum."""
BY_RULE = """
    @brokerfuzz.parametrize(OFFER, rules=MINIMUM)
    def test_offers(case): assert accepts(case.body) == (case.label == "valid")
"""
BY_CASE = BY_RULE.replace("MINIMUM)", 'MINIMUM, by="case", techniques=["one-below"])')
XFAIL = 'pytest.mark.brokerfuzz_xfail("*orderMinimum:minimum *", reason="T-1")'
KNOWN = 'pytest.mark.brokerfuzz_xfail("*orderMinimum:minimum one-below", "*orderMinimum:minimum negative")'
VALID = """
    import json

    def accepts_most(body):
        try: offer = json.loads(body)
        except ValueError: return True
        if offer.get("description") == "": raise KeyError(offer["number"])
        several_clusters = len(offer.get("productClusters") or []) > 1
        return not (several_clusters or "comments" in offer and not offer["comments"])

    MARK
    @brokerfuzz.parametrize(OFFER, verdicts=["valid"], by=BY)
    def test_offers(case): assert accepts_most(case.body)
"""
"""A program with three defects. It rejects comments that are null or empty."""
EDGE = "offer-creation-request/valid edge:"
EXPECTED = f'@pytest.mark.brokerfuzz_xfail("{EDGE}comments:*", "{EDGE}productClusters:*", "*twin *", strict=True)'
CRASH = f'@pytest.mark.brokerfuzz_xfail("{EDGE}description:empty")'
STALE = f'@pytest.mark.brokerfuzz_xfail("{EDGE}pdfUrl:null", strict=True)'
TEST_CASE = """
    class OfferTests(unittest.TestCase):
        @brokerfuzz.parametrize(OFFER, rules=MINIMUM)
        def test_offers(self, case):
            self.assertEqual(accepts(case.body), case.label == "valid")
"""
CHECKS = """
    @brokerfuzz.parametrize(OFFER, rules=MINIMUM, verdicts=["invalid"])
    def test_offers(case, brokerfuzz_target): brokerfuzz_target.check(case)
"""
WITH_SERVICE = """
    @pytest.fixture(scope="session")
    def brokerfuzz_url(brokerfuzz_service): return f"{brokerfuzz_service}/offers"

    @pytest.mark.parametrize("brokerfuzz_service", [["accepts-zero-order-minimum"]], indirect=True)
    @brokerfuzz.parametrize(OFFER, verdicts=["invalid"], rules=MINIMUM)
    def test_offers(case, brokerfuzz_service, brokerfuzz_target): brokerfuzz_target.check(case)
"""
APPLICATION = f"""
    def app(environ, start_response):
        body = environ["wsgi.input"].read()
        start_response("422 Invalid" if b'"orderMinimum":-' in body else "201 Created", [])
        return [b""]

    @pytest.fixture(scope="session")
    def brokerfuzz_app(): return app, "/offers"
    {CHECKS.replace("MINIMUM,", '["*orderMinimum:minimum"], techniques=["one-below", "negative"], by="case",')}
"""
SECRETIVE = f"""
    @pytest.fixture(scope="session")
    def brokerfuzz_app():
        def rejects(body): raise ValueError("no " + os.environ["KEY"])
        return rejects
    {CHECKS.replace("invalid", "valid")}
"""
TALKATIVE = """
    import logging
    seen = []

    def accepts_and_logs(body):
        seen.append(body)
        logging.getLogger("shop").warning("message %s is accepted", len(seen))
        print("message", len(seen), "is accepted")
        return True

    def test_the_shop(): brokerfuzz.assert_conforms(accepts_and_logs, rules=MINIMUM, shrink=0)
"""
FIRST_ITEMS = """
    import json

    def first_items(value):
        if isinstance(value, dict): return {name: first_items(inner) for name, inner in value.items()}
        return [first_items(item) for item in value[:1]] if isinstance(value, list) else value

    def accepts_first_items(body):
        try: body = json.dumps(first_items(json.loads(body))).encode()
        except (ValueError, RecursionError): pass
        return brokerfuzz.check("offer-pricing-response", body).label != "invalid"

    @brokerfuzz.parametrize("offer-pricing-response", FILTER)
    def test_prices(case): assert accepts_first_items(case.body) == (case.label == "valid")
"""
"""A reader that ignores all items of an array except the first."""
ALONE = ["-p", "brokerfuzz.testing.plugin", "-p", "no:cacheprovider"]


@pytest.fixture(autouse=True)
def _environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    monkeypatch.setenv("KEY", "c4nary-key")


def run(pytester: pytest.Pytester, code: str, *options: str) -> pytest.RunResult:
    pytester.makepyfile(test_offers=f"{SUITE}\n{code}")
    return pytester.runpytest_inprocess(*ALONE, *options)


def ids(pytester: pytest.Pytester, code: str, *options: str) -> list[str]:
    listed = run(pytester, code, "--collect-only", "-q", *options).outlines
    return [line.partition("[")[2].rstrip("]") for line in listed if "::" in line]


# ----------------------------------------------------------------------------------------------------------- collection


def test_the_plugin_is_an_entry_point_of_pytest() -> None:
    assert "brokerfuzz.testing.plugin" in {point.value for point in entry_points(group="pytest11")}


def test_ids_are_readable_and_valid_selects_no_invalid_case(pytester: pytest.Pytester) -> None:
    for message_type in brokerfuzz.MESSAGE_TYPES:
        names = dict(zip(names_of(cases := load(message_type)), cases, strict=True))
        assert len(names) == len(cases)
        begins = {"invalid": "breaks ", "unspecified": "touches ", "valid": "valid "}
        assert all(name.startswith(begins[case.label]) for name, case in names.items())
        assert not [name for name, case in names.items() if case.label == "invalid" and "valid" in name]
    assert [name.split()[0] for name in ids(pytester, BY_CASE, "-k", "valid")] == ["valid", "valid"]
    by_rule = ["valid offer-creation-request", "breaks orderMinimum minimum", "breaks orderMaximum minimum"]
    assert ids(pytester, BY_RULE) == by_rule


def test_random_cases_follow_from_the_seed(pytester: pytest.Pytester) -> None:
    usual, seven = ids(pytester, BY_CASE), ids(pytester, BY_CASE, "--brokerfuzz-count=20", "--brokerfuzz-seed=7")
    assert seven[: len(usual)] == usual
    assert len(usual) < len(seven) <= len(usual) + 20
    assert ids(pytester, BY_CASE, "--brokerfuzz-count=20", "--brokerfuzz-seed=7") == seven
    assert ids(pytester, BY_CASE, "--brokerfuzz-count=20") != seven


# ------------------------------------------------------------------------------------------------------------- outcomes


class Row(NamedTuple):
    """`shows` and `hides` are parts of what pytest prints."""

    code: str
    outcomes: dict[str, int]
    shows: tuple[str, ...] = ()
    options: tuple[str, ...] = ()
    hides: str = "INTERNALERROR"


NO_TWIN = BY_RULE.replace('accepts(case.body) == (case.label == "valid")', "case.label == 'invalid'")
WRONG_SCOPE = APPLICATION.replace('@pytest.fixture(scope="session")', "@pytest.fixture")
FIRST_LINE = "\norderMinimum: accepted 0; must be at least 1 (8 of 8 cases failed)\n"
ONE_FAILS = {"passed": 1, "failed": 1}
ROWS = {
    "a rule": Row(BY_RULE, {"passed": 2, "failed": 1}, (FIRST_LINE, "\n   also failed   "), hides="brokerfuzz/"),
    "a crash": Row(
        BY_CASE.replace("assert accepts(case.body)", "{}[1]"),
        {"failed": 4},
        ("E   KeyError: 1", "place         /orderMinimum"),
    ),
    "a requested traceback": Row(BY_CASE, {"passed": 3, "failed": 1}, ("where True = accepts(",), ("--tb=long",)),
    "an expected failure": Row(
        f"    @{XFAIL}{BY_RULE}", {"passed": 2, "xfailed": 1}, ("breaks orderMinimum minimum] - T-1",), ("-rx",)
    ),
    "only some of the failures are expected": Row(
        f"    @{KNOWN}{BY_RULE}", {"passed": 2, "failed": 1}, ("orderMinimum: accepted", "(6 of 8 cases failed)")
    ),
    "a failure of each cause": Row(
        VALID.replace("MARK", "").replace("BY)", '"rule")'),
        {"failed": 1},
        (
            f"   case          {EDGE}comments:",
            f"   case          {EDGE}productClusters:2-items",
            f"   case          {EDGE}description:empty",
            "failed (KeyError: 'a' (test_offers.py:14)) on: valid offer-creation-request description:empty; must be",
        ),
    ),
    "what is new among expected failures": Row(
        VALID.replace("MARK", EXPECTED).replace("BY)", '"rule")'),
        {"failed": 1},
        (f"   case          {EDGE}description:empty", "(1 of 7"),
        hides="also failed",
    ),
    "expected failures of several markers": Row(
        VALID.replace("MARK", f"{EXPECTED}\n    {CRASH}").replace("BY)", '"rule")'), {"xfailed": 1}
    ),
    "a strict expected failure that passes again": Row(
        VALID.replace("MARK", f"{EXPECTED}\n    {CRASH}\n    {STALE}").replace("BY)", '"rule")'),
        {"failed": 1},
        (
            "these cases pass again, so remove them from brokerfuzz_xfail: offer-creation-request/valid edge:pdfUrl:null",
        ),
    ),
    "expected failures by case": Row(
        VALID.replace("MARK", CRASH).replace("BY)", '"case")'), {}, ("1 xfailed",), ("-k", "description"), "failed,"
    ),
    "an expected failure of a module": Row(f"    pytestmark = {XFAIL}\n{BY_RULE}", {"passed": 2, "xfailed": 1}),
    "unittest": Row(TEST_CASE, {}, ("breaks orderMinimum minimum", "(8 of 8 cases failed)")),
    "a service": Row(WITH_SERVICE, ONE_FAILS, ("2 of 2 chosen rules exercised, 0 unproven, 0 missing",)),
    "an application": Row(APPLICATION, ONE_FAILS, ("observed      accepted (status 201)",)),
    "a wrong scope": Row(WRONG_SCOPE, {"errors": 1}, ("the fixture brokerfuzz_app has the scope function: write @py",)),
    "a secret": Row(
        SECRETIVE, {"failed": 1}, ("rejected (ValueError: no ${KEY})",), ("--brokerfuzz-secret=KEY",), "c4n"
    ),
    "no target": Row(CHECKS, {"errors": 2}, ("no target given: use --brokerfuzz-url URL, or",), hides="Traceback"),
    "an unreachable target": Row(
        CHECKS, {"errors": 2}, ("cannot be reached",), ("--brokerfuzz-url=http://127.0.0.1:1",), "Traceback"
    ),
    "a talkative application": Row(
        TALKATIVE,
        {"failed": 1},
        ("accepts numbers below the minimum", "lines of the target are left out"),
        hides="message 1 is",
    ),
    "a reader of first items": Row(
        FIRST_ITEMS.replace(", FILTER", ""), {"passed": 20, "failed": 23}, ("42 of 42 rules exercised, 0 unproven, 0",)
    ),
    "no fault in a later item": Row(
        FIRST_ITEMS.replace("FILTER", 'rules=["*quantity:type"], techniques=["numeric-string"]'),
        {"passed": 2},
        ("0 of 1 chosen rules exercised, 0 unproven, 1 missing", "no test broke the rule, in arrays in a later item"),
    ),
    "only valid messages": Row(
        VALID.replace("MARK", "").replace("BY)", '"case")'), {}, ("2 passed",), ("-k", "only-required"), hides="missing"
    ),
    "no accepted twin": Row(
        NO_TWIN, {"passed": 2, "failed": 1}, ("2 of 2 chosen rules exercised, 2 unproven, 0 missing",)
    ),
}


@pytest.mark.parametrize("name", ROWS)
def test_a_suite_passes_or_fails_with_the_facts(pytester: pytest.Pytester, name: str) -> None:
    row = ROWS[name]
    done = run(pytester, row.code, *row.options)
    printed = done.stdout.str()
    if row.outcomes:
        done.assert_outcomes(**row.outcomes)
    assert not [part for part in row.shows if part not in printed], printed
    assert row.hides not in printed.partition("short test summary")[0]


def test_a_failed_case_shows_its_facts(pytester: pytest.Pytester) -> None:
    lines = run(pytester, BY_CASE).outlines
    start = next(at for at, line in enumerate(lines) if "test_offers[breaks orderMinimum minimum one-below]" in line)
    assert [line.partition(" (test_")[0].rstrip() for line in lines[start + 1 : start + 8]] == [
        "orderMinimum: accepted 0; must be at least 1",
        "   case          offer-creation-request/orderMinimum:minimum one-below",
        "   place         /orderMinimum",
        '   message       {"number":"a","offerType":"Direct Mail","orderMinimum":0}',
        '   twin differs  -   "orderMinimum": 1',
        '                 +   "orderMinimum": 0',
        "   observed      accepted",
    ]


def test_unittest_alone_reports_each_rule_as_a_subtest(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(test_offers=f"{SUITE}{TEST_CASE}")
    pytester.syspathinsert()
    stream = StringIO()
    runner = unittest.TextTestRunner(stream)
    unittest.main("test_offers", argv=["unittest", "OfferTests"], testRunner=runner, exit=False)
    for part in ("[breaks orderMinimum minimum]", "(8 of 8 cases failed)", "FAILED (failures=1)"):
        assert part in stream.getvalue()


# ------------------------------------------------------------------------------------------------------------- mistakes


def decorated(arguments: str, function: str = "case") -> str:
    return f"    @brokerfuzz.parametrize({arguments})\n    def test_offers({function}): pass"


MISTAKES = [
    (decorated("'offer'"), "unknown message type 'offer': did you mean 'offer-creation-request' or"),
    (decorated("OFFER, rules=['*pageCounts:minimum']"), "unknown rule '*pageCounts:minimum'"),
    (decorated("OFFER, verdicts=['wrong']"), "unknown verdict 'wrong'"),
    (decorated("OFFER, rules='number'"), "rules='number' is not a list: use a list or tuple"),
    (decorated("OFFER, by='rules'"), "by='rules' is not supported: use 'case' for one test per case, or"),
    (decorated("OFFER", "message"), "test_offers has no parameter `case`: add one, so that the test"),
    (decorated("OFFER, rules=MINIMUM, techniques=['null-instead']"), "no case matches the arguments of"),
    (f'    @pytest.mark.brokerfuzz_xfail("minimun"){BY_RULE}', "unknown case 'minimun'"),
    (f'    @pytest.mark.brokerfuzz_xfail("*orderMinimum:minimum"){BY_RULE}', "use a rule and a technique, as in"),
    (f"    @pytest.mark.brokerfuzz_xfail{BY_RULE}", "the marker brokerfuzz_xfail names no case: write"),
    ('    @pytest.mark.brokerfuzz_xfail("*")\n    def test_offers(): pass', "needs @brokerfuzz.parametrize"),
]


def test_each_mistake_in_a_suite_is_explained_in_a_few_lines(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(**{f"test_{number}": f"{SUITE}\n{code}" for number, (code, _) in enumerate(MISTAKES)})
    done = pytester.runpytest_inprocess(*ALONE)
    printed = done.stdout.str() + done.stderr.str()
    assert done.ret == pytest.ExitCode.INTERRUPTED
    assert [said for _, said in MISTAKES if said not in printed] == []
    assert "Traceback" not in printed
    assert len(printed.splitlines()) < 15 * len(MISTAKES)


@pytest.mark.parametrize(
    ("code", "option", "said"),
    [
        (BY_CASE, "--brokerfuzz-url", "expected one argument"),
        (BY_CASE, "--brokerfuzz-url=", "--brokerfuzz-url is empty: specify a URL"),
        (BY_CASE, "--brokerfuzz-seed=one", "invalid int value: 'one'"),
        (BY_CASE, "--brokerfuzz-count=-1", "--brokerfuzz-count is negative: use 0 or more"),
        (SECRETIVE, "--brokerfuzz-secret=GONE", "GONE, which should contain a secret, is not set"),
    ],
)
def test_a_mistake_in_an_option_is_explained_in_a_few_lines(
    pytester: pytest.Pytester, code: str, option: str, said: str
) -> None:
    done = run(pytester, code, option)
    assert done.ret in (pytest.ExitCode.INTERRUPTED, pytest.ExitCode.USAGE_ERROR)
    printed = done.stdout.str() + done.stderr.str()
    assert said in printed
    assert "Traceback" not in printed
    assert len(printed.splitlines()) < 40


def test_a_second_decorator_and_a_decorated_class_are_errors() -> None:
    decorate = parametrize("offer-creation-request")
    with pytest.raises(TypeError, match="twice: use it once, or write two functions"):
        decorate(decorate(lambda case: None))
    with pytest.raises(TypeError, match="move it to each test function"):
        decorate(type("TestOffers", (), {}))
