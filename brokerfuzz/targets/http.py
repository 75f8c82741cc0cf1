"""An HTTP endpoint as a target."""

import asyncio
from collections.abc import AsyncIterator, Iterable
from contextlib import suppress
from datetime import timedelta
from time import perf_counter
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from brokerfuzz.errors import TargetError
from brokerfuzz.schemas.headers import JSON_TYPE, Headers
from brokerfuzz.targets.answers import Answer, AnswerRules
from brokerfuzz.targets.curl import curl_line, without_user

if TYPE_CHECKING:
    from pyreqwest.client import Client
    from pyreqwest.http import Url
    from pyreqwest.request import StreamRequest

    from brokerfuzz.targets.transport import Failure

MOST_READ = 1 << 20
"""How many bytes of a response are read: what follows is left unread, and the connection with it."""

GRACE = 1.0
"""Seconds behind the client's own time limits, in case that it does not keep them: nothing waits for ever."""

CONTENT_TYPE, TRANSFER_ENCODING = "content-type", "transfer-encoding"


class HttpTarget:
    """An HTTP endpoint that takes a message as the body of a request.

    `headers` are (name, value) pairs, sent with every request; `content-type: application/json` is added where they do
    not name one. `timeout` is in seconds, from the first attempt to connect to the last byte of the response; `rules`
    say how a response is read. Redirects are not followed, and proxies of the environment are not used.

    A connection that was kept open may be closed by the server at any time (RFC 9112, 9.3), and another message may
    bring down the process that was about to answer this one. So a message whose connection ended without an answer is
    sent once more, and its second answer counts. A server that answered before and takes no connection now is
    given `patience` seconds to come back.

    Raises `TargetError` for a URL, a method or a header that HTTP cannot carry.
    """

    def __init__(
        self,
        url: str,
        *,
        method: str = "POST",
        headers: Iterable[tuple[str, str]] = (),
        timeout: float = 10.0,
        rules: AnswerRules | None = None,
        patience: float = 3.0,
    ) -> None:
        self.url = checked_url(url)
        self.method = method
        given = list(headers)
        named = any(name.lower() == CONTENT_TYPE for name, _ in given)
        self.headers = given if named else [(CONTENT_TYPE, JSON_TYPE), *given]
        if timeout <= 0:
            raise TargetError(f"a timeout of {timeout} seconds leaves no time for an answer: give more than 0")
        self.timeout = timeout
        self.rules = rules or AnswerRules()
        self.patience = patience
        self._client: Client | None = None
        self._address: Url | str = self.url
        self._answered = False

    @property
    def name(self) -> str:
        """The URL, without a user and password."""
        return without_user(self.url)

    def reproduction(self, body: bytes, headers: Headers = ()) -> str:
        """A curl line that sends the message; see `curl_line`."""
        return curl_line(self.url, self.method, self._headers(headers), body, without=[name for name, value in headers if value is None])

    async def open(self) -> None:
        """Makes the client. Raises `TargetError` for a method, header or URL that cannot be sent."""
        from pyreqwest.client import ClientBuilder
        from pyreqwest.http import Url

        seconds = self.timeout
        builder = ClientBuilder().no_proxy().http1_only().follow_redirects(False).user_agent("brokerfuzz")
        builder = builder.gzip(False).brotli(False).zstd(False).deflate(False)
        # each below the next, so that it is the connection's own time that runs out first where nothing connects
        builder = builder.connect_timeout(timedelta(seconds=seconds * 0.5)).read_timeout(timedelta(seconds=seconds * 0.9))
        try:
            self._client = builder.timeout(timedelta(seconds=seconds)).build()
            self._address = Url(self.url)
            self._request(b"", ())
        except ValueError as problem:
            raise TargetError(f"no request can be made to {self.name} ({problem}): correct its method or headers") from problem

    async def close(self) -> None:
        """Closes every connection."""
        if self._client is not None:
            client, self._client = self._client, None
            with suppress(TimeoutError):
                async with asyncio.timeout(GRACE):
                    await client.close()

    async def send(self, body: bytes, headers: Headers = ()) -> Answer:
        """Sends the message and reads the answer. Raises `TargetError` where nothing ever answered at this URL.

        With `Transfer-Encoding: chunked` among the headers the body goes as one chunk; `Expect` is sent and not waited for.
        """
        outcome = await self._ask(body, headers)
        if isinstance(outcome, Answer):
            self._answered = True
            return outcome
        return await self._ask_again(body, headers, outcome)

    async def _ask_again(self, body: bytes, headers: Headers, failure: "Failure") -> Answer:
        started = perf_counter()
        pause, dropped = 0.05, False
        while True:
            self._answered = self._answered or failure.trouble != "unreachable"
            if failure.trouble == "dropped" and not dropped:
                dropped = True
            elif failure.trouble == "unreachable" and self._answered and perf_counter() - started < self.patience:
                await asyncio.sleep(pause)
                pause *= 2
            else:
                return self._failed(failure, perf_counter() - started)
            outcome = await self._ask(body, headers)
            if isinstance(outcome, Answer):
                return outcome
            failure = outcome

    def _failed(self, failure: "Failure", seconds: float) -> Answer:
        if failure.trouble == "unreachable":
            if not self._answered:
                raise TargetError(f"{self.name} cannot be reached, {failure.reason}: is it running, and is the URL right?")
            return Answer("crashed", reason=failure.reason, seconds=seconds, reached=False)
        return Answer("silent" if failure.trouble == "no-answer" else "crashed", reason=failure.reason, seconds=seconds)

    async def _ask(self, body: bytes, headers: Headers) -> "Answer | Failure":
        from pyreqwest.exceptions import PyreqwestError

        started = perf_counter()
        try:
            async with asyncio.timeout(self.timeout + GRACE), self._request(body, headers) as response:
                reader, read = response.body_reader, bytearray()
                while len(read) <= MOST_READ and (chunk := await reader.read_chunk()) is not None:
                    read += chunk
                return self.rules.read(response.status, bytes(read[:MOST_READ]), perf_counter() - started)
        except PyreqwestError as error:
            from brokerfuzz.targets.transport import failure_of

            return failure_of(error)
        except TimeoutError:
            from brokerfuzz.targets.transport import Failure

            return Failure("no-answer", "no answer in time")

    def _headers(self, instead: Headers) -> list[tuple[str, str]]:
        """The target's own headers, with others in place of those of their names."""
        if not instead:
            return self.headers
        names = {name.lower() for name, _ in instead}
        own = [(name, value) for name, value in self.headers if name.lower() not in names]
        return [*own, *((name, value) for name, value in instead if value is not None)]

    def _request(self, body: bytes, headers: Headers) -> "StreamRequest":
        if self._client is None:
            raise TargetError(f"{self.name} is not open: call open() before send()")
        request = self._client.request(self.method, self._address).headers(self._headers(headers))
        if body:
            request = request.body_bytes(body)
        elif any(name.lower() == TRANSFER_ENCODING for name, _ in headers):
            request = request.body_stream(_nothing())  # of no bytes the client would leave out the last chunk
        else:
            request = request.header("content-length", "0")  # the client leaves it out, and a POST without one is no empty message
        return request.build_streamed()


async def _nothing() -> AsyncIterator[bytes]:
    if False:
        yield b""


def checked_url(url: str) -> str:
    """The URL, where a request can be sent to it. Raises `TargetError`."""
    try:
        parts = urlsplit(url)
        usable = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError as problem:
        raise TargetError(f"{url!r} is no URL ({problem}): give one such as http://127.0.0.1:8000/offers") from problem
    if not parts.scheme or (parts.scheme not in ("http", "https") and "://" not in url):
        raise TargetError(f"{url!r} has no scheme: give it as http://{url.lstrip('/')}")
    if not usable:
        raise TargetError(f"{url!r} is no HTTP address: give one such as http://127.0.0.1:8000/offers")
    return url
