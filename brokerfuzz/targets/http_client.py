"""Sends HTTP requests, and finds out why there is no response. Only this module knows the HTTP client."""

import asyncio
import errno
import re
import ssl
from collections.abc import Callable, Sequence
from functools import lru_cache, partial
from io import BytesIO
from urllib.parse import urlsplit

from aiohttp import (
    ClientConnectorDNSError,
    ClientConnectorError,
    ClientError,
    ClientHttpProxyError,
    ClientPayloadError,
    ClientResponseError,
    ClientSession,
    ClientTimeout,
    ConnectionTimeoutError,
    DummyCookieJar,
    InvalidURL,
    ServerDisconnectedError,
    TCPConnector,
    encode_basic_auth,
)
from aiohttp.client_proto import ResponseHandler
from yarl import URL

from brokerfuzz.targets.http_connections import HttpConnections
from brokerfuzz.targets.http_messages import NoResponse, Request, Response

_LARGE = 1 << 20
_LONGEST_HEADER = 1 << 16
"""The maximum length of a header of a response, in bytes. aiohttp itself allows 8 kB, which is less than some ordinary
headers have, such as `Content-Security-Policy`.
"""
_MOST_HEADERS = 1000
_DECODED = ("gzip", "deflate", "br", "zstd")
"""The encodings of responses that aiohttp decodes."""
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
            skip_auto_headers=("Content-Type",),
            max_line_size=_LONGEST_HEADER,
            max_field_size=_LONGEST_HEADER,
            max_headers=_MOST_HEADERS,
        )

    async def close(self) -> None:
        await self._pooled.close()
        await self._unpooled.close()

    async def exchange(self, request: Request, *, pooled: bool = True) -> Response | NoResponse:
        """Sends a request on a connection of the pool, or on a new one. Returns the response, or the reason why there
        is none. Raises `ValueError` if HTTP does not allow the request.

        If the headers contain `Transfer-Encoding: chunked`, sends the body as one chunk. If the headers contain
        `Expect: 100-continue`, sends the body without waiting for status 100.
        """
        url, authorization = _address(request.url)
        fields = {(name.lower(), value.lower()) for name, value in request.headers}
        is_chunked = any(name == "transfer-encoding" for name, _ in fields)
        session = self._pooled if pooled and ("connection", "close") not in fields else self._unpooled
        read, status = bytearray(), 0
        try:
            async with session.request(
                request.method,
                url,
                data=_payload(request.body),
                headers=_headers(request.headers, authorization),
                allow_redirects=False,
                chunked=True if is_chunked else None,
                proxy=self._proxy,
            ) as response:
                status, most = response.status, 0
                while len(read) <= most and not response.content.at_eof():
                    read += await response.content.readany()
                    most = self._most_read(status, read)
                is_decoded = response.headers.get("content-encoding", "").lower() in _DECODED
                headers = tuple(
                    (name, _readable(value))
                    for name, value in response.headers.items()
                    if not (is_decoded and name.lower() == "content-encoding")
                )
                return Response(status, headers, bytes(read))
        except (ClientError, TimeoutError, OSError) as error:
            return _failure_of(error, self._timeout, in_body=status > 0)


@lru_cache
def _address(text: str) -> tuple[URL, str | None]:
    """Returns the URL without its user, and the value of the header `Authorization` for this user, or None."""
    url = URL(text, encoded=True)
    authorization = None if url.user is None else encode_basic_auth(url.user, url.password or "")
    return url.with_user(None), authorization


def _headers(own_headers: Sequence[tuple[str, str]], authorization: str | None) -> list[tuple[str, str]]:
    """Returns the headers for aiohttp, which itself adds the header for a chunked body."""
    names = {name.lower() for name, _ in own_headers}
    usual = _DEFAULTS if authorization is None else (*_DEFAULTS, ("authorization", authorization))
    headers, spelling = list[tuple[str, str]](), dict[str, str]()
    for name, value in (*own_headers, *(pair for pair in usual if pair[0] not in names)):
        lower = name.lower()
        spelled = spelling.setdefault(lower, name)  # aiohttp would drop one of two headers `X-A` and `x-a`
        if lower == "expect":
            headers.append((spelled, f"{value} "))  # aiohttp would wait for status 100, but the space has no meaning
        elif lower != "transfer-encoding":
            headers.append((spelled, value))
    return headers


def _payload(body: bytes) -> bytes | BytesIO | None:
    """aiohttp warns of a large body in one piece. It sends a stream in pieces, with the same headers."""
    if len(body) > _LARGE:
        return BytesIO(body)
    return body or None


def _readable(value: str) -> str:
    """aiohttp decodes bytes that are not UTF-8 to surrogates."""
    return value if value.isascii() else value.encode(errors="surrogateescape").decode(errors="replace")


# ------------------------------------------------------------------------------------------------------ failures

