"""Defines the interface of all kinds of workers."""

from concurrent.futures import Executor
from typing import Protocol


class WorkerPool(Protocol):
    """A pool of workers. If a worker is lost, the executor raises `BrokenExecutor` or replaces the worker."""

    workers: int
    parent_works: bool
    """True if the current process also runs tasks, instead of only waiting for the workers."""

    @property
    def executor(self) -> Executor:
        """The executor that runs tasks on the workers."""
        ...

    @property
    def folder(self) -> str | None:
        """The folder in which workers store large results for the current process, or None."""
        ...

    def renew(self) -> Executor:
        """Replaces all workers after one of them was lost. Raises `WorkerError` if the workers cannot be replaced."""
        ...
