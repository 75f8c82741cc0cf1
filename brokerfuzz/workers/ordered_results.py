"""Distributes tasks among workers, and returns the results in the order of the tasks."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import BrokenExecutor, Executor, Future
from dataclasses import dataclass
from itertools import islice
from typing import Generic, Protocol, TypeVar

from brokerfuzz.errors import WorkerError

AHEAD = 4
"""The maximum number of tasks per worker whose results the caller has not yet taken. A larger number keeps the workers
busier, but needs more memory.

If the current process also runs tasks, this number is doubled.
"""
ATTEMPTS = 3
"""If workers are lost `ATTEMPTS` times without a new result, `in_order` raises `WorkerError`."""

_Part = TypeVar("_Part")
_Result = TypeVar("_Result")


class WorkerPool(Protocol):
    """A pool of workers. The workers run the tasks that `executor` receives. If a worker is lost, `executor` raises
    `BrokenExecutor` or replaces the worker.
    """

    workers: int
    parent_works: bool
    """True if the current process also runs tasks."""

    @property
    def executor(self) -> Executor: ...

    @property
    def folder(self) -> str | None:
        """The folder in which workers store large results for the current process, or None."""
        ...

    def renew(self) -> None:
        """Replaces all workers after one of them was lost. Raises `WorkerError` if the workers cannot be replaced."""
        ...


def in_order(
    pool: WorkerPool | None,
    function: Callable[[_Part], _Result],
    parts: Iterable[_Part],
    *,
    worker_function: Callable[[_Part], _Result] | None = None,
    keep_local: Callable[[_Part], bool] = lambda _: False,
) -> Iterator[_Result]:
    """Calls `function` for each task in `parts`, and yields the results in the order of the tasks.

    The workers of the pool call `worker_function` if it is given, and otherwise `function`. If `pool` is None, the
    current process runs all tasks. The current process also runs the tasks for which `keep_local` returns true. If
    `pool.parent_works` is true, the current process also runs tasks of the workers while it waits for results.

    If a worker is lost, all tasks without a yielded result start again. Raises `WorkerError` if workers are lost
    repeatedly.
    """
    return (
        map(function, parts)
        if pool is None
        else _Ordered(pool, function, worker_function or function, keep_local).results(iter(parts))
    )


@dataclass
class _Task(Generic[_Part, _Result]):
    """If `future` is None, the task has not started."""

    part: _Part
    future: Future[_Result] | None = None


class _Ordered(Generic[_Part, _Result]):
    """Implements `in_order` if `pool` is not None."""

    def __init__(
        self,
        pool: WorkerPool,
        function: Callable[[_Part], _Result],
        worker_function: Callable[[_Part], _Result],
        keep_local: Callable[[_Part], bool],
    ) -> None:
        self._pool, self._function, self._worker_function = pool, function, worker_function
        self._keep_local = keep_local
        self._limit = pool.workers * AHEAD * (2 if pool.parent_works else 1)
        self._waiting: deque[_Task[_Part, _Result]] = deque()

    def results(self, parts: Iterator[_Part]) -> Iterator[_Result]:
        """New tasks start only when the caller takes a result."""
        losses = 0
        while self._fill(parts):
            try:
                self._submit()
                while (task := self._local_task()) is not None:
                    task.future = self._done(task.part)
                    self._submit()
                result = self._next()
            except BrokenExecutor as problem:
                losses += 1
                if losses == ATTEMPTS:
                    raise WorkerError(
                        f"workers were lost {ATTEMPTS} times while they ran the same task: check that the workers "
                        "have enough memory"
                    ) from problem
                self._restart()
            else:
                losses = 0
                yield result

    def _fill(self, parts: Iterator[_Part]) -> bool:
        """Takes tasks from `parts` until `_limit` tasks are waiting. Returns False if no task is left."""
        self._waiting.extend(_Task(part) for part in islice(parts, self._limit - len(self._waiting)))
        return bool(self._waiting)

    def _submit(self) -> None:
        """Gives waiting tasks to the workers. If the current process also runs tasks, the workers get at most `AHEAD`
        unfinished tasks each. The other waiting tasks remain for the current process.

        Raises `BrokenExecutor` if a worker was lost.
        """
        running = [task for task in self._waiting if task.future is not None and not task.future.done()]
        room = (self._pool.workers - 1) * AHEAD - len(running) if self._pool.parent_works else None
        new = [task for task in self._waiting if task.future is None and not self._keep_local(task.part)]
        for task in islice(new, room):
            task.future = self._pool.executor.submit(self._worker_function, task.part)

    def _local_task(self) -> _Task[_Part, _Result] | None:
        """Returns the next task that the current process should run. Returns None if the next result is ready, if the
        current process must wait for a worker, or if all tasks have started.
        """
        first = self._waiting[0].future
        if first is not None and (first.done() or not self._pool.parent_works):
            return None
        return next((task for task in self._waiting if task.future is None), None)

    def _done(self, part: _Part) -> Future[_Result]:
        done = Future[_Result]()
        done.set_result(self._function(part))
        return done

    def _next(self) -> _Result:
        future = self._waiting[0].future
        assert future is not None, "this process runs every task that no worker has"
        result = future.result()
        self._waiting.popleft()
        return result

    def _restart(self) -> None:
        self._pool.renew()
        for task in self._waiting:
            task.future = None
