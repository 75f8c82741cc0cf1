"""Runs tasks in worker processes on this machine."""

import gc
import multiprocessing
import os
import signal
from collections.abc import Iterator
from concurrent.futures import Executor, ProcessPoolExecutor
from contextlib import contextmanager, suppress
from multiprocessing.connection import wait
from multiprocessing.context import BaseContext, SpawnContext, SpawnProcess
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import RLock, Thread

from brokerfuzz.atomic_files import uninterrupted

_SAFE_PATH = "PYTHONSAFEPATH"
"""If this environment variable is set, Python does not import modules from the current folder."""
_environment = RLock()
"""Only one thread at a time may change the environment."""


class Processes:
    """Worker processes on this machine, which start when they are needed.

    If `parent_works` is true, the current process is one of the `workers`. The other workers are then forks of the
    current process, which share its data. A fork contains only one thread. So if the current process has several
    threads, the workers are new processes instead. If `parent_works` is false, all workers are new processes.
    """

    def __init__(self, workers: int, *, parent_works: bool = False) -> None:
        self.workers, self.parent_works = workers, parent_works
        self._executor: ProcessPoolExecutor | None = None
        self._folder: TemporaryDirectory[str] | None = None

    @property
    def executor(self) -> Executor:
        if self._executor is None:
            forks = self.parent_works and _has_one_thread()
            context: BaseContext = multiprocessing.get_context("fork") if forks else _SafeContext()
            keeps_safe_path = _SAFE_PATH in os.environ
            with _safe_path():  # the executor starts Python's resource tracker
                self._executor = ProcessPoolExecutor(
                    self.workers - self.parent_works, context, initializer=_begin, initargs=(keeps_safe_path,)
                )
        return self._executor

    @property
    def folder(self) -> str | None:
        """A temporary folder that exists until `end` is called, or None if it cannot be created."""
        if self._folder is None:
            with suppress(OSError):
                self._folder = TemporaryDirectory(prefix="brokerfuzz-")
        return self._folder.name if self._folder is not None else None

    def renew(self) -> None:
        """Kills all processes. New processes start when the executor is next used."""
        self._stop()

    def end(self) -> None:
        """Kills all processes and deletes `folder`."""
        with uninterrupted():
            self._stop()
            if self._folder is not None:
                self._folder.cleanup()

    def _stop(self) -> None:
        """Kills all processes and releases their resources, because Python would report unreleased resources at
        exit.
        """
        if self._executor is None:
            return
        for process in list((self._executor._processes or {}).values()):  # noqa: SLF001 - public only in Python 3.14, as `kill_workers`
            process.kill()
        self._executor.shutdown()
        self._executor = None
        gc.collect()


@contextmanager
def _safe_path() -> Iterator[None]:
    """In the block, new Python processes import no modules from the current folder. multiprocessing starts them with
    `python -c`, which would import a file `multiprocessing.py` in the current folder, even if a stranger wrote the
    file.
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
    """A new process with the same `sys.path` as this process. Until it has this path, it does not import from the
    current folder.
    """

    def start(self) -> None:
        with _safe_path():
            super().start()


class _SafeContext(SpawnContext):
    Process = _SafeProcess


def _has_one_thread() -> bool:
    """Returns False if the number of threads is unknown."""
    try:
        return len(list(Path("/proc/self/task").iterdir())) == 1
    except OSError:
        return False


def _begin(keeps_safe_path: bool) -> None:
    """Prepares a worker process. The worker ignores Ctrl-C and SIGHUP, because the parent process ends the workers.

    If the parent process is killed, the workers end by themselves. If `keeps_safe_path` is false, the programs that the
    worker starts do not get the environment variable `_SAFE_PATH`.
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
