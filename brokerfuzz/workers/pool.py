"""What those who do the work have in common."""

from concurrent.futures import Executor
from typing import Protocol


class WorkerPool(Protocol):
    """So many workers behind an executor. One that is lost breaks the executor (`BrokenExecutor`), or is replaced by itself."""

    workers: int
    helped: bool
    """Whether this process does parts of the work too, in place of waiting."""

    @property
    def executor(self) -> Executor:
        """Who takes the work."""
        ...

    @property
    def folder(self) -> str | None:
        """Where workers may leave what they have made for this process to take; None where that cannot be."""
        ...

    def renew(self) -> Executor:
        """New workers in place of those of which one was lost. Raises `WorkerError` where that cannot be."""
        ...
