import json
from itertools import islice

import pytest

from brokerfuzz.decoder import Seeded, Style, compile_decoder
from brokerfuzz.decoder.ambiguous_values import drawable
from brokerfuzz.schemas import MESSAGE_TYPES, MessageType, check, load_contract


@pytest.mark.parametrize("message_type", MESSAGE_TYPES)
@pytest.mark.rotated(3)
def test_messages_touch_every_ambiguity_that_a_value_can_touch_and_are_never_invalid(message_type: MessageType) -> None:
    read, source = compile_decoder(load_contract(), message_type, style=Style(ambiguities=drawable())), Seeded(4)
    touched, labels = set(), []
    for message in islice(iter(lambda: read(source), None), 6000):
        verdict = check(message_type, json.dumps(message).encode())
        assert verdict.label != "invalid", (str(verdict), message)
        labels.append(verdict.label)
        touched |= {touch.ambiguity for touch in verdict.ambiguities}
    possible = {ambiguity.id for ambiguity in load_contract().ambiguities if ambiguity.concerns(message_type)} & drawable()
    without_integers = {"integer-form"} if message_type == "product-list-response" else set()
    assert touched >= possible - without_integers
    assert labels.count("valid") > 600, "many messages are still ordinary"


def test_only_the_requested_ambiguities_occur() -> None:
    read, source = compile_decoder(load_contract(), "offer-pricing-response", style=Style(ambiguities=frozenset(["price-arithmetic"]))), Seeded(4)
    verdicts = [check("offer-pricing-response", json.dumps(read(source)).encode()) for _ in range(1000)]
    assert {touch.ambiguity for verdict in verdicts for touch in verdict.ambiguities} == {"price-arithmetic"}
