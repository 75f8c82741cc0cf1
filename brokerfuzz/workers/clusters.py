"""Runs tasks on a Dask cluster."""

import asyncio
import logging
import socket
from collections.abc import Callable, Iterator
from concurrent.futures import BrokenExecutor, Executor, Future
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, ParamSpec, TypeVar
from urllib.parse import urlsplit

from brokerfuzz.errors import WorkerError, needs_extra

_PATIENCE = 10
"""The maximum time to wait for the scheduler of a cluster, in seconds."""

P = ParamSpec("P")
T = TypeVar("T")


class _ClusterExecutor(Executor):
    """Runs function calls on a Dask cluster. Dask's own executor would wait forever after the connection is lost, but
    this executor raises `BrokenExecutor`.
    """

    def __init__(self, client: Any) -> None:
        self._client = client

    def submit(self, function: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        if self._client.status != "running":
            raise BrokenExecutor
        future = Future[T]()
        future.set_running_or_notify_cancel()
        self._client.loop.add_callback(
            self._hand_over, self._client.submit(function, *args, pure=False, **kwargs), future
        )
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
    """The workers of a Dask cluster. Dask itself repeats the work of lost workers."""

    executor: Executor
    workers: int
    folder: None = None
    parent_works: bool = False

    def renew(self) -> None:
        """Always raises `WorkerError`, because brokerfuzz cannot start workers on a cluster."""
        raise WorkerError(
            "the connection to the Dask cluster was lost: check that the scheduler of the cluster is running"
        )


@contextmanager
def cluster(address: str) -> Iterator[_Cluster]:
    """Connects to the Dask cluster at `address` during a `with` block.

    Raises `WorkerError` if Dask is not installed, or if no cluster with workers answers at the address. Also raises
    `WorkerError` if several workers are lost while they run the same task.
    """
    try:
        from distributed import Client, KilledWorker
    except ImportError as problem:
        raise WorkerError(needs_extra("a Dask cluster", problem, "cluster")) from problem
    _check_listening(address)
    _check_scheduler(address)
    for name in ("distributed.client", "distributed.batched"):
        logging.getLogger(name).setLevel(logging.CRITICAL)  # the errors of brokerfuzz contain the same information
    client = Client(address, timeout=_PATIENCE, set_as_default=False)
    try:
        threads = sum(worker["nthreads"] for worker in client.scheduler_info(n_workers=-1)["workers"].values())
        if not threads:
            raise WorkerError(f"the cluster at {address} has no worker: start one with `dask worker {address}`")
        yield _Cluster(_ClusterExecutor(client), threads)
    except KilledWorker as problem:
        raise WorkerError(
            "workers were lost several times while they ran the same task: check that the workers have enough memory"
        ) from problem
    finally:
        client.close()


def _check_listening(address: str) -> None:
    """Raises `WorkerError` if no program listens at the address. Without this check, the Dask client would keep trying
    to connect, and would report the error only when the process exits.
    """
    try:
        parts = urlsplit(address if "://" in address else f"tcp://{address}")
        with socket.create_connection((parts.hostname or "", parts.port or 0), timeout=_PATIENCE):
            return
    except (OSError, ValueError) as problem:
        raise _no_cluster(address, str(problem)) from problem


def _check_scheduler(address: str) -> None:
    """Raises `WorkerError` if the server at the address is not a Dask scheduler. Without this check, the Dask client
    would keep trying to connect.

    The function catches every exception, because Dask can raise any exception if the server does not use its protocol.
    """
    try:
        found = asyncio.run(asyncio.wait_for(_identity(address), _PATIENCE))["type"]
    except Exception as problem:
        raise _no_cluster(address, "the server there is not a scheduler") from problem
    if found != "Scheduler":
        raise _no_cluster(address, f"the server there is a {found.lower()}")


async def _identity(address: str) -> Any:
    from distributed import Security, rpc

    async with rpc(
        address, timeout=_PATIENCE / 2, connection_args=Security().get_connection_args("client")
    ) as scheduler:
        return await scheduler.identity()


def _no_cluster(address: str, reason: str) -> WorkerError:
    return WorkerError(
        f"no Dask cluster answers at {address} ({reason}): specify the address of the scheduler, e.g. "
        "tcp://127.0.0.1:8786"
    )
