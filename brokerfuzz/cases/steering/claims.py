"""Claims about a message that was made from another message. A case is made from the message and its claim."""

from typing import NamedTuple

from brokerfuzz.cases.case import Case, Fault
from brokerfuzz.cases.case_decoder import TAG
from brokerfuzz.cases.steering.message import Message
from brokerfuzz.errors import LabelError
from brokerfuzz.schemas import Contract, MessageType, load_contract
from brokerfuzz.schemas.pieces import Judgement
from brokerfuzz.schemas.verdicts import VALID


class Claim(NamedTuple):
    """What a case claims: either faults or an ambiguity. The claim also contains the tags of the case. See `Case.of_judgement`.

    `ambiguity` is the id of the ambiguity, `valid` for a valid message, or None if there are faults.
    """

    faults: tuple[Fault, ...]
    ambiguity: str | None
    tags: tuple[str, ...]


VALID_AT_RANDOM = Claim((), "valid", (TAG,))
"""The claim for an unchanged random message."""


class ClaimChecker:
    """Makes the cases of one message type from messages and their claims."""

    def __init__(self, contract: Contract, message_type: MessageType) -> None:
        self.message_type: MessageType = message_type
        self._is_ours = contract is load_contract()

    def case(self, claim: Claim, message: Message, twin: Case | None = None) -> Case | None:
        """Returns the case of a message. Returns None if the contract is a changed one and the oracle does not confirm the claim
        (`Case.confirmed`).
        """
        return self.of(claim, message.body, message.judged(), twin)

    def of(self, claim: Claim, body: bytes, judgement: Judgement, twin: Case | None = None) -> Case | None:
        """Returns the same case for a message that has already been judged."""
        if judgement.verdict is VALID and claim is VALID_AT_RANDOM:
            return Case.known(self.message_type, body, judgement, (), claim.tags, twin)
        try:
            return Case.of_judgement(self.message_type, body, judgement, *claim, twin)
        except LabelError:
            if self._is_ours:
                raise
            return None
