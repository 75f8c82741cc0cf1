"""Defines the base class of targets with a pool of processes. Each process in the pool keeps running and handles many
messages.
"""

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING

from brokerfuzz.errors import TargetError
from brokerfuzz.schemas.headers import Headers
from brokerfuzz.targets.answers import Answer
from brokerfuzz.targets.process_limits import checked_processes, checked_timeout, unsendable

if TYPE_CHECKING:
    from brokerfuzz.targets.process_pool import ProcessPool, ProcessSettings


class PoolTarget(ABC):
    """A target that sends messages to processes. A subclass defines how to start the processes and how to communicate
    with them.
    """

    isolates_messages = True
    """A process handles one message at a time, so only this message can crash the process."""

    def __init__(self, *, timeout: float, processes: int | None, patience: float) -> None:
        self.timeout = checked_timeout(timeout)
        self.processes = checked_processes(processes)
        self.patience = patience
        self._pool: ProcessPool | None = None

    @property
    @abstractmethod
    def name(self) -> str:
        """The name of the target in reports."""

    def can_send(self, body: bytes, headers: Headers = ()) -> bool:
        return not headers

    @abstractmethod
    def _settings(self) -> "ProcessSettings":
        """Raises `TargetError` if this machine cannot start the processes."""

    async def open(self) -> None:
        settings = self._settings()
        from brokerfuzz.targets.process_pool import ProcessPool

        self._pool = ProcessPool(settings, timeout=self.timeout, processes=self.processes, patience=self.patience)
        await self._pool.open()

    async def close(self) -> None:
        pool, self._pool = self._pool, None
        if pool is not None:
            await pool.close()

    async def send(self, body: bytes, headers: Headers = ()) -> Answer:
        if self._pool is None:
            raise TargetError(f"{self.name} is not open: call open() before send()")
        if not self.can_send(body, headers):
            raise unsendable(self.name)
        return await self._pool.send(body)
