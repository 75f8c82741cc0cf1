"""What went wrong between us and a server, told from what the HTTP client raises.

The client's exception classes do not tell it: a refused connection and an empty answer are both a `ConnectError`, and
no answer in time is a `ConnectTimeoutError` although the connection stood. The texts of the causes do, and they are
those of hyper and reqwest underneath. So the client's version is capped, and `tests/targets/test_hostile_servers.py`
sends to one hostile server for each entry here.
"""

from dataclasses import dataclass
from typing import Literal

from pyreqwest import exceptions as px

Trouble = Literal["unreachable", "untrusted", "exhausted", "no-answer", "dropped", "cut", "not-http"]


@dataclass(frozen=True, slots=True)
class Failure:
    """Why there is no whole response.

    `unreachable`: no connection was made. `untrusted`: its certificate does not verify. `exhausted`: this machine has nothing left to make
    a connection with. `no-answer`: nothing, or not all of it, came in time. `dropped`: the
    connection ended before a byte of the response's head was understood. `cut`: it ended within the body. `not-http`:
    what came is no HTTP.
    """

    trouble: Trouble
    reason: str


_CERTIFICATE = "invalid peer certificate: "
_UNTRUSTED = {
    "UnknownIssuer": "nobody known has signed it",
    "certificate expired": "it has expired",
    "certificate not valid yet": "it is not valid yet",
    "certificate not valid for name": "it is for another host",
}
"""The beginnings of rustls' words for certificates that do not verify, and ours."""

_DESCRIPTORS, _PORTS, _MEMORY = "no file descriptor is left", "no local port is left", "no memory for connections is left"
_LACKING = {
    **dict.fromkeys(("Too many open files", "(os error 24)", "(os error 23)", "(os error 10024)"), _DESCRIPTORS),
    **dict.fromkeys(("Cannot assign requested address", "Can't assign requested address", "(os error 99)", "(os error 10048)"), _PORTS),
    **dict.fromkeys(("No buffer space available", "Cannot allocate memory", "(os error 105)", "(os error 10055)"), _MEMORY),
}
"""What systems say when they have nothing left for one more connection: Linux, macOS, Windows."""


def failure_of(error: px.PyreqwestError) -> Failure:
    """The failure that an error of the client stands for."""
    causes = _causes(error)
    text = " | ".join(causes)
    if "client error (Connect)" in text:
        if (untrusted := next((cause for cause in causes if _CERTIFICATE in cause), None)) is not None:
            return Failure("untrusted", _why_untrusted(untrusted))
        if (lacking := next((words for mark, words in _LACKING.items() if mark in text), None)) is not None:
            return Failure("exhausted", lacking)
        return Failure("unreachable", _why_unreachable(causes, timed_out=isinstance(error, px.RequestTimeoutError)))
    if isinstance(error, px.RequestTimeoutError):
        begun = isinstance(error, px.ReadTimeoutError)
        return Failure("no-answer", "the answer did not end in time" if begun else "no answer in time")
    sending = "client error (SendRequest)" in text
    if "os error" in text:
        return Failure("dropped" if sending else "cut", "the connection was reset")
    if "closed before message completed" in text:
        return Failure("dropped", "the connection was closed without an answer")
    if "end of file before message length" in text:
        return Failure("cut", "the connection was closed within the answer")
    if isinstance(error, px.DecodeError):
        return Failure("not-http", f"the answer is not HTTP ({causes[-1] if causes else error.message})")
    return Failure("dropped" if sending else "cut", causes[-1] if causes else error.message)


def _why_unreachable(causes: list[str], *, timed_out: bool) -> str:
    text = " | ".join(causes)
    if "dns error" in text:
        return "its name does not resolve"
    if "Connection refused" in text:
        return "the connection was refused"
    if "received corrupt message" in text:
        return "it does not speak TLS (is it http:// instead of https://?)"
    return "no connection in time" if timed_out else causes[-1]


def _why_untrusted(cause: str) -> str:
    said = cause.partition(_CERTIFICATE)[2]
    return next((words for mark, words in _UNTRUSTED.items() if said.startswith(mark)), said)


def _causes(error: px.PyreqwestError) -> list[str]:
    details = getattr(error, "details", None) or {}
    return [str(cause["message"]) for cause in details.get("causes") or ()]
