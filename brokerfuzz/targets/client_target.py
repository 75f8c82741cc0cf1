"""Defines the targets for test clients: of httpx and Starlette, of Flask (Werkzeug), and of Django."""

import asyncio
from collections.abc import Sequence
from time import perf_counter
from typing import Any

from brokerfuzz.schemas.headers import replaced
from brokerfuzz.targets.answers import Answer
from brokerfuzz.targets.http_messages import Response
from brokerfuzz.targets.in_process import InProcessTarget, exception_log, exceptions_of_request
from brokerfuzz.targets.target import Message
from brokerfuzz.targets.wsgi_target import SynchronousTarget

HTTPX, HTTPX_ASYNC, WERKZEUG, DJANGO = (
    ("httpx", "Client"),
    ("httpx", "AsyncClient"),
    ("werkzeug", "Client"),
    ("django", "Client"),
)
_SUCCESSOR = "httpx2"
"""The new name of the package httpx, which has the same interface."""


def kind_of_client(client: object) -> tuple[str, str] | None:
    """Returns the package and the class of a test client, or None for any other object. Does not import the package."""
    kinds = {
        (base.__module__.partition(".")[0].replace(_SUCCESSOR, "httpx"), base.__name__) for base in type(client).__mro__
    }
    return next((kind for kind in (HTTPX, HTTPX_ASYNC, WERKZEUG, DJANGO) if kind in kinds), None)


class ClientTarget(SynchronousTarget):
    """A synchronous test client. Redirects are not followed."""

    def __init__(self, client: Any, path: str = "/", **options: Any) -> None:
        super().__init__(f"{type(client).__module__.partition('.')[0]} client", path, **options)
        self._client, self._kind = client, kind_of_client(client)

    def _response(self, body: bytes, headers: Sequence[tuple[str, str]]) -> Response:
        if self._kind == WERKZEUG:
            answer = self._client.open(
                self.path, method=self.method, data=body, headers=headers, follow_redirects=False
            )
            return Response(answer.status_code, list(answer.headers.items()), answer.get_data())
        if self._kind == DJANGO:
            kind = next((value for name, value in headers if name.lower() == "content-type"), "")
            extra = {
                f"HTTP_{name.upper().replace('-', '_')}": value
                for name, value in headers
                if name.lower() != "content-type"
            }
            answer = self._client.generic(self.method, self.path, body, content_type=kind, **extra)
            content = b"".join(answer) if answer.streaming else answer.content
            return Response(answer.status_code, list(answer.headers.items()), content)
        answer = self._client.request(self.method, self.path, content=body, headers=headers, follow_redirects=False)
        return Response(answer.status_code, (), answer.content)  # httpx decodes the body


class AsyncClientTarget(InProcessTarget):
    """An `httpx.AsyncClient`, which works only in the event loop in which it was created."""

    def __init__(self, client: Any, path: str = "/", **options: Any) -> None:
        super().__init__("httpx client", path, **options)
        self._client = client

    async def open(self) -> None:
        exception_log.start(self)

    async def close(self) -> None:
        """Leaves the client open, because the client belongs to the caller."""
        exception_log.stop(self)

    async def send(self, message: Message) -> Answer:
        sent, logged = replaced(self.headers, message.headers), exceptions_of_request()
        started, limit = perf_counter(), asyncio.timeout(self.timeout)
        try:
            async with limit:
                answer = await self._client.request(
                    self.method, self.path, content=message.body, headers=sent, follow_redirects=False
                )
                content = await answer.aread()
        except Exception as problem:
            return self.no_answer() if limit.expired() else self.crash(problem, perf_counter() - started)
        return self._answer(Response(answer.status_code, (), content), perf_counter() - started, logged)
