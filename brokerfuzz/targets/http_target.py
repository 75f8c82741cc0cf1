"""Defines the target for an HTTP endpoint."""

import asyncio
import re
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from datetime import timedelta
from importlib import import_module
from pathlib import Path
from time import monotonic, perf_counter
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from brokerfuzz.errors import TargetError, needs_extra
from brokerfuzz.schemas.headers import JSON_TYPE, Headers, replaced
from brokerfuzz.targets.answers import EXCERPT, MOST_READ, Answer, AnswerRules
from brokerfuzz.targets.http_connections import HttpConnections
from brokerfuzz.targets.reproduction import curl_line
from brokerfuzz.targets.request import Request
from brokerfuzz.targets.secret_masking import NOTHING_SECRET, Secrets, variable, without_user
from brokerfuzz.targets.target import Message, Target, checked_timeout
from brokerfuzz.targets.throttling import THROTTLING, Gate, RetryLater, Slowed, seconds_of
from brokerfuzz.targets.trace_headers import TraceHeaders
from brokerfuzz.targets.waiting import LONGEST_WAIT

if TYPE_CHECKING:
    from pyreqwest.client import Client, ClientBuilder
    from pyreqwest.exceptions import PyreqwestError
    from pyreqwest.http import Url
    from pyreqwest.request import StreamRequest
    from pyreqwest.response import Response

    from brokerfuzz.targets.transport import Failure

GRACE = 1.0
"""The number of additional seconds that brokerfuzz waits if the HTTP client does not stop at its time limit."""

CLOSING_TIME = 0.03
"""The number of seconds that brokerfuzz waits after closing the client.

After closing, a thread of the client still releases Python objects for a short time. If Python exits during this time,
the process aborts.
"""

Prepare = Callable[[Request], Awaitable[Request]]
"""Changes the headers of a request before it is sent."""
CONTENT_TYPE, TRANSFER_ENCODING, ACCEPT_ENCODING = "content-type", "transfer-encoding", "accept-encoding"


