"""Work in parts, whose results come in the parts' order, whoever is done first."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import BrokenExecutor, Future
from dataclasses import dataclass
from itertools import islice
from typing import Generic, TypeVar

from brokerfuzz.errors import WorkerError
from brokerfuzz.workers.pool import WorkerPool

AHEAD = 4
"""How many parts a worker may be ahead, so that none is idle, and no more is made than there is memory for; twice as many where this process
helps, for it and the workers take different ones."""
ATTEMPTS = 3
"""How often workers may be lost before the next part is done: more often is for a reason."""

_Part = TypeVar("_Part")
_Result = TypeVar("_Result")


def _no(part: object) -> bool:
    return False


def in_order(
    pool: WorkerPool | None,
    function: Callable[[_Part], _Result],
    parts: Iterable[_Part],
    *,
    there: Callable[[_Part], _Result] | None = None,
    stays: Callable[[_Part], bool] = _no,
    rather: Callable[[_Part], bool] = _no,
) -> Iterator[_Result]:
    """What `function` makes of each part, in order: by the pool's workers, for whom `there` does the same if it is given; by this process where there
    is no pool, for parts of which that `stays`, and, where it helps them, for parts that none has yet when it would have to wait: first those that
    it does `rather`. The workers begin with the others.

    Parts whose worker was lost are begun again. Raises `WorkerError` where workers are lost again and again.
    """
    return map(function, parts) if pool is None else _Ordered(pool, function, there or function, stays, rather).results(iter(parts))


@dataclass
class _Task(Generic[_Part, _Result]):
    """A part that is under way once it has a `future`."""

    part: _Part
    future: Future[_Result] | None = None


class _Ordered(Generic[_Part, _Result]):
    """The parts that are under way, the next one first."""

    def __init__(
        self,
        pool: WorkerPool,
        here: Callable[[_Part], _Result],
        there: Callable[[_Part], _Result],
        stays: Callable[[_Part], bool],
        rather: Callable[[_Part], bool],
    ) -> None:
        self._pool, self._here, self._there, self._stays, self._rather = pool, here, there, stays, rather
        self._most = pool.workers * AHEAD * (2 if pool.helped else 1)
        self._waiting: deque[_Task[_Part, _Result]] = deque()

    def results(self, parts: Iterator[_Part]) -> Iterator[_Result]:
        """The results, as far as they are asked for. Raises `WorkerError`."""
        losses = 0
        while self._take(parts):
            try:
                self._give()
                while (mine := self._mine()) is not None:
                    mine.future = self._done(mine.part)
                    self._give()
                result = self._next()
            except BrokenExecutor as problem:
                losses += 1
                if losses == ATTEMPTS:
                    raise WorkerError(f"workers were lost {ATTEMPTS} times with the same work: is there memory enough?") from problem
                self._begin_anew()
            else:
                losses = 0
                yield result

    def _take(self, parts: Iterator[_Part]) -> bool:
        """Takes more parts; whether there are any."""
        self._waiting.extend(_Task(part) for part in islice(parts, self._most - len(self._waiting)))
        return bool(self._waiting)

    def _give(self) -> None:
        """Gives parts to the workers: all, or, where this process helps, as many as they need. It may find them lost in the middle of that."""
        given = [task for task in self._waiting if task.future is not None and not task.future.done()]
        room = (self._pool.workers - 1) * AHEAD - len(given) if self._pool.helped else None
        new = [task for task in self._waiting if task.future is None and not self._stays(task.part)]
        for task in islice(sorted(new, key=lambda task: self._rather(task.part)), room):
            task.future = self._pool.executor.submit(self._there, task.part)

    def _mine(self) -> _Task[_Part, _Result] | None:
        """The part that this process does now, of those that are with no worker; None where the next result is there, or is to be waited for."""
        first = self._waiting[0].future
        if first is not None and (first.done() or not self._pool.helped):
            return None
        left = [task for task in self._waiting if task.future is None]
        return min(left, key=lambda task: not self._rather(task.part), default=None)

    def _done(self, part: _Part) -> Future[_Result]:
        done = Future[_Result]()
        done.set_result(self._here(part))
        return done

    def _next(self) -> _Result:
        future = self._waiting[0].future
        assert future is not None, "what no worker has, this process does"
        result = future.result()
        self._waiting.popleft()
        return result

    def _begin_anew(self) -> None:
        self._pool.renew()
        for task in self._waiting:
            task.future = None
