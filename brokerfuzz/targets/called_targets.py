"""Defines the targets that brokerfuzz calls in this process: WSGI applications such as those of Flask and Django, test
clients (of httpx and Starlette, of Flask, and of Django), and functions. `asgi_target` has the ASGI applications.
"""

import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from io import BytesIO, StringIO
from typing import Any
from urllib.parse import unquote_to_bytes

from brokerfuzz.errors import TargetError
from brokerfuzz.schemas.headers import Headers
from brokerfuzz.targets.answers import Answer
from brokerfuzz.targets.call_server import description_of, meaning_of, means_rejected
from brokerfuzz.targets.http_messages import Response
from brokerfuzz.targets.in_process import Fields, InProcessTarget
from brokerfuzz.targets.target import CALL_IN_PYTHON

WsgiApplication = Callable[[dict[str, Any], Callable[..., Any]], Iterable[bytes]]
_ENVIRON = {
    "SCRIPT_NAME": "",
    "SERVER_NAME": "127.0.0.1",
    "SERVER_PORT": "80",
    "SERVER_PROTOCOL": "HTTP/1.1",
    "REMOTE_ADDR": "127.0.0.1",
    "HTTP_HOST": "127.0.0.1",
    "HTTP_USER_AGENT": "brokerfuzz",
    "wsgi.version": (1, 0),
    "wsgi.url_scheme": "http",
    "wsgi.multithread": False,
    "wsgi.multiprocess": False,
    "wsgi.run_once": False,
}


class WsgiTarget(InProcessTarget):
    """A WSGI application."""

    def __init__(
        self, application: WsgiApplication, path: str = "/", *, name: str = "the application", **options: Any
    ) -> None:
        super().__init__(name, path, **options)
        self._application = application

    def _call(self, body: bytes, headers: Fields) -> Response:
        started: list[tuple[str, list[tuple[str, str]]]] = []
        written = BytesIO()

        def start_response(
            status: str, fields: Iterable[tuple[str, str]], exc_info: Any = None
        ) -> Callable[[bytes], int]:
            started[:] = [(status, list(fields))]
            return written.write

        chunks = self._application(self._environ(body, headers), start_response)
        try:
            for chunk in chunks:
                written.write(chunk)
        finally:
            if (close := getattr(chunks, "close", None)) is not None:
                close()
        if not started:
            raise RuntimeError("the application returned without calling start_response")
        ((status, answered),) = started
        return Response(int(status.split()[0]), answered, written.getvalue())

    def _environ(self, body: bytes, headers: Fields) -> dict[str, Any]:
        location, _, query = self.path.partition("?")
        environ = {
            **_ENVIRON,
            "REQUEST_METHOD": self.method,
            "PATH_INFO": unquote_to_bytes(location).decode("latin-1"),
            "QUERY_STRING": query,
            "CONTENT_LENGTH": str(len(body)),
            "wsgi.input": BytesIO(body),
            "wsgi.errors": StringIO(),
        }
        for name, value in headers:
            key = name.upper().replace("-", "_")
            environ[key if key == "CONTENT_TYPE" else f"HTTP_{key}"] = value
        return environ


# -------------------------------------------------------------------------------------------------------- test clients

_HTTPX, _HTTPX_ASYNC, _WERKZEUG, _DJANGO = (
    ("httpx", "Client"),
    ("httpx", "AsyncClient"),
    ("werkzeug", "Client"),
    ("django", "Client"),
)
_SUCCESSOR = "httpx2"
"""The new name of the package httpx, which has the same interface."""


def kind_of_client(client: object) -> tuple[str, str] | None:
    """Returns the package and the class of a test client, or None for any other object. Does not import the package."""
    kinds = {
        (base.__module__.partition(".")[0].replace(_SUCCESSOR, "httpx"), base.__name__) for base in type(client).__mro__
    }
    return next((kind for kind in (_HTTPX, _HTTPX_ASYNC, _WERKZEUG, _DJANGO) if kind in kinds), None)


