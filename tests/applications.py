"""Makes ASGI and WSGI applications from a function that returns the status for a message."""

from collections.abc import Awaitable, Callable
from typing import Any

StatusOf = Callable[[bytes], int]
Asgi = Callable[[Any, Callable[[], Awaitable[Any]], Callable[[Any], Awaitable[None]]], Awaitable[None]]
Wsgi = Callable[[dict[str, Any], Callable[..., Any]], list[bytes]]


def wsgi_of(status_of: StatusOf) -> Wsgi:
    def application(environ: dict[str, Any], start_response: Callable[..., Any]) -> list[bytes]:
        start_response(f"{status_of(environ['wsgi.input'].read())} Said", [])
        return [b"{}"]

    return application


def asgi_of(status_of: StatusOf) -> Asgi:
    async def application(
        scope: Any, receive: Callable[[], Awaitable[Any]], send: Callable[[Any], Awaitable[None]]
    ) -> None:
        if scope["type"] == "lifespan":
            raise ValueError("no lifespan")
        body = (await receive())["body"]
        await send({"type": "http.response.start", "status": status_of(body), "headers": []})
        await send({"type": "http.response.body", "body": b"{}"})

    return application
