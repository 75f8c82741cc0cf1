"""Calls WSGI applications, such as those of Flask and Django."""

from collections.abc import Callable, Iterable
from io import BytesIO
from typing import Any
from urllib.parse import unquote_to_bytes
from wsgiref.util import setup_testing_defaults

from brokerfuzz.targets.http_messages import Request, Response

WsgiApplication = Callable[[dict[str, Any], Callable[..., Any]], Iterable[bytes]]


def wsgi_response(application: WsgiApplication, request: Request) -> Response:
    started: list[tuple[str, list[tuple[str, str]]]] = []
    written = BytesIO()

    def start_response(status: str, fields: Iterable[tuple[str, str]], exc_info: Any = None) -> Callable[[bytes], int]:
        started[:] = [(status, list(fields))]
        return written.write

    chunks = application(_environ(request), start_response)
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


def _environ(request: Request) -> dict[str, Any]:
    location, _, query = request.url.partition("?")
    environ = {
        "REQUEST_METHOD": request.method,
        "SCRIPT_NAME": "",
        "PATH_INFO": unquote_to_bytes(location).decode("latin-1"),
        "QUERY_STRING": query,
        "CONTENT_LENGTH": str(len(request.body)),
        "REMOTE_ADDR": "127.0.0.1",
        "SERVER_PROTOCOL": "HTTP/1.1",
        "HTTP_USER_AGENT": "brokerfuzz",
        "wsgi.input": BytesIO(request.body),
    }
    for name, value in request.headers:
        key = name.upper().replace("-", "_")
        environ[key if key == "CONTENT_TYPE" else f"HTTP_{key}"] = value
    setup_testing_defaults(environ)
    return environ
