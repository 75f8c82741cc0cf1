"""Defines which proxy and which certificates an HTTP target uses."""

import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from shlex import quote
from urllib.parse import urlsplit
from urllib.request import getproxies_environment, proxy_bypass

from brokerfuzz.errors import TargetError
from brokerfuzz.file_contents import read_file
from brokerfuzz.targets.secret_masking import without_user

_LOOPBACK = ("localhost", "::1")


class HttpConnections:
    """The settings of all connections to a URL.

    `insecure` turns off the verification of certificates. `ca` is a PEM file with the certificates of authorities to
    trust, and `cert` one with the certificate and the private key of the client. The environment variables
    `http_proxy`, `https_proxy`, `all_proxy` and `no_proxy` select the proxy, but not for URLs on this machine.

    Raises `TargetError` if the proxy is not a URL.
    """

    def __init__(
        self, url: str, *, insecure: bool = False, ca: str | Path | None = None, cert: str | Path | None = None
    ) -> None:
        self.insecure = insecure
        self.ca, self.cert = (None if path is None else str(path) for path in (ca, cert))
        self.proxy = _proxy_of_environment(url)

    def tls(self) -> ssl.SSLContext:
        """Raises `TargetError` if a certificate cannot be used."""
        context = ssl.create_default_context()
        if self.insecure:
            context.check_hostname = False
            context.verify_mode = ssl.CERT_NONE
        if self.ca is not None:
            context.verify_flags |= ssl.VERIFY_X509_PARTIAL_CHAIN  # to allow the certificate of the server itself
            with _pem_file(self.ca, "the certificates of an authority") as contents:
                context.load_verify_locations(cadata=contents.decode("ascii", errors="ignore"))
        if self.cert is not None:
            with _pem_file(self.cert, "a certificate of the client and its unencrypted private key"):
                context.load_cert_chain(self.cert, password=str)
        return context

    def curl_words(self) -> Iterator[str]:
        """Yields the options of curl for these settings, quoted for a shell. curl itself uses the proxy of the
        environment.
        """
        if self.insecure:
            yield "-k"
        for option, value in (("--cacert", self.ca), ("--cert", self.cert)):
            if value is not None:
                yield from (option, quote(value))


@contextmanager
def _pem_file(file: str, what: str) -> Iterator[bytes]:
    """Yields the contents of the file. Raises `TargetError` if it cannot be read, or used in the `with` block."""
    remedy = f"specify a PEM file with {what}"
    contents = read_file(file, TargetError, remedy)
    try:
        yield contents
    except (ssl.SSLError, ValueError):
        raise TargetError(f"{file} cannot be used: {remedy}") from None


def _proxy_of_environment(url: str) -> str | None:
    parts, proxies = urlsplit(url), getproxies_environment()
    host = parts.hostname or ""
    proxy = proxies.get(parts.scheme) or proxies.get("all")
    if not proxy or host in _LOOPBACK or host.startswith("127.") or proxy_bypass(parts.netloc.rpartition("@")[2]):
        return None
    proxy = proxy if "://" in proxy else f"http://{proxy}"
    if not is_http_url(proxy):
        shown = without_user(proxy)
        raise TargetError(
            f"the proxy {shown!r} of the environment cannot be used: write, for example, http://host:3128"
        )
    return proxy


def is_http_url(url: str) -> bool:
    try:
        parts = urlsplit(url)
        host = (parts.hostname or "").encode("idna")
        return parts.scheme in ("http", "https") and bool(host) and b"\\" not in host and parts.port != 0
    except ValueError:  # for example, a part of the host is empty or has more than 63 characters
        return False
