"""An HTTP endpoint as a target."""

import asyncio
from collections.abc import AsyncIterator, Iterable
from contextlib import suppress
from dataclasses import replace
from datetime import timedelta
from importlib import import_module
from pathlib import Path
from time import monotonic, perf_counter
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from brokerfuzz.errors import TargetError
from brokerfuzz.schemas.headers import JSON_TYPE, Headers
from brokerfuzz.targets.answers import Answer, AnswerRules
from brokerfuzz.targets.curl import curl_line
from brokerfuzz.targets.secret_masking import Secrets, is_secret, shown, variable
from brokerfuzz.targets.throttling import THROTTLING, Gate, Later, Slowed, seconds_of

if TYPE_CHECKING:
    from pyreqwest.client import Client, ClientBuilder
    from pyreqwest.exceptions import PyreqwestError
    from pyreqwest.http import Url
    from pyreqwest.request import StreamRequest
    from pyreqwest.response import Response

    from brokerfuzz.targets.transport import Failure

MOST_READ = 1 << 20
"""How many bytes of a response are read: what follows is left unread, and the connection with it."""

GRACE = 1.0
"""Seconds behind the client's own time limits, in case that it does not keep them: nothing waits for ever."""

LETTING_GO = 0.03
"""Seconds for the client's own thread to let go of Python's objects: one that still does as the interpreter ends aborts the process."""

CONTENT_TYPE, TRANSFER_ENCODING = "content-type", "transfer-encoding"
_PEM = b"-----BEGIN CERTIFICATE-----"


