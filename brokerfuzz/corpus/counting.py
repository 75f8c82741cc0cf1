"""Counts the cases that are written to a corpus."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from brokerfuzz.cases.case import Case
from brokerfuzz.corpus.formats import LeftOut


@dataclass(frozen=True, slots=True)
class Summary:
    """The number of written cases: in total, and for each message type and label."""

    count: int
    by_label: dict[tuple[str, str], int]

    @classmethod
    def of(cls, passed: Counter[tuple[str, str]], left_out: Counter[tuple[str, str]]) -> "Summary":
        """Returns the summary of an export. The format received the cases in `passed`, but did not write the cases in `left_out`."""
        written = passed - left_out
        return cls(written.total(), dict(written))


class CountedCases:
    """Yields cases and counts them. `progress` is called with the number of cases so far."""

    def __init__(self, cases: Iterable[Case], progress: Callable[[int], None] | None = None) -> None:
        self._cases, self._progress = cases, progress
        self._by_label: Counter[tuple[str, str]] = Counter()

    def __iter__(self) -> Iterator[Case]:
        for number, case in enumerate(self._cases, 1):
            self._by_label[case.message_type, case.label] += 1
            if self._progress:
                self._progress(number)
            yield case

    def summary(self, left_out: LeftOut) -> Summary:
        """Returns the summary of the cases so far, without the cases in `left_out`."""
        return Summary.of(self._by_label, left_out.by_label)
