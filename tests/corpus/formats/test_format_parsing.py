"""`parsing`: the names of JSONTestSuite say what a reader of messages has to do."""

from exported import cases, folder

EXPECTED = {"y": "valid", "n": "invalid", "i": "unspecified"}


def test_names_begin_with_what_is_expected_of_the_bytes() -> None:
    files = folder("parsing", cases())
    plain = [case for case in cases() if not case.headers]
    assert list(files.values()) == [case.body for case in plain]
    for name, case in zip(files, plain, strict=True):
        message_type, _, file = name.partition("/")
        assert (message_type, EXPECTED[file.partition("_")[0]]) == (case.message_type, case.label)
        assert file.endswith(".json")


def test_cases_about_headers_are_left_out_since_their_bytes_alone_may_be_judged_otherwise() -> None:
    about_headers = {case.id[:8] for case in cases() if case.headers}
    assert about_headers
    assert not any(name.removesuffix(".json").rpartition("_")[2] in about_headers for name in folder("parsing", cases()))
