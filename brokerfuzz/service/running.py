"""Runs the reference service in a thread during a `with` block."""

import os
import shlex
import socket
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import datetime
from threading import Thread
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from brokerfuzz.errors import TargetError, needs_extra
from brokerfuzz.schemas import Contract
from brokerfuzz.service.app import App, reference_app

if TYPE_CHECKING:
    import uvicorn


LOOPBACK = "127.0.0.1"
LARGEST_HEAD = 256 * 1024
"""The maximum number of bytes for the first line and the headers of a request together."""
QUEUE = 128  # the maximum number of connections that wait to be accepted
_EVERYWHERE = {"0.0.0.0": LOOPBACK, "::": "::1"}  # noqa: S104  (all interfaces -> the address to connect to)


def serve_command(url: str, *, bugs: Iterable[str], contract: str | None, now: datetime | None, seed: int) -> str:
    """Returns the beginning of a shell command. This beginning ends in `--`, and the caller must append a second
    command to it. The complete command starts the service, runs the second command, and stops the service.
    """
    words = [sys.executable, "-m", "brokerfuzz", "serve", "--port", str(urlsplit(url).port)]
    words += [word for name in bugs for word in ("--bug", name)]
    words += ["--contract", contract] if contract is not None else []
    words += ["--now", now.isoformat()] if now is not None else []
    words += ["--seed", str(seed)] if seed else []
    return shlex.join([*words, "--"])


@contextmanager
def running(
    *,
    bugs: Iterable[str] = (),
    contract: Contract | None = None,
    now: datetime | None = None,
    seed: int = 0,
    host: str = LOOPBACK,
    port: int = 0,
) -> Iterator[str]:
    """Runs the service in a thread during a `with` block. Yields the address of the service, such as
    `http://127.0.0.1:40123`.

    Port 0 means any free port. Raises `UnknownNameError` if a bug is unknown, and `TargetError` if the service cannot
    use this host and port.
    """
    server = _server(reference_app(bugs=bugs, contract=contract, now=now, seed=seed))
    with _listening(host, port) as listener:
        thread = Thread(target=server.run, args=([listener],), daemon=True)
        thread.start()
        try:
            yield _url(host, listener)
        finally:
            server.should_exit = server.force_exit = True
            thread.join()


def _server(app: App) -> "uvicorn.Server":
    try:
        import uvicorn
    except ImportError as problem:
        raise TargetError(needs_extra("the reference service", problem)) from problem
    config = uvicorn.Config(
        app,
        http="h11",
        h11_max_incomplete_event_size=LARGEST_HEAD,
        loop="asyncio",
        ws="none",
        lifespan="off",
        interface="asgi3",
        log_config=None,
        log_level="critical",
        access_log=False,
        server_header=False,
        proxy_headers=False,
        timeout_graceful_shutdown=1,  # in seconds, for connections that a bug never answers
    )
    return uvicorn.Server(config)


def _listening(host: str, port: int) -> socket.socket:
    """Opens a socket with the protocol IPPROTO_TCP. With the protocol 0, asyncio does not turn off Nagle's algorithm,
    which delays each answer by 40 ms.
    """
    try:
        addresses = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
        family, kind, _, _, address = addresses[0]
        listener = socket.socket(family, kind, socket.IPPROTO_TCP)
    except (OSError, UnicodeError) as problem:
        raise TargetError(f"the host {host!r} cannot be resolved ({problem}): use {LOOPBACK}") from problem
    try:
        if os.name == "posix":  # a new server may use the port of an ended one; on Windows, two servers would share it
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((address[0], port, *address[2:]))
        listener.listen(QUEUE)
    except (OSError, OverflowError) as problem:
        listener.close()
        why = f"cannot be used ({getattr(problem, 'strerror', None) or problem}): use {LOOPBACK} and another port"
        raise TargetError(f"port {port} of {host} {why}, or 0 for any free port") from problem
    return listener


def _url(host: str, listener: socket.socket) -> str:
    name = _EVERYWHERE.get(host, host)
    return f"http://{f'[{name}]' if ':' in name else name}:{listener.getsockname()[1]}"
