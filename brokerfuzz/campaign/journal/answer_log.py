"""Shows the answers of a campaign while they arrive."""

from collections.abc import Callable

from brokerfuzz.campaign.journal.records import Key
from brokerfuzz.campaign.journal.writing import Writer
from brokerfuzz.cases.case import Case
from brokerfuzz.targets import Answer
from brokerfuzz.wording import printable

_LONGEST = 200


class AnswerLog:
    """Calls `show` with a line about each answer. If there is a journal, the class also writes the answer to the
    journal.
    """

    def __init__(self, journal: Writer | None, show: Callable[[str], object]) -> None:
        self._journal, self._show = journal, show

    def record(self, key: Key, case: Case, body: bytes, sent: bytes, answer: Answer, at: float) -> None:
        what = f"{case.id} {case.label}" if body is case.body else f"{len(body):,} bytes"
        self._show(
            f"{at:.2f} s  {key.phase} {key.number}  {what}: {answer.kind} ({printable(answer.reason, _LONGEST)})"
        )
        if self._journal is not None:
            self._journal.record(key, case, body, sent, answer, at)

    def add(self, line: bytes) -> None:
        if self._journal is not None:
            self._journal.add(line)

    def close(self) -> None:
        """Does nothing, because the owner of the journal closes the journal."""
