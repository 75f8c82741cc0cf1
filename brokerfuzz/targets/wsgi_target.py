"""Defines the target for a WSGI application in this process, such as Flask or Django."""

import asyncio
from collections.abc import Callable, Iterable, Sequence
from contextvars import copy_context
from io import BytesIO, StringIO
from time import perf_counter
from typing import Any
from urllib.parse import unquote_to_bytes

from brokerfuzz.schemas.headers import replaced
from brokerfuzz.targets.answers import Answer
from brokerfuzz.targets.call_thread import CallThread, HangingError, outside_of_event_loop
from brokerfuzz.targets.http_messages import Response
from brokerfuzz.targets.in_process import InProcessTarget, exception_log, exceptions_of_request
from brokerfuzz.targets.target import Message

WsgiApplication = Callable[[dict[str, Any], Callable[..., Any]], Iterable[bytes]]


class SynchronousTarget(InProcessTarget):
    """A target that needs no event loop. It runs in a separate thread. But with `in_caller`, it runs in the thread that
    calls `send`, without a time limit, because nothing can interrupt it.
    """

    def __init__(self, name: str, path: str = "/", *, in_caller: bool = False, **options: Any) -> None:
        super().__init__(name, path, **options)
        self._in_caller = in_caller
        self._thread: CallThread | None = None

    async def open(self) -> None:
        exception_log.start(self)
        self._thread = None if self._in_caller else CallThread()

    async def close(self) -> None:
        exception_log.stop(self)
        if self._thread is not None:
            self._thread.close()
            self._thread = None

    async def send(self, message: Message) -> Answer:
        sent = replaced(self.headers, message.headers) if message.headers else self.headers
        context = copy_context()

        def call() -> Answer:
            return context.run(self._called, message.body, sent)

        if self._thread is None:
            await asyncio.sleep(0)  # so that the event loop can end the campaign
            with outside_of_event_loop():
                return call()
        try:
            return await self._thread.result(call, self.timeout)
        except HangingError:
            return self.no_answer()

    def _called(self, body: bytes, headers: Sequence[tuple[str, str]]) -> Answer:
        logged, started = exceptions_of_request(), perf_counter()
        try:
            response = self._response(body, headers)
        except KeyboardInterrupt:
            raise
        except BaseException as problem:
            return self.crash(problem, perf_counter() - started)
        return self._answer(response, perf_counter() - started, logged)

    def _response(self, body: bytes, headers: Sequence[tuple[str, str]]) -> Response:
        raise NotImplementedError


class WsgiTarget(SynchronousTarget):
    def __init__(
        self, application: WsgiApplication, path: str = "/", *, name: str = "the application", **options: Any
    ) -> None:
        super().__init__(name, path, **options)
        self._application = application
        location, _, query = path.partition("?")
        self._environ = {
            "REQUEST_METHOD": self.method,
            "SCRIPT_NAME": "",
            "PATH_INFO": unquote_to_bytes(location).decode("latin-1"),
            "QUERY_STRING": query,
            "SERVER_NAME": "127.0.0.1",
            "SERVER_PORT": "80",
            "SERVER_PROTOCOL": "HTTP/1.1",
            "REMOTE_ADDR": "127.0.0.1",
            "HTTP_HOST": "127.0.0.1",
            "HTTP_USER_AGENT": "brokerfuzz",
            "wsgi.version": (1, 0),
            "wsgi.url_scheme": "http",
            "wsgi.multithread": False,
            "wsgi.multiprocess": False,
            "wsgi.run_once": False,
        }

    def _response(self, body: bytes, headers: Sequence[tuple[str, str]]) -> Response:
        environ = {
            **self._environ,
            "CONTENT_LENGTH": str(len(body)),
            "wsgi.input": BytesIO(body),
            "wsgi.errors": StringIO(),
        }
        for name, value in headers:
            key = name.upper().replace("-", "_")
            environ[key if key == "CONTENT_TYPE" else f"HTTP_{key}"] = value
        started: list[tuple[str, list[tuple[str, str]]]] = []
        written = BytesIO()

        def start_response(
            status: str, fields: Iterable[tuple[str, str]], exc_info: Any = None
        ) -> Callable[[bytes], int]:
            started[:] = [(status, list(fields))]
            return written.write

        chunks = self._application(environ, start_response)
        try:
            for chunk in chunks:
                written.write(chunk)
        finally:
            if (close := getattr(chunks, "close", None)) is not None:
                close()
        if not started:
            raise RuntimeError("the application returned without calling start_response")
        ((status, answered),) = started
        return Response(int(status.split()[0]), answered, written.getvalue())
