"""Calls ASGI applications, such as those of FastAPI, Starlette, Litestar and asynchronous Django."""

import asyncio
import sys
from collections.abc import Awaitable, Callable, Mapping, MutableMapping
from contextlib import suppress
from typing import Any
from urllib.parse import unquote

from brokerfuzz.targets.http_messages import Headers, Request, Response
from brokerfuzz.targets.logged_exceptions import note_handled

AsgiMessage = MutableMapping[str, Any]
AsgiApplication = Callable[
    [AsgiMessage, Callable[[], Awaitable[AsgiMessage]], Callable[[AsgiMessage], Awaitable[None]]], Awaitable[None]
]
STARTING_SECONDS = 30.0
_HOST = ((b"host", b"127.0.0.1"), (b"user-agent", b"brokerfuzz"))
_VERSION = {"version": "3.0", "spec_version": "2.4"}


class AsgiCaller:
    """Calls an ASGI application in the event loop in which this object is created. `start` and `stop` use the lifespan
    protocol of ASGI, which some applications do not support.
    """

    def __init__(self, application: AsgiApplication) -> None:
        self._application = application
        self._state: dict[str, Any] = {}
        self._events = asyncio.Queue[AsgiMessage]()
        self._answers = asyncio.Queue[AsgiMessage]()
        self._lifespan = asyncio.create_task(self._run_lifespan())

    async def start(self) -> str | None:
        """Returns the reason if the application does not start."""
        answer = await self._notify("startup")
        if answer["type"] != "lifespan.startup.failed":
            return None
        *_, reason = ["it reports a failure without a reason", *str(answer.get("message", "")).strip().splitlines()]
        return reason

    async def stop(self) -> None:
        await self._notify("shutdown")

    async def _run_lifespan(self) -> None:
        scope = {"type": "lifespan", "asgi": _VERSION, "state": self._state}
        with suppress(Exception):  # the application does not support lifespan, or it has already said that it failed
            await self._application(scope, self._events.get, self._answers.put)
        self._answers.put_nowait({"type": "lifespan.ended"})

    async def _notify(self, event: str) -> AsgiMessage:
        """Sends `startup` or `shutdown` to the application, and returns its answer."""
        if self._lifespan.done():
            return {"type": "lifespan.ended"}
        self._events.put_nowait({"type": f"lifespan.{event}"})
        try:
            async with asyncio.timeout(STARTING_SECONDS):
                return await self._answers.get()
        except TimeoutError:
            self._lifespan.cancel()
            return {"type": "lifespan.startup.failed", "message": f"no answer within {STARTING_SECONDS:g} s"}

    async def response(self, request: Request) -> Response:
        unread: list[AsgiMessage] = [{"type": "http.request", "body": request.body, "more_body": False}]
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

        await self._application(_scope(request, self._state), receive, send)
        if not starts:
            raise RuntimeError("the application returned without a response")
        answered = [(bytes(name), bytes(value)) for name, value in starts[0].get("headers", ())]
        decoded = [(name.decode("latin-1"), value.decode("latin-1")) for name, value in answered]
        return Response(starts[0]["status"], decoded, b"".join(chunks))


def _scope(request: Request, state: Mapping[str, Any]) -> AsgiMessage:
    location, _, query = request.url.partition("?")
    return {
        "type": "http",
        "asgi": _VERSION,
        "http_version": "1.1",
        "method": request.method,
        "scheme": "http",
        "path": unquote(location),
        "raw_path": location.encode(),
        "query_string": query.encode(),
        "root_path": "",
        "headers": [*_HOST, (b"content-length", b"%d" % len(request.body)), *_encoded(request.headers)],
        "client": ("127.0.0.1", 50000),
        "server": ("127.0.0.1", 80),
        "state": dict(state),
    }


def _encoded(headers: Headers) -> list[tuple[bytes, bytes]]:
    return [(name.lower().encode("latin-1", "replace"), value.encode("latin-1", "replace")) for name, value in headers]
