"""Retests rejections that are unproven because the target also rejects the twin.

The target probably rejects the invalid message and its twin for the same reason, not because of the fault. brokerfuzz
finds the part of the twin that the target rejects, replaces this part in both messages with the same part of the plain
message, and sends both messages again.

    fault    pageCount: 0, comments: "it's"    rejected   unproven
    twin     pageCount: 1, comments: "it's"    rejected   the part is comments
    again    pageCount: 1, comments: "A"       accepted
    again    pageCount: 0, comments: "A"       accepted: a finding

In the results, the answer to the changed invalid message replaces the answer to the original message.
"""

import asyncio
from collections import Counter
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from time import monotonic

from brokerfuzz.campaign.bounded_sending import BoundedSender, Bounds, LimitReachedError
from brokerfuzz.campaign.campaign_oracle import Judge
from brokerfuzz.campaign.case_runner import together
from brokerfuzz.campaign.journal import Key
from brokerfuzz.campaign.observations import Observations
from brokerfuzz.campaign.proof import MOST_EXAMPLES, Rejection, reason_of
from brokerfuzz.campaign.rejected_parts import PlainParts, RejectedParts, Sites
from brokerfuzz.campaign.sending import Sender, UnsendableError
from brokerfuzz.campaign.shrinking import signature
from brokerfuzz.cases.case import Case
from brokerfuzz.targets import Answer

SEARCH_REQUESTS = 40
"""The maximum number of requests that search for rejected parts, for each group of twins with the same answer."""
SECONDS = 60.0
"""The maximum time for all searches and retests, in seconds."""


@dataclass(frozen=True)
class _Retest:
    """The messages for the retest of `rejection`: the invalid message `fault` and its twin. In both messages, the
    rejected parts were replaced.
    """

    rejection: Rejection
    fault: Case
    twin: Case