_UNTRUSTED = {
    9: "the certificate is not valid yet",
    10: "the certificate has expired",
    62: "the certificate is for another host",
    64: "the certificate is for another host",
    **dict.fromkeys((18, 19, 20, 21), "no known authority has signed the certificate"),
}
"""Maps the codes of OpenSSL (X509_V_ERR_...) to descriptions."""
_REJECTED = re.compile(r"ALERT_(CERTIFICATE_REQUIRED|CERTIFICATE_UNKNOWN|UNKNOWN_CA|BAD_CERTIFICATE|HANDSHAKE_FAILURE)")
_NO_PROTOCOL = "ALERT_NO_APPLICATION_PROTOCOL"
"""TLS alerts of a server that does not accept the client."""
_LACKING = {
    **dict.fromkeys((errno.EMFILE, errno.ENFILE), "no file descriptor is left"),
    errno.EADDRNOTAVAIL: "no local port is left",
    **dict.fromkeys((errno.ENOBUFS, errno.ENOMEM), "no memory for connections is left"),
}
_PERHAPS_HTTP_2 = "if the server speaks only HTTP/2, enable HTTP/1.1"


def _failure_of(error: ClientError | TimeoutError | OSError, timeout: float, *, in_body: bool = False) -> NoResponse:
    """Describes the failure behind an exception of the HTTP client. `timeout` is the time limit in seconds. `in_body`
    is True if the headers of the response were complete.
    """
    if (reason := _fatal(error)) is not None:
        return NoResponse("fatal", reason)
    match error:
        case ConnectionTimeoutError():
            return NoResponse("unreachable", f"no connection within {timeout * 0.5:g} s")
        case TimeoutError():
            limit = "the answer was not complete after" if in_body else "no answer within"
            return NoResponse("timeout", f"{limit} {timeout:g} s")
        case InvalidURL():
            return NoResponse("misconfigured", "the host is neither a name nor an address")
        case ClientConnectorDNSError():
            return NoResponse("misconfigured", "the host name cannot be resolved")
        case ClientConnectorError() if isinstance(error.os_error, ssl.SSLError):
            return NoResponse("misconfigured", "the server does not speak TLS (use http:// instead of https://?)")
        case ClientConnectorError():
            return NoResponse("unreachable", _why_unreachable(error.os_error))
        case ClientHttpProxyError():
            if error.status != 407:
                return NoResponse("unreachable", "the proxy rejects the connection")
            remedy = "write http://USER:PASSWORD@HOST:PORT into the environment variable"
            return NoResponse("misconfigured", f"the proxy requires credentials ({remedy})")
        case ServerDisconnectedError():
            return NoResponse("dropped", "the connection was closed without an answer")
        case ClientResponseError():
            return NoResponse("broken", _why_not_http(error.message))
        case ClientPayloadError():
            return NoResponse(
                "broken", "the connection was closed before the answer was complete, or the answer is damaged"
            )
        case _:
            return NoResponse("broken" if in_body else "dropped", "the connection was reset")


def _why_not_http(problem: str) -> str:
    """`problem` is a text of aiohttp, whose first line does not contain bytes of the answer before its first colon."""
    why = problem.partition("\n")[0].partition(":")[0]
    if why.startswith("Bad status line"):
        return f"the answer is not HTTP/1.1; {_PERHAPS_HTTP_2}"
    if why.startswith("Got more than"):
        return f"the answer has a header of more than {_LONGEST_HEADER:,} bytes"
    if why.startswith("Too many headers"):
        return f"the answer has more than {_MOST_HEADERS:,} headers"
    return f"the answer is not HTTP/1.1 ({why})"


def _fatal(error: Exception) -> str | None:
    """If no message can change this failure, returns an error for the user, with `{name}` for the target."""
    causes = (getattr(error, "certificate_error", None), getattr(error, "os_error", None), error.__cause__)
    tls = next((cause for cause in causes if isinstance(cause, ssl.SSLError)), None)
    if isinstance(tls, ssl.SSLCertVerificationError):
        why = _UNTRUSTED.get(tls.verify_code, tls.verify_message)
        remedy = "use --ca FILE to specify the authority that signed it, or --insecure to turn verification off"
        return f"the certificate of {{name}} cannot be verified ({why}): {remedy}"
    alert = (
        str(tls).upper().replace(" ", "_")
    )  # Python knows no symbol for some alerts, but the text contains the words
    if _NO_PROTOCOL in alert:
        remedy = "enable HTTP/1.1 in the server or in a proxy before it"
        return f"{{name}} cannot be tested, because it speaks only HTTP/2: {remedy}"
    if (rejection := _REJECTED.search(alert)) is not None:
        why = rejection[1].lower().replace("_", " ")
        remedy = "specify a client certificate with the setting cert"
        return f"{{name}} does not accept this client (TLS alert: {why}): {remedy}"
    if isinstance(error, OSError) and error.errno in _LACKING:
        remedy = "lower --concurrency or --rate, or raise the limit on open files (ulimit -n)"
        return f"this machine cannot open enough connections to {{name}} ({_LACKING[error.errno]}): {remedy}"
    return None


def _why_unreachable(error: OSError) -> str:
    if isinstance(error, ConnectionRefusedError) or error.errno == errno.ECONNREFUSED:
        return "the connection was refused"
    return error.strerror or str(error)
