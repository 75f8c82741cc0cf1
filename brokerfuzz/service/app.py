"""The reference service as an ASGI application.

The contract defines no methods, paths or status codes, so the service has its own:

| request        | answer                                                                               |
|----------------|--------------------------------------------------------------------------------------|
| `POST /offers` | 201 if the offer is accepted, else 400 with a failure message for each broken rule   |
| `GET /products`| 200 with a product list that is different each time                                  |
| `POST /pricing`| 200 with a pricing that is different each time; the body of the request is ignored   |

The routes of your own contract are in its file `messages.json`. Other paths get the status 404, other methods 405, and
bodies of more than 32 MiB 413. uvicorn rejects headers that are too large. The body of every other response is an
envelope, unless a seeded bug changes the response. The service ignores the headers of requests. The table `DECISIONS`
in `judging` lists how the service decides the questions that the contract leaves open.
"""

import json
import re
from collections.abc import Awaitable, Callable, Iterable, Iterator, MutableMapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Any, NamedTuple

from brokerfuzz.cases.random_cases import messages
from brokerfuzz.schemas import Contract, load_contract
from brokerfuzz.schemas.manifest import Transfer
from brokerfuzz.service.bugs import with_bugs
from brokerfuzz.service.judging import ServiceAnswer, envelope, judge_of

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

LARGEST_BODY = 32 * 1024 * 1024  # bytes


@dataclass(frozen=True, slots=True)
class _Reply:
    status: int
    body: bytes
    headers: tuple[tuple[bytes, bytes], ...] = ()
    content_type: bytes = b"application/json"


_CRASH = _Reply(500, b"Internal Server Error", content_type=b"text/plain; charset=utf-8")


class _Endpoint(NamedTuple):
    """A path of the service. The function receives the body of a request."""

    transfer: Transfer
    answer: Callable[[bytes], ServiceAnswer | _Reply]

    @property
    def methods(self) -> tuple[str, ...]:
        method = self.transfer.method
        return ("GET", "HEAD") if method == "GET" else (method,)


def reference_app(
    *, bugs: Iterable[str] = (), contract: Contract | None = None, now: datetime | None = None, seed: int = 0
) -> App:
    """Returns the service as an ASGI application. Without bugs, the service complies with the contract.

    The service uses `now` as the current time when it judges offers (None: the real current time). `seed` determines
    the products and prices in the responses. Raises `UnknownNameError` if a bug is unknown.
    """
    checked_contract, names = contract or load_contract(), tuple(bugs)
    endpoints: list[_Endpoint] = []
    for name, transfer in sorted(checked_contract.transfers.items(), key=lambda item: not item[1].is_request):
        if transfer.is_request:
            endpoints.append(_Endpoint(transfer, with_bugs(judge_of(name, checked_contract, now), names)))
        else:
            valid = messages(name, seed, plausible=True, now=now, contract=checked_contract)
            endpoints.append(_Endpoint(transfer, partial(_next_reply, valid)))

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            raise NotImplementedError(f"the reference service supports only http, not {scope['type']}")
        answer = await _answer(endpoints, scope, receive)
        if isinstance(answer, _Reply):
            await _send(answer, send)
        elif answer.manner == "hang":
            while (await receive())["type"] != "http.disconnect":
                pass
        elif answer.manner == "abort":
            _abort(receive)
        else:
            reply = _Reply(400 if answer.violations else 201, _encoded(answer.envelope))
            await _send(_CRASH if answer.manner == "crash" else reply, send)

    return app


async def _answer(endpoints: Sequence[_Endpoint], scope: Scope, receive: Receive) -> ServiceAnswer | _Reply:
    path, method = scope["path"], scope["method"]
    at_path = [endpoint for endpoint in endpoints if re.fullmatch(endpoint.transfer.path_pattern, path)]
    if not at_path:
        paths = ", ".join(endpoint.transfer.path for endpoint in endpoints)
        return _failure(404, f"{path} does not exist: use one of {paths}")
    endpoint = next((endpoint for endpoint in at_path if method in endpoint.methods), None)
    if endpoint is None:
        allowed = ", ".join(method for endpoint in at_path for method in endpoint.methods)
        return _failure(405, f"{path} does not support {method}: use {allowed}", (b"allow", allowed.encode()))
    body = await _body(receive)
    if body is None:
        return _failure(413, f"the body has more than {LARGEST_BODY:,} bytes: send a smaller body")
    return endpoint.answer(body)


def _next_reply(valid: Iterator[Any], body: bytes) -> _Reply:
    return _Reply(200, _encoded(next(valid)))


def _failure(status: int, message: str, *headers: tuple[bytes, bytes]) -> _Reply:
    return _Reply(status, _encoded(envelope(message)), headers)


def _encoded(value: Any) -> bytes:
    return json.dumps(value, separators=(",", ":")).encode()


async def _send(reply: _Reply, send: Send) -> None:
    length = str(len(reply.body)).encode()
    headers = [(b"content-type", reply.content_type), (b"content-length", length), *reply.headers]
    await send({"type": "http.response.start", "status": reply.status, "headers": headers})
    await send({"type": "http.response.body", "body": reply.body})


async def _body(receive: Receive) -> bytes | None:
    """Returns the body of a request, or None if the body is larger than `LARGEST_BODY`."""
    body, more = bytearray(), True
    while more:
        message = await receive()
        body += message.get("body", b"")
        if len(body) > LARGEST_BODY:
            return None
        more = message.get("more_body", False)
    return bytes(body)


def _abort(receive: Receive) -> None:
    """Closes the connection without an answer. An ASGI application cannot close a connection, so brokerfuzz uses
    uvicorn's transport.
    """
    transport = getattr(getattr(receive, "__self__", None), "transport", None)
    if transport is None:
        raise ConnectionAbortedError(
            "a seeded bug closes the connection without an answer, which only uvicorn supports: run the service with "
            "uvicorn"
        )
    transport.abort()
