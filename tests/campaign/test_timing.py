import pytest
from hypothesis import given
from hypothesis import strategies as st

from brokerfuzz.campaign.timing import Timing

pytestmark = pytest.mark.internals

latencies = st.lists(st.floats(0, 60), max_size=60)


def timing_of(found: list[float]) -> Timing:
    timing = Timing()
    for seconds in found:
        timing.add(seconds)
    return timing


@given(latencies.filter(bool))
def test_quantiles_are_accurate_within_a_quarter(found: list[float]) -> None:
    timing = timing_of(found)
    ordered = sorted(max(seconds, 1e-6) for seconds in found)
    for share in (0.5, 0.9, 0.99, 1.0):
        exact = ordered[max(-(-int(share * 100) * len(ordered) // 100) - 1, 0)]
        assert min(exact, timing.most) <= timing.quantile(share) * 1.0001 or timing.most < 1e-6
        assert timing.quantile(share) <= exact * 1.25 + 1e-9


def test_without_answers_there_is_no_data() -> None:
    assert Timing().quantile(0.5) == 0.0
