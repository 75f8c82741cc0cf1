"""Defines which proxy and which certificates an HTTP target uses."""

import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from shlex import quote
from typing import Any
from urllib.parse import urlsplit
from urllib.request import getproxies_environment, proxy_bypass

from brokerfuzz.errors import TargetError
from brokerfuzz.file_contents import read_file
from brokerfuzz.targets.secret_masking import without_user

_LOOPBACK = ("localhost", "::1")


class HttpConnections:
    """The settings of all connections to a URL.

    `insecure` turns off the verification of certificates. `ca` is a PEM file with the certificates of authorities to
    trust. `cert` is a PEM file with the certificate of the client, and `key` is a PEM file with the private key. The
    certificate and the private key can be in the same file. Without `proxy`, the environment variables `http_proxy`,
    `https_proxy`, `all_proxy` and `no_proxy` select the proxy. These variables do not apply to URLs on this machine.

    Raises `TargetError` if `proxy` is not a URL.
    """

    def __init__(
        self,
        url: str,
        *,
        insecure: bool = False,
        ca: str | Path | None = None,
        cert: str | Path | None = None,
        key: str | Path | None = None,
        proxy: str | None = None,
    ) -> None:
        if key is not None and cert is None:
            raise TargetError("a private key needs a certificate: specify it with the setting cert")
        self.insecure = insecure
        self.ca, self.cert, self.key = (None if path is None else str(path) for path in (ca, cert, key))
        self.proxy = _checked_proxy(proxy) if proxy is not None else _proxy_of_environment(url)

    def tls(self) -> ssl.SSLContext:
        """Raises `TargetError` if a certificate cannot be used."""
        context = ssl.create_default_context()
        if self.insecure:
            context.check_hostname = False
            context.verify_mode = ssl.CERT_NONE
        if self.ca is not None:
            context.verify_flags |= ssl.VERIFY_X509_PARTIAL_CHAIN  # to allow the certificate of the server itself
            with _explained(self.ca, "the certificates of an authority"):
                context.load_verify_locations(cadata=read_file(self.ca).decode("ascii", errors="ignore"))
        if self.cert is not None:
            files = " and ".join(dict.fromkeys(file for file in (self.cert, self.key) if file is not None))
            with _explained(files, "a certificate of the client and its unencrypted private key"):
                context.load_cert_chain(self.cert, self.key, password=str)
        return context

    @property
    def settings(self) -> dict[str, Any]:
        """The settings that differ from the usual ones, for reports. `proxy_user` is True if the proxy needs a user and
        a password.
        """
        user = self.proxy is not None and urlsplit(self.proxy).username is not None
        proxy = None if self.proxy is None else without_user(self.proxy)
        files = {"ca": self.ca, "cert": self.cert, "key": self.key}
        settings = {"insecure": self.insecure, **files, "proxy": proxy, "proxy_user": user}
        return {name: value for name, value in settings.items() if value}

    def curl_words(self) -> Iterator[str]:
        """Yields the options of curl for these settings, quoted for a shell. The variable `$PROXY_USER` replaces the
        proxy's user and password.
        """
        if self.insecure:
            yield "-k"
        for option, value in (("--cacert", self.ca), ("--cert", self.cert), ("--key", self.key)):
            if value is not None:
                yield from (option, quote(value))
        if self.proxy is not None:
            yield from ("--proxy", quote(without_user(self.proxy)))
            if urlsplit(self.proxy).username is not None:
                yield from ("--proxy-user", '"$PROXY_USER"')


@contextmanager
def _explained(files: str, what: str) -> Iterator[None]:
    try:
        yield
    except (ssl.SSLError, ValueError):
        raise TargetError(f"{files} cannot be used: specify PEM files with {what}") from None
    except OSError as problem:
        raise TargetError(f"{files} cannot be read ({problem.strerror}): specify PEM files with {what}") from None


def _checked_proxy(proxy: str) -> str:
    url = proxy if "://" in proxy else f"http://{proxy}"
    try:
        parts = urlsplit(url)
        if parts.scheme in ("http", "https") and parts.hostname and parts.port != 0:
            return url
    except ValueError:
        pass
    said = without_user(url)
    raise TargetError(f"{said!r} is not a valid proxy URL: write, for example, http://127.0.0.1:3128")


def _proxy_of_environment(url: str) -> str | None:
    """Returns the proxy that the environment variables specify for a URL, or None. URLs on this machine never have a
    proxy.
    """
    parts, known = urlsplit(url), getproxies_environment()
    host = parts.hostname or ""
    proxy = known.get(parts.scheme) or known.get("all")
    if not proxy or host in _LOOPBACK or host.startswith("127.") or proxy_bypass(parts.netloc.rpartition("@")[2]):
        return None
    return _checked_proxy(proxy)
