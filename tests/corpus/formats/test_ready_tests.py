"""Each exported test suite, run by its own tool against a stand-in with two bugs (`tests/suite_runners.py`)."""

import re
import subprocess
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from exported_cases import RULE, chosen, clocked, corpus_info, offer
from suite_runners import RUNNERS, Report, Runner

from brokerfuzz.cases.case import Case, Fault
from brokerfuzz.corpus import write
from brokerfuzz.corpus.formats import CorpusInfo
from brokerfuzz.corpus.formats.suite_cases import arranged, named_tests
from brokerfuzz.corpus.formats.suite_folder import ENTRY, EXPECTED_FAILURES

CRASHING = offer(b'{"number":"crash","offerType":"Email"}')
CRASHING_ENTRY = f"offer-creation-request/valid {CRASHING.id}"
UNNECESSARY = "*/lastUpdatedDateTimeUtc:*"
"""All tests that match this entry pass, so the entry is unnecessary in the file of expected failures."""
EVERY_RUNNER = pytest.mark.parametrize("runner", RUNNERS.values(), ids=RUNNERS)


def twin_and_zero() -> tuple[Case, Case]:
    """Returns a message with the smallest number, and the invalid one with zero, which the stand-in accepts."""
    return chosen()[0], chosen()[1]


def all_cases() -> tuple[Case, ...]:
    return (*chosen(), CRASHING)


def exported(
    folder: Path, runner: Runner, *entries: str, info: CorpusInfo | None = None, more: Sequence[Case] = ()
) -> Path:
    """The stand-in rejects the invalid messages, and those in `more`."""
    suite, cases = folder / "brokercontract", list({case.id: case for case in (*all_cases(), *more)}.values())
    write(suite, cases, fmt=runner.format, info=info or corpus_info())
    rejected = [case.body.hex() for case in cases if case.label == "invalid" or case in more]
    (suite / "invalid.txt").write_text("".join(f"{body}\n" for body in rejected))
    expect(suite, runner, *entries)
    return suite


def expect(suite: Path, runner: Runner, *entries: str) -> None:
    with (suite / runner.data / EXPECTED_FAILURES).open("a") as stream:
        stream.write("".join(f"{entry}\n" for entry in entries))


def names(runner: Runner, info: CorpusInfo) -> dict[str, str]:
    """Maps the ID of each case to the name of its test in the report."""
    cases = arranged(all_cases(), info)
    if runner.lists_functions:
        functions = {cases[number].test: name for name, number in named_tests(cases)}
        return {one.case.id: functions[one.test] for one in cases}
    return {one.case.id: one.test.replace(" ", "_") if runner.format == "go" else one.test for one in cases}


def failed(found: Report) -> dict[str, str]:
    return {test: said for test, (outcome, said) in found.items() if outcome == "failed"}


@pytest.mark.every(3)
@EVERY_RUNNER
def test_each_rule_is_a_test_that_shows_its_failures_and_honours_the_expected_ones(
    runner: Runner, tmp_path: Path
) -> None:
    suite = exported(tmp_path, runner, f"{CRASHING_ENTRY}  # a known bug", UNNECESSARY, "*/no-such-rule:*")
    found, name, zero = runner.report(suite), names(runner, corpus_info()), twin_and_zero()[1].id
    assert failed(found).keys() == {name[zero], runner.expected_failures}
    said = failed(found)[name[zero]]
    assert f"accepted the invalid offer-creation-request {zero}" in said
    assert f"Broken: {RULE} at /orderMinimum: expected at least 1, found 0 (one-below)." in said
    assert f"{ENTRY}{RULE} one-below" in said
    unnecessary = failed(found)[runner.expected_failures]
    assert UNNECESSARY in unnecessary
    assert CRASHING_ENTRY not in unnecessary
    assert "no-such-rule" not in unnecessary
    assert found.keys() >= set(name.values())
    seen = {bytes.fromhex(line) for line in (suite / "seen.txt").read_text().splitlines()}
    assert seen == {case.body for case in all_cases() if case.id not in clocked()}


@pytest.mark.every(6)
@EVERY_RUNNER
def test_on_request_each_case_is_a_test(runner: Runner, tmp_path: Path) -> None:
    info = replace(corpus_info(), by_case=True)
    suite = exported(tmp_path, runner, CRASHING_ENTRY, info=info)
    found, name, zero = runner.report(suite), names(runner, info), twin_and_zero()[1].id
    assert found.keys() >= set(name.values())
    assert len(set(name.values())) == len(all_cases()) - len(clocked())
    assert failed(found).keys() == {name[zero]}
    assert "1 of 1 cases fail" in failed(found)[name[zero]]
    assert f"{ENTRY}{RULE} one-below" in failed(found)[name[zero]]
    assert found[name[CRASHING.id]][0] == ("skipped" if runner.can_skip else "passed")
    expect(suite, runner, f"{RULE} one-below")
    assert failed(runner.report(suite, complete=False)) == {}