class Retesting:
    """Retests the rejections in `seen.proofs.waiting`, and updates the results in `seen`. `plain` must be a valid
    message that the target accepted.
    """

    def __init__(
        self, seen: Observations, sender: Sender, judge: Judge, plain: Case, concurrency: int, deadline: float
    ) -> None:
        self._seen, self._sender, self._judge, self._concurrency, self._deadline = (
            seen,
            sender,
            judge,
            concurrency,
            deadline,
        )
        self._plain = PlainParts(plain.body)
        self._steps: Counter[int] = Counter()

    async def run(self) -> None:
        """Retests one group of rejections after another. In a group, all twins got the same answer."""
        groups: dict[tuple[str, ...], list[int]] = {}
        for number, doubt in sorted(self._seen.proofs.waiting.items()):
            groups.setdefault(reason_of(doubt.rejection), []).append(number)
        for numbers in islice(groups.values(), MOST_EXAMPLES):
            await self._retest_group(numbers)

    async def _retest_group(self, numbers: Sequence[int]) -> None:
        """Searches for parts of the twins that the target rejects, replaces these parts, and sends the messages again.
        Continues until the target accepts all twins or a limit is reached. If the target still rejects twins, the
        method replaces all parts that differ from the plain message, and sends these messages again.
        """
        waiting = self._seen.proofs.waiting
        searching = BoundedSender(
            partial(self._sent, waiting[numbers[0]].rejection), Bounds(SEARCH_REQUESTS, self._deadline)
        )
        sites: Sites = ()
        for number in numbers:
            if number in waiting and searching.requests < SEARCH_REQUESTS:
                found = await self._rejected_parts(waiting[number].rejection, searching)
                if not set(found) <= set(sites):
                    sites = tuple(sorted({*sites, *found}))
                    await self._retest(numbers, sites)
        await self._retest(numbers, None)
        for number in numbers:
            await asyncio.sleep(0)
            if (
                monotonic() < self._deadline
                and number in waiting
                and (twin := waiting[number].rejection.twin) is not None
            ):
                waiting[number] = replace(waiting[number], sites=self._plain.concerned(twin.body, sites))

    async def _rejected_parts(self, rejection: Rejection, searching: BoundedSender) -> Sites:
        assert rejection.twin is not None, "only rejections with a twin wait"
        parts = RejectedParts(rejection.twin.body, self._plain, searching, partial(self._judge.of, rejection.twin))
        await parts.run()
        return parts.sites

    # ------------------------------------------------------------------------------------------------ retesting

    async def _retest(self, numbers: Sequence[int], sites: Sites | None) -> None:
        """Replaces the values at `sites` (None: all unusual values) with ordinary values, in the cases with these
        `numbers` and in their twins. Sends the changed twins. If the target accepts a changed twin, sends the changed
        case too.
        """
        waiting = self._seen.proofs.waiting
        retests = []
        for number in numbers:
            if (
                number in waiting
                and monotonic() < self._deadline
                and (retest := self._changed(waiting[number].rejection, sites)) is not None
            ):
                retests.append(retest)
            await asyncio.sleep(0)  # so that Ctrl-C is noticed
        twins = {retest.twin.body: (self._key(retest.rejection), retest.twin) for retest in retests}
        answers = await self._answers(twins.values())
        accepted = {
            body: answers[key] for body, (key, _) in twins.items() if key in answers and answers[key].kind == "accepted"
        }
        proving = {self._key(retest.rejection): retest for retest in retests if retest.twin.body in accepted}
        answers = await self._answers((key, retest.fault) for key, retest in proving.items())
        for key, retest in proving.items():
            if key in answers and not self._sender.is_conflict(retest.fault, answers[key]):
                self._seen.retested(
                    retest.rejection, retest.fault, answers[key], retest.twin, accepted[retest.twin.body], self._judge
                )
                self._seen.proofs.retested[sites or ()] += 1

    def _changed(self, rejection: Rejection, sites: Sites | None) -> _Retest | None:
        """Replaces the parts at `sites` with parts of the plain message, both in the invalid message and in its twin.
        Returns None if no part can be replaced, for example because the parts contain the fault.
        """
        case, twin = rejection.case, rejection.twin
        assert twin is not None, "only rejections with a twin wait"
        wanted = signature(rejection.verdict)

        def allows(twin_body: bytes, body: bytes) -> bool:
            return self._judge.of(twin, twin_body).label == "valid" and signature(self._judge.of(case, body)) == wanted

        twin_body, body = self._plain.copied_into(twin.body, case.body, sites, lambda *_: True)
        if not allows(twin_body, body):
            twin_body, body = self._plain.copied_into(twin.body, case.body, sites, allows)
        if twin_body == twin.body:
            return None
        changed = replace(twin, body=twin_body, verdict=self._judge.of(twin, twin_body))
        return _Retest(rejection, replace(case, body=body, verdict=self._judge.of(case, body), twin=changed), changed)

    # ------------------------------------------------------------------------------------------------ sending

    async def _answers(self, messages: Iterable[tuple[Key, Case]]) -> dict[Key, Answer]:
        found: dict[Key, Answer] = {}
        waiting = iter(list(messages))

        async def work() -> None:
            for key, case in waiting:
                with suppress(UnsendableError):
                    found[key] = await BoundedSender(
                        partial(self._sender.send, key, case), Bounds(1, self._deadline)
                    ).answer(case.body)

        with suppress(LimitReachedError):
            await together(*(work() for _ in range(self._concurrency)))
        return found

    async def _sent(self, rejection: Rejection, body: bytes) -> Answer:
        assert rejection.twin is not None, "only rejections with a twin wait"
        return await self._sender.send(self._key(rejection), rejection.twin, body)

    def _key(self, rejection: Rejection) -> Key:
        step = self._steps[rejection.number]
        self._steps[rejection.number] += 1
        return Key("retest", rejection.number, step)