class HttpTarget(Target):
    """An HTTP endpoint that receives messages in the body of requests.

    `headers` are sent with every request. By default, the headers contain `content-type: application/json`. `timeout`
    is the maximum time in seconds from connecting to the last byte of the response. `rules` define how to interpret
    responses. Redirects are not followed. `insecure`, `ca`, `cert`, `key` and `proxy` are explained in
    `HttpConnections`. `trace` defines the headers that contain the ID of the case and the ID of the campaign. `secrets`
    maps references such as `${TOKEN}` to secret values. Names, answers, errors and reports contain no secrets (see
    `secret_masking`).

    brokerfuzz requests responses without compression (`Accept-Encoding: identity`), but also reads compressed responses
    (gzip, deflate, br and zstd).

    If a connection ends without an answer, brokerfuzz sends the message once more on a new connection, and uses the
    second answer. The first connection may have ended for another reason than the message. For example, the server
    closed the connection after the previous answer (RFC 9112, 9.3), or the server crashed because of another message.
    If the server has answered before but no longer accepts connections, brokerfuzz tries to connect for up to
    `patience` seconds. brokerfuzz does the same if this machine lacks resources for a connection.

    With status 429 (too many requests), or with 503 and the header `Retry-After`, the server asks brokerfuzz to wait.
    Such a response says nothing about the message. During the pause, all messages wait. After the pause, the same
    message is sent again until the server processes it, or until the message has waited for `longest_wait` seconds.
    After a 429 without `Retry-After`, brokerfuzz waits 1, 2, 4, ... seconds. A message that has waited for
    `longest_wait` seconds gets the answer `timeout` (for 429) or `crashed` (for 503) with `reached=False`. After this
    answer, all other messages get the same answer without being sent, until the pause is over. `slowed` counts the
    waits. If `rules` contain exactly the code 429 or 503, brokerfuzz does not wait after this status.

    If unexpected data arrives on an unused connection, brokerfuzz closes the connection. If unexpected data arrives
    directly after the next request, brokerfuzz mistakes the data for the answer. To prevent this mistake, add the
    header `Connection: close`, which gives each message its own connection.

    Raises `TargetError` if the URL is not an HTTP URL, or if a certificate or the proxy cannot be used.
    """

    is_http = True

    def __init__(
        self,
        url: str,
        *,
        method: str = "POST",
        headers: Iterable[tuple[str, str]] = (),
        timeout: float = 10.0,
        rules: AnswerRules | None = None,
        patience: float = 3.0,
        longest_wait: float = LONGEST_WAIT,
        insecure: bool = False,
        ca: str | Path | None = None,
        cert: str | Path | None = None,
        key: str | Path | None = None,
        proxy: str | None = None,
        trace: TraceHeaders | None = None,
        secrets: Mapping[str, str] | None = None,
    ) -> None:
        checked_url(url)
        given = list(headers)
        self.method = method
        if longest_wait < 0:
            raise TargetError(f"the longest wait of {longest_wait} seconds is negative: use 0 or more")
        self.timeout = checked_timeout(timeout)
        self.rules = rules or AnswerRules()
        self.patience = patience
        self.longest_wait = longest_wait
        self.trace = trace or TraceHeaders()
        self.connections = HttpConnections(url, insecure=insecure, ca=ca, cert=cert, key=key, proxy=proxy)
        self.url = url
        self.headers = replaced([(CONTENT_TYPE, JSON_TYPE)], tuple(given))
        self._more_secrets = list((secrets or {}).items())
        self.secrets = self.secrets_with(())
        self.name = self.secrets.url(url)
        self._gate = Gate(longest_wait)
        self._client: Client | None = None
        self._unpooled: Client | None = None
        """A client that makes a new connection for each request. None until it is needed: a connection has ended
        without an answer, or a body is chunked.
        """
        self._address: Url | str = self.url
        self._answered = False
        self._client_error: type[PyreqwestError]
        self._before_curl = ""

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.name!r})"

    def secrets_with(self, headers: Iterable[tuple[str, str]]) -> Secrets:
        """Returns the secrets of the requests if they also contain these headers."""
        proxy = self.connections.proxy or ""
        return Secrets(self.url, [*self.headers, *headers], proxy, self._more_secrets)

    @property
    def slowed(self) -> Slowed:  # type: ignore[override]
        """How often the target has asked brokerfuzz to wait since `open`, and how many seconds brokerfuzz has
        waited.
        """
        return self._gate.slowed

    @property
    def waits_for(self) -> str:  # type: ignore[override]
        return self._gate.waits_for

    @property
    def about(self) -> dict[str, Any]:
        """In the request, references such as `${TOKEN}` replace secrets."""
        headers = [[name, self.secrets.header(name, value)] for name, value in self.headers]
        if urlsplit(self.url).username is not None and not any(name.lower() == "authorization" for name, _ in headers):
            headers.append(["authorization", variable("authorization")])
        request = {"url": self.name, "method": self.method, "headers": headers, **self.connections.settings}
        rules = {"accept": list(self.rules.accept), "reject": list(self.rules.reject), "envelope": self.rules.envelope}
        return {"request": request, "answers": rules}

    def reproduction(self, body: bytes, headers: Headers = ()) -> str:
        without = [name for name, value in headers if value is None]
        user = [] if urlsplit(self.url).username is None else ["--user", '"${TARGET_USER}"']
        options = [*self.connections.curl_words(), *user]
        return curl_line(
            self.secrets.url(self.url),
            self.method,
            [(name, self.secrets.header(name, value)) for name, value in self._headers(headers)],
            body,
            without=without,
            options=options,
            before=self._before_curl,
        )

    async def open(self) -> None:
        """Creates the HTTP client. Raises `TargetError` if the method, a header or the URL is invalid, or if a package
        is missing.
        """
        try:
            from pyreqwest.exceptions import PyreqwestError
            from pyreqwest.http import Url
        except ImportError as problem:
            raise TargetError(needs_extra("sending messages to a URL", problem)) from problem

        self._client_error = PyreqwestError
        import_module(
            "brokerfuzz.targets.transport"
        )  # import it now, because later there may be no free file descriptor
        self._gate = Gate(self.longest_wait)
        try:
            self._client = self._builder().build()
        except (ValueError, PyreqwestError):
            raise self.connections.unusable from None
        try:
            self._address = Url(self.url)
            self._prepared(self.request_of(b""))
        except ValueError as problem:
            said = self.secrets.hide(str(problem))
            raise TargetError(
                f"no request can be sent to {self.name} ({said}): correct the method or the headers"
            ) from None

    def _builder(self) -> "ClientBuilder":
        from pyreqwest.client import ClientBuilder

        seconds = self.timeout
        builder = ClientBuilder().http1_only().follow_redirects(False).user_agent("brokerfuzz")
        builder = builder.gzip(False).brotli(True).zstd(False).deflate(False)  # Python has no module for Brotli
        # the time limit for connecting is the shortest, so it expires first if no connection is possible
        builder = builder.connect_timeout(timedelta(seconds=seconds * 0.5)).read_timeout(
            timedelta(seconds=seconds * 0.9)
        )
        return self.connections.applied(builder.timeout(timedelta(seconds=seconds)))

    def can_send(self, body: bytes, headers: Headers = ()) -> bool:
        return True

    async def close(self) -> None:
        clients = [client for client in (self._client, self._unpooled) if client is not None]
        if clients:
            self._client = self._unpooled = None
            self._address = self.url  # so that a closed target can be pickled for another process
            with suppress(TimeoutError):
                async with asyncio.timeout(GRACE):
                    await asyncio.gather(*(client.close() for client in clients))
            await asyncio.sleep(CLOSING_TIME)

    async def send(self, message: Message) -> Answer:
        """Sends a message and returns the answer. The request also contains the trace headers (see `TraceHeaders`).
        Raises `TargetError` like `exchange`.
        """
        headers = (*message.headers, *self.trace.of(message.case_id))
        return excerpt(await self.exchange(self.request_of(message.body, headers)))

    def request_of(self, body: bytes, headers: Headers = ()) -> Request:
        return Request(self.method, self.url, tuple(self._headers(headers)), body)

    async def exchange(self, request: Request, prepare: Prepare | None = None) -> Answer:
        """Sends a request and returns the answer, with all headers and up to `MOST_READ` bytes of the body. Each time
        before the request is sent, `prepare` can change its headers.

        Raises `TargetError` if no server has ever answered at this URL. Also raises `TargetError` if the certificate of
        the server or of the client is not accepted, or if this machine has no resources for a connection. If the
        headers contain `Transfer-Encoding: chunked`, brokerfuzz sends the body as one chunk on a connection of its own,
        because some servers take the body for the next request. If the headers contain `Expect: 100-continue`,
        brokerfuzz sends the body without waiting for status 100.
        """

        async def ask(again: bool) -> Answer | RetryLater:
            if again:
                await self.paced()
            return await self._ask_with_retries(request, prepare)

        return await self._gate.passed(ask)

    async def _ask_with_retries(self, request: Request, prepare: Prepare | None) -> Answer | RetryLater:
        """Sends the request. If the connection ends without an answer, sends it once more on a new connection. If no
        connection is possible, tries to connect for up to `patience` seconds.
        """
        started = perf_counter()
        pause, dropped = 0.05, False
        while True:
            outcome = await self._ask(request if prepare is None else await prepare(request), pooled=not dropped)
            if isinstance(outcome, Answer | RetryLater):
                self._answered = True
                return outcome
            self._answered = self._answered or outcome.kind not in _NO_CONNECTION
            waits = outcome.kind == "exhausted" or (outcome.kind == "unreachable" and self._answered)
            if outcome.kind == "dropped" and not dropped:
                dropped = True
            elif waits and perf_counter() - started < self.patience:
                await asyncio.sleep(pause)
                pause *= 2
            else:
                return self._failed(outcome, perf_counter() - started)
            await self.paced()

    def _failed(self, failure: "Failure", seconds: float) -> Answer:
        if failure.kind == "untrusted":
            raise TargetError(
                f"the certificate of {self.name} cannot be verified ({failure.reason}): "
                "use --ca FILE to specify the authority that signed it (not the certificate of the server itself), "
                "or --insecure to turn verification off"
            )
        if failure.kind == "other-protocol":
            raise TargetError(
                f"{self.name} cannot be tested, because {failure.reason}: enable HTTP/1.1 in the server or in a proxy "
                "before it"
            )
        if failure.kind == "unidentified":
            raise TargetError(
                f"{self.name} does not accept this client ({failure.reason}): specify a client certificate with "
                "--cert and --key"
            )
        if failure.kind == "exhausted":
            raise TargetError(
                f"this machine cannot open enough connections to {self.name} ({failure.reason}): "
                "lower --concurrency or --rate, or raise the limit on open files (ulimit -n)"
            )
        if failure.kind == "unreachable":
            if not self._answered:
                raise TargetError(
                    f"{self._route} cannot be reached ({failure.reason}): check that the server is running and that "
                    "the URL is correct"
                )
            return Answer("crashed", reason=failure.reason, seconds=seconds, reached=False)
        return Answer("timeout" if failure.kind == "no-answer" else "crashed", reason=failure.reason, seconds=seconds)

    @property
    def _route(self) -> str:
        proxy = self.connections.proxy
        return self.name if proxy is None else f"{self.name} (through the proxy {without_user(proxy)})"

    async def contact(self) -> Answer:
        """Sends a HEAD request.

        The statuses 502, 503 and 504 do not count as an answer: a gateway sends them while the server behind the
        gateway does not listen. Raises `TargetError` if the certificate of the server cannot be verified.
        """
        assert self._client is not None, "the target is open"
        try:
            async with self._client.request("HEAD", self._address).headers(self.headers).build_streamed() as response:
                reason = f"status {response.status}"
                return Answer("accepted", reason=reason, reached=response.status not in _NOT_READY)
        except self._client_error as error:
            from brokerfuzz.targets.transport import failure_of

            failure = failure_of(error, self.timeout)
            if failure.kind == "untrusted":
                return self._failed(failure, 0.0)
            return Answer("crashed", reason=self.secrets.hide(failure.reason), reached=False)

    async def _ask(self, request: Request, *, pooled: bool = True) -> "Answer | RetryLater | Failure":
        started = perf_counter()
        try:
            async with asyncio.timeout(self.timeout + GRACE), self._prepared(request, pooled=pooled) as response:
                reader, read, most = response.body_reader, bytearray(), 0
                while len(read) <= most and (chunk := await reader.read_chunk()) is not None:
                    read += chunk
                    most = self.rules.most_read(response.status, read)
                encoding = _header(
                    response, "content-encoding", unreadable="?"
                )  # the client removes the header if it decompresses the body
                answer = self.rules.read(
                    response.status,
                    bytes(read),
                    perf_counter() - started,
                    self.secrets,
                    encoding,
                    longest=MOST_READ,
                )
                answer = answer._replace(
                    headers=tuple((name, self.secrets.hide(value)) for name, value in _headers_of(response))
                )
                return answer if response.status < 300 else self._with_headers(answer, response)
        except self._client_error as error:
            from brokerfuzz.targets.transport import failure_of

            failure = failure_of(error, self.timeout)
            return replace(failure, reason=self.secrets.hide(failure.reason))
        except TimeoutError:
            from brokerfuzz.targets.transport import Failure

            return Failure("no-answer", f"no answer within {self.timeout:g} s")

    def _with_headers(self, answer: Answer, response: "Response") -> Answer | RetryLater:
        """Adds the URL of a redirect to the answer. If the response asks brokerfuzz to wait, returns a `RetryLater`
        instead.
        """
        status = answer.status or 0
        if status in THROTTLING and not self.rules.has_code(status):
            seconds = seconds_of(_header(response, "retry-after"), _header(response, "date"))
            return answer if status == 503 and seconds is None else RetryLater(answer, seconds, monotonic())
        if status == 401 and not (self._answered or self.rules.has_code(status)):
            schemes = [
                value.partition(" ")[0].lower()
                for name, value in _headers_of(response)
                if name.lower() == "www-authenticate"
            ]
            if schemes and set(schemes) == {"digest"}:
                remedy = "use a proxy that adds it, or compute the header Authorization in the hook before_request"
                raise TargetError(
                    f"{self.name} requires Digest authentication, which brokerfuzz does not support: {remedy}"
                )
        if status // 100 == 3 and (location := _header(response, "location")) is not None:
            return answer._replace(location=self.secrets.hide(self.secrets.url(location)))
        return answer

    def _headers(self, instead: Headers) -> list[tuple[str, str]]:
        return replaced(self.headers, instead) if instead else self.headers

    def _prepared(self, sent: Request, *, pooled: bool = True) -> "StreamRequest":
        client = self._client
        if client is None:
            raise TargetError(f"{self.name} is not open: call open() before send()")
        names = {name.lower() for name, _ in sent.headers}
        is_chunked = TRANSFER_ENCODING in names
        if is_chunked or not pooled:
            client = self._unpooled = self._unpooled or self._builder().pool_max_idle_per_host(0).build()
        address = self._address if sent.url == self.url else sent.url
        request = client.request(sent.method, address).headers(list(sent.headers))
        if ACCEPT_ENCODING not in names:
            request = request.header(ACCEPT_ENCODING, "identity")
        if sent.body:
            request = request.body_bytes(sent.body)
        elif is_chunked:
            request = request.body_stream(_nothing())  # for an empty body the client would omit the last chunk
        else:
            request = request.header(
                "content-length", "0"
            )  # the client omits this header, but a POST without a body needs it
        return request.build_streamed()


