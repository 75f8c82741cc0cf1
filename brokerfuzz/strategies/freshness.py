"""Gives a property a different value in each message that a strategy draws, for services that reject repeated values.

The values come from a counter and a random number, not from Hypothesis. When Hypothesis repeats or shrinks an example, the
property gets another new value. So no run can be reproduced exactly.
"""

from datetime import datetime
from typing import Any, TypeVar

from hypothesis.strategies import DrawFn

from brokerfuzz.cases.case import Case
from brokerfuzz.cases.fresh_values import FreshValues, fresh_string, same_verdict
from brokerfuzz.schemas import Contract, Verdict, check
from brokerfuzz.strategies import arguments
from brokerfuzz.strategies.definition import Draws
from brokerfuzz.strategies.valid_values import ValidValues

SomeCase = TypeVar("SomeCase", bound=Case)


def fresh_messages(valid: ValidValues, fresh: str | None) -> Draws[Any]:
    """In each message, the property that `fresh` names has a new value. Raises `InvalidArgument` if the property is unknown or pinned."""
    draws, name = valid.draws(), arguments.fresh_property(fresh, valid.contract, valid.message_type, valid.pins)
    if name is None:
        return draws

    def draw_fresh(draw: DrawFn) -> Any:
        message = draws(draw)
        value = message.get(name)
        if not isinstance(value, str):
            return message
        candidate = {**message, name: fresh_string(value)}
        one, other = (check(valid.message_type, some, contract=valid.contract) for some in (message, candidate))
        return candidate if same_verdict(one, other) else message

    return draw_fresh


def fresh_case(case: SomeCase, name: str, contract: Contract, now: datetime | None) -> SomeCase:
    """Gives the property `name` a new value in the case, and another new value in the twin of the case."""

    def verdict_of(case: Case, body: bytes) -> Verdict:
        return check(case.message_type, body, now=now, contract=contract, headers=case.headers)

    twin = case.twin and fresh_case(case.twin, name, contract, now)
    body = FreshValues(name, verdict_of).of(case, case.body)
    renewed = Case.judged(
        case.message_type, body, faults=case.faults, tags=case.tags, twin=twin, now=now, contract=contract, headers=case.headers
    )  # fmt: skip
    assert isinstance(renewed, type(case))
    return renewed
