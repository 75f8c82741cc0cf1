"""The common interface of all kinds of workers."""

from concurrent.futures import Executor
from typing import Protocol


class WorkerPool(Protocol):
    """A number of workers with an executor. If a worker is lost, the executor raises `BrokenExecutor` or replaces the worker."""

    workers: int
    parent_works: bool
    """True if this process does parts of the work too, instead of waiting for the workers."""

    @property
    def executor(self) -> Executor:
        """The executor to which work is submitted."""
        ...

    @property
    def folder(self) -> str | None:
        """The folder in which workers store large results for this process. None if there is no shared folder."""
        ...

    def renew(self) -> Executor:
        """Replaces all workers after one of them was lost. Raises `WorkerError` if they cannot be replaced."""
        ...
