"""Defines the targets for test clients (of httpx and Starlette, of Flask, and of Django), and for functions in this
process.
"""

import inspect
from collections.abc import Callable, Sequence
from typing import Any

from brokerfuzz.errors import TargetError
from brokerfuzz.targets.answers import Answer
from brokerfuzz.targets.call_server import description_of, meaning_of, means_rejected
from brokerfuzz.targets.http_messages import Response
from brokerfuzz.targets.in_process import InProcessTarget
from brokerfuzz.targets.target import CALL_IN_PYTHON

# -------------------------------------------------------------------------------------------------------- test clients

_CLIENTS = {
    "httpx": ("Client", "AsyncClient"),
    "httpx2": ("Client", "AsyncClient"),
    "werkzeug": ("Client",),
    "django": ("Client",),
}
"""Maps each library to the names of its test clients. httpx2 is the successor of httpx."""


def library_of(client: object) -> str | None:
    """Returns the library of a test client, or None for any other object. Does not import the library."""
    bases = [(base.__module__.partition(".")[0], base.__name__) for base in type(client).__mro__]
    return next((library for library, name in bases if name in _CLIENTS.get(library, ())), None)


class ClientTarget(InProcessTarget):
    """A test client, which stays open, because it belongs to the caller. An `httpx.AsyncClient` works only in the event
    loop in which it was created. Redirects are not followed.
    """

    def __init__(self, client: Any, path: str = "/", **options: Any) -> None:
        self._client, self._library = client, library_of(client)
        self.is_asynchronous = inspect.iscoroutinefunction(getattr(client, "request", None))
        super().__init__(f"{type(client).__module__.partition('.')[0]} client", path, **options)

    def _call(self, body: bytes) -> Any:
        if self._library == "django":
            return self._asked_django(body)
        options: dict[str, Any] = {"method": self.method, "headers": self.headers, "follow_redirects": False}
        if self._library == "werkzeug":
            return self._client.open(self.path, data=body, **options)
        return self._client.request(url=self.path, content=body, **options)

    def _asked_django(self, body: bytes) -> Any:
        kind = next((value for name, value in self.headers if name.lower() == "content-type"), "")
        other_headers = [(name, value) for name, value in self.headers if name.lower() != "content-type"]
        extra = {f"HTTP_{name.upper().replace('-', '_')}": value for name, value in other_headers}
        return self._client.generic(self.method, self.path, body, content_type=kind, **extra)

    def _result(self, returned: Any) -> Response:
        match self._library:
            case "django":
                content = b"".join(returned) if returned.streaming else returned.content
            case "werkzeug":
                content = returned.get_data()
            case _:
                return Response(returned.status_code, (), returned.content)  # httpx decodes the body
        return Response(returned.status_code, list(returned.headers.items()), content)


# ----------------------------------------------------------------------------------------------------------- functions


class FunctionTarget(InProcessTarget):
    """A function that gets each message as bytes. Its results have the same meaning as for `CallTarget`.

    The function runs in this process, so it can be defined inside another function. `send` raises `TargetError` if the
    function returns a value that is not a valid answer, such as a list.
    """

    advice = CALL_IN_PYTHON
    runs_in_shell = False

    def __init__(self, function: Callable[[bytes], Any], **options: Any) -> None:
        super().__init__("", **options)
        self.name = getattr(function, "__qualname__", type(function).__name__)
        self.is_asynchronous = any(map(inspect.iscoroutinefunction, (function, type(function).__call__)))
        self._function = function

    def reproduction(self, body: bytes) -> str:
        """Returns Python code that calls the function."""
        return f"{self.name}({body!r})"

    def _call(self, body: bytes) -> Any:
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
