"""`parsing`: the names of JSONTestSuite say what a reader of messages has to do."""

from datetime import timedelta

import pytest
from exported_cases import NOW, about, cases, folder
from ready_suites import chosen, later

from brokerfuzz.cases.case import Case
from brokerfuzz.corpus.formats import Folder, format_named
from brokerfuzz.errors import CorpusError
from brokerfuzz.schemas import check

EXPECTED = {"y": "valid", "n": "invalid", "i": "unspecified"}
FOLLOWS_THE_CLOCK = later("2025-06-16T12:00:00Z", "day-ahead")


def is_of_its_bytes_alone(case: Case) -> bool:
    in_ten_years = check(case.message_type, case.body, now=NOW + timedelta(days=3650))
    return not case.headers and in_ten_years.label == case.label


def test_names_begin_with_what_is_expected_of_the_bytes_whenever_they_are_read() -> None:
    found = [*cases(), FOLLOWS_THE_CLOCK]
    files = folder("parsing", found)
    fit = [case for case in found if is_of_its_bytes_alone(case)]
    assert list(files.values()) == [case.body for case in fit]
    for name, case in zip(files, fit, strict=True):
        message_type, _, file = name.partition("/")
        assert (message_type, EXPECTED[file.partition("_")[0]]) == (case.message_type, case.label)
        assert file.endswith(".json")


def test_cases_about_headers_and_those_that_follow_the_clock_are_left_out_with_the_reason() -> None:
    form, told = format_named("parsing"), about()
    assert isinstance(form, Folder)
    about_headers = [case for case in cases() if case.headers]
    assert about_headers
    assert len(list(form.files([*about_headers, FOLLOWS_THE_CLOCK, chosen()[0]], told))) == 1
    assert told.left_out.by_reason == {"about a request's headers": len(about_headers), "whose verdict follows the clock": 1}


def test_a_corpus_of_nothing_but_what_follows_the_clock_is_rejected() -> None:
    with pytest.raises(CorpusError, match="follows the clock, which the format parsing has no place for"):
        folder("parsing", [FOLLOWS_THE_CLOCK])
