"""Finds the secrets of a request or a command, and replaces them in everything that brokerfuzz reports.

Reports and logs must not contain secrets, because people copy them into tickets. References to environment variables,
such as `${TOKEN}`, replace the secrets in all texts, also in other spellings (see `Masks`).
"""

import base64
import os
import re
from codecs import getincrementaldecoder
from collections import deque
from collections.abc import Iterable, Iterator
from itertools import cycle
from urllib.parse import unquote, unquote_plus, urlsplit, urlunsplit

from brokerfuzz.errors import TargetError
from brokerfuzz.targets.masks import Masks
from brokerfuzz.wording import listed

Secret = tuple[str, str]
"""A reference such as `${TOKEN}`, and the value that it replaces."""

_MOST_REMEMBERED = 32
"""The maximum number of secrets of sessions that are hidden at the same time."""
SHORTEST = 6
"""The minimum length of a secret that brokerfuzz replaces in answers and errors. Replacing shorter strings would make
the texts unreadable.
"""
_SECRET = re.compile("auth|cookie|token|secret|key|pass|pwd|session|signature|credential|jwt|hmac", re.IGNORECASE)
_SECRET_WORDS = frozenset(("sig", "otp", "pin", "access", "cert", "sid"))
"""These words suggest a secret only as whole words, because they are short."""
_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_AUTHENTICATION = re.compile(r"(basic|bearer|digest|negotiate|token|apikey)(?:\s+(\S.*))?", re.IGNORECASE | re.DOTALL)
_SCHEME = re.compile(r"[a-z][a-z0-9+.-]*://", re.IGNORECASE)
_SERVER = re.compile(r"(?:[a-z][a-z0-9+.-]*://[^/?#]*)?", re.IGNORECASE)
_PARAMETER = re.compile(r"(?<=[?&;#])([^=&;#?]*)=([^&;#]+)")
_REFERENCE = re.compile(r"(\$\{[A-Za-z_][A-Za-z0-9_]*\})")
_NOT_IN_TEXT = re.compile(rb"[\x00-\x07\x0e-\x1a\x1c-\x1f]")
"""Control characters that occur in no text. Programs print the others, such as escape codes for colours."""


def is_secret(name: str) -> bool:
    """Returns whether the name of a header or a parameter suggests that its value is secret."""
    words = {word.lower() for word in _WORD.findall(name)}
    return bool(_SECRET.search(name)) or not words.isdisjoint(_SECRET_WORDS)


def variable(name: str) -> str:
    """Converts the name of a header, parameter or option to a reference. For example, `X-API-Key` becomes
    `${X_API_KEY}`. This reference replaces a secret that does not come from an environment variable.
    """
    letters = "".join(char if char.isascii() and char.isalnum() else "_" for char in name).upper()
    return f"${{{'_' * letters[:1].isdigit()}{letters}}}"


def of_environment(names: Iterable[str]) -> list[Secret]:
    """Returns the values of the environment variables `names` as secrets. Raises `TargetError` if a variable is not
    set.
    """
    names = [str(name) for name in names]
    for name in names:
        if not os.environ.get(name):
            raise TargetError(
                f"the environment variable {name}, which should contain a secret, is not set: set the variable, or "
                "correct its name"
            )
    return [(f"${{{name}}}", os.environ[name]) for name in names]


# ----------------------------------------------------------------------------------------- descriptions of requests


def split_at_references(text: str) -> Iterator[tuple[str, bool]]:
    """Splits a text into references such as `${TOKEN}` and the text between them. Each part has a flag, which is True
    for a reference.
    """
    return zip(_REFERENCE.split(text), cycle((False, True)))


def server_of(url: str) -> str:
    """Returns the scheme and the address of the server, with the user and the password; nothing if `url` is a path."""
    start = _SERVER.match(url)
    return start[0] if start is not None else ""


def without_user(url: str) -> str:
    """Removes the user and the password from a URL. If the URL is invalid, removes everything between the scheme and
    the last `@`. A path stays as it is.
    """
    if url.startswith("/"):
        return url
    try:
        parts = urlsplit(url)
        if parts.port != 0 and parts.hostname:
            return urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2])) if "@" in parts.netloc else url
    except ValueError:
        pass
    before, at, rest = url.rpartition("@")
    return (before[: scheme.end()] if (scheme := _SCHEME.match(before)) else "") + rest if at else url


