import json
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from brokerfuzz.reports.body_lines import LONGEST, MOST_LINES, lines_of
from brokerfuzz.reports.side_by_side import rows_of

values: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner, max_size=4),
    max_leaves=12,
)
pieces = st.lists(
    st.sampled_from(["{", "}", "[", "]", ",", ":", '"', '"a"', '"a\\"b"', "\\", "1", "NaN", " ", "\n", "\t", "x"]),
    max_size=30,
)
lines = st.lists(st.sampled_from(["{", "}", '"a": 1', '"a": 1,', '"b": 2', "", ","]), max_size=12)


@given(values)
def test_the_layout_does_not_change_the_value_of_a_message(value: Any) -> None:
    shown = lines_of(json.dumps(value, ensure_ascii=False).encode())
    assert json.loads("\n".join(shown.lines)) == value
    assert shown.before == shown.after == 0


@given(pieces)
def test_the_layout_changes_only_white_space(parts: list[str]) -> None:
    text = "[" + "".join(parts)
    assert re.sub(r"\s", "", "".join(lines_of(text.encode()).lines)) == re.sub(r"\s", "", text)


@given(st.binary(max_size=200), st.integers(0, 250), st.integers(1, 60))
def test_omitted_bytes_are_counted(body: bytes, start: int, longest: int) -> None:
    shown = lines_of(body, min(start, len(body)), longest=longest)
    assert shown.before <= start
    assert 0 <= shown.after <= len(body) - shown.before


@pytest.mark.parametrize("unit", ["é", "\N{TEST TUBE}", "x"])
def test_a_cut_never_splits_a_character(unit: str) -> None:
    body = b"x" + unit.encode() * LONGEST
    shown = lines_of(body)
    [line] = shown.lines
    assert set(line) == {"x", unit}
    assert len(line.encode()) + shown.after == len(body)


def test_a_few_invalid_bytes_are_escaped_and_binary_data_is_shown_in_hex() -> None:
    assert lines_of(b'{"a":"caf\xe9"}').lines == ["{", '  "a": "caf\\xe9"', "}"]
    assert lines_of(b"\x80" * 100_000, 90_000).lines[0] == f"{90_000:04x}  80 80 80 80 80 80 80 80  ········"


def test_very_many_lines_are_cut_and_their_bytes_are_counted() -> None:
    for body in (json.dumps(list(range(1000)), separators=(",", ":")).encode(), b"x\n" * 1000):
        shown = lines_of(body)
        assert len(shown.lines) == MOST_LINES
        kept = "".join(line.strip() for line in shown.lines) if body[:1] == b"[" else "\n".join([*shown.lines, ""])
        assert len(kept) + shown.after == len(body)


@given(lines, lines)
def test_each_column_contains_the_lines_of_its_message(left: list[str], right: list[str]) -> None:
    rows = rows_of(left, right)
    assert [row.left for row in rows if row.left is not None] == left
    assert [row.right for row in rows if row.right is not None] == right


@given(lines, lines)
def test_rows_are_alike_only_if_their_lines_are_equal_except_for_a_comma(left: list[str], right: list[str]) -> None:
    rows = rows_of(left, right)
    assert all(row.left is not None and row.right is not None for row in rows if row.alike)
    assert all((row.left or "").removesuffix(",") == (row.right or "").removesuffix(",") for row in rows if row.alike)
    assert any(not row.alike for row in rows) == (left != right)


def test_very_many_lines_are_paired_in_order_without_a_comparison() -> None:
    rows = rows_of(["a", *map(str, range(200))], ["b", *map(str, range(1, 202))])
    assert len(rows) == 202
    assert not rows[0].alike
