"""Defines the target for an HTTP endpoint."""

import re
from collections.abc import Awaitable, Callable, Iterable
from time import perf_counter
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from brokerfuzz.errors import TargetError, UnreachableError, needs_extra, quoted
from brokerfuzz.name_patterns import HTTP_NAME
from brokerfuzz.targets.answers import Answer, AnswerKind, AnswerRules
from brokerfuzz.targets.http_connections import HttpConnections, is_http_url
from brokerfuzz.targets.http_messages import (
    JSON_TYPE,
    HttpExchange,
    NoResponse,
    Request,
    with_headers,
)
from brokerfuzz.targets.reproduction import curl_line
from brokerfuzz.targets.secret_masking import NOTHING_SECRET, Secret, Secrets, of_url, variable, without_user
from brokerfuzz.targets.target import Target

if TYPE_CHECKING:
    from brokerfuzz.targets.http_client import HttpClient

CONTENT_TYPE = "content-type"
_NOT_IN_VALUES = re.compile(r"[\r\n\0]")


async def _unchanged(request: Request) -> Request:
    return request


class HttpTarget(Target):
    """An HTTP endpoint that receives messages in the body of requests.

    `headers` are sent with every request. By default, the headers contain `content-type: application/json`. `timeout`
    is the maximum time in seconds from connecting to the last byte of the response. `rules` define how to interpret
    responses. Redirects are not followed. `connections` are options of `HttpConnections`. Each request contains the ID
    of its case and the `campaign_id`, with which users find it in the logs of the service. Names, answers, errors and
    reports contain neither the `secrets` nor those of `headers` and URLs (see `secret_masking`).

    If a connection ends without an answer, brokerfuzz sends the message once more on a new connection, and uses the
    second answer. The first connection may have ended for another reason than the message. For example, the server
    closed the connection after the previous answer (RFC 9112, 9.3), or the server crashed because of another message.

    With status 429 (too many requests), or with 503 and the header `Retry-After`, the server asks brokerfuzz to wait
    (see `Answer.pause`). If `rules` contain exactly the code 429 or 503, the status has its usual meaning.

    If unexpected data arrives on an unused connection, brokerfuzz closes the connection. If unexpected data arrives
    directly after the next request, brokerfuzz mistakes the data for the answer. To prevent this mistake, add the
    header `Connection: close`, which gives each message its own connection.

    Raises `TargetError` if the URL or the proxy of the environment is not an HTTP URL.
    """

    before_curl = ""
    """The words before `curl` in the command that reproduces a message."""

    def __init__(
        self,
        url: str,
        *,
        method: str = "POST",
        headers: Iterable[tuple[str, str]] = (),
        timeout: float = 10.0,
        rules: AnswerRules | None = None,
        campaign_id: str = "",
        secrets: Iterable[Secret] = (),
        **connections: Any,
    ) -> None:
        if not is_http_url(url):
            shown_url = NOTHING_SECRET.url(url)
            raise TargetError(f"{shown_url!r} is not an HTTP URL: write, for example, http://127.0.0.1:8000/offers")
        self.method = method
        self.timeout = timeout
        self.rules = rules or AnswerRules()
        self.campaign_id = campaign_id
        self.connections = HttpConnections(url, **connections)
        self.url = url
        self.headers = with_headers([(CONTENT_TYPE, JSON_TYPE)], tuple(headers))
        self.secrets = Secrets(url, self.headers, [*secrets, *of_url(self.connections.proxy or "")])
        self.name = self.secrets.url(url)
        self._client: HttpClient | None = None
        self._answered = False

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.name!r})"

    @property
    def about(self) -> dict[str, Any]:
        headers = [list(header) for header in self.shown_headers]
        if urlsplit(self.url).username is not None and not any(name.lower() == "authorization" for name, _ in headers):
            headers.append(["authorization", variable("authorization")])
        request = {"url": self.secrets.url(self.url), "method": self.method, "headers": headers}
        rules = {"accept": list(self.rules.accept), "reject": list(self.rules.reject)}
        return {"request": request, "answers": rules}

    def reproduction(self, body: bytes) -> str:
        user = [] if urlsplit(self.url).username is None else ["--user", '"${TARGET_USER}"']
        options = [*self.connections.curl_words(), *user]
        return curl_line(
            self.secrets.url(self.url), self.method, self.shown_headers, body, options=options, before=self.before_curl
        )

    async def open(self) -> None:
        """Creates the HTTP client. Raises `TargetError` if the method, a header or a certificate is invalid, or if a
        package is missing.
        """
        self._check_request()
        try:
            from brokerfuzz.targets.http_client import HttpClient
        except ImportError as problem:
            raise TargetError(needs_extra("sending messages to a URL", problem)) from problem
        self._client = HttpClient(self.url, self.connections, self.timeout, self.rules.most_read)

    def _check_request(self) -> None:
        names = [self.method, *(name for name, _ in self.headers)]
        wrong = [name for name in names if not HTTP_NAME.fullmatch(name)]
        wrong += [name for name, value in self.headers if _NOT_IN_VALUES.search(value)]
        if wrong:
            problem = f"no request can be sent to {self.name}, because HTTP does not allow {quoted(wrong[0])}"
            raise TargetError(f"{problem}: correct the method or the headers")

    async def close(self) -> None:
        client, self._client = self._client, None
        if client is not None:
            await client.close()

    async def send(self, body: bytes, case_id: str = "") -> Answer:
        """Sends a message and returns the answer. Raises `TargetError` like `answer_of`."""
        exchange = await self.exchange(self.request_of(body, case_id))
        return self.answer_of(exchange, self.secrets).shortened()

    async def head(self) -> Answer:
        """Sends a HEAD request, to find out whether the target can be reached. Raises `TargetError` like
        `answer_of`.
        """
        exchange = await self.exchange(Request("HEAD", self.url, tuple(self.headers), b""))
        return self.answer_of(exchange, self.secrets)

    def request_of(self, body: bytes, case_id: str) -> Request:
        ids = (("X-Brokerfuzz-Case", case_id), ("X-Brokerfuzz-Campaign", self.campaign_id))
        headers = with_headers(self.headers, [header for header in ids if header[1]])
        return Request(self.method, self.url, tuple(headers), body)

    async def exchange(
        self, request: Request, prepare: Callable[[Request], Awaitable[Request]] = _unchanged
    ) -> HttpExchange:
        """Sends a request. Each time before it is sent, `prepare` can change its headers."""
        assert self._client is not None, "the target is open"
        started = perf_counter()
        sent = await prepare(request)
        response = await self._client.exchange(sent)
        if isinstance(response, NoResponse) and response.kind == "dropped":
            await self.paced()
            sent = await prepare(request)
            response = await self._client.exchange(sent, pooled=False)
        return HttpExchange(sent, response, perf_counter() - started)

    def answer_of(self, exchange: HttpExchange, secrets: Secrets) -> Answer:
        """Returns the answer, in which the `secrets` are replaced.

        Raises `UnreachableError` if no server has ever answered at this URL. Raises another `TargetError` if the
        certificate of the server or of the client is not accepted, or if this machine has no resources for a
        connection.
        """
        response = exchange.response
        if isinstance(response, NoResponse):
            answer = self._failed(response, secrets)
        else:
            answer = self.rules.read(response, secrets)
        self._answered = self._answered or answer.reached
        return answer._replace(seconds=exchange.seconds)

    def _failed(self, failure: NoResponse, secrets: Secrets) -> Answer:
        reason = secrets.hide(failure.reason)
        if failure.kind == "fatal":
            raise TargetError(reason.replace("{name}", self.name))
        reached = failure.kind not in ("unreachable", "misconfigured")
        if not reached and not self._answered:
            proxy = self.connections.proxy
            route = self.name if proxy is None else f"{self.name} (through the proxy {without_user(proxy)})"
            problem = f"{route} cannot be reached ({reason})"
            error = f"{problem}: check that the server is running and that the URL is correct"
            raise UnreachableError(error, reason) if failure.kind == "unreachable" else TargetError(error)
        kind: AnswerKind = "timeout" if failure.kind == "timeout" else "crashed"
        return Answer(kind, reason=reason, reached=reached)
