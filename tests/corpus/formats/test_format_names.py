"""The formats that help tells of are those that there are, and it says of each what the format says of itself."""

from brokerfuzz.corpus.formats import FORMATS, format_named


def test_help_says_of_each_format_what_it_says_itself() -> None:
    assert {name: format_named(name).says for name in FORMATS} == FORMATS


def test_formats_come_in_order_behind_that_of_our_own() -> None:
    assert list(FORMATS) == ["ndjson", *sorted(FORMATS.keys() - {"ndjson"})]
