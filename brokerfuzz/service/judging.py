"""Decides whether the service accepts an offer. A table contains the decisions on questions that the contract leaves open."""

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
    "timestamp-format": "reject",  # rule 6 cannot be checked for a time that cannot be parsed
    "clock-tolerance": "accept",  # clocks may differ by five minutes
    "cron-syntax": "accept",  # the contract defines no format for these strings
    "url-syntax": "accept",
    "range-order": "accept",  # no rule relates the minimum to the maximum
    "availability-order": "accept",
    "duplicate-items": "accept",
    "integer-form": "accept",  # 1.0 is an integer according to JSON Schema
    "double-range": "accept",  # the number is rounded, as in most parsers
    "duplicate-properties": "accept",  # the last one counts, as in most parsers
    "lone-surrogates": "accept",  # replaced by U+FFFD
    "nul-characters": "accept",
    "byte-order-mark": "accept",  # ignored
    "encoding": "reject",  # JSON between systems is UTF-8 (RFC 8259, 8.1)
    "string-length": "accept",  # up to the maximum size of a body
    "item-count": "accept",
    "message-size": "accept",
    "content-type": "accept",  # ignored
    "content-type-form": "accept",
    "content-encoding": "reject",  # bodies are not decoded
    "response-type": "accept",  # the response is always JSON
    "request-headers": "accept",
}
"""The service's policy for each ambiguity: whether it accepts messages that touch the ambiguity. A changed contract can have other
ambiguities; their policy is `accept`.
"""


def decisions(contract: "Contract") -> "Policies":
    """Returns the service's policy for each ambiguity of a contract."""
    return {ambiguity.id: DECISIONS.get(ambiguity.id, "accept") for ambiguity in contract.ambiguities}


def answering(*, bugs: Iterable[str] = (), contract: "Contract | None" = None, now: datetime | None = None) -> Callable[[bytes], ServiceAnswer]:
    """Returns a function that returns the service's answer to the bytes of an offer. The function needs no server.

    `bugs` are names from `BUGS`. The bugs are applied one after the other: each bug can change the answer that the service would
    give with only the bugs before it. `now` is the time at which offers are judged; None means the current time. Raises
    `UnknownNameError` for an unknown bug.
    """
    judge = reduce(_flawed, [bug(name) for name in bugs], conforming(contract))
    return lambda body: judge(Offer(body, now))


def conforming(contract: "Contract | None" = None) -> Callable[[Offer], ServiceAnswer]:
    """Returns the judge that has no bug: it conforms to the contract."""
    from brokerfuzz.schemas import check, load_contract

    known = contract or load_contract()
    policies = decisions(known)

    def judge(offer: Offer) -> ServiceAnswer:
        verdict = check(MESSAGE_TYPE, offer.body, now=offer.now, contract=known, policies=policies)
        return ServiceAnswer(tuple(Complaint(b.rule, b.at, b.found, b.demanded) for b in verdict.broken))

    return judge


def _flawed(judge: Callable[[Offer], ServiceAnswer], seeded: Bug) -> Callable[[Offer], ServiceAnswer]:
    return lambda offer: seeded.flaw(offer, judge)
