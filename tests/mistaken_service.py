"""One service with three mistakes, as every kind of target: a function, a WSGI and an ASGI application, a server and a
program.

The program reads one message per line from standard input, in base64.
"""

import base64
import sys
from typing import Any

from applications import Wsgi, asgi_of, wsgi_of
from behaviours import crashing, is_null, lenient, strict

SITES = ["number", "orderMaximum", "isActive"]


def _is_inactive(message: dict[str, Any]) -> bool:
    return message.get("isActive") is False


accepts = crashing(is_null("orderMaximum"), otherwise=strict(_is_inactive, otherwise=lenient("number:minLength")))


def status_of(body: bytes) -> int:
    try:
        return 201 if accepts(body) else 422
    except RuntimeError:
        return 500


asgi = asgi_of(status_of)
wsgi = wsgi_of(status_of)


def create() -> Wsgi:
    return wsgi


if __name__ == "__main__":
    for line in sys.stdin.buffer:
        print({201: "accepted", 422: "rejected", 500: "crashed"}[status_of(base64.b64decode(line))], flush=True)
