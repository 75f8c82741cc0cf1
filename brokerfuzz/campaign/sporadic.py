"""Collects failures that did not occur again when the message was sent again while no other message was under way.

Such a failure says nothing about the message, so it is not a finding about the message. All of them together are one
line of each report. A server error that occurs only beside other messages is a bug of the target all the same, for
example "database is locked": all of these errors together are one finding.
"""

from collections import Counter
from dataclasses import dataclass

from brokerfuzz.campaign.answer_texts import text_of
from brokerfuzz.campaign.finding import Finding
from brokerfuzz.cases.case import Case
from brokerfuzz.targets import Answer

MOST_ANSWERS = 20
"""The maximum number of different answers that are counted separately."""
SAMPLES = 3
"""The number of messages that are kept for each answer."""

GATEWAY = frozenset({502, 503, 504})
"""Statuses of gateways and overloaded services. They are not errors of the application."""


@dataclass(frozen=True)
class SporadicFailure:
    """A failure that did not occur again. `number` is the number of the case. `isolated` is true if the message had a
    process of its own.
    """

    number: int
    case: Case
    answer: Answer
    isolated: bool = False

    @property
    def is_server_error(self) -> bool:
        return is_server_error(self.answer, isolated=self.isolated)


def is_server_error(answer: Answer, *, isolated: bool) -> bool:
    """Returns whether the application itself failed. A connection that broke may have another reason, for example a
    restart.
    """
    if answer.kind != "crashed":
        return False
    return isolated if answer.status is None else answer.status not in GATEWAY


class SporadicFailures:
    """Counts sporadic failures for each status or reason, and keeps the failures with the lowest case numbers as
    samples.
    """

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        self.samples: dict[str, list[SporadicFailure]] = {}

    def add(self, failure: SporadicFailure, count: int = 1) -> None:
        head = text_of(failure.answer).head
        if head not in self.counts and len(self.counts) >= MOST_ANSWERS:
            head = next(reversed(self.counts))
        self.counts[head] += count
        samples = sorted([*self.samples.get(head, ()), failure], key=lambda one: one.number)
        self.samples[head] = samples[:SAMPLES]

    def remove(self, failure: SporadicFailure) -> None:
        """Removes a failure that has now occurred again."""
        for head, samples in self.samples.items():
            if failure in samples:
                samples.remove(failure)
                self.counts[head] -= 1

    def answers(self) -> list[tuple[str, int]]:
        """The reasons of the failed answers, such as `status 503`, and how many messages got such an answer."""
        return [
            (samples[0].answer.reason, self.counts[head])
            for head, samples in self.samples.items()
            if samples and self.counts[head]
        ]

    def server_errors(self) -> list[SporadicFailure]:
        """Samples of the errors of the application itself, in the order of the cases."""
        found = (failure for samples in self.samples.values() for failure in samples if failure.is_server_error)
        return sorted(found, key=lambda failure: failure.number)

    def finding(self) -> Finding | None:
        """Returns one contradiction for all errors of the application itself, or None if there are none."""
        errors = self.server_errors()
        if not errors:
            return None
        first = errors[0]
        count = sum(
            self.counts[head] for head, samples in self.samples.items() if samples and samples[0].is_server_error
        )
        return Finding("sporadic-crash", first.case, first.number, first.case.verdict, first.answer, count=count)
