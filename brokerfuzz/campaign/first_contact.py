"""The first message of a campaign: a plain valid message. Its answer shows whether the target accepts messages at all."""

from dataclasses import dataclass

from brokerfuzz.campaign.journal import Key, NotRecalledError
from brokerfuzz.campaign.sending import Sender, UnsendableError
from brokerfuzz.cases.case import Case
from brokerfuzz.targets import Answer


@dataclass(frozen=True)
class FirstContact:
    """The plain message and the answer to it. Both are None if there is no plain message; `answer` is None if it was not sent."""

    case: Case | None = None
    answer: Answer | None = None

    @property
    def accepted(self) -> bool:
        """Whether the target accepted the plain message."""
        return self.answer is not None and self.answer.kind == "accepted"


async def first_contact(sender: Sender, plain: Case | None) -> FirstContact:
    """Sends the plain message. Raises `TargetError` if the target cannot be reached."""
    if plain is None:
        return FirstContact()
    try:
        return FirstContact(plain, await sender.send(Key("plain", 0), plain, plain.body))
    except (NotRecalledError, UnsendableError):
        return FirstContact(plain)
