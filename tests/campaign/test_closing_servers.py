import asyncio
import json
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
import uvicorn
from chosen_campaigns import fired
from hand_made_servers import OFFER, conforming, read_request, reset, response, serving_streams

from brokerfuzz.cases.case import Case
from brokerfuzz.targets import HttpTarget

UNLUCKY = 13


def case(number: int) -> Case:
    minimum = number % 2 * 12 + 1
    return Case.judged(
        OFFER, json.dumps({"number": f"N-{number}", "offerType": "Email", "orderMinimum": minimum}).encode()
    )


async def raises_on_one_value(scope: Any, receive: Any, send: Any) -> None:
    """Raises an exception after an answer with status 500, as web frameworks do. uvicorn then closes the connection."""
    body, more = b"", True
    while more:
        event = await receive()
        body, more = body + event.get("body", b""), event.get("more_body", False)
    minimum = json.loads(body).get("orderMinimum")
    await send(
        {"type": "http.response.start", "status": 500 if minimum == UNLUCKY else conforming(body), "headers": []}
    )
    await send({"type": "http.response.body", "body": b""})
    if minimum == UNLUCKY:
        raise KeyError(minimum)


@contextmanager
def uvicorn_serving(app: Any) -> Iterator[str]:
    server = uvicorn.Server(uvicorn.Config(app, log_config=None, lifespan="off", timeout_graceful_shutdown=1))
    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
        thread.start()
        while not server.started:
            time.sleep(0.01)
        yield f"http://127.0.0.1:{listener.getsockname()[1]}/offers"
        server.should_exit = True
        thread.join(10)


async def closes_at_the_second_request(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    for number in range(2):
        _, body = await read_request(reader)
        if number:
            reset(writer)
        else:
            writer.write(response(500 if json.loads(body).get("orderMinimum") == UNLUCKY else conforming(body)))


@pytest.mark.parametrize(
    "server", [lambda: uvicorn_serving(raises_on_one_value), lambda: serving_streams(closes_at_the_second_request)]
)
def test_only_the_message_that_crashes_the_server_is_blamed(server: Any) -> None:
    with server() as url:
        result = fired(map(case, range(1000)), HttpTarget(url), now=None)
    assert result.counts == {("valid", "accepted"): 500, ("valid", "crashed"): 500}
    assert [
        (finding.answer.status, finding.flaky, json.loads(finding.body).get("orderMinimum"))
        for finding in result.findings
    ] == [(500, False, UNLUCKY)]
