"""What is said of a message that was made of another one, and the case that it becomes."""

from typing import NamedTuple

from brokerfuzz.cases.case import Case, Fault
from brokerfuzz.cases.case_decoder import TAG
from brokerfuzz.cases.steering.message import Message
from brokerfuzz.errors import LabelError
from brokerfuzz.schemas import Contract, MessageType, load_contract
from brokerfuzz.schemas.pieces import Judgement
from brokerfuzz.schemas.verdicts import VALID


class Claim(NamedTuple):
    """Faults, or the ambiguity that is asked about (by its id; `valid`: none, nor a fault), and the tags of the case: see `Case.of_judgement`."""

    faults: tuple[Fault, ...]
    ambiguity: str | None
    tags: tuple[str, ...]


VALID_AT_RANDOM = Claim((), "valid", (TAG,))
"""What is said of a message that nothing was done to."""


class ClaimChecker:
    """Makes the cases of one message type from messages of which something is said."""

    def __init__(self, contract: Contract, message_type: MessageType) -> None:
        self.message_type: MessageType = message_type
        self._is_ours = contract is load_contract()

    def case(self, claim: Claim, message: Message, twin: Case | None = None) -> Case | None:
        """The case of a message; None where the oracle does not confirm what a changed contract's is to say: see `Case.confirmed`."""
        return self.of(claim, message.body, message.judged(), twin)

    def of(self, claim: Claim, body: bytes, judgement: Judgement, twin: Case | None = None) -> Case | None:
        """The same, of a message that was judged."""
        if judgement.verdict is VALID and claim is VALID_AT_RANDOM:
            return Case.known(self.message_type, body, judgement, (), claim.tags, twin)
        try:
            return Case.of_judgement(self.message_type, body, judgement, *claim, twin)
        except LabelError:
            if self._is_ours:
                raise
            return None
