"""Collects the exceptions that applications log. They explain answers with status 500, because web frameworks log an
exception before such an answer.
"""

from collections.abc import Callable, Sequence
from contextvars import ContextVar
from functools import partial
from logging import LogRecord, getLogRecordFactory, setLogRecordFactory
from threading import Lock
from typing import Any

_logged: ContextVar[list[BaseException] | None] = ContextVar("_logged", default=None)
"""The exceptions that the application has logged since the current request began. None before the first request."""


class _ExceptionLog:
    """While at least one target is open, this class replaces the factory of log records, and then restores the factory.
    A handler would change what the user sees: `logging` prints warnings to standard error only if there is no handler.
    """

    def __init__(self) -> None:
        self._targets: set[int] = set()
        self._lock = Lock()
        self._factory = partial(_noted, getLogRecordFactory())

    def start(self, target: object) -> None:
        with self._lock:
            if not self._targets:
                self._factory = partial(_noted, getLogRecordFactory())
                setLogRecordFactory(self._factory)
            self._targets.add(id(target))

    def stop(self, target: object) -> None:
        """If the application has set another factory meanwhile, keeps that factory."""
        with self._lock:
            self._targets.discard(id(target))
            if not self._targets and getLogRecordFactory() is self._factory:
                setLogRecordFactory(self._factory.args[0])


def _noted(factory: Callable[..., LogRecord], *args: Any, **options: Any) -> LogRecord:
    record, logged = factory(*args, **options), _logged.get()
    if logged is not None and record.exc_info and record.exc_info[1] is not None:
        logged.append(record.exc_info[1])
    return record


exception_log = _ExceptionLog()


def exceptions_of_request() -> Sequence[BaseException]:
    """Returns a list that is empty at first. During the next request, brokerfuzz adds each exception that the
    application logs in the same context (see `contextvars`).
    """
    logged: list[BaseException] = []
    _logged.set(logged)
    return logged


def note_handled(problem: BaseException | None, outside: BaseException | None) -> None:
    """Call this function when an application starts its response. Some frameworks, such as Litestar, do not log an
    exception, but send the response in an `except` block. Then the `problem` that this block handles explains the
    answer, unless an `except` block of the user, in which brokerfuzz was called, handles it (`outside`).
    """
    logged = _logged.get()
    if logged is not None and problem is not None and problem is not outside:
        logged.insert(0, problem)
