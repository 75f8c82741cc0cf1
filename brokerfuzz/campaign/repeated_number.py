"""Sends an offer twice, to find out what the target does with an offer number that it already knows. The contract does
not define this behaviour. brokerfuzz sends the two offers after all cases of a campaign. Both offers have the same
number, which no earlier campaign has used. With `--cleanup`, the first offer is removed only after the answer to the
second offer.
"""

from brokerfuzz.campaign.campaign_oracle import Judge
from brokerfuzz.campaign.finding import Finding
from brokerfuzz.campaign.observations import Observations
from brokerfuzz.campaign.sending import Sender
from brokerfuzz.cases.fresh_values import FreshValues, fresh_properties
from brokerfuzz.schemas import Contract, MessageType
from brokerfuzz.targets import Answer

AMBIGUITY = "repeated-number"
NUMBER = "number"


async def probe(sender: Sender, seen: Observations, judge: Judge) -> None:
    """Sends the plain offer twice, and records the behaviour in the ledger. Does nothing if the target did not accept
    the plain offer.

    If the second offer causes a crash, the function sends another pair of offers. If this pair also causes a crash, the
    crash is a finding.
    """
    plain = sender.contact.case
    if plain is None or not _has_number(plain.message_type, judge.demands):
        return
    fresh = FreshValues(NUMBER, judge.of)
    both = await sender.ask_twice(plain, fresh)
    if both is None or both[0].kind != "accepted":
        return
    seen.ledger.add(AMBIGUITY, 0, plain, both[1].kind, judge.demands).answered = behaviour_of(*both)
    if is_crash(both) and is_crash(await sender.ask_twice(plain, fresh)):
        seen.suspicions.add(Finding("repeated-crash", plain, 0, plain.verdict, both[1]))


def _has_number(message_type: MessageType, contract: Contract) -> bool:
    """Returns whether the contract asks about the repeated number of this message type."""
    asked = AMBIGUITY in contract.ambiguity_names
    return asked and contract.is_request(message_type) and NUMBER in fresh_properties(message_type, contract)


def is_crash(answers: tuple[Answer, Answer] | None) -> bool:
    """Returns whether the target accepted the first offer, but crashed on the second offer or did not answer it."""
    return (
        answers is not None
        and answers[0].kind == "accepted"
        and answers[1].kind in ("crashed", "timeout")
        and answers[1].reached
    )


def behaviour_of(first: Answer, second: Answer) -> str:
    """Describes what the target did when it received the same offer number for the second time."""
    if second.kind != "accepted":
        return second.kind
    if (first.status, first.body) != (second.status, second.body):
        return "created again"
    return "same answer" if first.body else "accepted"
