"""Finds the secrets of a request, and removes them from everything that brokerfuzz reports.

People copy reports and logs into tickets. So the name of an environment variable replaces each secret in the description of a
request. If a response or an error repeats a secret, brokerfuzz replaces the secret.
"""

import base64
import binascii
import html
import json
import re
from collections.abc import Iterable, Iterator
from urllib.parse import quote, unquote, unquote_plus, urlsplit, urlunsplit

HIDDEN = "[secret]"
"""The text that replaces secrets in answers and errors."""

SHORTEST = 6
"""The minimum number of characters of the secrets that are replaced in answers and errors. Replacing shorter ones would make
texts unreadable.
"""

_SECRET = ("auth", "cookie", "token", "secret", "key", "pass", "pwd", "session", "signature", "credential", "jwt", "hmac")
_SECRET_WORDS = frozenset(("sig", "otp", "pin", "access", "cert", "sid"))
"""These words are too short to search for them inside other words."""
_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_CREDENTIALS = re.compile(r"(?:basic|bearer|digest|negotiate|token|apikey)\s", re.IGNORECASE)
_SCHEME = re.compile(r"[a-z][a-z0-9+.-]*://", re.IGNORECASE)
_PARAMETER = re.compile(r"(?<=[?&;#])([^=&;#?]*)=([^&;#]*)")
_PART_OF_COOKIE = re.compile(r"[^=;]*=\s*([^;]*)")


class SecretText(str):
    """A value that is always secret: for example, a value from an environment variable."""

    __slots__ = ()


def is_secret(name: str, value: str = "") -> bool:
    """Returns whether a header or a parameter may contain a secret, judging by its name and its value."""
    if isinstance(value, SecretText):
        return True
    lower = name.lower()
    words = {word.lower() for word in _WORD.findall(name)}
    return any(part in lower for part in _SECRET) or not words.isdisjoint(_SECRET_WORDS) or bool(_CREDENTIALS.match(value))


def variable(name: str) -> str:
    """Returns the name of the environment variable for a secret, such as `$X_API_KEY` for the header `X-API-Key`."""
    letters = "".join(char if char.isascii() and char.isalnum() else "_" for char in name).upper()
    return f"${'_' * letters[:1].isdigit()}{letters}"


def parts_of(url: str) -> Iterator[tuple[str, bool]]:
    """Yields the parts of a URL without user and password. True marks an environment variable that replaces a secret."""
    shown, at = without_user(url), 0
    for found in _PARAMETER.finditer(shown):
        if found[2] and is_secret(unquote(found[1])):
            yield shown[at : found.start(2)], False
            yield variable(unquote(found[1])), True
            at = found.end(2)
    yield shown[at:], False


def shown(url: str) -> str:
    """Returns the URL with environment variables in place of its secrets."""
    return "".join(part for part, _ in parts_of(url))


def without_user(url: str) -> str:
    """Removes the user and the password from a URL. If the URL is invalid, removes everything between its scheme and the last `@`."""
    try:
        parts = urlsplit(url)
        if parts.port != 0 and parts.hostname:
            return urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2])) if "@" in parts.netloc else url
    except ValueError:
        pass
    before, at, rest = url.rpartition("@")
    return (before[: found.end()] if (found := _SCHEME.match(before)) else "") + rest if at else url


class Secrets:
    """The secrets of a request, with methods that replace them in answers and errors."""

    def __init__(self, url: str, headers: Iterable[tuple[str, str]], proxy: str = "") -> None:
        found = (*_of_url(url), *_of_url(proxy), *_of_headers(headers))
        known = {value for value in found if len(value) >= SHORTEST}
        spelled = sorted({spelling for value in known for spelling in _spellings(value)}, key=lambda spelling: (-len(spelling), spelling))
        self._in_text = re.compile("|".join(map(re.escape, spelled)), re.IGNORECASE) if spelled else None
        as_bytes = [spelling.encode(errors="replace") for spelling in spelled]
        self._longest = max(map(len, as_bytes), default=0)
        self._in_lower_case = tuple({spelling.lower() for spelling in as_bytes})
        self._in_bytes = re.compile(b"|".join(map(re.escape, as_bytes)), re.IGNORECASE)

    def hide(self, text: str) -> str:
        """Replaces each secret in a text."""
        return text if self._in_text is None else self._in_text.sub(HIDDEN, text)

    def excerpt(self, body: bytes, size: int) -> bytes:
        """Returns the beginning of a body with its secrets replaced, even if the end of the beginning splits a secret."""
        if not self._in_lower_case:
            return body[:size]
        lower = body[: size + self._longest].lower()
        if not any(spelling in lower for spelling in self._in_lower_case):  # ten times as fast as the regular expression
            return body[:size]
        kept, at = [], 0
        for found in self._in_bytes.finditer(body, 0, size + self._longest):
            kept += [body[at : found.start()], HIDDEN.encode()]
            at = found.end()
        return b"".join([*kept, body[at:size]])[:size]


def _of_url(url: str) -> Iterator[str]:
    try:
        user = urlsplit(url).netloc.rpartition("@")[0]
    except ValueError:
        return
    if user:
        name, _, password = user.partition(":")
        yield from (user, name, password)
        yield from _both(unquote(name), unquote(password))
    for found in _PARAMETER.finditer(url):
        if is_secret(unquote(found[1])):
            yield from (found[2], unquote(found[2]), unquote_plus(found[2]))


def _both(name: str, password: str) -> Iterator[str]:
    yield from (name, password, f"{name}:{password}", base64.b64encode(f"{name}:{password}".encode()).decode())


def _of_headers(headers: Iterable[tuple[str, str]]) -> Iterator[str]:
    for name, value in headers:
        if not is_secret(name, value):
            continue
        yield value
        scheme, _, credentials = value.strip().partition(" ")
        yield credentials.strip()
        if "cookie" in name.lower():
            yield from (part.strip() for part in _PART_OF_COOKIE.findall(value))
        if scheme.lower() == "basic":
            try:
                user, _, password = base64.b64decode(credentials, validate=True).decode().partition(":")
            except (binascii.Error, UnicodeDecodeError):
                continue
            yield from _both(user, password)


def _spellings(value: str) -> Iterator[str]:
    """Yields the notations in which a server may repeat a value: unchanged, or escaped for JSON, HTML or a URL."""
    for in_json in (json.dumps(value)[1:-1], json.dumps(value, ensure_ascii=False)[1:-1]):
        yield from (in_json, in_json.replace("/", "\\/"))
    yield from (value, html.escape(value), quote(value, safe="", errors="replace"), quote(value, errors="replace"))


NOTHING_SECRET = Secrets("", ())
