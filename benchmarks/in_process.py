"""Measures how many requests a campaign sends per second of processor time. The targets are a FastAPI and a Flask example in the
same process.

For comparison, a loop calls the application with the same bodies in the same order, and ignores the answers. Both times include the
time of the application. The campaigns write no journal.
"""

import sys
import time
from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial
from importlib import import_module
from io import BytesIO
from pathlib import Path
from typing import Any

import brokerfuzz
from benchmarks.rates import in_turn, table
from brokerfuzz.targets import event_loop

NOW = datetime(2026, 1, 1, tzinfo=UTC)
RECIPES = Path(__file__).parents[1] / "examples" / "services"
ROUNDS = 7


def in_process() -> str:
    sys.path.insert(0, str(RECIPES))
    fastapi, flask = import_module("strict_fastapi").app, import_module("flask_offers").app
    bodies: list[bytes] = []
    brokerfuzz.fire(partial(_recorded, flask, bodies), path="/offers", now=NOW)
    looped: dict[str, Callable[[], None]] = {
        "FastAPI": lambda: event_loop.run(_asgi_loop(fastapi, bodies)),
        "Flask": lambda: _wsgi_loop(flask, bodies),
    }
    tables = []
    for (name, loop), application in zip(looped.items(), (fastapi, flask), strict=True):
        rounds = {"loop": partial(_timed, loop, len(bodies)), "campaign": partial(_campaign, application)}
        tables.append(table(f"Requests per second of processor time, {name} in this process", in_turn(rounds, ROUNDS), "loop"))
    return "\n\n".join(tables)


def _campaign(application: Any) -> tuple[int, float]:
    started = time.process_time()
    report = brokerfuzz.fire(application, path="/offers", now=NOW)
    return report.result.requests, time.process_time() - started


def _timed(loop: Callable[[], None], count: int) -> tuple[int, float]:
    started = time.process_time()
    loop()
    return count, time.process_time() - started


def _recorded(application: Any, bodies: list[bytes], environ: dict[str, Any], start_response: Any) -> Any:
    body = environ["wsgi.input"].read()
    bodies.append(body)
    return application({**environ, "wsgi.input": BytesIO(body)}, start_response)


async def _asgi_loop(application: Any, bodies: list[bytes]) -> None:
    scope = {
        "type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1", "method": "POST", "scheme": "http", "path": "/offers",
        "raw_path": b"/offers", "query_string": b"", "root_path": "", "client": ("127.0.0.1", 50000), "server": ("127.0.0.1", 80),
    }  # fmt: skip
    for body in bodies:

        async def receive(body: bytes = body) -> Any:
            return {"type": "http.request", "body": body, "more_body": False}

        headers = [(b"host", b"127.0.0.1"), (b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
        await application({**scope, "headers": headers}, receive, _ignored)


async def _ignored(_: Any) -> None:
    pass


def _wsgi_loop(application: Any, bodies: list[bytes]) -> None:
    environ = {
        "REQUEST_METHOD": "POST", "SCRIPT_NAME": "", "PATH_INFO": "/offers", "QUERY_STRING": "", "SERVER_NAME": "127.0.0.1",
        "SERVER_PORT": "80", "SERVER_PROTOCOL": "HTTP/1.1", "HTTP_HOST": "127.0.0.1", "CONTENT_TYPE": "application/json",
        "wsgi.version": (1, 0), "wsgi.url_scheme": "http", "wsgi.multithread": False, "wsgi.multiprocess": False, "wsgi.run_once": False,
    }  # fmt: skip
    for body in bodies:
        request = {**environ, "CONTENT_LENGTH": str(len(body)), "wsgi.input": BytesIO(body), "wsgi.errors": BytesIO()}
        chunks = application(request, lambda *_: None)
        b"".join(chunks)
        chunks.close()
