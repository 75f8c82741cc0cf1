"""Retests rejections that are unproven because the target also rejects the twin.

The target probably rejects the invalid message and its twin for the same reason, not because of the fault. So
brokerfuzz injects the same fault into the plain message, which the target accepts, and sends the result.

    fault    pageCount: 0, comments: "it's"    rejected   unproven
    twin     pageCount: 1, comments: "it's"    rejected
    plain    pageCount: 1, comments: "A"       accepted
    again    pageCount: 0, comments: "A"       accepted: a finding

In the results, the answer to the changed message replaces the answer to the original message.
"""

from contextlib import suppress
from functools import partial
from time import monotonic

from brokerfuzz.campaign.bounded_sending import BoundedSender, Bounds, LimitReachedError
from brokerfuzz.campaign.campaign_oracle import Judge
from brokerfuzz.campaign.case_runner import together
from brokerfuzz.campaign.journal import Key
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
    """Retests the rejections in `seen.proofs.waiting`, and updates the results in `seen`. `plain` must be a valid
    message, and `answer` the answer with which the target accepted it.
    """

    def __init__(
        self, seen: Observations, sender: Sender, judge: Judge, plain: Case, answer: Answer, deadline: float
    ) -> None:
        self._seen, self._sender, self._judge, self._deadline = seen, sender, judge, deadline
        self._plain, self._answer = plain, answer
        self._faults = Faults(judge.demands, plain.message_type, judge.now)

    async def run(self, concurrency: int) -> None:
        waiting = iter([doubt.rejection for _, doubt in sorted(self._seen.proofs.waiting.items())])

        async def work() -> None:
            for rejection in waiting:
                if monotonic() < self._deadline and (again := self._with_plain(rejection)) is not None:
                    await self._retest(rejection, again)

        with suppress(LimitReachedError):
            await together(*(work() for _ in range(concurrency)))

    def _with_plain(self, rejection: Rejection) -> Case | None:
        """Returns the plain message with the fault of the rejected message, or None if it has no such place."""
        faults = rejection.case.faults
        if len(faults) != 1 or rejection.case.headers:
            return None
        rule, technique = self._judge.demands.rule(faults[0].rule), TECHNIQUES[faults[0].technique]
        message = self._plain.value
        places = breakable_places(rule, message)
        return self._faults.inject(message, places[0], rule, technique, twin=self._plain) if places else None

    async def _retest(self, rejection: Rejection, case: Case) -> None:
        send = partial(self._sender.send, Key("retest", rejection.number), case)
        with suppress(UnsendableError):
            answer = await BoundedSender(send, Bounds(1, self._deadline)).answer(case.body)
            if not self._sender.is_conflict(case, answer):
                self._seen.retested(rejection, case, answer, self._plain, self._answer, self._judge)
