from datetime import UTC, datetime
from itertools import islice, pairwise

import pytest
from sampled import sample

from brokerfuzz.cases.case_decoder import random_cases
from brokerfuzz.cases.covering.goals import covered
from brokerfuzz.cases.covering.message_scan import MessageScanner
from brokerfuzz.cases.covering.states import states
from brokerfuzz.schemas import MESSAGE_TYPES, MessageType, load_contract


@pytest.mark.parametrize("message_type", MESSAGE_TYPES)
@sample(150, 400)
def test_messages_share_as_many_bits_and_edges_as_goals(message_type: MessageType, size: int) -> None:
    scanner = MessageScanner(states(load_contract(), message_type))
    cases = [case for case in islice(random_cases(message_type, 5, now=datetime(2026, 3, 1, tzinfo=UTC)), size) if case.label == "valid"]
    shown = [(covered(case, load_contract()), scanner.scan(case.value)) for case in cases]
    assert len(shown) > size / 8
    for (goals, one), (others, other) in pairwise(shown):
        pairs, their_pairs = ({goal for goal in some if goal.kind == "pair"} for some in (goals, others))
        assert one.edges == goals - pairs
        assert (one.pairs & other.pairs).bit_count() == len(pairs & their_pairs)
        assert (one.pairs | other.pairs).bit_count() == len(pairs | their_pairs)
