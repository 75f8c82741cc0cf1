"""Workers of a Dask cluster."""

import asyncio
import socket
from collections.abc import Iterator
from concurrent.futures import Executor
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from brokerfuzz.errors import WorkerError

_PATIENCE = 10
"""Seconds in which a scheduler has to answer."""


@dataclass
class _Cluster:
    """A cluster's executor, and how many threads its workers have. A worker that is lost is replaced by the cluster itself."""

    executor: Executor
    workers: int
    folder: None = None
    helped: bool = False

    def renew(self) -> Executor:
        """A cluster that breaks its executor has none left. Raises `WorkerError`."""
        raise WorkerError("the workers are lost: are they running, and can they import brokerfuzz?")


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
    client = Client(address, timeout=_PATIENCE, set_as_default=False)
    try:
        threads = sum(worker["nthreads"] for worker in client.scheduler_info(n_workers=-1)["workers"].values())
        if not threads:
            raise WorkerError(f"the cluster at {address} has no worker: start one with `dask worker {address}`")
        yield _Cluster(client.get_executor(pure=False), threads)
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
