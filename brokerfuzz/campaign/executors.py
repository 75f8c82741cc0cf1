"""Who fires shards: processes of this machine, or a Dask cluster."""

import gc
import multiprocessing
import signal
import socket
from collections.abc import Iterator
from concurrent.futures import Executor, ProcessPoolExecutor
from contextlib import contextmanager
from urllib.parse import urlsplit

from brokerfuzz.errors import TargetError


class Processes:
    """So many processes of this machine, each begun anew: a copy of this one would have its HTTP client, and not the client's threads."""

    def __init__(self, workers: int) -> None:
        self.workers = workers
        self.executor = self._begun()

    def renew(self) -> Executor:
        """New processes in place of those of which one was lost."""
        self.end()
        self.executor = self._begun()
        return self.executor

    def end(self) -> None:
        """Ends all processes, whatever they do. What they had of this one is given back, or it would be missed at this one's end."""
        self.executor.shutdown(wait=False, cancel_futures=True)
        for process in multiprocessing.active_children():
            process.kill()
        self.executor.shutdown(wait=True)
        gc.collect()

    def _begun(self) -> Executor:
        return ProcessPoolExecutor(self.workers, multiprocessing.get_context("spawn"), initializer=_ignore_interrupts)


def _ignore_interrupts() -> None:
    """Ctrl-C goes to every process of a terminal: the one that began them ends them."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


@contextmanager
def cluster(address: str) -> Iterator[tuple[Executor, int]]:
    """A Dask cluster's executor, and how many threads its workers have. A worker that is lost is replaced by the cluster itself.

    Raises `TargetError` where there is no such cluster, or Dask is not installed.
    """
    try:
        from distributed import Client
    except ImportError as problem:
        raise TargetError("a cluster needs Dask: pip install 'brokerfuzz[cluster]'") from problem
    _check_listening(address)
    client = Client(address, timeout=10, set_as_default=False)
    try:
        threads = sum(worker["nthreads"] for worker in client.scheduler_info(n_workers=-1)["workers"].values())
        if not threads:
            raise TargetError(f"the cluster at {address} has no worker: start one with `dask worker {address}`")
        yield client.get_executor(pure=False), threads
    finally:
        client.close()


def _check_listening(address: str) -> None:
    """A client of Dask that cannot connect goes on trying, and tells of it when the process ends."""
    try:
        parts = urlsplit(address if "://" in address else f"tcp://{address}")
        with socket.create_connection((parts.hostname or "", parts.port or 0), timeout=10):
            return
    except (OSError, ValueError) as problem:
        raise TargetError(f"no Dask cluster answers at {address} ({problem}): give the scheduler's address, as tcp://127.0.0.1:8786") from problem
