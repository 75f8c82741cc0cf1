import re
from datetime import timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from brokerfuzz.configuration.validating import schema, validated
from brokerfuzz.durations import FORMS, seconds_of
from brokerfuzz.errors import ConfigurationError

UNITS = {"h": "hours", "m": "minutes", "s": "seconds", "ms": "milliseconds"}
NUMBERS = st.integers(0, 10_000).map(str) | st.decimals(0, 10_000, places=2).map(str)
PARTS = st.lists(st.tuples(NUMBERS, st.sampled_from(list(UNITS))), min_size=1, max_size=4)


@given(PARTS.filter(lambda parts: any(float(number) for number, _ in parts)))
def test_the_parts_of_a_duration_add_up(parts: list[tuple[str, str]]) -> None:
    expected = sum((timedelta(**{UNITS[unit]: float(number)}) for number, unit in parts), timedelta())
    assert seconds_of("".join(map("".join, parts))) == pytest.approx(expected.total_seconds(), abs=1e-5)


@given(NUMBERS)
def test_the_error_about_a_number_without_a_unit_lists_the_forms(number: str) -> None:
    with pytest.raises(ValueError, match=f"{re.escape(number)}' has no unit: use a duration such as {FORMS}"):
        seconds_of(number)


@pytest.mark.parametrize(
    "text", ["", "s", "-5s", "5 s", "5S", "1e3s", ".5s", "5.s", "1d", "5s ", "5s\n", "٥s", "soon", "off"]
)
def test_the_error_about_an_invalid_duration_lists_the_forms(text: str) -> None:
    with pytest.raises(ValueError, match=f"is not a duration: use a duration such as {FORMS}"):
        seconds_of(text)


@pytest.mark.parametrize(("text", "why"), [("0s", "short"), ("0h0.0ms", "short"), (f"{'9' * 400}h", "long")])
def test_a_duration_is_above_zero_and_finite(text: str, why: str) -> None:
    with pytest.raises(ValueError, match=f"is too {why}"):
        seconds_of(text)


@given(st.text(st.sampled_from("019.hms"), max_size=8) | PARTS.map(lambda parts: "".join(map("".join, parts))))
def test_configurations_accept_the_same_durations(text: str) -> None:
    try:
        seconds_of(text)
    except ValueError:
        with pytest.raises(ConfigurationError, match='use a string, such as "10m" or "90s"'):
            validated({"campaign": {"max-time": text}}, Path("brokerfuzz.toml"))
    else:
        assert validated({"campaign": {"max-time": text, "shrink": text}}, Path("brokerfuzz.toml"))


def test_the_examples_of_configurations_are_durations() -> None:
    keys = schema()["properties"]["campaign"]["properties"]
    for example in (*keys["max-time"]["examples"], *keys["shrink"]["examples"], keys["shrink"]["default"]):
        assert example == "off" or seconds_of(example) > 0
