"""Repeats the messages of contradictions before they are shrunk, one at a time, so that no other message can cause a
failure.

A crash, a timeout or a rejection of a valid message that does not occur again is no finding: it is a sporadic failure
(see `sporadic`). If it occurs again only sometimes, it stays a contradiction, and shrinking marks it as flaky. An
answer that probably has nothing to do with the message, such as status 503, has to occur again each time.
"""

from collections.abc import Sequence
from contextlib import suppress
from itertools import groupby

from brokerfuzz.campaign.bounded_sending import BoundedSender, Bounds, LimitReachedError
from brokerfuzz.campaign.contradictions import CONFLICT, FindingKind, contradiction
from brokerfuzz.campaign.finding import Finding
from brokerfuzz.campaign.identity import group_key
from brokerfuzz.campaign.sending import Sender
from brokerfuzz.campaign.sporadic import GATEWAY, SporadicFailure, SporadicFailures
from brokerfuzz.campaign.target_health import is_about_the_client

SECONDS = 60.0
"""The maximum time for all repetitions, in seconds."""
TRIES = 5
"""A failure is sporadic if it occurs in none of `TRIES` repetitions."""
EXCUSED_TRIES = 2
"""A failure that probably has nothing to do with the message is sporadic if it does not occur in one of `EXCUSED_TRIES`
repetitions.
"""
ENOUGH = 5
"""If `ENOUGH` contradictions with the same answer have all occurred again, brokerfuzz does not repeat the others. If
`ENOUGH` of them are sporadic, brokerfuzz repeats each of the others only once.
"""
_REPEATED: frozenset[FindingKind] = frozenset({"crashed", "timeout", "valid-rejected"})


class Confirmation:
    """Repeats the messages of contradictions. Adds the sporadic ones to `sporadic`."""

    def __init__(self, sporadic: SporadicFailures, sender: Sender, deadline: float) -> None:
        self._sporadic, self._sender, self._bounds = sporadic, sender, Bounds(deadline=deadline)

    async def confirm(self, suspicions: list[Finding]) -> None:
        """Removes the sporadic contradictions from the list. Server errors that did not occur again while the cases
        were sent are repeated too. If one of them now occurs again, it is added to the list.
        """
        earlier = self._sporadic.server_errors()
        repeated = sorted((one for one in suspicions if one.kind in _REPEATED), key=group_key)
        with suppress(LimitReachedError):
            for _, group in groupby(repeated, key=group_key):
                await self._repeat(list(group), suspicions)
            for failure in earlier:
                suspicion = Finding("crashed", failure.case, failure.number, failure.case.verdict, failure.answer)
                if await self._recurs(suspicion, TRIES):
                    self._sporadic.remove(failure)
                    suspicions.append(suspicion)
        suspicions.sort(key=lambda suspicion: suspicion.index)

    def remove_sporadic(self, suspicions: list[Finding]) -> None:
        """Removes the contradictions that did not occur again while brokerfuzz tried to shrink them."""
        for suspicion in [one for one in suspicions if one.kind in _REPEATED and one.sent >= TRIES and not one.shown]:
            self._excuse(suspicion, suspicions)

    async def _repeat(self, group: Sequence[Finding], found: list[Finding]) -> None:
        """Repeats the messages of contradictions with the same answer. Removes the sporadic ones from `found`."""
        recurring = sporadic = 0
        for suspicion in group:
            if recurring >= ENOUGH and not sporadic:
                return
            if await self._recurs(suspicion, TRIES if sporadic < ENOUGH else 1):
                recurring += 1
            else:
                sporadic += 1
                self._excuse(suspicion, found)

    def _excuse(self, suspicion: Finding, found: list[Finding]) -> None:
        found.remove(suspicion)
        self._sporadic.add(SporadicFailure(suspicion.index, suspicion.case, suspicion.answer), suspicion.count)

    async def _recurs(self, suspicion: Finding, tries: int) -> bool:
        sender = BoundedSender(self._sender, "alone", suspicion, self._bounds)
        excused = is_about_the_client(suspicion.answer) or suspicion.answer.status in GATEWAY
        for _ in range(EXCUSED_TRIES if excused else tries):
            answer = await sender.answer(suspicion.case.body, again=True)
            is_known = answer.status == CONFLICT != suspicion.answer.status  # the target has stored the message before
            wrong = contradiction(suspicion.verdict.label, answer.kind) is not None and not is_known
            if wrong != excused:
                return wrong
        return excused
