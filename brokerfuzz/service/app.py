"""The reference service as an ASGI application.

The contract defines no methods, paths or status codes, so the service has its own:

| request        | answer                                                                               |
|----------------|--------------------------------------------------------------------------------------|
| `POST /offers` | 201 if the offer is accepted, else 400 with a failure message for each broken rule   |
| `GET /products`| 200 with a product list that is different each time                                  |
| `POST /pricing`| 200 with a pricing that is different each time; the body of the request is ignored   |

The routes of your own contract are in its file `messages.json`. Other paths get the status 404, other methods 405,
bodies of more than 32 MiB 413, and offers with a content-encoding 415. If the headers are too large, `request_limit`
answers 431, without a body. The body of every other response is an envelope, unless a seeded bug changes the response.
The service ignores content types. The table `DECISIONS` in `judging` lists how the service decides the questions that
the contract leaves open.
"""

import json
import re
from collections.abc import Awaitable, Callable, Iterable, Iterator, MutableMapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from brokerfuzz.cases.random_messages import messages
from brokerfuzz.schemas import Contract, MessageType, load_contract
from brokerfuzz.schemas.manifest import Transfer
from brokerfuzz.service.answers import ServiceAnswer, envelope
from brokerfuzz.service.judging import answering

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

LARGEST_BODY = 32 * 1024 * 1024  # bytes
JSON_TYPE = b"application/json"


def reference_app(
    *, bugs: Iterable[str] = (), contract: "Contract | None" = None, now: datetime | None = None, seed: int = 0
) -> App:
    """Returns the service as an ASGI application. Without bugs, the service complies with the contract.

    The service uses `now` as the current time when it judges offers (None: the real current time). `seed` determines
    the products and prices in the responses. Raises `UnknownNameError` if a bug is unknown.
    """
    known, names = contract or load_contract(), tuple(bugs)
    service = _Service(
        tuple(
            _Endpoint(
                transfer.path,
                _methods(transfer),
                re.compile(transfer.path_pattern),
                answering(bugs=names, contract=known, now=now, message_type=name) if transfer.is_request else None,
                None if transfer.is_request else _generated(name, seed, known, now),
            )
            for name, transfer in sorted(known.transfers.items(), key=lambda item: not item[1].is_request)
        )
    )

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            raise NotImplementedError(f"the reference service supports only http, not {scope['type']}")
        await service(scope, receive, send)

    return app


def _methods(transfer: Transfer) -> tuple[str, ...]:
    return ("GET", "HEAD") if transfer.method == "GET" else (transfer.method,)


def _generated(message_type: MessageType, seed: int, contract: Contract, now: datetime | None) -> Iterator[bytes]:
    """Yields valid responses without end."""
    for message in messages(message_type, seed, plausible=True, now=now, contract=contract):
        yield _encoded(message)


def _encoded(value: Any) -> bytes:
    return json.dumps(value, separators=(",", ":")).encode()


@dataclass(frozen=True, slots=True)
class _Reply:
    status: int
    body: bytes
    headers: tuple[tuple[bytes, bytes], ...] = ()
    content_type: bytes = JSON_TYPE


def _failure(status: int, message: str, *headers: tuple[bytes, bytes]) -> _Reply:
    return _Reply(status, _encoded(envelope(message)), headers)


@dataclass(frozen=True, slots=True)
class _Endpoint:
    """A path of the service, with either a function that answers messages, or endless responses."""

    path: str
    methods: tuple[str, ...]
    pattern: re.Pattern[str]
    answer: Callable[[bytes], ServiceAnswer] | None
    responses: Iterator[bytes] | None


@dataclass(frozen=True, slots=True)
class _Service:
    endpoints: tuple[_Endpoint, ...]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        path, method = scope["path"], scope["method"]
        at_path = [one for one in self.endpoints if one.pattern.fullmatch(path)]
        endpoint = next((one for one in at_path if method in one.methods), None)
        if not at_path:
            reply = _failure(404, f"{path} does not exist: use one of {', '.join(one.path for one in self.endpoints)}")
        elif endpoint is None:
            allowed = ", ".join(method for one in at_path for method in one.methods)
            reply = _failure(405, f"{path} does not support {method}: use {allowed}", (b"allow", allowed.encode()))
        elif (body := await _body(scope, receive)) is None:
            reply = _failure(413, f"the body has more than {LARGEST_BODY:,} bytes: send a smaller body")
        elif endpoint.answer is not None and _is_encoded(scope):
            reply = _failure(
                415,
                "a body with a content-encoding is not supported: send the message unencoded",
                (b"accept-encoding", b"identity"),
            )
        elif endpoint.answer is not None:
            await self._judged(endpoint.answer(body), receive, send)
            return
        else:
            assert endpoint.responses is not None
            reply = _Reply(200, next(endpoint.responses))
        await _send(reply, send)

    async def _judged(self, answer: ServiceAnswer, receive: Receive, send: Send) -> None:
        match answer.manner:
            case "hang":
                await _until_gone(receive)
            case "abort":
                _abort(receive)
            case "crash":
                await _send(_Reply(500, b"Internal Server Error", content_type=b"text/plain; charset=utf-8"), send)
            case "reply":
                assert answer.status is not None
                await _send(_Reply(answer.status, _encoded(answer.envelope)), send)


async def _send(reply: _Reply, send: Send) -> None:
    headers = [
        (b"content-type", reply.content_type),
        (b"content-length", str(len(reply.body)).encode()),
        *reply.headers,
    ]
    await send({"type": "http.response.start", "status": reply.status, "headers": headers})
    await send({"type": "http.response.body", "body": reply.body})


def _is_encoded(scope: Scope) -> bool:
    return any(name == b"content-encoding" for name, _ in scope["headers"])


async def _body(scope: Scope, receive: Receive) -> bytes | None:
    """Returns the body of a request, or None if the body is larger than `LARGEST_BODY`."""
    declared = dict(scope["headers"]).get(b"content-length", b"0")
    if declared.isdigit() and int(declared) > LARGEST_BODY:
        return None
    parts: list[bytes] = []
    size, more = 0, True
    while more:
        message = await receive()
        part = message.get("body", b"")
        size += len(part)
        if size > LARGEST_BODY:
            return None
        parts.append(part)
        more = message.get("more_body", False)
    return b"".join(parts)


async def _until_gone(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


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
