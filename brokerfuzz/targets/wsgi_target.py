"""Defines the target for a WSGI application in this process, such as Flask or Django."""

from collections.abc import Callable, Iterable
from contextvars import copy_context
from io import BytesIO, StringIO
from time import perf_counter
from typing import Any
from urllib.parse import unquote_to_bytes

from brokerfuzz.schemas.headers import Headers, replaced
from brokerfuzz.targets.answers import Answer
from brokerfuzz.targets.in_process import InProcessTarget, Response, exception_log, exceptions_of_request
from brokerfuzz.targets.serial_calls import OwnThread, SerialCalls

WsgiApplication = Callable[[dict[str, Any], Callable[..., Any]], Iterable[bytes]]


class SynchronousTarget(InProcessTarget):
    """A target that needs no event loop. `calls` decides which thread runs the target (None: a separate thread)."""

    def __init__(self, name: str, path: str = "/", *, calls: SerialCalls | None = None, **options: Any) -> None:
        super().__init__(name, path, **options)
        self._given, self._calls = calls, calls

    async def open(self) -> None:
        exception_log.start(self)
        self._calls = self._given or OwnThread(self.timeout)
        self._calls.open()

    async def close(self) -> None:
        exception_log.stop(self)
        if self._given is None and self._calls is not None:
            self._calls.close()
            self._calls = None  # so that a closed target can be pickled for another process

    async def send(self, body: bytes, headers: Headers = ()) -> Answer:
        assert self._calls is not None, "the target is open"
        sent = replaced(self.headers, headers) if headers else self.headers
        try:
            return await self._calls.run(lambda: copy_context().run(self._called, body, sent))
        except TimeoutError:
            return self.no_answer()

    def _called(self, body: bytes, headers: list[tuple[str, str]]) -> Answer:
        logged, started = exceptions_of_request(), perf_counter()
        try:
            response = self._response(body, headers)
        except KeyboardInterrupt:
            raise
        except BaseException as problem:
            return self.crash(problem, perf_counter() - started)
        return self._answer(response, perf_counter() - started, logged)

    def _response(self, body: bytes, headers: list[tuple[str, str]]) -> Response:
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

    def _response(self, body: bytes, headers: list[tuple[str, str]]) -> Response:
        environ = {
            **self._environ,
            "CONTENT_LENGTH": str(len(body)),
            "wsgi.input": BytesIO(body),
            "wsgi.errors": StringIO(),
        }
        for name, value in headers:
            key = name.upper().replace("-", "_")
            environ[key if key == "CONTENT_TYPE" else f"HTTP_{key}"] = value
        started: list[tuple[str, dict[str, str]]] = []
        written = BytesIO()

        def start_response(
            status: str, fields: Iterable[tuple[str, str]], exc_info: Any = None
        ) -> Callable[[bytes], int]:
            started[:] = [(status, {name.lower(): value for name, value in fields})]
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
        return Response(int(status.split()[0]), written.getvalue(), answered.get("content-encoding"))
