"""A second generator's opinion: what hypothesis-jsonschema makes of our schemas, our oracle does not refuse."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis_jsonschema import from_schema

from brokerfuzz.decoder.strangers import restore_many
from brokerfuzz.schemas import MESSAGE_TYPES, MessageType, check, load_contract

restore_many()


@pytest.mark.parametrize("message_type", MESSAGE_TYPES)
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])  # theirs is slow, and that is not what is asked
@given(data=st.data())
def test_what_hypothesis_jsonschema_makes_is_not_invalid(message_type: MessageType, data: st.DataObject) -> None:
    message = data.draw(from_schema(load_contract().flat[message_type]))
    verdict = check(message_type, message)
    assert verdict.label != "invalid", str(verdict)


def test_its_repair_is_for_it_alone() -> None:
    from hypothesis.internal.conjecture import utils

    assert not hasattr(utils.many, "more")