class HttpTarget:
    """An HTTP endpoint that takes a message as the body of a request.

    `headers` are (name, value) pairs, sent with every request; `content-type: application/json` is added where they do
    not name one. `timeout` is in seconds, from the first attempt to connect to the last byte of the response; `rules`
    say how a response is read. Redirects are not followed, and proxies of the environment are not used.

    A connection that was kept open may be closed by the server at any time (RFC 9112, 9.3), and another message may
    bring down the process that was about to answer this one. So a message whose connection ended without an answer is
    sent once more, and its second answer counts. A server that answered before and takes no connection now is
    given `patience` seconds to come back; and so long is waited for what this machine itself lacks for a connection.

    A status 429, and a 503 with `Retry-After`, say nothing of the message: all messages wait then, and it goes again, until it was waited
    for `longest_wait` seconds; 429 without `Retry-After` is asked again after 1, 2, 4, ... seconds. The answer then is `timeout` (429) or
    `crashed` (503), and not `reached`; and until the target judges a message again, no other is waited for, nor sent before the time
    that it asked for is come. `slowed` counts the waits. Where `rules` name 429 or 503 as a code, it is an answer like any other.

    Certificates are verified, by the system's authorities and those of `ca`, a PEM file; with `insecure` they are not. A kept
    connection is left as soon as something comes over it that was not asked for; what comes when the next request is on its way nobody
    can tell from the answer to it: with the header `Connection: close` each message has a connection of its own.

    No secret is in what the target says (see `secret_masking`): not in `name`, `request`, `reproduction`, answers or errors.

    Raises `TargetError` for a URL, a method or a header that HTTP cannot carry, and for a `ca` that holds no certificates.
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
        longest_wait: float = 30.0,
        insecure: bool = False,
        ca: str | Path | None = None,
    ) -> None:
        self.url = checked_url(url)
        self.method = method
        given = list(headers)
        named = any(name.lower() == CONTENT_TYPE for name, _ in given)
        self.headers = given if named else [(CONTENT_TYPE, JSON_TYPE), *given]
        if timeout <= 0:
            raise TargetError(f"a timeout of {timeout} seconds leaves no time for an answer: give more than 0")
        if longest_wait < 0:
            raise TargetError(f"a longest wait of {longest_wait} seconds cannot be kept: give 0 or more")
        self.timeout = timeout
        self.rules = rules or AnswerRules()
        self.patience = patience
        self.longest_wait = longest_wait
        self.insecure = insecure
        self.ca = None if ca is None else str(ca)
        self._authorities = None if self.ca is None else _certificates(self.ca)
        self._secrets = Secrets(url, given)
        self._name = shown(url)
        self._gate = Gate(longest_wait)
        self._client: Client | None = None
        self._address: Url | str = self.url
        self._answered = False
        self._client_error: type[PyreqwestError]

    @property
    def name(self) -> str:
        """The URL, without a user and password, and with `$TOKEN` for a token in it."""
        return self._name

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._name!r})"

    @property
    def slowed(self) -> Slowed:
        """How often the target asked to come back later since `open`, and how long no message was sent because of that."""
        return self._gate.slowed

    @property
    def request(self) -> dict[str, Any]:
        """What is sent with every message, for reports: url, method and headers, with a variable's name (`$AUTHORIZATION`) for each secret."""
        headers = [[name, variable(name) if is_secret(name, value) else value] for name, value in self.headers]
        if urlsplit(self.url).username is not None and not any(name.lower() == "authorization" for name, _ in headers):
            headers.append(["authorization", variable("authorization")])
        return {"url": self._name, "method": self.method, "headers": headers}

    def reproduction(self, body: bytes, headers: Headers = ()) -> str:
        """A curl line that sends the message; see `curl_line`."""
        without = [name for name, value in headers if value is None]
        return curl_line(self.url, self.method, self._headers(headers), body, without=without, insecure=self.insecure, ca=self.ca)

    async def open(self) -> None:
        """Makes the client. Raises `TargetError` for a method, header or URL that cannot be sent."""
        from pyreqwest.exceptions import PyreqwestError
        from pyreqwest.http import Url

        self._client_error = PyreqwestError
        import_module("brokerfuzz.targets.transport")  # now, for when files are what lacks, it cannot be opened any more
        self._gate = Gate(self.longest_wait)
        try:
            self._client = self._builder().build()
        except ValueError as problem:
            said = self._secrets.hide(str(problem))
            raise TargetError(f"the certificates of {self.ca} cannot be used ({said}): give those of an authority, as PEM") from None
        try:
            self._address = Url(self.url)
            self._request(b"", ())
        except ValueError as problem:
            said = self._secrets.hide(str(problem))
            raise TargetError(f"no request can be made to {self.name} ({said}): correct its method or headers") from None

    def _builder(self) -> "ClientBuilder":
        from pyreqwest.client import ClientBuilder

        seconds = self.timeout
        builder = ClientBuilder().no_proxy().http1_only().follow_redirects(False).user_agent("brokerfuzz")
        builder = builder.gzip(False).brotli(False).zstd(False).deflate(False)
        # each below the next, so that it is the connection's own time that runs out first where nothing connects
        builder = builder.connect_timeout(timedelta(seconds=seconds * 0.5)).read_timeout(timedelta(seconds=seconds * 0.9))
        builder = builder.timeout(timedelta(seconds=seconds)).danger_accept_invalid_certs(self.insecure)
        return builder if self._authorities is None else builder.add_root_certificate_pem(self._authorities)

    def carries(self, body: bytes, headers: Headers = ()) -> bool:
        """HTTP carries any bytes, with any headers."""
        return True

    async def close(self) -> None:
        """Closes every connection."""
        if self._client is not None:
            client, self._client = self._client, None
            self._address = self.url  # so that a target that is closed can go to another process
            with suppress(TimeoutError):
                async with asyncio.timeout(GRACE):
                    await client.close()
            await asyncio.sleep(LETTING_GO)

    async def send(self, body: bytes, headers: Headers = ()) -> Answer:
        """Sends the message and reads the answer. Raises `TargetError` where nothing ever answered at this URL,
        where its certificate does not verify, and where this machine has nothing left to make a connection with.

        With `Transfer-Encoding: chunked` among the headers the body goes as one chunk; `Expect` is sent and not waited for.
        """
        if self._gate.shut and (unsent := await self._gate.enter()) is not None:
            return unsent
        outcome = await self._ask_stubbornly(body, headers)
        if not isinstance(outcome, Answer):
            return await self._gate.again(outcome, lambda: self._ask_stubbornly(body, headers))
        if self._gate.shut:
            self._gate.judged()
        return outcome

    async def _ask_stubbornly(self, body: bytes, headers: Headers) -> Answer | Later:
        """Sends the message, again where its connection was dropped, and for some time where there is none to be had any more."""
        outcome = await self._ask(body, headers)
        if isinstance(outcome, Answer | Later):
            self._answered = True
            return outcome
        started = perf_counter()
        pause, dropped = 0.05, False
        while True:
            self._answered = self._answered or outcome.trouble not in _NO_CONNECTION
            waits = outcome.trouble == "exhausted" or (outcome.trouble == "unreachable" and self._answered)
            if outcome.trouble == "dropped" and not dropped:
                dropped = True
            elif waits and perf_counter() - started < self.patience:
                await asyncio.sleep(pause)
                pause *= 2
            else:
                return self._failed(outcome, perf_counter() - started)
            outcome = await self._ask(body, headers)
            if isinstance(outcome, Answer | Later):
                return outcome

    def _failed(self, failure: "Failure", seconds: float) -> Answer:
        if failure.trouble == "untrusted":
            raise TargetError(
                f"the certificate of {self.name} does not verify, {failure.reason}: "
                "name the authority that signed it with --ca FILE, or let any certificate pass with --insecure"
            )
        if failure.trouble == "exhausted":
            raise TargetError(
                f"this machine cannot make so many connections to {self.name}, {failure.reason}: "
                "lower --concurrency or --rate, or raise the limit of open files (ulimit -n)"
            )
        if failure.trouble == "unreachable":
            if not self._answered:
                raise TargetError(f"{self.name} cannot be reached, {failure.reason}: is it running, and is the URL right?")
            return Answer("crashed", reason=failure.reason, seconds=seconds, reached=False)
        return Answer("timeout" if failure.trouble == "no-answer" else "crashed", reason=failure.reason, seconds=seconds)

    async def _ask(self, body: bytes, headers: Headers) -> "Answer | Later | Failure":
        started = perf_counter()
        try:
            async with asyncio.timeout(self.timeout + GRACE), self._request(body, headers) as response:
                reader, read = response.body_reader, bytearray()
                while len(read) <= MOST_READ and (chunk := await reader.read_chunk()) is not None:
                    read += chunk
                answer = self.rules.read(response.status, bytes(read[:MOST_READ]), perf_counter() - started, self._secrets)
                return answer if response.status < 300 else self._looked_into(answer, response)
        except self._client_error as error:
            from brokerfuzz.targets.transport import failure_of

            failure = failure_of(error)
            return replace(failure, reason=self._secrets.hide(failure.reason))
        except TimeoutError:
            from brokerfuzz.targets.transport import Failure

            return Failure("no-answer", "no answer in time")

    def _looked_into(self, answer: Answer, response: "Response") -> Answer | Later:
        """The answer with what the headers of the response say to it."""
        status = answer.status or 0
        if status in THROTTLING and not self.rules.names(status):
            seconds = seconds_of(response.get_header("retry-after"), response.get_header("date"))
            return answer if status == 503 and seconds is None else Later(answer, seconds, monotonic())
        if status // 100 == 3 and (location := response.get_header("location")) is not None:
            return replace(answer, location=self._secrets.hide(shown(location)))
        return answer

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


_NO_CONNECTION = ("unreachable", "untrusted", "exhausted")


async def _nothing() -> AsyncIterator[bytes]:
    if False:
        yield b""


def checked_url(url: str) -> str:
    """The URL, where a request can be sent to it. Raises `TargetError`."""
    said = shown(url)
    try:
        parts = urlsplit(url)
        usable = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError as problem:
        why = f" ({problem})" if "@" not in url else ""  # it quotes what it takes for the port, which may be a password
        raise TargetError(f"{said!r} is no URL{why}: give one such as http://127.0.0.1:8000/offers") from None
    if not parts.scheme or (parts.scheme not in ("http", "https") and "://" not in url):
        raise TargetError(f"{said!r} has no scheme: give it as http://{said.lstrip('/')}")
    if not usable:
        raise TargetError(f"{said!r} is no HTTP address: give one such as http://127.0.0.1:8000/offers")
    return url


def _certificates(ca: str) -> bytes:
    try:
        pem = Path(ca).read_bytes()
    except OSError as problem:
        raise TargetError(f"the certificates of {ca} cannot be read ({problem.strerror}): give a PEM file that can") from problem
    if _PEM not in pem:
        raise TargetError(f"{ca} holds no certificates: give those of an authority, as PEM")
    return pem
