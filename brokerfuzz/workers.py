"""Runs functions in worker processes on this machine, or in the workers of a Dask cluster."""

import asyncio
import logging
import multiprocessing
import os
import signal
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import BrokenExecutor, CancelledError, Executor, Future, ProcessPoolExecutor
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass
from itertools import islice
from multiprocessing.connection import wait
from multiprocessing.context import SpawnContext, SpawnProcess
from threading import Lock, Thread
from time import monotonic, sleep
from typing import Any, TypeVar

from brokerfuzz.errors import WorkerError, needs_extra

AHEAD = 3
"""The maximum number of calls per worker whose results the caller has not yet taken."""
_PATIENCE = 10
"""The maximum time to wait for the scheduler of a cluster, in seconds."""
_WITHOUT_WORKER = 30
"""The time after which a cluster that has lost all its workers is lost, in seconds. Most clusters start new ones."""
_SAFE_PATH = "PYTHONSAFEPATH"
"""If this environment variable is set, Python does not import modules from the current folder."""
_environment = Lock()
"""Only one thread at a time may change the environment."""

_Part = TypeVar("_Part")
_Result = TypeVar("_Result")


@dataclass(frozen=True)
class Workers:
    """`losses` are the exceptions of calls whose worker was lost."""

    executor: Executor
    count: int
    losses: tuple[type[Exception], ...] = (BrokenExecutor, CancelledError)

    def map(self, function: Callable[[_Part], _Result], parts: Iterable[_Part]) -> Generator[_Result, None, None]:
        """Calls `function` for each part, and yields the results in the order of the parts. Takes only a few parts
        ahead of the results, because there may be any number of parts. Raises `WorkerError` if a worker is lost.
        """
        waiting = iter(parts)
        under_way = deque(self.executor.submit(function, part) for part in islice(waiting, self.count * AHEAD))
        try:
            while under_way:
                result = under_way.popleft().result()
                under_way.extend(self.executor.submit(function, part) for part in islice(waiting, 1))
                yield result
        except self.losses as problem:
            raise _lost() from problem
        finally:
            for future in under_way:
                future.cancel()

    def submit(self, function: Callable[..., _Result], *arguments: object) -> Future[_Result]:
        """Calls a function in a worker. Raises `WorkerError` if a worker is lost."""
        try:
            return self.executor.submit(function, *arguments)
        except self.losses as problem:
            raise _lost() from problem

    async def result(self, future: Future[_Result]) -> _Result:
        """Waits for the result of a call. Raises `WorkerError` if the worker is lost."""
        waiting = asyncio.wrap_future(future)
        try:
            await asyncio.wait({waiting})
            if waiting.cancelled():  # its CancelledError would look like Ctrl-C
                raise _lost()
            return waiting.result()
        except self.losses as problem:
            raise _lost() from problem
        finally:
            waiting.cancel()


def _lost() -> WorkerError:
    return WorkerError(
        "a worker was lost: check that the workers have enough memory, and repeat the command (with --resume, if you "
        "wrote shards or a journal)"
    )


def started(workers: int | str) -> AbstractContextManager[Workers]:
    """Starts a number of processes, or connects to the Dask cluster at an address."""
    return processes(workers) if isinstance(workers, int) else cluster(workers)


@contextmanager
def processes(count: int) -> Iterator[Workers]:
    """Starts worker processes on this machine, which end with the `with` block."""
    keeps_safe_path = _SAFE_PATH in os.environ
    with _safe_path():  # the executor starts Python's resource tracker
        executor = ProcessPoolExecutor(count, _SafeContext(), initializer=_begin, initargs=(keeps_safe_path,))
    try:
        yield Workers(executor, count)
    finally:
        for process in list((executor._processes or {}).values()):  # noqa: SLF001 - public only in Python 3.14
            process.kill()
        executor.shutdown(cancel_futures=True)


@contextmanager
def _safe_path() -> Iterator[None]:
    """In the block, new Python processes import no modules from the current folder. multiprocessing starts them with
    `python -c`, which would import a file `multiprocessing.py` in the current folder, even if a stranger wrote it.
    """
    with _environment:
        before = os.environ.get(_SAFE_PATH)
        os.environ[_SAFE_PATH] = "1"
        try:
            yield
        finally:
            if before is None:
                del os.environ[_SAFE_PATH]
            else:
                os.environ[_SAFE_PATH] = before


class _SafeProcess(SpawnProcess):
    """A new process that imports nothing from the current folder before it has the `sys.path` of this process."""

    def start(self) -> None:
        with _safe_path():
            super().start()


class _SafeContext(SpawnContext):
    Process = _SafeProcess


def _begin(keeps_safe_path: bool) -> None:
    """Prepares a worker process. The worker ignores Ctrl-C and SIGHUP, because the parent process ends the workers. If
    the parent process is killed, the workers end by themselves.
    """
    if not keeps_safe_path:
        os.environ.pop(_SAFE_PATH, None)
    for name in ("SIGINT", "SIGHUP"):
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os._exit(1)


@contextmanager
def cluster(address: str) -> Iterator[Workers]:
    """Connects to the Dask cluster whose scheduler is at `address`, until the `with` block ends."""
    try:
        from distributed import Client, KilledWorker
        from distributed.client import ClosedClientError
    except ImportError as problem:
        raise WorkerError(needs_extra("a Dask cluster", problem, "cluster")) from problem
    for name in ("distributed.client", "distributed.batched"):
        logging.getLogger(name).setLevel(logging.CRITICAL)  # the errors of brokerfuzz say the same in one line
    try:  # a client would try to connect for minutes
        asyncio.run(asyncio.wait_for(_identity(address), _PATIENCE))
    except Exception as problem:  # Dask can raise any exception if the server is not a scheduler
        raise WorkerError(
            f"no Dask cluster answers at {address}: specify the address of the scheduler, e.g. tcp://127.0.0.1:8786"
        ) from problem
    client = Client(address, timeout=_PATIENCE, set_as_default=False)
    try:
        threads = sum(worker["nthreads"] for worker in client.scheduler_info(n_workers=-1)["workers"].values())
        if not threads:
            raise WorkerError(f"the cluster at {address} has no worker: start one with `dask worker {address}`")
        Thread(target=_close_without_workers, args=(client,), daemon=True).start()
        # a call after the loss finds a closed client
        losses = (BrokenExecutor, CancelledError, KilledWorker, ClosedClientError)
        yield Workers(client.get_executor(), threads, losses)
    finally:
        client.close()


def _close_without_workers(client: Any) -> None:
    """Closes the connection to a cluster that has lost all its workers: calls would wait for new ones forever. This
    cancels all calls.
    """
    last_seen = monotonic()
    while client.status == "running":
        sleep(1)
        with suppress(Exception):  # the connection may be closed at this moment
            if client.scheduler_info(n_workers=-1)["workers"]:
                last_seen = monotonic()
        if monotonic() - last_seen > _WITHOUT_WORKER:
            client.close()


async def _identity(address: str) -> None:
    from distributed import rpc

    async with rpc(address) as scheduler:
        await scheduler.identity()
