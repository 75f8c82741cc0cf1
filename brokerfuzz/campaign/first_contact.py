"""Sends the first message of a campaign: an ordinary valid message. The answer shows whether the target accepts messages at all."""

from dataclasses import dataclass

from brokerfuzz.campaign.journal import Key, NotRecalledError
from brokerfuzz.campaign.sending import Sender, UnsendableError
from brokerfuzz.cases.case import Case
from brokerfuzz.targets import Answer


@dataclass(frozen=True)
class FirstContact:
    """The ordinary valid message and its answer. `answer` is None if the message was not sent."""

    case: Case | None = None
    answer: Answer | None = None

    @property
    def accepted(self) -> bool:
        """True if the target accepted the message."""
        return self.answer is not None and self.answer.kind == "accepted"


async def first_contact(sender: Sender, plain: Case | None) -> FirstContact:
    if plain is None:
        return FirstContact()
    try:
        return FirstContact(plain, await sender.send(Key("plain", 0), plain, plain.body))
    except (NotRecalledError, UnsendableError):
        return FirstContact(plain)
