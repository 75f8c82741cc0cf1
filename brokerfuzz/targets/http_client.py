"""Sends HTTP requests. Only this module and `http_failures` know the HTTP client."""

import asyncio
import ssl
from collections.abc import Callable
from functools import lru_cache, partial
from io import BytesIO
from typing import NamedTuple
from urllib.parse import urlsplit

from aiohttp import ClientError, ClientSession, ClientTimeout, DummyCookieJar, TCPConnector, encode_basic_auth
from aiohttp.client_proto import ResponseHandler
from yarl import URL

from brokerfuzz.targets.http_connections import HttpConnections
from brokerfuzz.targets.http_failures import failure_of
from brokerfuzz.targets.http_messages import Failure, Request, Response

_TRANSFER_ENCODING = "transfer-encoding"
_EXPECT = "expect"
_LARGE = 1 << 20
_CONNECTION = "connection"
_AUTHORIZATION = "authorization"
_DEFAULTS = (("accept", "*/*"), ("accept-encoding", "identity"), ("user-agent", "brokerfuzz"))


class _Connection(ResponseHandler):
    """A connection that is not used again after unexpected data has arrived. By itself, aiohttp checks this only
    directly after a response, and takes data that arrives later for the response to the next request.
    """

    def is_connected(self) -> bool:
        return super().is_connected() and not self.should_close


class HttpClient:
    """Sends requests to the server of a URL. `timeout` is the time limit for a whole exchange, in seconds.

    `most_read` returns the maximum number of bytes to read from a response body, from the status and the beginning of
    the body. Raises `TargetError` if a certificate cannot be used.
    """

    def __init__(
        self, url: str, connections: HttpConnections, timeout: float, most_read: Callable[[int, bytearray], int]
    ) -> None:
        self._timeout, self._most_read, self._proxy = timeout, most_read, connections.proxy
        is_secure = any(urlsplit(link).scheme == "https" for link in (url, self._proxy or url))
        tls = connections.tls() if is_secure or connections.ca or connections.cert else True
        self._limits = ClientTimeout(total=timeout, sock_connect=timeout * 0.5, ceil_threshold=float("inf"))
        self._pooled, self._unpooled = (self._session(tls, pooled=pooled) for pooled in (True, False))

    def _session(self, tls: ssl.SSLContext | bool, *, pooled: bool) -> ClientSession:
        connector = TCPConnector(limit=0, ssl=tls, force_close=not pooled)
        connector._factory = partial(_Connection, loop=asyncio.get_running_loop())  # type: ignore[assignment]  # noqa: SLF001
        return ClientSession(
            connector=connector,
            timeout=self._limits,
            cookie_jar=DummyCookieJar(),
            auto_decompress=False,
            skip_auto_headers=("Content-Type",),
        )

    async def close(self) -> None:
        await self._pooled.close()
        await self._unpooled.close()

    async def exchange(self, request: Request, *, pooled: bool = True) -> Response | Failure:
        """Sends a request on a connection of the pool, or on a new one. Returns the response, or the reason why there
        is none. Raises `ValueError` if HTTP does not allow the request.

        If the headers contain `Transfer-Encoding: chunked`, sends the body as one chunk on a connection of its own,
        because some servers take the body for the next request. If the headers contain `Expect: 100-continue`, sends
        the body without waiting for status 100.
        """
        address = _address(request.url)
        headers, is_chunked, is_closed = _headers(request.headers, address.authorization)
        session = self._pooled if pooled and not (is_chunked or is_closed) else self._unpooled
        read, status = bytearray(), 0
        try:
            async with session.request(
                request.method,
                address.url,
                data=_payload(request.body),
                headers=headers,
                allow_redirects=False,
                chunked=True if is_chunked else None,
                proxy=self._proxy,
            ) as response:
                status, most = response.status, 0
                while len(read) <= most and not response.content.at_eof():
                    read += await response.content.readany()
                    most = self._most_read(status, read)
                found = tuple((name, _readable(value)) for name, value in response.headers.items())
                return Response(status, found, bytes(read))
        except (ClientError, TimeoutError, OSError) as error:
            return failure_of(error, self._timeout, in_body=status > 0)


class _Address(NamedTuple):
    """A URL without its user, and the value of the header `Authorization` for this user, or None."""

    url: URL
    authorization: str | None


@lru_cache
def _address(text: str) -> _Address:
    url = URL(text, encoded=True)
    authorization = None if url.user is None else encode_basic_auth(url.user, url.password or "")
    return _Address(url.with_user(None), authorization)


def _headers(given: tuple[tuple[str, str], ...], authorization: str | None) -> tuple[list[tuple[str, str]], bool, bool]:
    """Returns the headers for aiohttp, whether the body is sent as a chunk, and whether the connection is closed after
    the answer.
    """
    headers, spelling = [], dict[str, str]()
    is_chunked = is_closed = False
    for name, value in given:
        lower = name.lower()
        spelled = spelling.setdefault(lower, name)  # aiohttp would drop one of two headers `X-A` and `x-a`
        is_closed = is_closed or (lower == _CONNECTION and value.lower() == "close")
        if lower == _TRANSFER_ENCODING:
            is_chunked = True
        elif lower == _EXPECT:
            headers.append((spelled, f"{value} "))  # aiohttp would wait for status 100, but the space has no meaning
        else:
            headers.append((spelled, value))
    headers += [pair for pair in _DEFAULTS if pair[0] not in spelling]
    if authorization is not None and _AUTHORIZATION not in spelling:
        headers.append((_AUTHORIZATION, authorization))
    return headers, is_chunked, is_closed


def _payload(body: bytes) -> bytes | BytesIO | None:
    """aiohttp warns of a large body in one piece. It sends a stream in pieces, with the same headers."""
    if len(body) > _LARGE:
        return BytesIO(body)
    return body or None


def _readable(value: str) -> str:
    """aiohttp decodes bytes that are not UTF-8 to surrogates."""
    return value if value.isascii() else value.encode(errors="surrogateescape").decode(errors="replace")
