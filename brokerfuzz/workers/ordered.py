"""Work in parts, whose results come in the parts' order, whoever is done first."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import BrokenExecutor, Future
from itertools import islice
from typing import Generic, TypeVar

from brokerfuzz.errors import WorkerError
from brokerfuzz.workers.pool import Pool

AHEAD = 4
"""How many parts a worker may be ahead, so that none is idle, and no more is made than there is memory for."""
ATTEMPTS = 3
"""How often workers may be lost before the next part is done: more often is for a reason."""

_Part = TypeVar("_Part")
_Result = TypeVar("_Result")


def in_order(
    pool: Pool | None, function: Callable[[_Part], _Result], parts: Iterable[_Part], *, here: Callable[[_Part], bool] = lambda part: False
) -> Iterator[_Result]:
    """What `function` makes of each part, in order: by the pool's workers, or by this process where there is no pool, and for parts that are `here`.

    Parts whose worker was lost are begun again. Raises `WorkerError` where workers are lost again and again.
    """
    return map(function, parts) if pool is None else _Ordered(pool, function, here).results(iter(parts))


class _Ordered(Generic[_Part, _Result]):
    """The parts that are under way, the next one first."""

    def __init__(self, pool: Pool, function: Callable[[_Part], _Result], here: Callable[[_Part], bool]) -> None:
        self._pool, self._function, self._here = pool, function, here
        self._waiting: deque[tuple[_Part, Future[_Result] | None]] = deque()

    def results(self, parts: Iterator[_Part]) -> Iterator[_Result]:
        """The results, as far as they are asked for. Raises `WorkerError`."""
        losses = 0
        try:
            while True:
                try:
                    self._fill(parts)
                    if not self._waiting:
                        return
                    result = self._next()
                except BrokenExecutor as problem:
                    losses += 1
                    if losses == ATTEMPTS:
                        raise WorkerError(f"workers were lost {ATTEMPTS} times with the same work: is there memory enough?") from problem
                    self._begin_anew()
                    continue
                losses = 0
                yield result
        finally:
            for _, future in self._waiting:
                if future is not None:
                    future.cancel()

    def _fill(self, parts: Iterator[_Part]) -> None:
        for part in islice(parts, self._pool.workers * AHEAD - len(self._waiting)):
            self._submit(part)

    def _submit(self, part: _Part) -> None:
        future = None if self._here(part) else self._pool.executor.submit(self._function, part)
        self._waiting.append((part, future))

    def _next(self) -> _Result:
        part, future = self._waiting[0]
        result = self._function(part) if future is None else future.result()
        self._waiting.popleft()
        return result

    def _begin_anew(self) -> None:
        lost = [part for part, _ in self._waiting]
        self._pool.renew()
        self._waiting.clear()
        for part in lost:
            self._submit(part)
