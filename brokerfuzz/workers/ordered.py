"""Work in parts, whose results come in the parts' order, whoever is done first."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import BrokenExecutor, Future
from dataclasses import dataclass
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


@dataclass
class _Task(Generic[_Part, _Result]):
    """A part that is under way: by a worker, once it has a `future`."""

    part: _Part
    future: Future[_Result] | None = None


class _Ordered(Generic[_Part, _Result]):
    """The parts that are under way, the next one first."""

    def __init__(self, pool: Pool, function: Callable[[_Part], _Result], here: Callable[[_Part], bool]) -> None:
        self._pool, self._function, self._here = pool, function, here
        self._waiting: deque[_Task[_Part, _Result]] = deque()

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
            for task in self._waiting:
                if task.future is not None:
                    task.future.cancel()

    def _fill(self, parts: Iterator[_Part]) -> None:
        """Takes more parts, and gives out those that no worker has. It may find the workers lost in the middle of that."""
        self._waiting.extend(_Task(part) for part in islice(parts, self._pool.workers * AHEAD - len(self._waiting)))
        for task in self._waiting:
            if task.future is None and not self._here(task.part):
                task.future = self._pool.executor.submit(self._function, task.part)

    def _next(self) -> _Result:
        task = self._waiting[0]
        result = self._function(task.part) if task.future is None else task.future.result()
        self._waiting.popleft()
        return result

    def _begin_anew(self) -> None:
        self._pool.renew()
        for task in self._waiting:
            task.future = None
