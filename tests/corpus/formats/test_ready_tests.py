from dataclasses import replace
from pathlib import Path

import pytest
from exported_cases import about
from ready_suites import RULE, chosen, clocked, offer
from suite_runners import RUNNERS, Runner

from brokerfuzz.cases.case import Case, Fault
from brokerfuzz.corpus import write
from brokerfuzz.corpus.formats import CorpusInfo
from brokerfuzz.corpus.formats.suite_cases import arranged, named_tests
from brokerfuzz.corpus.formats.suite_folder import ENTRY, EXPECTED_FAILURES

CRASHING = offer(b'{"number":"crash","offerType":"Email"}')
UNNECESSARY = "*/lastUpdatedDateTimeUtc:*"
"""All tests that match this entry pass, so the entry is unnecessary in the file of expected failures."""


def zero() -> Case:
    return chosen()[1]


def all_cases() -> tuple[Case, ...]:
    return (*chosen(), CRASHING)


@pytest.fixture(params=RUNNERS)
def runner(request: pytest.FixtureRequest) -> Runner:
    return RUNNERS[request.param]


def exported(folder: Path, runner: Runner, *entries: str, info: CorpusInfo | None = None) -> Path:
    suite = folder / "brokercontract"
    write(suite, all_cases(), fmt=runner.format, about=info or about())
    (suite / "invalid.txt").write_text(
        "".join(f"{case.body.hex()}\n" for case in all_cases() if case.label == "invalid")
    )
    expect(suite, runner, *entries)
    return suite


def expect(suite: Path, runner: Runner, *entries: str) -> None:
    with (suite / runner.data / EXPECTED_FAILURES).open("a") as stream:
        stream.write("".join(f"{entry}\n" for entry in entries))


def names(runner: Runner, info: CorpusInfo) -> dict[str, str]:
    """Maps the ID of each case to the name of its test in the report."""
    cases = arranged(all_cases(), info)
    names = {one.case.id: one.test.replace(" ", "_") if runner.format == "go" else one.test for one in cases}
    if runner.lists_functions:
        functions = {cases[number].test: name for name, number in named_tests(cases)}
        return {one.case.id: functions[one.test] for one in cases}
    return names


@pytest.mark.every(3)
def test_each_rule_is_a_test_that_shows_its_failures_and_honours_the_expected_ones(
    runner: Runner, tmp_path: Path
) -> None:
    suite = exported(tmp_path, runner, f"{CRASHING.id}  # a known bug", UNNECESSARY, "*/no-such-rule:*")
    found, name = runner.report(suite), names(runner, about())
    failed = {test: said for test, (outcome, said) in found.items() if outcome == "failed"}
    assert failed.keys() == {name[zero().id], runner.expected_failures}
    assert f"accepted the invalid offer-creation-request {zero().id}" in failed[name[zero().id]]
    assert f"Broken: {RULE} at /orderMinimum: expected at least 1, found 0 (one-below)." in failed[name[zero().id]]
    assert f"{ENTRY}{RULE}  # 1 of " in failed[name[zero().id]]
    assert UNNECESSARY in failed[runner.expected_failures]
    assert CRASHING.id not in failed[runner.expected_failures]
    assert "no-such-rule" not in failed[runner.expected_failures]
    assert found.keys() >= set(name.values())
    seen = {bytes.fromhex(line) for line in (suite / "seen.txt").read_text().splitlines()}
    assert seen == {case.body for case in all_cases() if case.id not in clocked()}


@pytest.mark.every(3)
def test_on_request_each_case_is_a_test(runner: Runner, tmp_path: Path) -> None:
    info = replace(about(), by_case=True)
    suite = exported(tmp_path, runner, CRASHING.id, info=info)
    found, name = runner.report(suite), names(runner, info)
    assert found.keys() >= set(name.values())
    assert len(set(name.values())) == len(all_cases()) - len(clocked())
    ((test, said),) = ((test, said) for test, (outcome, said) in found.items() if outcome == "failed")
    assert test == name[zero().id]
    assert f"{ENTRY}{RULE} one-below  # 1 of 1 cases fail" in said
    assert found[name[CRASHING.id]][0] == ("skipped" if runner.can_skip else "passed")
    expect(suite, runner, f"{RULE} one-below")
    assert all(outcome != "failed" for outcome, _ in runner.report(suite, complete=False).values())


@pytest.mark.every(3)
def test_one_failure_says_why_no_other_test_can_run_until_it_is_expected(runner: Runner, tmp_path: Path) -> None:
    suite = exported(tmp_path, runner)
    said = the_failure(runner, suite)
    assert "plain messages fail, so no other test runs" in said
    assert "crashed on the valid offer-creation-request" in said
    assert "complete accepts() in accepts" in said or "complete accepts() in Broker" in said
    expect(suite, runner, "*", "0123456789abcdef")
    assert all(outcome != "failed" for outcome, _ in runner.report(suite, complete=False).values())


@pytest.mark.every(3)
def test_a_rejection_proves_nothing_if_the_twin_is_an_expected_failure(runner: Runner, tmp_path: Path) -> None:
    suite = tmp_path / "brokercontract"
    twin = chosen()[0]
    below_zero = offer(twin.body.replace(b":1}", b":-1}"), Fault(RULE, "/orderMinimum", "negative"), twin=twin)
    write(suite, (*all_cases(), below_zero), fmt=runner.format, about=about())
    rejected = (below_zero, chosen()[0], *(case for case in all_cases() if case.label == "invalid"))
    (suite / "invalid.txt").write_text("".join(f"{case.body.hex()}\n" for case in rejected))
    expect(suite, runner, chosen()[0].id, CRASHING.id)
    ((test, said),) = ((test, said) for test, (outcome, said) in runner.report(suite).items() if outcome == "failed")
    assert test == names(runner, about())[zero().id]
    assert f"accepted the invalid offer-creation-request {zero().id}" in said
    reason = f"inconclusive: your system does not accept the twin (the valid counterpart) {chosen()[0].id} either"
    assert (reason in said) != runner.can_skip


def the_failure(runner: Runner, suite: Path) -> str:
    found = runner.report(suite, complete=False)
    (said,) = (said for outcome, said in found.values() if outcome == "failed")
    assert all(outcome == "passed" for outcome, other in found.values() if other != said)
    return said


def test_an_export_keeps_the_expected_failures_and_warns_of_entries_that_match_no_case(tmp_path: Path) -> None:
    suite = exported(
        tmp_path, RUNNERS["vitest"], zero().id, "*/orderMinimum:minimum one-below # known", "*/paperType:*"
    )
    kept = (suite / EXPECTED_FAILURES).read_bytes()
    for cases, stale in (
        (all_cases(), ["line 8: */paperType:*"]),
        (chosen()[:1], [f"line 6: {zero().id}", "line 7: */orderMinimum:minimum one-below", "line 8: */paperType:*"]),
    ):
        info = about()
        write(suite, cases, fmt="vitest", about=info)
        assert (suite / EXPECTED_FAILURES).read_bytes() == kept
        (warning,) = info.warnings
        assert f"has entries that match no case ({'; '.join(stale)}): to remove them, run `sed -i " in warning
