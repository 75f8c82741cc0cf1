"""Shrinks the messages of all contradictions and finds the causes, by sending many variants of each message to the target."""

from collections.abc import Awaitable, Callable, Iterable
from functools import partial
from itertools import count
from time import monotonic

from brokerfuzz.campaign.bounded_sending import Bounds
from brokerfuzz.campaign.campaign_oracle import Judge
from brokerfuzz.campaign.case_runner import together
from brokerfuzz.campaign.cause_search import CauseSearch
from brokerfuzz.campaign.envelopes import malformed
from brokerfuzz.campaign.finding_groups import Suspicion, first_of_each
from brokerfuzz.campaign.finding_twins import twin_of
from brokerfuzz.campaign.journal import Key
from brokerfuzz.campaign.sending import Sender
from brokerfuzz.campaign.shrink_candidates import Schemas
from brokerfuzz.campaign.shrinking import Shrinker
from brokerfuzz.targets import Answer


class FindingMinimizer:
    """Shrinks all contradictions of a campaign.

    The campaign sends at most `requests` requests for each contradiction (0: no shrinking), and stops shrinking after `seconds`
    seconds in total.
    """

    def __init__(self, suspicions: list[Suspicion], sender: Sender, judge: Judge, *, requests: int, seconds: float) -> None:
        self._suspicions = [suspicion for suspicion in suspicions if suspicion.answer.reached]
        self._sender, self._judge = sender, judge
        self._requests, self._seconds = requests, seconds

    async def run(self, concurrency: int) -> None:
        """Shrinks all contradictions, then searches for the causes that shrinking could not find."""
        if self._requests <= 0:
            return
        bounds = Bounds(self._requests, monotonic() + self._seconds)
        await self._each(self._suspicions, partial(self._shrink, bounds), concurrency)
        shrunk = [suspicion for suspicion in first_of_each(self._suspicions) if suspicion.reproduced]
        await self._each(shrunk, partial(self._explain, bounds), concurrency)

    async def _each(self, suspicions: Iterable[Suspicion], do: Callable[[Suspicion], Awaitable[None]], concurrency: int) -> None:
        waiting = iter(suspicions)

        async def work() -> None:
            for suspicion in waiting:
                await do(suspicion)

        await together(*(work() for _ in range(concurrency)))

    async def _shrink(self, bounds: Bounds, suspicion: Suspicion) -> None:
        case = suspicion.case
        shrinker = Shrinker(
            suspicion.body,
            suspicion.verdict,
            suspicion.answer,
            send=self._sender_of("shrink", suspicion),
            judge=partial(self._judge.of, case),
            schemas=self._schemas(suspicion),
            bounds=bounds,
            shows=self._shows(suspicion),
        )
        try:
            await shrinker.run()
        finally:  # keep the result so far, even if the campaign is interrupted
            suspicion.body, suspicion.verdict, suspicion.answer = shrinker.body, shrinker.verdict, shrinker.answer
            suspicion.places, suspicion.whole = shrinker.places, shrinker.whole
            suspicion.sent, suspicion.shown = shrinker.sent, shrinker.shown
            suspicion.twin = twin_of(suspicion.body, suspicion.verdict, case, lambda body: self._judge.of(case, body).label)

    async def _explain(self, bounds: Bounds, suspicion: Suspicion) -> None:
        """Searches for the properties whose absence causes the problem, if the target should have accepted the message."""
        search = CauseSearch(
            suspicion.body,
            send=self._sender_of("turn", suspicion),
            judge=partial(self._judge.of, suspicion.case),
            schemas=self._schemas(suspicion),
            bounds=bounds,
            known=suspicion.places,
            thorough=suspicion.whole and not suspicion.places and not suspicion.case.headers,
        )
        try:
            await search.run()
        finally:
            suspicion.add_causes(search.places)

    def _sender_of(self, phase: str, suspicion: Suspicion) -> Callable[[bytes], Awaitable[Answer]]:
        """Returns a function that sends a body with the headers of the case. The journal distinguishes the kinds of
        contradictions of a case.
        """
        steps = count()
        return lambda body: self._sender.send(Key(f"{phase} {suspicion.kind}", suspicion.index, next(steps)), suspicion.case, body)

    def _shows(self, suspicion: Suspicion) -> Callable[[Answer], bool]:
        """Returns a function that decides whether an answer shows the same problem."""
        if suspicion.about:
            return lambda answer: malformed(answer, self._judge.demands) is not None
        return lambda answer: answer.kind == suspicion.answer.kind

    def _schemas(self, suspicion: Suspicion) -> Schemas:
        return {path: site.schema for path, site in self._judge.demands.sites[suspicion.case.message_type].items()}
