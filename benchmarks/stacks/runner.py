"""Runs a Python stack: as an HTTP server, or as a program that reads messages from its standard input."""

import asyncio
import os
import socket
import sys
from base64 import b64decode
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from typing import Any

import uvicorn

LAX = os.environ.get("STACK_SETTING") == "lax"
"""If true, a stack uses the ordinary settings of its library instead of strict ones: it converts values of a wrong
type, ignores unknown properties, and checks neither bounds nor formats.
"""
Accepts = Callable[[bytes, datetime], bool]
"""The function returns True if the service accepts the message at the given time."""


def main(accepts: Accepts) -> None:
    """Starts a server for `POST /offers` on the port in the first argument. If the first argument is `--lines`, calls
    `answer_lines` instead.

    The environment variable STACK_NOW can set the current time of the service: for example, 2026-03-01T12:00:00Z.
    """
    if sys.argv[1] == "--lines":
        answer_lines(accepts)
    else:
        asyncio.run(serve(accepts, int(sys.argv[1])))


def now() -> datetime:
    fixed = os.environ.get("STACK_NOW")
    return datetime.fromisoformat(fixed) if fixed else datetime.now(UTC)


def answer_lines(accepts: Accepts) -> None:
    """Reads a message in base64 from each line of standard input, and writes a line with `accepted` or `rejected` for
    each message.
    """
    for line in sys.stdin.buffer:
        print("accepted" if accepts(b64decode(line), now()) else "rejected", flush=True)


async def serve(accepts: Accepts, port: int) -> None:
    """If `port` is 0, the system chooses a free port of the local machine."""

    async def application(
        scope: dict[str, Any], receive: Callable[[], Awaitable[Any]], send: Callable[[Any], Awaitable[None]]
    ) -> None:
        body, more = b"", True
        while more:
            event = await receive()
            body, more = body + event.get("body", b""), event.get("more_body", False)
        status = 404
        if (scope["method"], scope["path"]) == ("POST", "/offers"):
            status = 201 if accepts(body, now()) else 400
        await send({"type": "http.response.start", "status": status, "headers": [(b"content-length", b"0")]})
        await send({"type": "http.response.body"})

    with socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP) as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(("127.0.0.1", port))
        listener.listen(128)
        print("listening", listener.getsockname()[1], flush=True)
        await uvicorn.Server(uvicorn.Config(application, lifespan="off", log_level="warning")).serve([listener])
