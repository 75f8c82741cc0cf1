"""Defines what all kinds of workers have in common."""

from concurrent.futures import Executor
from typing import Protocol


class WorkerPool(Protocol):
    """Several workers. If a worker is lost, the executor raises `BrokenExecutor` or replaces the worker."""

    workers: int
    parent_works: bool
    """True if this process also works, instead of only waiting for the workers."""

    @property
    def executor(self) -> Executor:
        """Runs tasks on the workers."""
        ...

    @property
    def folder(self) -> str | None:
        """A folder in which workers store large results for this process, or None."""
        ...

    def renew(self) -> Executor:
        """Replaces all workers after one of them was lost. Raises `WorkerError` if the workers cannot be replaced."""
        ...
