"""Processes of this machine."""

import gc
import multiprocessing
import os
import signal
from concurrent.futures import Executor, ProcessPoolExecutor
from contextlib import suppress
from importlib import import_module
from multiprocessing.connection import wait
from tempfile import TemporaryDirectory
from threading import Thread


class Processes:
    """So many processes of this machine, each begun anew: a copy of this one would have its HTTP client, and not the client's threads."""

    def __init__(self, workers: int) -> None:
        self.workers = workers
        self.executor = self._begun()
        self._folder: TemporaryDirectory[str] | None = None

    @property
    def folder(self) -> str | None:
        """A temporary folder, for as long as the processes are not ended. None where there can be none."""
        if self._folder is None:
            with suppress(OSError):
                self._folder = TemporaryDirectory(prefix="brokerfuzz-")
        return self._folder.name if self._folder is not None else None

    def prepare(self, module: str) -> None:
        """Begins the processes at once, and lets them import a module that they will need, while this one sees to something else."""
        for _ in range(self.workers):
            self.executor.submit(_import, module)

    def renew(self) -> Executor:
        """New processes in place of those of which one was lost."""
        self._stop()
        self.executor = self._begun()
        return self.executor

    def end(self) -> None:
        """Ends all processes, whatever they do, and takes their folder away."""
        self._stop()
        if self._folder is not None:
            self._folder.cleanup()

    def _stop(self) -> None:
        """Ends all processes. What they had of this one is given back, or it would be missed at this one's end."""
        self.executor.shutdown(wait=False, cancel_futures=True)
        for process in multiprocessing.active_children():
            process.kill()
        self.executor.shutdown(wait=True)
        gc.collect()

    def _begun(self) -> Executor:
        return ProcessPoolExecutor(self.workers, multiprocessing.get_context("spawn"), initializer=_begin)


def _import(module: str) -> None:
    import_module(module)


def _begin() -> None:
    """Ctrl-C goes to every process of a terminal: the one that began them ends them. Where that one is killed, they end by themselves."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os._exit(1)