@pytest.mark.every(6)
@EVERY_RUNNER
def test_one_failure_says_why_no_other_test_can_run_until_it_is_expected(runner: Runner, tmp_path: Path) -> None:
    suite = exported(tmp_path, runner)
    (said,) = failed(runner.report(suite, complete=False)).values()
    assert "plain messages fail, so no other test runs" in said
    assert "crashed on the valid offer-creation-request" in said
    assert "complete accepts() in accepts" in said or "complete accepts() in Broker" in said
    assert f"{ENTRY}offer-creation-request/plain edge:complete" in said
    expect(suite, runner, "*", "offer-creation-request/plain")
    assert failed(runner.report(suite, complete=False)) == {}


@pytest.mark.every(6)
@EVERY_RUNNER
def test_a_rejection_proves_nothing_if_the_twin_is_an_expected_failure(runner: Runner, tmp_path: Path) -> None:
    twin, zero = twin_and_zero()
    below_zero = offer(twin.body.replace(b":1}", b":-1}"), Fault(RULE, "/orderMinimum", "negative"), twin=twin)
    known = ("offer-creation-request/plain edge:complete", CRASHING_ENTRY)
    suite = exported(tmp_path, runner, *known, more=(twin, below_zero))
    ((test, said),) = failed(runner.report(suite)).items()
    assert test == names(runner, corpus_info())[zero.id]
    assert f"accepted the invalid offer-creation-request {zero.id}" in said
    reason = f"inconclusive: your system does not accept the twin (the valid counterpart) {twin.id} either"
    assert (reason in said) != runner.can_skip


@pytest.mark.every(6)
@EVERY_RUNNER
def test_what_fails_now_and_was_not_expected_is_a_failure(runner: Runner, tmp_path: Path) -> None:
    known = offer(b'{"number":"1","offerType":"VDM","comments":null}', tags=["edge:comments:null"])
    new = offer(b'{"number":"1","offerType":"VDM","pdfUrl":null}', tags=["edge:pdfUrl:null"])
    entry = "offer-creation-request/valid edge:comments:null"
    suite = exported(tmp_path, runner, entry, CRASHING_ENTRY, f"{RULE} one-below", more=(known, new))
    (said,) = failed(runner.report(suite)).values()
    assert "The message breaks no rule and touches no ambiguity, but is unusual (pdfUrl:null)." in said
    assert f"{ENTRY}offer-creation-request/valid edge:pdfUrl:null" in said
    assert f"{ENTRY}{entry}" not in said


def test_an_export_keeps_the_expected_failures_and_warns_of_entries_that_match_no_case(tmp_path: Path) -> None:
    crashing, pattern, stray = CRASHING_ENTRY, "*/orderMinimum:minimum one-below", "*/paperType:*"
    suite = exported(tmp_path, RUNNERS["vitest"], crashing, f"{pattern} # known", stray)
    kept = (suite / EXPECTED_FAILURES).read_bytes()
    for cases, stale in (
        (all_cases(), [f"line 9: {stray}"]),
        (chosen()[:1], [f"line 7: {crashing}", f"line 8: {pattern}", f"line 9: {stray}"]),
    ):
        info = corpus_info()
        write(suite, cases, fmt="vitest", info=info)
        assert (suite / EXPECTED_FAILURES).read_bytes() == kept
        (warning,) = info.warnings
        assert warning == f"{suite / EXPECTED_FAILURES} has entries that match no case: remove {'; '.join(stale)}"


def test_the_command_of_the_readme_adds_the_names_without_colours(tmp_path: Path) -> None:
    suite = exported(tmp_path, RUNNERS["vitest"])
    (command,) = re.findall(r"2>&1 \| (sed .*) >> \S+`", (suite / "README.md").read_text())
    entry = "offer-creation-request/valid edge:offerType:Direct Mail"
    output = f"\x1b[31m   {ENTRY}{entry}\x1b[39m\n\x1b[2mError: {ENTRY}{entry}\x1b[0m\nother\n"
    done = subprocess.run(["sh", "-c", command], input=output, capture_output=True, text=True, check=True)
    assert done.stdout == f"{entry}\n"
