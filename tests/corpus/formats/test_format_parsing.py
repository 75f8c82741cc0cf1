import pytest
from exported_cases import about, cases, folder
from ready_suites import chosen, later

from brokerfuzz.cases.case import Case, tagged_now
from brokerfuzz.corpus.formats import Folder, format_named
from brokerfuzz.errors import CorpusError

EXPECTED = {"y": "valid", "n": "invalid", "i": "unspecified"}
DEPENDS_ON_THE_CLOCK = later("2025-06-16T12:00:00Z", "day-ahead")


def verdict_depends_only_on_bytes(case: Case) -> bool:
    return not case.headers and tagged_now(case.tags) is None


def test_the_first_letter_of_a_name_is_the_verdict_at_any_time() -> None:
    found = [*cases(), DEPENDS_ON_THE_CLOCK]
    files = folder("parsing", found)
    assert files.pop("cases.ndjson").count(b"\n") == len(files)
    fit = [case for case in found if verdict_depends_only_on_bytes(case)]
    assert list(files.values()) == [case.body for case in fit]
    for name, case in zip(files, fit, strict=True):
        message_type, _, file = name.partition("/")
        assert (message_type, EXPECTED[file.partition("_")[0]]) == (case.message_type, case.label)
        assert file.endswith(".json")


def test_cases_that_depend_on_headers_or_the_clock_are_left_out_with_the_reason() -> None:
    form, info = format_named("parsing"), about()
    assert isinstance(form, Folder)
    about_headers = [case for case in cases() if case.headers]
    assert about_headers
    assert len(list(form.files([*about_headers, DEPENDS_ON_THE_CLOCK, chosen()[0]], info))) == 2, (
        "a message and the list"
    )
    assert info.left_out.by_reason == {
        "with a verdict that depends on request headers": len(about_headers),
        "with a verdict that depends on the current time": 1,
    }


def test_a_corpus_with_only_cases_that_depend_on_the_clock_is_rejected() -> None:
    with pytest.raises(
        CorpusError,
        match="contain neither request headers nor a time, but the verdict of each chosen case depends on one of these",
    ):
        folder("parsing", [DEPENDS_ON_THE_CLOCK])
