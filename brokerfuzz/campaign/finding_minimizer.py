"""Shrinks the message of a contradiction and finds its causes, by sending many variants of the message to the
target.
"""

from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from functools import partial

from brokerfuzz.campaign.bounded_sending import BoundedSender, Bounds, LimitReachedError
from brokerfuzz.campaign.campaign_oracle import Judge
from brokerfuzz.campaign.cause_search import CauseSearch
from brokerfuzz.campaign.causes import Cause
from brokerfuzz.campaign.finding_twins import twin_of
from brokerfuzz.campaign.journal import Key
from brokerfuzz.campaign.same_problem import SameProblem
from brokerfuzz.campaign.sending import Sender, UnsendableError
from brokerfuzz.campaign.shrink_candidates import Schemas
from brokerfuzz.campaign.shrinking import Shrinker
from brokerfuzz.campaign.size_search import smallest_rejected
from brokerfuzz.campaign.suspicion import Suspicion
from brokerfuzz.targets import Answer

ALONE = 2
"""The number of times that a smallest message without a known cause is sent while no other message is sent."""


class FindingMinimizer:
    """Shrinks contradictions. `bounds` limits each shrinking and each search for causes."""

    def __init__(self, sender: Sender, judge: Judge, bounds: Bounds) -> None:
        self._sender, self._judge, self._bounds = sender, judge, bounds
        self._steps: Counter[tuple[str, int]] = Counter()

    async def shrink(self, suspicion: Suspicion, start: bytes, answer: Answer, avoided: Sequence[Cause] = ()) -> None:
        """Shrinks the message `start`, to which the target gave `answer`, and stores the result in `suspicion`. The
        smaller messages contain none of the causes in `avoided`.
        """
        case = suspicion.case
        verdict = self._judge.of(case, start) if start != case.body else suspicion.verdict
        shrinker = Shrinker(
            start,
            verdict,
            answer,
            send=self.sender_of("shrink", suspicion),
            judge=partial(self._judge.of, case),
            schemas=self.schemas(suspicion),
            bounds=self._bounds,
            problem=self.problem(suspicion, answer, start),
            allows=lambda tree: not any(cause.is_in(tree) for cause in avoided),
        )
        try:
            await shrinker.run()
        finally:  # keep the result so far, even if the campaign is interrupted
            suspicion.body, suspicion.verdict, suspicion.answer = shrinker.body, shrinker.verdict, shrinker.answer
            suspicion.places, suspicion.whole = shrinker.places, shrinker.whole
            suspicion.sent, suspicion.shown = shrinker.sent, shrinker.shown
            suspicion.twin = twin_of(
                suspicion.body, suspicion.verdict, case, lambda body: self._judge.of(case, body).label
            )

    async def explain(self, suspicion: Suspicion) -> None:
        """Searches for causes that shrinking cannot find, such as a missing property (see `cause_search`)."""
        search = CauseSearch(
            suspicion.body,
            send=self.sender_of("turn", suspicion),
            judge=partial(self._judge.of, suspicion.case),
            schemas=self.schemas(suspicion),
            bounds=self._bounds,
            known=suspicion.places,
            thorough=suspicion.whole and not suspicion.places and not suspicion.case.headers,
        )
        try:
            await search.run()
        finally:
            suspicion.add_causes(search.places)

    async def repeat(self, suspicion: Suspicion) -> None:
        """Sends the smallest message several times while no other message is sent. So other messages cannot be the
        cause.
        """
        sender = self.bounded(suspicion)
        problem = self.problem(suspicion, suspicion.answer, suspicion.body)
        with suppress(LimitReachedError, UnsendableError):
            for _ in range(ALONE):
                suspicion.shown += problem.is_shown(await sender.answer(suspicion.body), suspicion.body)
                suspicion.sent += 1

    async def find_size(self, suspicion: Suspicion) -> bool:
        """Returns whether the size of the message alone causes the problem (see `size_search`). If so, stores the
        smallest message with this problem in `suspicion`.
        """
        plain = self._sender.contact.case
        if plain is None or not self._sender.contact.accepted or suspicion.case.headers or suspicion.kind == "timeout":
            return False
        problem = self.problem(suspicion, suspicion.answer, suspicion.case.body)
        sender = BoundedSender(self.sender_of("size", suspicion), self._bounds)

        async def shows_problem(body: bytes) -> bool:
            answer = await sender.answer(body)
            if problem.is_shown(answer, body):
                suspicion.body, suspicion.answer, suspicion.size = body, answer, len(body)
                return True
            return False

        with suppress(LimitReachedError, UnsendableError):
            suspicion.whole = await smallest_rejected(plain.body, len(suspicion.case.body), shows_problem)
            suspicion.sent, suspicion.shown = 1, int(suspicion.whole and await shows_problem(suspicion.body))
        if suspicion.size:
            suspicion.verdict = self._judge.of(plain, suspicion.body)
        return suspicion.size > 0

    def problem(self, suspicion: Suspicion, answer: Answer, message: bytes) -> SameProblem:
        return SameProblem(suspicion.kind, answer, message, self._judge.demands)

    def bounded(self, suspicion: Suspicion) -> BoundedSender:
        return BoundedSender(self.sender_of("shrink", suspicion), self._bounds)

    def sender_of(self, phase: str, suspicion: Suspicion) -> Callable[[bytes], Awaitable[Answer]]:
        """Returns a function that sends a body with the headers of the case. In the journal, `phase` is followed by the
        kind of the contradiction and the verdict (see `Key`). This distinguishes a case from its twin, which has the
        same number.
        """
        name = f"{phase} {suspicion.kind} {suspicion.verdict.label}"
        place = (name, suspicion.index)

        async def send(body: bytes) -> Answer:
            step = self._steps[place]
            self._steps[place] += 1
            return await self._sender.send(Key(name, suspicion.index, step), suspicion.case, body)

        return send

    def schemas(self, suspicion: Suspicion) -> Schemas:
        return {path: site.schema for path, site in self._judge.demands.sites[suspicion.case.message_type].items()}
