"""How the service decides about an offer: by the contract, and where that leaves a question open by a table."""

from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from functools import reduce
from typing import TYPE_CHECKING

from brokerfuzz.service.answers import Complaint, Offer, ServiceAnswer
from brokerfuzz.service.bugs import Bug, bug

if TYPE_CHECKING:
    from brokerfuzz.schemas import Contract, Policies, Policy

MESSAGE_TYPE = "offer-creation-request"

DECISIONS: "Mapping[str, Policy]" = {
    "timestamp-format": "reject",  # rule 6 cannot be held against a time that is not understood
    "clock-tolerance": "accept",  # five minutes are what clocks differ by
    "cron-syntax": "accept",  # the contract calls these plain strings
    "url-syntax": "accept",
    "range-order": "accept",  # no rule relates the two
    "availability-order": "accept",
    "duplicate-items": "accept",
    "integer-form": "accept",  # 1.0 is an integer, says JSON Schema
    "double-range": "accept",  # rounded, as most readers do
    "duplicate-properties": "accept",  # the last one counts, as in most readers
    "lone-surrogates": "accept",  # replaced by U+FFFD
    "nul-characters": "accept",
    "byte-order-mark": "accept",  # passed over
    "encoding": "reject",  # JSON between systems is UTF-8 (RFC 8259, 8.1)
    "string-length": "accept",  # up to the size of a body
    "item-count": "accept",
    "message-size": "accept",
    "content-type": "accept",  # not looked at
    "content-type-form": "accept",
    "content-encoding": "reject",  # a body is read as it is, and what says that it is encoded may not be
    "response-type": "accept",  # there is JSON or nothing
    "request-headers": "accept",
}
"""What the service does where the contract does not say; what is missing here (a changed contract's own ambiguities) is accepted."""


def decisions(contract: "Contract") -> "Policies":
    """What the service says of each ambiguity of a contract."""
    return {ambiguity.id: DECISIONS.get(ambiguity.id, "accept") for ambiguity in contract.ambiguities}


def answering(*, bugs: Iterable[str] = (), contract: "Contract | None" = None, now: datetime | None = None) -> Callable[[bytes], ServiceAnswer]:
    """The service's mind without its mouth: a function from an offer's bytes to the answer.

    `bugs` are names of `BUGS`; the first one named is nearest to the contract, and each next one sees what those before
    it made of the offer. `now` is the time that the clock rule follows, the present where it is None. Raises
    `UnknownNameError` for a bug that is none.
    """
    judge = reduce(_flawed, [bug(name) for name in bugs], conforming(contract))
    return lambda body: judge(Offer(body, now))


def conforming(contract: "Contract | None" = None) -> Callable[[Offer], ServiceAnswer]:
    """The judge that keeps the contract and has no bug."""
    from brokerfuzz.schemas import check, load_contract

    known = contract or load_contract()
    policies = decisions(known)

    def judge(offer: Offer) -> ServiceAnswer:
        verdict = check(MESSAGE_TYPE, offer.body, now=offer.now, contract=known, policies=policies)
        return ServiceAnswer(tuple(Complaint(b.rule, b.at, b.found, b.demanded) for b in verdict.broken))

    return judge


def _flawed(sound: Callable[[Offer], ServiceAnswer], seeded: Bug) -> Callable[[Offer], ServiceAnswer]:
    return lambda offer: seeded.flaw(offer, sound)
