"""Sends an accepted offer a second time, to see what the target does with an offer number that it knows. The contract does not
say what is correct. The offer is sent once, after all cases. Both messages contain the same number, which no earlier campaign has
used. With `--cleanup`, the first offer is removed only after the answer to the second one.
"""

from brokerfuzz.campaign.campaign_oracle import Judge
from brokerfuzz.campaign.ledger import Ledger
from brokerfuzz.campaign.sending import Sender
from brokerfuzz.cases.fresh_values import FreshValues
from brokerfuzz.targets import Answer

AMBIGUITY = "repeated-number"
REPEATED = "offer-creation-request"
NUMBER = "number"


async def probe(sender: Sender, ledger: Ledger, judge: Judge) -> None:
    """Sends the plain offer twice, and records the behaviour in the ledger. Does nothing if the target did not accept the plain offer."""
    plain = sender.contact.case
    if plain is None or plain.message_type != REPEATED or not sender.contact.accepted:
        return
    both = await sender.send_twice(plain, FreshValues(NUMBER, judge.of))
    if both is not None and both[0].kind == "accepted" and (behaviour := behaviour_of(*both)):
        ledger.add(AMBIGUITY, 0, plain, both[1].kind, judge.demands).answered = behaviour


def behaviour_of(first: Answer, second: Answer) -> str:
    """Describes what the target did with the second offer. Returns an empty string if the answers do not show this clearly."""
    if second.kind != "accepted":
        return second.kind
    if (first.status, first.body) != (second.status, second.body):
        return "created again"
    return "same answer" if first.body else "accepted"
