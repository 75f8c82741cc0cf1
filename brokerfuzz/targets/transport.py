"""Finds out why a connection failed, from the exceptions of the HTTP client.

The exception classes are not sufficient: for example, a refused connection and an empty answer both raise
`ConnectError`. Only the error messages of hyper and reqwest (libraries that the client uses) distinguish the failures.
A new version of the client may change the error messages, so `pyproject.toml` limits the version.
`tests/targets/test_hostile_servers.py` checks each kind of failure.
"""

from dataclasses import dataclass
from typing import Literal

from pyreqwest import exceptions as px

FailureKind = Literal[
    "unreachable", "untrusted", "unidentified", "other-protocol", "exhausted", "no-answer", "dropped", "cut", "not-http"
]


@dataclass(frozen=True, slots=True)
class Failure:
    """The reason why there is no complete response. `reason` is a text for the user. `kind` is one of the following:

    - `unreachable`: no connection was possible.
    - `untrusted`: the certificate cannot be verified.
    - `unidentified`: the server requires a client certificate, but the client sends none, or sends one that the server
      rejects.
    - `other-protocol`: the server speaks only HTTP/2.
    - `exhausted`: this machine has no file descriptor, port or memory left for a connection.
    - `no-answer`: the response was missing or incomplete when the time limit expired.
    - `dropped`: the connection ended before the headers of the response were complete.
    - `cut`: the connection ended before the body was complete.
    - `not-http`: the response is not HTTP.
    """

    kind: FailureKind
    reason: str


_CERTIFICATE = "invalid peer certificate: "
_UNTRUSTED = {
    "UnknownIssuer": "no known authority has signed the certificate",
    "certificate expired": "the certificate has expired",
    "certificate not valid yet": "the certificate is not valid yet",
    "certificate not valid for name": "the certificate is for another host",
    "Other(OtherError(CaUsedAsEndEntity))": (
        "the server uses the certificate of an authority as its own, as `openssl req -x509` creates it"
    ),
}
"""Maps errors of rustls (the TLS library of the client) to descriptions. Each key is the beginning of an error about a
certificate.
"""

_UNIDENTIFIED = {
    "received fatal alert: CertificateRequired": "it requires a certificate",
    "received fatal alert: CertificateUnknown": "it does not know the certificate",
    "received fatal alert: UnknownCA": "it does not know the authority of the certificate",
    "received fatal alert: BadCertificate": "the certificate is missing or invalid",
}
"""Maps each TLS alert about the certificate of the client to a description."""

_PERHAPS_HTTP_2 = "if the server speaks only HTTP/2, enable HTTP/1.1"

_DESCRIPTORS, _PORTS, _MEMORY = (
    "no file descriptor is left",
    "no local port is left",
    "no memory for connections is left",
)
_LACKING = {
    **dict.fromkeys(("Too many open files", "(os error 24)", "(os error 23)", "(os error 10024)"), _DESCRIPTORS),
    **dict.fromkeys(
        ("Cannot assign requested address", "Can't assign requested address", "(os error 99)", "(os error 10048)"),
        _PORTS,
    ),
    **dict.fromkeys(
        ("No buffer space available", "Cannot allocate memory", "(os error 105)", "(os error 10055)"), _MEMORY
    ),
}
"""Maps texts in the errors of Linux, macOS and Windows to the resource that is used up."""


def failure_of(error: px.PyreqwestError, timeout: float) -> Failure:
    """Describes the failure behind an exception of the HTTP client. `timeout` is the time limit in seconds."""
    causes = _causes(error)
    text = " | ".join(causes)
    if (unidentified := next((words for mark, words in _UNIDENTIFIED.items() if mark in text), None)) is not None:
        return Failure("unidentified", unidentified)
    if "client error (Connect)" in text:
        if "received fatal alert: NoApplicationProtocol" in text:
            return Failure("other-protocol", "it speaks only HTTP/2")
        if (untrusted := next((cause for cause in causes if _CERTIFICATE in cause), None)) is not None:
            return Failure("untrusted", _why_untrusted(untrusted))
        if "tunnel error" in text:
            return Failure("unreachable", _why_no_tunnel(text))
        if (lacking := next((words for mark, words in _LACKING.items() if mark in text), None)) is not None:
            return Failure("exhausted", lacking)
        return Failure(
            "unreachable", _why_unreachable(causes, timeout if isinstance(error, px.RequestTimeoutError) else None)
        )
    if isinstance(error, px.RequestTimeoutError):
        begun = isinstance(error, px.ReadTimeoutError)
        return Failure(
            "no-answer",
            f"the answer was not complete after {timeout:g} s" if begun else f"no answer within {timeout:g} s",
        )
    sending = "client error (SendRequest)" in text
    if "os error" in text:
        return Failure("dropped" if sending else "cut", "the connection was reset")
    if "closed before message completed" in text:
        return Failure("dropped", "the connection was closed without an answer")
    if "end of file before message length" in text:
        return Failure("cut", "the connection was closed before the answer was complete")
    if isinstance(error, px.DecodeError):
        return Failure(
            "not-http", f"the answer is not HTTP/1.1 ({causes[-1] if causes else error.message}); {_PERHAPS_HTTP_2}"
        )
    if "received unexpected message from connection" in text:
        return Failure(
            "dropped",
            (f"the server sends data before it receives the request, which is not HTTP/1.1; {_PERHAPS_HTTP_2}"),
        )
    return Failure("dropped" if sending else "cut", causes[-1] if causes else error.message)


def _why_unreachable(causes: list[str], timeout: float | None) -> str:
    text = " | ".join(causes)
    if "dns error" in text:
        return "the host name cannot be resolved"
    if "Connection refused" in text:
        return "the connection was refused"
    if "received corrupt message" in text:
        return "the server does not speak TLS (use http:// instead of https://?)"
    return causes[-1] if timeout is None else f"no connection within {timeout * 0.5:g} s"


def _why_no_tunnel(text: str) -> str:
    if "proxy authorization required" in text:
        return "the proxy requires credentials (write http://USER:PASSWORD@HOST:PORT)"
    return "the proxy rejects the connection"


def _why_untrusted(cause: str) -> str:
    said = cause.partition(_CERTIFICATE)[2]
    return next((words for mark, words in _UNTRUSTED.items() if said.startswith(mark)), said)


def _causes(error: px.PyreqwestError) -> list[str]:
    details = getattr(error, "details", None) or {}
    return [str(cause["message"]) for cause in details.get("causes") or ()]
