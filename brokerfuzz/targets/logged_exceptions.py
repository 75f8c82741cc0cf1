"""Collects the exceptions that applications log. They explain answers with status 500, because web frameworks log an
exception before such an answer.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from functools import partial
from logging import LogRecord, getLogRecordFactory, setLogRecordFactory
from typing import Any

_logged: ContextVar[list[BaseException] | None] = ContextVar("_logged", default=None)
"""The exceptions that the application has logged since the current request began. None before the first request."""


@contextmanager
def watched_logs() -> Iterator[None]:
    """In a `with` block, log records also note their exceptions, until another factory of log records is set. A handler
    instead of a factory would change what the user sees: `logging` prints warnings to standard error only if there is
    no handler.
    """
    before = getLogRecordFactory()
    watching = partial(_noted, before)
    setLogRecordFactory(watching)
    try:
        yield
    finally:
        if getLogRecordFactory() is watching:
            setLogRecordFactory(before)


def _noted(factory: Callable[..., LogRecord], *args: Any, **options: Any) -> LogRecord:
    record, logged = factory(*args, **options), _logged.get()
    if logged is not None and record.exc_info and record.exc_info[1] is not None:
        logged.append(record.exc_info[1])
    return record


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