class Secrets:
    """The secrets of a target: in a URL, in headers whose names suggest secrets, and `more`.

    `note` tells the user which secrets are too short to be replaced in answers. Otherwise, it is empty.
    """

    def __init__(self, url: str = "", headers: Iterable[tuple[str, str]] = (), more: Iterable[Secret] = ()) -> None:
        secrets = [*more, *of_url(url)]
        secrets += [secret for name, value in headers if is_secret(name) for secret in named(name, value)]
        self._secrets = secrets
        self._remembered: deque[Secret] = deque(maxlen=_MOST_REMEMBERED)
        self._short = [(reference, value) for reference, value in secrets if 0 < len(value) < SHORTEST]
        what = (
            f"contains a secret of fewer than {SHORTEST} characters: brokerfuzz hides it there, but not in answers "
            "that repeat it"
        )
        self.note = f"{listed(dict.fromkeys(reference for reference, _ in self._short))} {what}" if self._short else ""
        self.masks = _masks(secrets)

    def remember(self, secrets: Iterable[Secret]) -> None:
        """From now on, also replaces these secrets, for example of a new session. Forgets the oldest of them if there
        are more than `_MOST_REMEMBERED`.
        """
        self._remembered.extend(secrets)
        self.masks = _masks([*self._secrets, *self._remembered])

    def with_more(self, secrets: Iterable[Secret]) -> "Secrets":
        return Secrets(more=[*self._secrets, *self._remembered, *secrets])

    def hide(self, text: str) -> str:
        """Replaces each secret in a text."""
        if not self.masks.longest:
            return text
        return self.masks.hidden(text.encode(errors="surrogatepass")).decode(errors="surrogatepass")

    def excerpt(self, body: bytes, size: int) -> bytes:
        """Returns the first `size` bytes of a body, without its secrets. A secret that begins in these bytes and
        continues after them is also replaced.

        If the body is not text in UTF-8, the result states only the length of the body, because it may be compressed or
        encoded data that contains secrets.
        """
        if self.masks.longest and not _is_text(body):
            return f"[{len(body):,} bytes that are not text]".encode()[:size]
        return self.masks.hidden(body[: size + self.masks.longest], size)[:size]

    def described(self, text: str) -> str:
        """Describes a part of a request or a word of a command. Also replaces short secrets, if they are words."""
        parts = split_at_references(self.hide(text))
        return "".join(part if is_reference else self._without_short(part) for part, is_reference in parts)

    def _without_short(self, text: str) -> str:
        for reference, value in self._short:
            text = re.sub(rf"(?<!\w){re.escape(value)}(?!\w)", lambda _: reference, text)  # noqa: B023 - called at once
        return text

    def url(self, url: str) -> str:
        """Describes a URL, without user and password. The address of the server is not secret."""
        shown = without_user(url)
        server = server_of(shown)
        return server + _PARAMETER.sub(_parameter, self.described(shown[len(server) :]))

    def header(self, name: str, value: str) -> str:
        """Describes the value of a header. If the name suggests a secret, one reference replaces the whole value,
        because all parts may be secret. But if the value consists of a scheme and a reference, the scheme remains, as
        in `Bearer ${TOKEN}`.
        """
        shown = self.described(value)
        rest = _REFERENCE.sub("", shown).strip()
        is_open = not rest or _AUTHENTICATION.fullmatch(rest) or not is_secret(name)
        return shown if is_open else variable(name)


def _masks(secrets: Iterable[Secret]) -> Masks:
    references: dict[str, str] = {}
    for reference, value in secrets:
        for text in (value, *value.splitlines(), unquote(value), *unquote(value).splitlines()):
            if len(text) >= SHORTEST:
                references.setdefault(text, reference)
    return Masks(references)


def _is_text(body: bytes) -> bool:
    """The last character may be incomplete."""
    try:
        getincrementaldecoder("utf-8")().decode(body)
    except UnicodeDecodeError:
        return False
    return not _NOT_IN_TEXT.search(body)


def _parameter(match: re.Match[str]) -> str:
    name = unquote(match[1])
    is_hidden = is_secret(name) and not _REFERENCE.fullmatch(match[2])
    return f"{match[1]}={variable(name)}" if is_hidden else match[0]


# ----------------------------------------------------------------------------------------------- places of secrets


def of_url(url: str) -> Iterator[Secret]:
    """Yields the secrets in the user, the password and the parameters of a URL. A user without a password is a
    secret.
    """
    try:
        user = urlsplit(url).netloc.rpartition("@")[0]
    except ValueError:
        return
    if user:
        name, _, password = user.partition(":")
        reference = variable("password")
        yield reference, password
        yield reference, unquote(password or name)
        credentials = f"{unquote(name)}:{unquote(password)}"
        yield reference, base64.b64encode(credentials.encode()).decode()
    for match in _PARAMETER.finditer(url):
        if is_secret(parameter := unquote(match[1])):
            yield from ((variable(parameter), decode(match[2])) for decode in (str, unquote, unquote_plus))


def named(name: str, value: str) -> Iterator[Secret]:
    """Yields the secret in a value with a name, such as a header: the value, or the credentials after `Bearer`."""
    match = _AUTHENTICATION.fullmatch(value.strip())
    yield variable(name), value if match is None else match[2] or ""


NOTHING_SECRET = Secrets()
