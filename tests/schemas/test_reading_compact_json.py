import json
from datetime import UTC, datetime
from itertools import chain, islice, product
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from sampled import part, percent

from brokerfuzz.cases.case import compact
from brokerfuzz.cases.catalogue import catalogue
from brokerfuzz.cases.random_cases import random_cases
from brokerfuzz.schemas import MESSAGE_TYPES, MessageType, check
from brokerfuzz.schemas.json_reader import read

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)


def read_by_the_full_parser(body: bytes) -> str:
    """The added space selects the full parser, because the fast parser reads only compact messages."""
    return repr(read(body + b" "))


@pytest.mark.parametrize("message_type", MESSAGE_TYPES)
@percent(20)
def test_the_fast_parser_reads_every_kind_of_case_like_the_full_one(message_type: MessageType, size: int) -> None:
    for case in part(chain(catalogue(message_type, now=NOW), islice(random_cases(message_type, 7), 5 * size)), size):
        if len(case.body) < 20_000 and read(case.body).values and read(case.body).encoding is None:
            assert repr(read(case.body)) == read_by_the_full_parser(case.body)


NUMBERS = st.integers(-(2**64), 2**64) | st.floats(allow_nan=False, allow_infinity=False)
VALUES = st.recursive(
    st.none() | st.booleans() | NUMBERS.map(str) | st.text() | NUMBERS,
    lambda below: st.lists(below) | st.dictionaries(st.text(), below),
    max_leaves=12,
)


@given(VALUES.map(lambda value: [value]))
@example([2**53 + 1])
@example([-(2**53) - 1])
@example({"a": 9007199254740993})
@example([0.1 + 0.2, 5e-324, 1e22, 1e23, -0.0, 0, 1.0])
@example(["\0", "\\u0000", "\ufffd", "\U0001f600"])
@example([[9007199254740992, -9007199254740992, 1e300], "9007199254740993", 0.30000000000000004])
@example([",9007199254740993,"])
def test_the_fast_parser_reads_any_json_like_the_full_one(value: Any) -> None:
    try:
        body = compact(value)
    except TypeError:
        return
    assert repr(read(body)) == read_by_the_full_parser(body)


@pytest.mark.parametrize(
    "body",
    [
        b"[9007199254740993]",
        b'{"a":9007199254740993}',
        b'{"a":-9007199254740993,"b":0}',
        b"9007199254740993",
        b'["\\u0000"]',
    ],
)
def test_the_fast_parser_leaves_ambiguous_json_to_the_full_one(body: bytes) -> None:
    assert read(body).exotic


@pytest.mark.parametrize("character", ["a", '"', "\\", "\n", "é", "∢", "\U0001f600"])
def test_a_string_that_is_too_long_is_detected_with_any_characters(character: str) -> None:
    for length, encoding in product([1023, 1024, 1025, 3000], ["utf-8", "utf-16"]):
        offer = {"number": "1", "offerType": "Email", "comments": character * length, "isActive": False}
        body = json.dumps(offer, ensure_ascii=False).encode(encoding)
        touched = {touch.ambiguity for touch in check("offer-creation-request", body).ambiguities}
        assert ("string-length" in touched) == (length > 1024), (length, encoding)
