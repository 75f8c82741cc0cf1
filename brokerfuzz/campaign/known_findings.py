"""Finds out which contradictions the findings in the baseline explain, so that they are no new findings.

A contradiction can have another name than the known finding with the same cause. For example, the target rejects every
string with an apostrophe, and the baseline lists this only for `comments`, because the other messages had a second
problem that is now solved.

    known       {"comments": "'", …}         rejected with the answer A
    new         {"description": "it's", …}   rejected with the answer A; the cause is /description
    exchanged   {"description": "'", …}      rejected with the answer A: the known finding explains the new one

If the cause of a contradiction was not found, and the message of a known finding still gets the same answer, the known
finding explains the contradiction too.
"""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial

from brokerfuzz.campaign.baseline import marked
from brokerfuzz.campaign.bounded_sending import BoundedSender, Bounds, LimitReachedError
from brokerfuzz.campaign.campaign_oracle import Judge
from brokerfuzz.campaign.contradictions import WITH_CAUSES, FindingKind
from brokerfuzz.campaign.finding_minimizer import FindingMinimizer
from brokerfuzz.campaign.findings import Finding
from brokerfuzz.campaign.identity import fingerprint, group_key, identity_key
from brokerfuzz.campaign.journal import Key
from brokerfuzz.campaign.sending import Sender, UnsendableError
from brokerfuzz.campaign.shrinking import signature
from brokerfuzz.campaign.suspicion import Suspicion
from brokerfuzz.cases.case import Case
from brokerfuzz.json_trees import at, paths, pointer, replaced, sites, tree_of, write_tree
from brokerfuzz.targets import Answer

MOST_STRINGS = 8
"""The maximum number of strings of known findings that are tried for one contradiction."""


@dataclass(frozen=True)
class KnownFindings:
    """The names of the findings in the baseline, and the kinds and messages of those with a small message of the right
    type.
    """

    names: frozenset[str] = frozenset()
    messages: tuple[tuple[FindingKind, Case], ...] = ()

    def may_contain(self, suspicion: Suspicion) -> bool:
        """Returns whether a contradiction that is not yet shrunk may belong to a known finding. Often, shrinking
        decides.
        """
        if fingerprint(group_key(suspicion))[:8] in self.names:
            return True
        if suspicion.kind == "invalid-accepted":
            return bool(self.names) and len(suspicion.verdict.broken) > 1
        return any(suspicion.kind == kind for kind, _ in self.messages)

    def limited(self, findings: Iterable[Finding], limit: int | None) -> tuple[Finding, ...]:
        """Marks the known findings. Keeps only the first `limit` new findings, because shrinking can find further
        causes.
        """
        found = marked(findings, self.names)
        late = [] if limit is None else [finding for finding in found if not finding.known][limit:]
        return tuple(finding for finding in found if finding not in late)


class KnownCauses:
    """First call `ask`, then `mark`."""

    def __init__(self, known: KnownFindings, sender: Sender, judge: Judge, bounds: Bounds) -> None:
        self._known, self._sender, self._judge, self._bounds = known, sender, judge, bounds
        self._answers: list[tuple[FindingKind, Case, Answer]] = []

    async def ask(self) -> None:
        """Sends the messages of the known findings, to compare the answers."""
        for number, (kind, case) in enumerate(self._known.messages):
            sender = BoundedSender(partial(self._sender.send, Key("known", number), case), self._bounds)
            with suppress(LimitReachedError, UnsendableError):
                self._answers.append((kind, case, await sender.answer(case.body)))

    async def mark(self, suspicions: Iterable[Suspicion], minimizer: FindingMinimizer) -> None:
        """Sets `Suspicion.known` for each contradiction that a known finding explains."""
        for suspicion in suspicions:
            if suspicion.kind in WITH_CAUSES and fingerprint(identity_key(suspicion))[:8] not in self._known.names:
                with suppress(LimitReachedError, UnsendableError):
                    suspicion.known = await self._is_explained(suspicion, minimizer)

    async def _is_explained(self, suspicion: Suspicion, minimizer: FindingMinimizer) -> bool:
        problem = minimizer.problem(suspicion, suspicion.answer, suspicion.body)
        same = [
            case
            for kind, case, answer in self._answers
            if kind == suspicion.kind and problem.is_shown(answer, case.body)
        ]
        if not same or suspicion.size:
            return False
        if not suspicion.sent or (not suspicion.places and suspicion.verdict.label != "invalid"):
            return True
        sender = minimizer.bounded(suspicion)
        wanted = signature(suspicion.verdict)
        for body in self._with_known_strings(suspicion, same):
            if signature(self._judge.of(suspicion.case, body)) == wanted and problem.is_shown(
                await sender.answer(body), body
            ):
                return True
        return False

    def _with_known_strings(self, suspicion: Suspicion, known: Sequence[Case]) -> Iterator[bytes]:
        """If the cause is a single string, replaces this string with strings in the messages of known findings."""
        tree = tree_of(suspicion.body)
        causes = [path for path in paths(tree) if pointer(tree, path) in suspicion.places]
        if len(suspicion.places) != 1 or not causes or not isinstance(at(tree, causes[0]), str):
            return
        found = (
            value
            for case in known
            for _, value in sites(tree_of(case.body))
            if isinstance(value, str) and value not in ("", "0")
        )
        for value in list(dict.fromkeys(found))[:MOST_STRINGS]:
            yield write_tree(replaced(tree, causes[0], value))
