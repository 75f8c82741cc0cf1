"""Generates the cases of a campaign in a separate thread, a few at a time.

The search for a new random message can take seconds. In the thread of the event loop, it would delay the answers that
arrive meanwhile, and they would count as timeouts.
"""

import asyncio
from collections import deque
from collections.abc import Iterable
from time import monotonic

from brokerfuzz.cases.case import Case
from brokerfuzz.targets.threads import CallThread

_MOST_CASES = 256
_SECONDS = 0.1
"""The thread returns the cases that it has after this time, or `_MOST_CASES` cases."""

NumberedCase = tuple[int, Case]


class CaseStream:
    """Yields the cases in their order. `count` is the number of cases that were generated, and `is_exhausted` is True
    after the last one.
    """

    def __init__(self, cases: Iterable[NumberedCase]) -> None:
        self.count = 0
        self.is_exhausted = False
        self._cases = iter(cases)
        self._ready = deque[NumberedCase]()
        self._thread = CallThread()
        self._lock = asyncio.Lock()

    async def next(self) -> NumberedCase | None:
        """Returns the next case, or None after the last one."""
        if not self._ready:
            async with self._lock:
                if not self._ready and not self.is_exhausted:
                    self._ready.extend(await self._thread.result(self._generate, None))
        return self._ready.popleft() if self._ready else None

    def close(self) -> None:
        self._thread.close()

    def _generate(self) -> list[NumberedCase]:
        generated = list[NumberedCase]()
        deadline = monotonic() + _SECONDS
        for numbered_case in self._cases:
            self.count += 1
            generated.append(numbered_case)
            if len(generated) == _MOST_CASES or monotonic() > deadline:
                return generated
        self.is_exhausted = True
        return generated
