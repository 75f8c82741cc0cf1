"""Defines the base class of targets in this process: how they build requests, interpret responses and describe
crashes.
"""

import traceback
from collections.abc import Iterable, Mapping, Sequence
from contextvars import ContextVar
from logging import LogRecord, getLogRecordFactory, setLogRecordFactory
from pathlib import Path
from sysconfig import get_path
from threading import Lock
from typing import Any

from brokerfuzz.errors import TargetError
from brokerfuzz.schemas.headers import JSON_TYPE, Headers, replaced
from brokerfuzz.targets.answers import EXCERPT, Answer, AnswerRules
from brokerfuzz.targets.http_messages import Response
from brokerfuzz.targets.program import in_one_line
from brokerfuzz.targets.reproduction import curl_line
from brokerfuzz.targets.secret_masking import Secrets
from brokerfuzz.targets.target import Target, checked_timeout

_OF_CONNECTIONS = {"connection", "content-length", "expect", "host", "transfer-encoding", "upgrade"}
"""Headers that a server handles itself, before the application gets the request."""
_OURS = str(Path(__file__).parent)
_NOT_OF_APPLICATIONS = (_OURS, get_path("stdlib"))


class InProcessTarget(Target):
    """An application or a test client in this process. `name` is the name of the application or the client in reports.

    `path` can contain a query. `headers`, `timeout`, `rules` and `secrets` have the same meaning as in `HttpTarget`. If
    the application raises an exception, the answer contains the end of the traceback. If the status of the response
    means `crashed`, the answer contains the exception that the application logged. Some ASGI applications log no
    exception, but send the response in an `except` block. Then the answer contains the exception that this block
    handles.
    """

    isolates_messages = True
    """If a message causes an exception, no other message fails."""

    def __init__(
        self,
        name: str,
        path: str = "/",
        *,
        method: str = "POST",
        headers: Iterable[tuple[str, str]] = (),
        timeout: float = 10.0,
        rules: AnswerRules | None = None,
        secrets: Mapping[str, str] | None = None,
    ) -> None:
        if not path.startswith("/"):
            raise TargetError(f"{path!r} is not the path of an application: begin it with a slash, such as /offers")
        given = tuple(headers)
        self.secrets = Secrets(path, given, more=(secrets or {}).items())
        self.path, self.method, self.timeout = path, method, checked_timeout(timeout)
        self.headers = replaced([("content-type", JSON_TYPE)], given)
        self.rules = rules or AnswerRules()
        self.name = f"{name} {self.secrets.url(self.path)}"

    def can_send(self, body: bytes, headers: Headers = ()) -> bool:
        """Returns False if the message has a header that only a server can handle, such as `Transfer-Encoding`."""
        return not headers or not any(name.lower() in _OF_CONNECTIONS for name, _ in headers)

    def reproduction(self, body: bytes, headers: Headers = ()) -> str:
        """Returns a curl command. To use it, start the application on a server, and set the variable `TARGET` to the
        address of the server.
        """
        without = [name for name, value in headers if value is None]
        sent = [(name, self.secrets.header(name, value)) for name, value in replaced(self.headers, headers)]
        return curl_line(self.secrets.url(self.path), self.method, sent, body, without=without, server='"$TARGET"')

    def _answer(self, response: Response, seconds: float, logged: Sequence[BaseException]) -> Answer:
        """Returns the answer for a response. If the status means `crashed`, the answer describes the last exception in
        `logged`.
        """
        answer = self.rules.read(
            response.status, response.body, seconds, self.secrets, response.header("content-encoding")
        )
        return self.crash(logged[-1], seconds) if answer.kind == "crashed" and logged else answer

    def crash(self, problem: BaseException, seconds: float) -> Answer:
        frames = traceback.extract_tb(problem.__traceback__)
        own = [
            frame
            for frame in frames
            if "site-packages" not in frame.filename and not frame.filename.startswith(_NOT_OF_APPLICATIONS)
        ]
        where = f" ({Path(own[-1].filename).name}:{own[-1].lineno})" if own else ""
        reason = (
            in_one_line(self.secrets.hide(f"{type(problem).__name__}: {_message(problem)}").encode(errors="replace"))
            + where
        )
        text = self.secrets.hide("".join(_without_ours(problem))).encode(errors="backslashreplace")
        return Answer("crashed", None, text[-EXCERPT + 1 :], reason, seconds)

    def no_answer(self) -> Answer:
        return Answer("timeout", reason=f"no answer within {self.timeout:g} s", seconds=self.timeout)


def _message(problem: BaseException) -> str:
    try:
        return str(problem)
    except Exception:
        return "its error message cannot be read"


def _without_ours(problem: BaseException) -> list[str]:
    """Returns the lines of the traceback, without the frames of brokerfuzz at the beginning."""
    trace = problem.__traceback__
    while trace is not None and trace.tb_next is not None and trace.tb_frame.f_code.co_filename.startswith(_OURS):
        trace = trace.tb_next
    return traceback.format_exception(type(problem), problem, trace)


# ---------------------------------------------------------------------------------------------------- logged exceptions

_logged: ContextVar[list[BaseException] | None] = ContextVar("_logged", default=None)
"""The exceptions that the application has logged since the current request began. None before the first request."""


class _ExceptionLog:
    """Collects the exceptions that applications log. They explain answers with status 500, because web frameworks log
    an exception before such an answer.

    While at least one target is open, the class replaces the factory of log records, and then restores the factory. A
    handler would change what the user sees: `logging` prints warnings to standard error only if there is no handler.
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
