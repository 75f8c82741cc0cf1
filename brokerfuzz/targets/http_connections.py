"""Defines which proxy and which certificates an HTTP target uses."""

import os
from collections.abc import Iterator
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from brokerfuzz.errors import TargetError
from brokerfuzz.file_contents import read_file
from brokerfuzz.targets.secret_masking import without_user

if TYPE_CHECKING:
    from pyreqwest.client import ClientBuilder

PROXY_SCHEMES = ("http", "https", "socks5", "socks5h")
_CERTIFICATE, _KEY = b"-----BEGIN CERTIFICATE-----", b"PRIVATE KEY-----"
_LOOPBACK = ("localhost", "::1")


class HttpConnections:
    """The settings of all connections to a URL.

    `insecure` turns off the verification of certificates. `ca` is a PEM file with the certificates of authorities to
    trust. `cert` is a PEM file with the certificate of the client, and `key` is a PEM file with the private key. The
    certificate and the private key can be in the same file. Without `proxy`, the environment variables `http_proxy`,
    `https_proxy`, `all_proxy` and `no_proxy` select the proxy. These variables do not apply to URLs on this machine.

    Raises `TargetError` if a file cannot be used, or if `proxy` is not a URL.
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
            raise TargetError("a private key needs a certificate: specify the certificate of the client with --cert")
        self.insecure = insecure
        self.ca, self.cert, self.key = (None if path is None else str(path) for path in (ca, cert, key))
        self.proxy = _checked_proxy(proxy) if proxy is not None else _proxy_of_environment(url)
        self._verifies = not insecure and any(urlsplit(link).scheme != "http" for link in (url, self.proxy or url))
        """True if the client verifies certificates. If no connection is encrypted, the value is False, so that the
        client does not load the certificates of the system. This saves 5 ms.
        """
        self._authorities = (
            None if self.ca is None else _read(self.ca, "the certificates of an authority", _CERTIFICATE)
        )
        self._identity = b"" if self.cert is None else _read(self.cert, "the certificate of the client", _CERTIFICATE)
        if self.cert is not None:
            self._identity += b"\n" + _read(self.key or self.cert, "the private key of the client", _KEY)

    def applied(self, builder: "ClientBuilder") -> "ClientBuilder":
        """Adds these settings to the builder of the HTTP client. Raises `TargetError` if a certificate cannot be
        used.
        """
        builder = builder.no_proxy().danger_accept_invalid_certs(not self._verifies)
        if self.proxy is not None:
            from pyreqwest.proxy import ProxyBuilder

            builder = builder.proxy(ProxyBuilder.all(self.proxy))
        if self._authorities is not None:
            builder = builder.add_root_certificate_pem(self._authorities)
        try:
            return builder.identity_pem(self._identity) if self._identity else builder
        except ValueError:
            raise self.unusable from None

    @property
    def unusable(self) -> TargetError:
        files = " and ".join(dict.fromkeys(file for file in (self.ca, self.cert, self.key) if file is not None))
        return TargetError(
            f"{files} cannot be used: specify certificates and an unencrypted private key that belong together, in "
            "PEM format"
        )

    @property
    def settings(self) -> dict[str, Any]:
        """The settings that differ from the usual ones, for reports. `proxy_user` is True if the proxy needs a user and
        a password.
        """
        user = self.proxy is not None and urlsplit(self.proxy).username is not None
        proxy = None if self.proxy is None else without_user(self.proxy)
        files = {"ca": self.ca, "cert": self.cert, "key": self.key}
        return {
            name: value
            for name, value in {"insecure": self.insecure, **files, "proxy": proxy, "proxy_user": user}.items()
            if value
        }

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


def _checked_proxy(proxy: str) -> str:
    url = proxy if "://" in proxy else f"http://{proxy}"
    said = without_user(url)
    try:
        parts = urlsplit(url)
        if parts.scheme in PROXY_SCHEMES and parts.hostname and parts.port != 0:
            return url
    except ValueError:
        pass
    raise TargetError(f"{said!r} is not a valid proxy URL: write, for example, http://127.0.0.1:3128")


def _proxy_of_environment(url: str) -> str | None:
    """Returns the proxy that the environment variables specify for a URL, or None. URLs on this machine never have a
    proxy.
    """
    if not any(name.lower().endswith("_proxy") for name in os.environ):
        return None
    from urllib.request import getproxies_environment, proxy_bypass

    parts, known = urlsplit(url), getproxies_environment()
    host = parts.hostname or ""
    proxy = known.get(parts.scheme) or known.get("all")
    if not proxy or host in _LOOPBACK or host.startswith("127.") or proxy_bypass(parts.netloc.rpartition("@")[2]):
        return None
    return _checked_proxy(proxy)


def _read(path: str, what: str, mark: bytes) -> bytes:
    try:
        pem = read_file(path)
    except OSError as problem:
        raise TargetError(f"{path} cannot be read ({problem.strerror}): specify a PEM file with {what}") from problem
    if mark not in pem:
        raise TargetError(f"{path} does not contain {what}: specify another file in PEM format")
    return pem
