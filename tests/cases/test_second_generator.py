from copy import deepcopy
from typing import Any

import pytest
from hypothesis import find, settings
from hypothesis.errors import NoSuchExample
from hypothesis_jsonschema import from_schema
from sampled import sample

from brokerfuzz.generation.unsupported_keywords import restore_many
from brokerfuzz.schemas import MESSAGE_TYPES, MessageType, check, load_contract

restore_many()


@sample(6, 100)
@pytest.mark.parametrize("message_type", MESSAGE_TYPES)
def test_messages_of_hypothesis_jsonschema_are_not_invalid(message_type: MessageType, size: int) -> None:
    seen: list[Any] = []

    def is_invalid(message: Any) -> bool:
        seen.append(message)
        return check(message_type, message).label == "invalid"

    with pytest.raises(NoSuchExample):
        find(
            from_schema(deepcopy(load_contract().flat[message_type])),
            is_invalid,
            settings=settings(max_examples=size, database=None),
        )
    assert len(seen) >= size


def test_the_patch_for_hypothesis_jsonschema_changes_nothing_else() -> None:
    from hypothesis.internal.conjecture import utils

    assert not hasattr(utils.many, "more")