class ClientTarget(InProcessTarget):
    """A test client, which stays open, because it belongs to the caller. An `httpx.AsyncClient` works only in the event
    loop in which it was created. Redirects are not followed.
    """

    def __init__(self, client: Any, path: str = "/", **options: Any) -> None:
        self._client, self._kind = client, kind_of_client(client)
        self.is_asynchronous = self._kind == _HTTPX_ASYNC
        super().__init__(f"{type(client).__module__.partition('.')[0]} client", path, **options)

    def _call(self, body: bytes, headers: Fields) -> Any:
        match self._kind:
            case ("httpx", "AsyncClient"):
                return self._asked_httpx_asynchronously(body, headers)
            case ("httpx", _):
                answer = self._client.request(
                    self.method, self.path, content=body, headers=headers, follow_redirects=False
                )
                return Response(answer.status_code, (), answer.content)  # httpx decodes the body
            case ("werkzeug", _):
                answer = self._client.open(
                    self.path, method=self.method, data=body, headers=headers, follow_redirects=False
                )
                return Response(answer.status_code, list(answer.headers.items()), answer.get_data())
            case _:
                return self._asked_django(body, headers)

    async def _asked_httpx_asynchronously(self, body: bytes, headers: Fields) -> Response:
        answer = await self._client.request(
            self.method, self.path, content=body, headers=headers, follow_redirects=False
        )
        return Response(answer.status_code, (), await answer.aread())

    def _asked_django(self, body: bytes, headers: Fields) -> Response:
        kind = next((value for name, value in headers if name.lower() == "content-type"), "")
        others = [(name, value) for name, value in headers if name.lower() != "content-type"]
        extra = {f"HTTP_{name.upper().replace('-', '_')}": value for name, value in others}
        answer = self._client.generic(self.method, self.path, body, content_type=kind, **extra)
        content = b"".join(answer) if answer.streaming else answer.content
        return Response(answer.status_code, list(answer.headers.items()), content)


# ----------------------------------------------------------------------------------------------------------- functions


class FunctionTarget(InProcessTarget):
    """A function that gets each message as bytes. Its results have the same meaning as for `CallTarget`.

    The function runs in this process, so it can be defined inside another function. `send` raises `TargetError` if the
    function returns a value that is not a valid answer, such as a list.
    """

    advice = CALL_IN_PYTHON
    runs_in_shell = False

    def __init__(
        self,
        function: Callable[[bytes], Any],
        *,
        in_caller: bool = False,
        timeout: float = 10.0,
        secrets: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__("", in_caller=in_caller, timeout=timeout, secrets=secrets)
        self.name = getattr(function, "__qualname__", type(function).__name__)
        self.is_asynchronous = any(map(inspect.iscoroutinefunction, (function, type(function).__call__)))
        self._function = function

    def can_send(self, body: bytes, headers: Headers = ()) -> bool:
        return not headers

    def reproduction(self, body: bytes, headers: Headers = ()) -> str:
        """Returns Python code that calls the function."""
        return f"{self.name}({body!r})"

    def _call(self, body: bytes, headers: Fields) -> Any:
        return self._function(body)

    def _failure(self, problem: BaseException, seconds: float) -> Answer:
        if means_rejected(problem):
            return Answer("rejected", reason=self.secrets.hide(description_of(problem)), seconds=seconds)
        return super()._failure(problem, seconds)

    def _answer(self, result: Any, seconds: float, logged: Sequence[BaseException]) -> Answer:
        if (meaning := meaning_of(result)) is not None:
            kind, reason = meaning
            return Answer(kind, reason=self.secrets.hide(reason), seconds=seconds)
        remedy = "return None or True to accept the message; return False or raise ValueError to reject it"
        raise TargetError(f"{self.name} returned {type(result).__name__}, which is not a valid answer: {remedy}")
