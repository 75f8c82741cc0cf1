"""Defines the target for an ASGI application in this process, such as FastAPI, Starlette, Litestar or asynchronous
Django.
"""

import asyncio
import sys
from collections.abc import Awaitable, Callable, Mapping, MutableMapping
from contextlib import suppress
from typing import Any
from urllib.parse import unquote

from brokerfuzz.errors import TargetError
from brokerfuzz.targets.http_messages import Headers, Response
from brokerfuzz.targets.in_process import InProcessTarget
from brokerfuzz.targets.logged_exceptions import note_handled

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
        }

    async def open(self) -> None:
        await super().open()
        self._lifespan = _Lifespan(self._application)
        event = await self._lifespan.notify("startup")
        if event["type"] == "lifespan.startup.failed":
            *_, reason = ["it reports a failure without a reason", *str(event.get("message", "")).strip().splitlines()]
            remedy = "fix this error of the application"
            raise TargetError(f"{self._application_name} does not start ({self.secrets.hide(reason)}): {remedy}")

    async def close(self) -> None:
        await super().close()
        if self._lifespan is not None:
            await self._lifespan.notify("shutdown")
            self._lifespan = None

    async def _call(self, body: bytes) -> Response:
        assert self._lifespan is not None, "the target is open"
        unread: list[AsgiMessage] = [{"type": "http.request", "body": body, "more_body": False}]
        starts, chunks, is_complete = list[Mapping[str, Any]](), list[bytes](), asyncio.Event()
        handled_outside = sys.exception()

        async def receive() -> AsgiMessage:
            if unread:
                return unread.pop()
            await is_complete.wait()
            return {"type": "http.disconnect"}

        async def send(message: Mapping[str, Any]) -> None:
            if message["type"] == "http.response.start":
                starts.append(message)
                note_handled(sys.exception(), handled_outside)
            elif message["type"] == "http.response.body":
                chunks.append(message.get("body", b""))
                if not message.get("more_body", False):
                    is_complete.set()

        headers = [*_HOST, (b"content-length", b"%d" % len(body)), *_encoded(self.headers)]
        scope = {**self._scope, "headers": headers, "state": self._lifespan.state.copy()}
        await self._application(scope, receive, send)
        if not starts:
            raise RuntimeError("the application returned without a response")
        answered = [(bytes(name), bytes(value)) for name, value in starts[0].get("headers", ())]
        decoded = [(name.decode("latin-1"), value.decode("latin-1")) for name, value in answered]
        return Response(starts[0]["status"], decoded, b"".join(chunks))


def _encoded(headers: Headers) -> list[tuple[bytes, bytes]]:
    return [(name.lower().encode("latin-1", "replace"), value.encode("latin-1", "replace")) for name, value in headers]


class _Lifespan:
    """Starts and stops an application with the lifespan protocol of ASGI, which some applications do not support."""

    def __init__(self, application: AsgiApplication) -> None:
        self.state: dict[str, Any] = {}
        self._events, self._said = asyncio.Queue[AsgiMessage](), asyncio.Queue[AsgiMessage]()
        self._task = asyncio.create_task(self._run(application))

    async def notify(self, event: str) -> AsgiMessage:
        """Sends `startup` or `shutdown` to the application, and returns its answer."""
        if self._task.done():
            return {"type": "lifespan.ended"}
        self._events.put_nowait({"type": f"lifespan.{event}"})
        try:
            async with asyncio.timeout(STARTING_SECONDS):
                return await self._said.get()
        except TimeoutError:
            self._task.cancel()
            return {"type": "lifespan.startup.failed", "message": f"no answer within {STARTING_SECONDS:g} s"}

    async def _run(self, application: AsgiApplication) -> None:
        scope = {"type": "lifespan", "asgi": _VERSION, "state": self.state}
        with suppress(Exception):  # the application does not support lifespan, or it has already said that it failed
            await application(scope, self._events.get, self._said.put)
        self._said.put_nowait({"type": "lifespan.ended"})
