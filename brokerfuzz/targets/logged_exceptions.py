"""Collects the exceptions that applications log. They explain answers with status 500, because web frameworks log an
exception before such an answer.
"""

from collections.abc import Sequence
from contextvars import ContextVar
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

    def start(self, target: object) -> None:
        with self._lock:
            if not self._targets:
                self._former = former = getLogRecordFactory()

                def create(*args: Any, **options: Any) -> LogRecord:
                    return _noted(former(*args, **options))

                self._factory = create
                setLogRecordFactory(create)
            self._targets.add(id(target))

    def stop(self, target: object) -> None:
        """Does nothing if the target was not started. If the application has set another factory meanwhile, keeps that
        factory.
        """
        with self._lock:
            if id(target) in self._targets:
                self._targets.remove(id(target))
                if not self._targets and getLogRecordFactory() is self._factory:
                    setLogRecordFactory(self._former)


def _noted(record: LogRecord) -> LogRecord:
    seen = _logged.get()
    if seen is not None and record.exc_info and record.exc_info[1] is not None:
        seen.append(record.exc_info[1])
    return record


exception_log = _ExceptionLog()


def exceptions_of_request() -> Sequence[BaseException]:
    """Returns a list that is empty at first. During the next request, brokerfuzz adds each exception that the
    application logs in the same context (see `contextvars`).
    """
    logged: list[BaseException] = []
    _logged.set(logged)
    return logged