def excerpt(answer: Answer) -> Answer:
    """Returns the answer for the campaign, which keeps some answers in memory."""
    return answer._replace(body=answer.body[:EXCERPT], headers=())


_NO_CONNECTION = ("unreachable", "untrusted", "unidentified", "other-protocol", "exhausted")
_NOT_READY = (502, 503, 504)
_UNIX_SOCKET = re.compile(r"(?:https?\+)?unix:|https?://unix:/|[^?#]*\.sock(?:$|[:/?#])", re.IGNORECASE)


def _header(response: "Response", name: str, *, unreadable: str | None = None) -> str | None:
    """Returns the value of a header, or None if the header is missing. Returns `unreadable` if the value has a byte
    that is not ASCII.
    """
    try:
        return response.get_header(name)
    except ValueError:
        return unreadable


def _headers_of(response: "Response") -> Iterator[tuple[str, str]]:
    """Yields the headers of a response, except for values with a byte that is not ASCII."""
    for name in dict.fromkeys(response.headers.keys()):
        with suppress(ValueError):
            yield from ((name, value) for value in response.headers.getall(name))


async def _nothing() -> AsyncIterator[bytes]:
    if False:
        yield b""


def checked_url(url: str) -> None:
    """Raises `TargetError` if brokerfuzz cannot send requests to this URL."""
    said = NOTHING_SECRET.url(url)
    if _UNIX_SOCKET.match(url):
        remedy = (
            "make it available at a port, such as with `socat TCP-LISTEN:8000,bind=127.0.0.1,fork UNIX-CONNECT:FILE`"
        )
        raise TargetError(f"{said!r} is a Unix socket, to which brokerfuzz cannot connect: {remedy}")
    try:
        parts = urlsplit(url)
        usable = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError as problem:
        why = f" ({problem})" if "@" not in url else ""  # the error quotes the port, which may be a password
        raise TargetError(f"{said!r} is not a URL{why}: write, for example, http://127.0.0.1:8000/offers") from None
    if not parts.scheme or (parts.scheme not in ("http", "https") and "://" not in url):
        raise TargetError(f"{said!r} has no scheme: write http://{said.lstrip('/')}")
    if not usable:
        raise TargetError(f"{said!r} is not an HTTP URL: write, for example, http://127.0.0.1:8000/offers")
