"""Retests rejections that are unproven because the target also rejects the twin.

The target probably rejects the invalid message and its twin for the same reason, not because of the fault. So
brokerfuzz injects the same fault into the plain message, which the target accepts, and sends the result.

    fault    pageCount: 0, comments: "it's"    rejected   unproven
    twin     pageCount: 1, comments: "it's"    rejected
    plain    pageCount: 1, comments: "A"       accepted
    again    pageCount: 0, comments: "A"       accepted: a finding

In the results, the answer to the changed message replaces the answer to the original message.
"""

from collections.abc import Iterator
from contextlib import suppress
from time import monotonic

from brokerfuzz.campaign.bounded_sending import BoundedSender, Bounds, LimitReachedError, together
from brokerfuzz.campaign.campaign_oracle import Judge
from brokerfuzz.campaign.observations import Observations
from brokerfuzz.campaign.proof import Rejection
from brokerfuzz.campaign.sending import Sender, UnsendableError
from brokerfuzz.cases.case import Case
from brokerfuzz.cases.fault_wishes import breakable_places
from brokerfuzz.cases.faults import Faults
from brokerfuzz.cases.techniques import TECHNIQUES
from brokerfuzz.targets import Answer

SECONDS = 60.0
"""The maximum time for all retests, in seconds."""


class Retesting:
    """Retests the rejections in `seen.proofs.waiting`, and updates the results in `seen`. `plain` is a valid message
    that the target has accepted.
    """

    def __init__(self, seen: Observations, sender: Sender, judge: Judge, plain: Case, deadline: float) -> None:
        self._seen, self._sender, self._judge, self._deadline = seen, sender, judge, deadline
        self._plain = plain
        self._faults = Faults(judge.demands, plain.message_type, judge.now)

    async def run(self, concurrency: int) -> None:
        """Sends the plain message once more. If the target no longer accepts it, nothing can be proven."""
        waiting = [doubt.rejection for _, doubt in sorted(self._seen.proofs.waiting.items())]
        if not waiting:
            return
        with suppress(LimitReachedError, UnsendableError):
            plain = await self._answer(waiting[0].number, self._plain, again=True)
            if plain.kind == "accepted":
                left = iter(waiting)
                await together(*(self._retest_all(left, plain) for _ in range(concurrency)))

    async def _retest_all(self, waiting: Iterator[Rejection], plain: Answer) -> None:
        for rejection in waiting:
            if monotonic() < self._deadline and (again := self._with_plain(rejection)) is not None:
                with suppress(UnsendableError):
                    answer = await self._answer(rejection.number, again)
                    if not self._sender.is_conflict(again, answer):
                        self._seen.retested(rejection, again, answer, self._plain, plain, self._judge)

    def _with_plain(self, rejection: Rejection) -> Case | None:
        """Returns the plain message with the fault of the rejected message, or None if it has no such place."""
        faults = rejection.case.faults
        if len(faults) != 1 or rejection.case.headers:
            return None
        rule, technique = self._judge.demands.rule(faults[0].rule), TECHNIQUES[faults[0].technique]
        message = self._plain.value
        places = breakable_places(rule, message)
        return self._faults.inject(message, places[0], rule, technique, twin=self._plain) if places else None

    async def _answer(self, number: int, case: Case, *, again: bool = False) -> Answer:
        sender = BoundedSender(self._sender, "retest", number, case, Bounds(1, self._deadline))
        return await sender.answer(case.body, again=again)
