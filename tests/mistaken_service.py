"""One service with three mistakes, as every kind of target: a function, a WSGI and an ASGI application, a server and a
program.

The program reads one message per line from standard input, in base64.
"""

import base64
import sys
from collections.abc import Callable
from typing import Any

from behaviours import crashing, is_null, lenient, strict

CAUSES = {"accepts number:minLength", "crashes at orderMaximum", "rejects isActive"}
SITES = ["number", "orderMaximum", "isActive"]


def _is_inactive(message: dict[str, Any]) -> bool:
    return message.get("isActive") is False


accepts = crashing(is_null("orderMaximum"), otherwise=strict(_is_inactive, otherwise=lenient("number:minLength")))


def status_of(body: bytes) -> int:
    try:
        return 201 if accepts(body) else 422
    except RuntimeError:
        return 500


def wsgi(environ: dict[str, Any], start_response: Callable[..., Any]) -> list[bytes]:
    start_response(f"{status_of(environ['wsgi.input'].read())} Said", [])
    return [b""]


def create() -> Any:
    return wsgi


async def asgi(scope: dict[str, Any], receive: Callable[[], Any], send: Callable[[dict[str, Any]], Any]) -> None:
    body, more = b"", True
    while more:
        event = await receive()
        body, more = body + event.get("body", b""), event.get("more_body", False)
    await send({"type": "http.response.start", "status": status_of(body), "headers": []})
    await send({"type": "http.response.body", "body": b""})


if __name__ == "__main__":
    for line in sys.stdin.buffer:
        print({201: "accepted", 422: "rejected", 500: "crashed"}[status_of(base64.b64decode(line))], flush=True)
