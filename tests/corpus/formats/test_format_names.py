"""The help lists all formats with their own descriptions."""

from brokerfuzz.corpus.formats import FORMATS, format_named


def test_the_help_has_the_description_of_each_format() -> None:
    assert {name: format_named(name).description for name in FORMATS} == FORMATS


def test_ndjson_is_the_first_format_and_the_others_are_sorted() -> None:
    assert list(FORMATS) == ["ndjson", *sorted(FORMATS.keys() - {"ndjson"})]
