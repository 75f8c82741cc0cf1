"""Finds out why there is no response, from the exceptions of the HTTP client."""

import errno
import ssl

from aiohttp import (
    ClientConnectorDNSError,
    ClientConnectorError,
    ClientError,
    ClientHttpProxyError,
    ClientPayloadError,
    ClientResponseError,
    ConnectionTimeoutError,
    ServerDisconnectedError,
)

from brokerfuzz.targets.http_messages import Failure

_UNTRUSTED = {
    9: "the certificate is not valid yet",
    10: "the certificate has expired",
    62: "the certificate is for another host",
    64: "the certificate is for another host",
    **dict.fromkeys((18, 19, 20, 21), "no known authority has signed the certificate"),
}
"""Maps the codes of OpenSSL (X509_V_ERR_...) to descriptions."""
_ALERTS = {
    "TLSV13_ALERT_CERTIFICATE_REQUIRED": Failure("unidentified", "it requires a certificate"),
    "SSLV3_ALERT_HANDSHAKE_FAILURE": Failure("unidentified", "it rejects the TLS handshake"),
    "SSLV3_ALERT_CERTIFICATE_UNKNOWN": Failure("unidentified", "it does not know the certificate"),
    "TLSV1_ALERT_UNKNOWN_CA": Failure("unidentified", "it does not know the authority of the certificate"),
    "SSLV3_ALERT_BAD_CERTIFICATE": Failure("unidentified", "the certificate is missing or invalid"),
    "TLSV1_ALERT_NO_APPLICATION_PROTOCOL": Failure("other-protocol", "it speaks only HTTP/2"),
}
"""Maps the TLS alerts of a server to failures."""
_LACKING = {
    **dict.fromkeys((errno.EMFILE, errno.ENFILE), "no file descriptor is left"),
    errno.EADDRNOTAVAIL: "no local port is left",
    **dict.fromkeys((errno.ENOBUFS, errno.ENOMEM), "no memory for connections is left"),
}
_PERHAPS_HTTP_2 = "if the server speaks only HTTP/2, enable HTTP/1.1"


def failure_of(error: ClientError | TimeoutError | OSError, timeout: float, *, in_body: bool = False) -> Failure:
    """Describes the failure behind an exception of the HTTP client. `timeout` is the time limit in seconds. `in_body`
    is True if the headers of the response were complete.
    """
    tls = _tls_error(error)
    if isinstance(tls, ssl.SSLCertVerificationError):
        return Failure("untrusted", _UNTRUSTED.get(tls.verify_code, tls.verify_message))
    if (alert := _alert(tls)) is not None:
        return alert
    match error:
        case ConnectionTimeoutError():
            return Failure("unreachable", f"no connection within {timeout * 0.5:g} s")
        case TimeoutError():
            said = "the answer was not complete after" if in_body else "no answer within"
            return Failure("timeout", f"{said} {timeout:g} s")
        case ClientConnectorDNSError():
            return Failure("unreachable", "the host name cannot be resolved")
        case ClientConnectorError() | OSError() if error.errno in _LACKING:
            return Failure("exhausted", _LACKING[error.errno])
        case ClientConnectorError():
            return Failure("unreachable", _why_unreachable(error.os_error))
        case ClientHttpProxyError():
            needs_credentials = error.status == 407
            remedy = "requires credentials (write http://USER:PASSWORD@HOST:PORT)"
            return Failure("unreachable", f"the proxy {remedy if needs_credentials else 'rejects the connection'}")
        case ServerDisconnectedError():
            return Failure("dropped", "the connection was closed without an answer")
        case ClientResponseError():
            return Failure("broken", f"the answer is not HTTP/1.1; {_PERHAPS_HTTP_2}")
        case ClientPayloadError():
            return Failure("broken", "the connection was closed before the answer was complete")
        case _:
            return Failure("broken" if in_body else "dropped", "the connection was reset")


def _tls_error(error: BaseException) -> ssl.SSLError | None:
    causes = (getattr(error, "certificate_error", None), getattr(error, "os_error", None), error.__cause__)
    return next((cause for cause in causes if isinstance(cause, ssl.SSLError)), None)


def _alert(error: ssl.SSLError | None) -> Failure | None:
    """Python knows no symbol for some alerts, but the text always contains the words."""
    text = str(error).upper().replace(" ", "_")
    return next((failure for name, failure in _ALERTS.items() if name in text), None)


def _why_unreachable(error: OSError) -> str:
    if isinstance(error, ConnectionRefusedError) or error.errno == errno.ECONNREFUSED:
        return "the connection was refused"
    if isinstance(error, ssl.SSLError):
        return "the server does not speak TLS (use http:// instead of https://?)"
    return error.strerror or str(error)
