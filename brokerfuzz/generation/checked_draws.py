"""Draws messages of own contracts, whose rules may contradict each other in ways that the generator does not see."""

import json
from collections.abc import Callable
from typing import Any

from brokerfuzz.errors import ContractError
from brokerfuzz.generation.nodes import node_of
from brokerfuzz.generation.sources import Source, Style
from brokerfuzz.schemas import Contract, MessageType, check

_ATTEMPTS = 50


def checked_draw(contract: Contract, message_type: MessageType, style: Style | None = None) -> Callable[[Source], Any]:
    """Returns a function that draws a valid message. If the rules of an own contract allow only unspecified values,
    such as a pattern with 300 characters, it draws an unspecified message. It raises `ContractError` if it finds none.
    """
    style = style or Style()
    draw = node_of(contract, message_type, style=style).draw
    if contract.is_tested or style.pinned:
        return draw
    allowed = ("valid", "unspecified") if style.ambiguities else ("valid",)
    related = {ambiguity.id for ambiguity in contract.ambiguities if ambiguity.relates_values}

    def draw_valid(source: Source) -> Any:
        unspecified, reason = [], ""
        for _ in range(_ATTEMPTS):
            message = draw(source)
            verdict = check(message_type, json.dumps(message).encode(), contract=contract)
            if verdict.label in allowed:
                return message
            reason = " ".join(str(verdict).split())[:200]
            touched = {ambiguity.ambiguity for ambiguity in verdict.ambiguities}
            unspecified += [message] if verdict.label == "unspecified" and not touched & related else []
        if unspecified:
            return unspecified[0]
        raise ContractError(
            f"brokerfuzz found no valid {message_type} in {_ATTEMPTS} attempts (the last one was {reason}): simplify "
            "its schema"
        )

    return draw_valid
