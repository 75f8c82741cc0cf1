"""Decides whether the service accepts an offer. The table `DECISIONS` settles questions that the contract leaves
open.
"""

from collections.abc import Iterable, Mapping
from datetime import datetime

from brokerfuzz.schemas import Contract, MessageType, Policies, check, load_contract
from brokerfuzz.service.answers import ServiceAnswer
from brokerfuzz.service.bugs import Bug, Judge, bug

DECISIONS: Mapping[str, str] = {
    "timestamp-format": "rejected",  # only the usual format is accepted, such as 2025-06-15T12:00:00Z
    "clock-tolerance": "300",  # seconds
    "duplicate-properties": "last",  # as in most parsers
    "double-range": "rounded",  # as in most parsers
    "byte-order-mark": "ignored",
    "encoding": "rejected",  # JSON between systems is UTF-8 (RFC 8259, 8.1)
    "content-encoding": "rejected",  # bodies are not decoded
    "false-content-encoding": "rejected",
    "charset": "ignored",
}
"""The policies of the service. If a message touches an ambiguity that is not in this table, the service accepts the
message.
"""


def decisions(contract: Contract) -> Policies:
    known = [ambiguity.id for ambiguity in contract.ambiguities if ambiguity.interpretations]
    return contract.check_policies({name: DECISIONS.get(name.partition(".")[0], "accepted") for name in known})


def answering(
    *,
    bugs: Iterable[str] = (),
    contract: Contract | None = None,
    now: datetime | None = None,
    message_type: MessageType | None = None,
) -> Judge:
    """Returns a function that answers messages like the service, without a server. If `message_type` is None, they have
    the first type of the contract.

    `bugs` are names from `BUGS`. Their order can matter, because each bug changes a service that already has the
    previous bugs. The function uses `now` as the current time (None: the real current time). Raises `UnknownNameError`
    if a bug is unknown.
    """
    known = contract or load_contract()
    policies, judged = decisions(known), message_type or known.message_types[0]

    def by_contract(body: bytes) -> ServiceAnswer:
        return ServiceAnswer(check(judged, body, now=now, contract=known, policies=policies).broken)

    judge: Judge = by_contract

    for name in bugs:
        judge = _flawed(judge, bug(name))
    return judge


def _flawed(judge: Judge, seeded: Bug) -> Judge:
    return lambda body: seeded.flaw(body, judge)
