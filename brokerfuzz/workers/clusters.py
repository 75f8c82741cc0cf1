"""Workers of a Dask cluster."""

import asyncio
import logging
import socket
from collections.abc import Callable, Iterator
from concurrent.futures import BrokenExecutor, Executor, Future
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, ParamSpec, TypeVar
from urllib.parse import urlsplit

from brokerfuzz.errors import WorkerError

_PATIENCE = 10
"""Seconds in which a scheduler has to answer."""

P = ParamSpec("P")
T = TypeVar("T")


class _ClusterExecutor(Executor):
    """Has a client of Dask do what is submitted. It breaks where the scheduler is lost: Dask's own executor leaves a result that was on its way
    for ever to come."""

    def __init__(self, client: Any) -> None:
        self._client = client

    def submit(self, function: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        """Raises `BrokenExecutor`."""
        if self._client.status != "running":
            raise BrokenExecutor
        future = Future[T]()
        future.set_running_or_notify_cancel()
        self._client.loop.add_callback(self._hand_over, self._client.submit(function, *args, pure=False, **kwargs), future)
        return future

    async def _hand_over(self, done: Any, future: Future[Any]) -> None:
        from distributed import CancelledError
        from distributed.comm.core import CommClosedError

        try:
            future.set_result(await self._client.gather(done, asynchronous=True))
        except (CancelledError, CommClosedError) as problem:
            broken = BrokenExecutor()
            broken.__cause__ = problem
            future.set_exception(broken)
        except Exception as problem:
            future.set_exception(problem)


@dataclass
class _Cluster:
    """A cluster's executor, and how many threads its workers have. A worker that is lost is replaced by the cluster itself."""

    executor: Executor
    workers: int
    folder: None = None
    helped: bool = False

    def renew(self) -> Executor:
        """There are none. Raises `WorkerError`."""
        raise WorkerError("the cluster is lost: does its scheduler run no more?")


@contextmanager
def cluster(address: str) -> Iterator[_Cluster]:
    """The workers of a Dask cluster.

    Raises `WorkerError` where there is no such cluster, or Dask is not installed, and for work that each worker that began it was lost with.
    """
    try:
        from distributed import Client, KilledWorker
    except ImportError as problem:
        raise WorkerError("a cluster needs Dask: pip install 'brokerfuzz[cluster]'") from problem
    _check_listening(address)
    _check_scheduler(address)
    logging.getLogger("distributed.client").setLevel(logging.CRITICAL)  # what it would tell, an error tells
    client = Client(address, timeout=_PATIENCE, set_as_default=False)
    try:
        threads = sum(worker["nthreads"] for worker in client.scheduler_info(n_workers=-1)["workers"].values())
        if not threads:
            raise WorkerError(f"the cluster at {address} has no worker: start one with `dask worker {address}`")
        yield _Cluster(_ClusterExecutor(client), threads)
    except KilledWorker as problem:
        raise WorkerError("a part of the work was begun several times, and each time its worker was lost: is there memory enough?") from problem
    finally:
        client.close()


def _check_listening(address: str) -> None:
    """A client of Dask that cannot connect goes on trying, and tells of it when the process ends."""
    try:
        parts = urlsplit(address if "://" in address else f"tcp://{address}")
        with socket.create_connection((parts.hostname or "", parts.port or 0), timeout=_PATIENCE):
            return
    except (OSError, ValueError) as problem:
        raise _no_cluster(address, str(problem)) from problem


def _check_scheduler(address: str) -> None:
    """Nor does it give up on what listens and is no scheduler. Bytes that are not its protocol's raise in Dask whatever they lead to."""
    try:
        found = asyncio.run(asyncio.wait_for(_identity(address), _PATIENCE))["type"]
    except Exception as problem:
        raise _no_cluster(address, "what listens there is no scheduler") from problem
    if found != "Scheduler":
        raise _no_cluster(address, f"what listens there is a {found.lower()}")


async def _identity(address: str) -> Any:
    from distributed import Security, rpc

    async with rpc(address, timeout=_PATIENCE / 2, connection_args=Security().get_connection_args("client")) as scheduler:
        return await scheduler.identity()


def _no_cluster(address: str, reason: str) -> WorkerError:
    return WorkerError(f"no Dask cluster answers at {address} ({reason}): give the scheduler's address, as tcp://127.0.0.1:8786")
