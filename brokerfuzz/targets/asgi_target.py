"""Defines the target for an ASGI application in this process, such as FastAPI, Starlette, Litestar or asynchronous
Django.
"""

import asyncio
import sys
from collections.abc import Awaitable, Callable, Mapping, MutableMapping, Sequence
from typing import Any
from urllib.parse import unquote

from brokerfuzz.errors import TargetError
from brokerfuzz.targets.answers import Answer
from brokerfuzz.targets.http_messages import Response
from brokerfuzz.targets.in_process import Fields, InProcessTarget

AsgiMessage = MutableMapping[str, Any]
AsgiApplication = Callable[
    [AsgiMessage, Callable[[], Awaitable[AsgiMessage]], Callable[[AsgiMessage], Awaitable[None]]], Awaitable[None]
]
STARTING_SECONDS = 30.0
_HOST = ((b"host", b"127.0.0.1"), (b"user-agent", b"brokerfuzz"))
_VERSION = {"version": "3.0", "spec_version": "2.4"}


class AsgiTarget(InProcessTarget):
    """An ASGI application. `open` starts the application with the lifespan protocol of ASGI, and `close` stops it.

    `open` raises `TargetError` if the application does not start.
    """

    is_asynchronous = True

    def __init__(
        self, application: AsgiApplication, path: str = "/", *, name: str = "the application", **options: Any
    ) -> None:
        super().__init__(name, path, **options)
        self._application, self._application_name = application, name
        self._lifespan: _Lifespan | None = None
        location, _, query = path.partition("?")
        self._scope = {
            "type": "http",
            "asgi": _VERSION,
            "http_version": "1.1",
            "method": self.method,
            "scheme": "http",
            "path": unquote(location),
            "raw_path": location.encode(),
            "query_string": query.encode(),
            "root_path": "",
            "client": ("127.0.0.1", 50000),
            "server": ("127.0.0.1", 80),
            "headers": [],
            "state": {},
        }

    async def open(self) -> None:
        await super().open()
        self._lifespan = _Lifespan(self._application)
        if (problem := await self._lifespan.start()) is not None:
            raise TargetError(
                f"{self._application_name} does not start ({self.secrets.hide(problem)}): fix this error of the "
                "application"
            )

    async def close(self) -> None:
        await super().close()
        if self._lifespan is not None:
            await self._lifespan.stop()
            self._lifespan = None

    async def _call(self, body: bytes, headers: Fields) -> "_Exchange":
        assert self._lifespan is not None, "the target is open"
        scope = self._scope.copy()
        scope["headers"] = [*_HOST, (b"content-length", b"%d" % len(body)), *_encoded(headers)]
        scope["state"] = self._lifespan.state.copy()
        exchange = _Exchange(body)
        await self._application(scope, exchange.receive, exchange.send)
        return exchange

    def _answer(self, result: Any, seconds: float, logged: Sequence[BaseException]) -> Answer:
        """Some frameworks, such as Litestar, do not log an exception, but send the response in an `except` block. Then
        the exception that this block handles explains the answer.
        """
        if result.status is None:
            return Answer("crashed", reason="the application returned without a response", seconds=seconds)
        if not logged and result.handled is not None and result.handled is not sys.exception():
            logged = [result.handled]
        response = Response(result.status, result.headers, b"".join(result.chunks))
        return super()._answer(response, seconds, logged)


def _encoded(headers: Fields) -> list[tuple[bytes, bytes]]:
    return [(name.lower().encode("latin-1", "replace"), value.encode("latin-1", "replace")) for name, value in headers]


class _Exchange:
    """A request to the application, and its response. If the application sends the response in an `except` block,
    `handled` is the exception that this block handles. It can also come from an `except` block of the user, in which
    brokerfuzz was called.
    """

    def __init__(self, body: bytes) -> None:
        self.status: int | None = None
        self.headers: list[tuple[str, str]] = []
        self.chunks: list[bytes] = []
        self.handled: BaseException | None = None
        self._request: bytes | None = body
        self._is_complete = False
        self._completion: asyncio.Event | None = None

    async def receive(self) -> AsgiMessage:
        if self._request is not None:
            body, self._request = self._request, None
            return {"type": "http.request", "body": body, "more_body": False}
        if not self._is_complete:
            self._completion = self._completion or asyncio.Event()
            await self._completion.wait()
        return {"type": "http.disconnect"}

    async def send(self, message: Mapping[str, Any]) -> None:
        if message["type"] == "http.response.start":
            self.status, self.handled = message["status"], sys.exception()
            fields = message.get("headers", ())
            self.headers = [(bytes(name).decode("latin-1"), bytes(value).decode("latin-1")) for name, value in fields]
        elif message["type"] == "http.response.body":
            self.chunks.append(message.get("body", b""))
            if not message.get("more_body", False):
                self._is_complete = True
                if self._completion is not None:
                    self._completion.set()


class _Lifespan:
    """Starts and stops an application with the lifespan protocol of ASGI. Some applications do not support this
    protocol.
    """

    def __init__(self, application: AsgiApplication) -> None:
        self.state: dict[str, Any] = {}
        self._application = application
        self._events: asyncio.Queue[AsgiMessage] = asyncio.Queue()
        self._said: asyncio.Queue[Mapping[str, Any]] = asyncio.Queue()
        self._task: asyncio.Task[None] | None = None

    async def start(self) -> str | None:
        """Starts the application. Returns the reason if the application does not start, otherwise None."""
        self._task = asyncio.create_task(self._run())
        self._events.put_nowait({"type": "lifespan.startup"})
        try:
            async with asyncio.timeout(STARTING_SECONDS):
                said = await self._said.get()
        except TimeoutError:
            self._task.cancel()
            return f"no answer within {STARTING_SECONDS:g} s"
        if said["type"] == "lifespan.startup.failed":
            lines = str(said.get("message", "")).strip().splitlines()
            return lines[-1] if lines else "it reports a failure without a reason"
        return None

    async def stop(self) -> None:
        if self._task is not None and not self._task.done():
            self._events.put_nowait({"type": "lifespan.shutdown"})
            try:
                async with asyncio.timeout(STARTING_SECONDS):
                    await self._said.get()
            except TimeoutError:
                self._task.cancel()

    async def _run(self) -> None:
        try:
            await self._application(
                {"type": "lifespan", "asgi": _VERSION, "state": self.state}, self._events.get, self._say
            )
        except Exception:  # noqa: S110  (the application does not support lifespan, or it has already said that it failed)
            pass
        finally:
            self._said.put_nowait({"type": "lifespan.ended"})

    async def _say(self, message: Mapping[str, Any]) -> None:
        self._said.put_nowait(message)
