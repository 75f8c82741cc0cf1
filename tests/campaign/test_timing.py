import pytest
from hypothesis import given
from hypothesis import strategies as st

from brokerfuzz.campaign.timing import SPANS, Timing

pytestmark = pytest.mark.internals

answers = st.lists(st.tuples(st.floats(0, 5000), st.floats(0, 60), st.booleans()), max_size=60)


def timing_of(found: list[tuple[float, float, bool]]) -> Timing:
    timing = Timing()
    for at, seconds, failed in found:
        timing.add(at, seconds, failed=failed)
    return timing


@given(answers)
def test_every_answer_is_counted_once(found: list[tuple[float, float, bool]]) -> None:
    timing = timing_of(found)
    assert sum(count for _, count in timing.histogram()) == len(found)
    spans = timing.throughput()
    assert sum(count for _, count, _ in spans) == len(found)
    assert sum(failed for _, _, failed in spans) == sum(failed for _, _, failed in found)
    assert len(spans) <= SPANS


@given(answers.filter(bool))
def test_quantiles_are_accurate_within_a_quarter(found: list[tuple[float, float, bool]]) -> None:
    timing = timing_of(found)
    ordered = sorted(max(seconds, 1e-6) for _, seconds, _ in found)
    for share in (0.5, 0.9, 0.99, 1.0):
        exact = ordered[max(-(-int(share * 100) * len(ordered) // 100) - 1, 0)]
        assert min(exact, timing.most) <= timing.quantile(share) * 1.0001 or timing.most < 1e-6
        assert timing.quantile(share) <= exact * 1.25 + 1e-9


@given(answers, answers)
def test_combined_parts_equal_the_whole(
    one: list[tuple[float, float, bool]], other: list[tuple[float, float, bool]]
) -> None:
    whole, parts = timing_of(one + other), timing_of(one)
    parts.absorb(timing_of(other))
    assert (parts.histogram(), parts.throughput(), parts.span) == (whole.histogram(), whole.throughput(), whole.span)
    assert (parts.least, parts.most) == (whole.least, whole.most)


def test_without_answers_there_is_no_data() -> None:
    assert (Timing().histogram(), Timing().throughput(), Timing().quantile(0.5)) == ([], [], 0.0)


@pytest.mark.parametrize("at", [0.0, 49.9, 50.0, 1e6])
def test_every_answer_has_an_interval(at: float) -> None:
    timing = timing_of([(at, 0.1, False)])
    (start, count, _) = timing.throughput()[-1]
    assert count == 1
    assert start <= at < start + timing.span
