"""Collects failures that did not occur again when the message was sent again while no other message was under way.

Such a failure says nothing about the message, so it is not a finding about the message. All of them together are one
line of each report. A server error that occurs only beside other messages is a bug of the target all the same, for
example "database is locked": all of these errors together are one finding.
"""

from collections import Counter

from brokerfuzz.campaign.answer_texts import text_of
from brokerfuzz.campaign.contradictions import WITH_CAUSES
from brokerfuzz.campaign.finding import Finding
from brokerfuzz.targets import Answer

SAMPLES = 3
"""The number of messages that are kept for each answer."""

GATEWAY = frozenset({502, 503, 504})
"""Statuses of gateways and overloaded services. They are not errors of the application."""


def is_sporadic(finding: Finding) -> bool:
    """Returns whether a failure that was repeated did not occur again at once, and at most once later."""
    return finding.kind in (*WITH_CAUSES, "sporadic-crash") and finding.flaky and finding.shown < 2


def is_server_error(answer: Answer, *, isolated: bool) -> bool:
    """Returns whether the application itself failed. A connection that broke may have another reason, for example a
    restart. If `isolated` is true, each message has a process of its own, so there is no other reason.
    """
    if answer.kind != "crashed":
        return False
    return isolated if answer.status is None else answer.status not in GATEWAY


class SporadicFailures:
    """Counts sporadic failures for each status or reason, and keeps the failures with the lowest case numbers as
    samples.
    """

    def __init__(self, *, isolated: bool) -> None:
        self._isolated = isolated
        self._counts: Counter[str] = Counter()
        self._samples: dict[str, list[Finding]] = {}

    def add(self, failure: Finding) -> None:
        failure.kind = "sporadic-crash"
        head = text_of(failure.answer).head
        self._counts[head] += failure.count
        self._samples[head] = sorted([*self._samples.get(head, ()), failure], key=lambda one: one.index)[:SAMPLES]

    def take(self, suspicion: Finding, suspicions: list[Finding]) -> None:
        """Moves a contradiction from the list to the sporadic failures, if it is one."""
        if is_sporadic(suspicion) and suspicion in suspicions:
            suspicions.remove(suspicion)
            self.add(suspicion)

    def remove(self, failure: Finding) -> None:
        for head, samples in self._samples.items():
            if failure in samples:
                samples.remove(failure)
                self._counts[head] -= failure.count

    def answers(self) -> list[tuple[str, int]]:
        """The reasons of the failed answers, such as `status 503`, and how many messages got such an answer."""
        return [
            (samples[0].answer.reason, self._counts[head])
            for head, samples in self._samples.items()
            if samples and self._counts[head]
        ]

    def server_errors(self) -> list[Finding]:
        """Samples of the errors of the application itself, in the order of the cases."""
        found = (one for samples in self._samples.values() for one in samples if self._is_server_error(one))
        return sorted(found, key=lambda failure: failure.index)

    def finding(self) -> Finding | None:
        """Returns one contradiction for all errors of the application itself, or None if there are none."""
        errors = self.server_errors()
        if not errors:
            return None
        first, counts = errors[0], self._counts
        count = sum(counts[head] for head, some in self._samples.items() if some and self._is_server_error(some[0]))
        return Finding("sporadic-crash", first.case, first.index, first.case.verdict, first.answer, count)

    def _is_server_error(self, failure: Finding) -> bool:
        return is_server_error(failure.answer, isolated=self._isolated)
