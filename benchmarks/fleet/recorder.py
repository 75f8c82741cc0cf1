"""An HTTP server that runs the service without a bug, and records the requests."""

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import uvicorn

from benchmarks.fleet.messages import OFFER
from brokerfuzz.schemas import check

PATH = "/offers"


@dataclass
class Recorder:
    """`bodies` contains the bodies of the offers in order. `requests` is the number of all requests."""

    url: str
    bodies: list[bytes] = field(default_factory=list)
    requests: int = 0

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Answers `POST /offers` with status 200 or 400, and every other request with status 405."""
        body = b""
        while (event := await receive())["type"] == "http.request":
            body += event.get("body", b"")
            if not event.get("more_body"):
                break
        self.requests += 1
        status, headers = 405, [(b"allow", b"POST")]
        if scope["method"] == "POST" and scope["path"] == PATH:
            self.bodies.append(body)
            status, headers = 400 if check(OFFER, body).label == "invalid" else 200, []
        await send({"type": "http.response.start", "status": status, "headers": [*headers, (b"content-length", b"0")]})
        await send({"type": "http.response.body"})


@contextmanager
def recording() -> Iterator[Recorder]:
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP) as listener:
        listener.bind(("127.0.0.1", 0))
        recorder = Recorder(f"http://127.0.0.1:{listener.getsockname()[1]}")
        server = uvicorn.Server(
            uvicorn.Config(recorder, http="httptools", ws="none", lifespan="off", log_config=None, access_log=False, log_level="critical")
        )
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
        thread.start()
        while not server.started and thread.is_alive():
            time.sleep(0.01)
        try:
            yield recorder
        finally:
            server.should_exit = True
            thread.join(timeout=10)
