"""Processes of this machine."""

import gc
import multiprocessing
import os
import signal
from concurrent.futures import Executor, ProcessPoolExecutor
from contextlib import suppress
from multiprocessing.connection import wait
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Thread

from brokerfuzz.atomic_files import uninterrupted


class Processes:
    """So many processes of this machine, begun when they are needed, and anew: a copy of this one would have its HTTP client, and not the client's
    threads. Where they are `helped`, this one is one of the `workers`, of which there are two or more then, and the others are its copies, if it has
    no threads: they have what it has made.
    """

    def __init__(self, workers: int, *, helped: bool = False) -> None:
        self.workers, self.helped = workers, helped
        self._executor: Executor | None = None
        self._folder: TemporaryDirectory[str] | None = None

    @property
    def executor(self) -> Executor:
        """The processes."""
        if self._executor is None:
            context = multiprocessing.get_context("fork" if self.helped and _is_one_thread() else "spawn")
            self._executor = ProcessPoolExecutor(self.workers - self.helped, context, initializer=_begin)
        return self._executor

    @property
    def folder(self) -> str | None:
        """A temporary folder, for as long as the processes are not ended. None where there can be none."""
        if self._folder is None:
            with suppress(OSError):
                self._folder = TemporaryDirectory(prefix="brokerfuzz-")
        return self._folder.name if self._folder is not None else None

    def renew(self) -> Executor:
        """New processes in place of those of which one was lost."""
        self._stop()
        return self.executor

    def end(self) -> None:
        """Ends all processes, whatever they do, and takes their folder away."""
        with uninterrupted():
            self._stop()
            if self._folder is not None:
                self._folder.cleanup()

    def _stop(self) -> None:
        """Ends all processes. What they had of this one is given back, or it would be missed at this one's end."""
        if self._executor is None:
            return
        for process in multiprocessing.active_children():
            process.kill()
        self._executor.shutdown()
        self._executor = None
        gc.collect()


def _is_one_thread() -> bool:
    """Whether this process has no other threads, which a copy would not have, and which may be in the midst of something; no, if it is not told."""
    try:
        return len(list(Path("/proc/self/task").iterdir())) == 1
    except OSError:
        return False


def _begin() -> None:
    """Ctrl-C and hanging up reach every process of a terminal: who began these ends them. Where that one is killed, they end by themselves."""
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
