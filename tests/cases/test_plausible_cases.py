from itertools import islice

import pytest

from brokerfuzz.cases.plan import Plan

pytestmark = pytest.mark.internals


def test_two_iterations_over_plausible_cases_of_one_seed_do_not_disturb_each_other() -> None:
    plan = Plan(message_type="product-list-response", seed=3, count=2100, only_random=True, plausible=True)
    alone = [case.id for _, case in plan.numbered()]
    pairs = zip(plan.numbered(), plan.numbered(), strict=True)
    one, other = zip(*((first[1].id, second[1].id) for first, second in pairs), strict=True)
    assert len(set(alone)) == 2100
    assert list(one) == list(other) == alone
    late = plan.numbered()
    next(late)
    list(islice(plan.numbered(), 1500))
    assert [case.id for _, case in late] == alone[1:]
