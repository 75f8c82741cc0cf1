"""How many cases of what were written."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from brokerfuzz.cases.case import Case
from brokerfuzz.corpus.formats import LeftOut


@dataclass(frozen=True, slots=True)
class Summary:
    """What was written: how many cases, and how many of each message type and label."""

    count: int
    by_label: dict[tuple[str, str], int]

    @classmethod
    def of(cls, passed: Counter[tuple[str, str]], left_out: Counter[tuple[str, str]]) -> "Summary":
        """Of the cases that have passed, without those that the format has left out."""
        written = passed - left_out
        return cls(written.total(), dict(written))


class CountedCases:
    """Cases that are counted as they pass. `progress` is called with the number of those that have passed so far."""

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
        """What has passed so far, without what was left out."""
        return Summary.of(self._by_label, left_out.by_label)
