"""Finds the secrets of a request or a command, and replaces them in everything that brokerfuzz reports.

Reports and logs must not contain secrets, because people copy them into tickets. References to environment variables,
such as `${TOKEN}`, replace the secrets in all texts, also in other spellings (see `Masks`).
"""

import base64
import binascii
import os
import re
from codecs import getincrementaldecoder
from collections.abc import Iterable, Iterator, Mapping
from itertools import cycle
from typing import NamedTuple
from urllib.parse import unquote, unquote_plus, urlsplit, urlunsplit

from brokerfuzz.errors import TargetError
from brokerfuzz.targets.masks import Masks
from brokerfuzz.wording import listed

SHORTEST = 6
"""The minimum length of a secret that brokerfuzz replaces in answers and errors. Replacing shorter strings would make
the texts unreadable.
"""
_SECRET = re.compile("auth|cookie|token|secret|key|pass|pwd|session|signature|credential|jwt|hmac", re.IGNORECASE)
_SECRET_WORDS = frozenset(("sig", "otp", "pin", "access", "cert", "sid"))
"""These words suggest a secret only as whole words, because they are short."""
_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_CREDENTIALS = re.compile(r"(?:basic|bearer|digest|negotiate|token|apikey)\s", re.IGNORECASE)
_SCHEME = re.compile(r"[a-z][a-z0-9+.-]*://", re.IGNORECASE)
_SERVER = re.compile(r"(?:[a-z][a-z0-9+.-]*://[^/?#]*)?", re.IGNORECASE)
_PARAMETER = re.compile(r"(?<=[?&;#])([^=&;#?]*)=([^&;#]+)")
_PART_OF_COOKIE = re.compile(rf"[^=;]*=\s*([^;]{{{SHORTEST},}})")
_REFERENCE = re.compile(r"(\$\{[A-Za-z_][A-Za-z0-9_]*\})")
_NOT_IN_TEXT = re.compile(rb"[\x00-\x07\x0e-\x1a\x1c-\x1f]")
"""Control characters that occur in no text. Programs print the others, such as escape codes for colours."""


class Secret(str):
    """A string that contains secrets, such as a header. `variables` maps the names of the environment variables in the
    string to their values. If there are none, the whole string is secret.
    """

    __slots__ = ("variables",)
    variables: Mapping[str, str]

    def __new__(cls, text: str, variables: Mapping[str, str] | None = None) -> "Secret":
        secret = super().__new__(cls, text)
        secret.variables = variables or {}
        return secret

    def __str__(self) -> "Secret":
        """Keeps the type `Secret`, because click calls `str()` on each option, and a plain string has no variables."""
        return self

    def __reduce__(self) -> tuple[type["Secret"], tuple[str, Mapping[str, str]]]:
        return Secret, (self[:], self.variables)


class Found(NamedTuple):
    """A secret `value`, and the `reference` that replaces it, such as `${X_API_KEY}`."""

    value: str
    reference: str


def is_secret(name: str, value: str = "") -> bool:
    """Guesses from the name and the value of a header or a parameter whether the value is secret."""
    return isinstance(value, Secret) or _looks_secret(name, value)


def _looks_secret(name: str, value: str = "") -> bool:
    words = {word.lower() for word in _WORD.findall(name)}
    return bool(_SECRET.search(name) or _CREDENTIALS.match(value)) or not words.isdisjoint(_SECRET_WORDS)


def variable(name: str) -> str:
    """Converts the name of a header, parameter or option to a reference. For example, `X-API-Key` becomes
    `${X_API_KEY}`. This reference replaces a secret that does not come from an environment variable.
    """
    letters = "".join(char if char.isascii() and char.isalnum() else "_" for char in name).upper()
    return f"${{{'_' * letters[:1].isdigit()}{letters}}}"


def of_environment(names: Iterable[str]) -> dict[str, str]:
    """Maps references such as `${TOKEN}` to the values of the environment variables `names`. Raises `TargetError` if a
    variable is not set.
    """
    names = [str(name) for name in names]
    for name in names:
        if not os.environ.get(name):
            raise TargetError(
                f"the environment variable {name}, which should contain a secret, is not set: set the variable, or "
                "correct its name"
            )
    return {f"${{{name}}}": os.environ[name] for name in names}


# ----------------------------------------------------------------------------------------- descriptions of requests


def split_at_references(text: str) -> Iterator[tuple[str, bool]]:
    """Splits a text into references such as `${TOKEN}` and the text between them. Each part has a flag, which is True
    for a reference.
    """
    return zip(_REFERENCE.split(text), cycle((False, True)))


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
    return (before[: found.end()] if (found := _SCHEME.match(before)) else "") + rest if at else url


class Secrets:
    """The secrets of a target: in a URL, in headers, in the URL of a proxy, and those in `found`. `more` contains the
    references and values of further secrets.

    `note` tells the user which secrets are too short to be replaced in answers. Otherwise, it is empty.
    """

    def __init__(
        self,
        url: str = "",
        headers: Iterable[tuple[str, str]] = (),
        proxy: str = "",
        more: Iterable[tuple[str, str]] = (),
        found: Iterable[Found] = (),
    ) -> None:
        given = [Found(value, reference) for reference, value in more]
        every = [one for one in (*given, *found, *of_url(url), *of_url(proxy), *_of_headers(headers)) if one.value]
        self._short = [one for one in every if len(one.value) < SHORTEST]
        what = (
            f"contains a secret of fewer than {SHORTEST} characters: brokerfuzz hides it there, but not in answers "
            "that repeat it"
        )
        self.note = f"{listed(dict.fromkeys(one.reference for one in self._short))} {what}" if self._short else ""
        references: dict[str, str] = {}
        for one in every:
            for text in (one.value, *one.value.splitlines()):
                if len(text) >= SHORTEST:
                    references.setdefault(text, one.reference)
        self.masks = Masks(references)

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

    def word(self, text: str) -> str:
        """Describes a word of a command. Also replaces a short secret at its end, as in `--pin=7`."""
        text = self.hide(text)
        for one in self._short:
            if text.endswith(one.value):
                text = text.removesuffix(one.value) + one.reference
        return text

    def url(self, url: str) -> str:
        """Describes a URL, without user and password. The address of the server is not secret."""
        shown = without_user(url)
        start = _SERVER.match(shown)
        server = start[0] if start is not None else ""
        rest = _replaced(shown[len(server) :], _variables(url))
        return server + self.hide(_PARAMETER.sub(_parameter, rest))

    def header(self, name: str, value: str) -> str:
        """Describes the value of a header. If the name suggests a secret, one reference replaces the whole value,
        because all parts may be secret. But if the value consists of a scheme and a reference, the scheme remains, as
        in `Bearer ${TOKEN}`.
        """
        shown = self.hide(_replaced(value, _variables(value)))
        others = _REFERENCE.sub("", shown).strip()
        is_open = not others or _CREDENTIALS.fullmatch(f"{others} ") or not _looks_secret(name, value)
        is_hidden = shown != value or not isinstance(value, Secret)
        return shown if is_open and is_hidden else variable(name)


def _is_text(body: bytes) -> bool:
    """The last character may be incomplete."""
    try:
        getincrementaldecoder("utf-8")().decode(body)
    except UnicodeDecodeError:
        return False
    return not _NOT_IN_TEXT.search(body)


def _replaced(text: str, references: Mapping[str, str]) -> str:
    values = sorted(filter(None, references), key=len, reverse=True)
    return re.sub("|".join(map(re.escape, values)), lambda found: references[found[0]], text) if values else text


def _parameter(found: re.Match[str]) -> str:
    name = unquote(found[1])
    is_hidden = is_secret(name) and not _REFERENCE.fullmatch(found[2])
    return f"{found[1]}={variable(name)}" if is_hidden else found[0]


def _variables(text: str) -> dict[str, str]:
    """Maps the values of the environment variables in a text to references."""
    return {value: f"${{{name}}}" for name, value in text.variables.items()} if isinstance(text, Secret) else {}


# ----------------------------------------------------------------------------------------------- places of secrets


def of_url(url: str) -> Iterator[Found]:
    """Yields each secret in a URL. Variables in the address of the server are secrets only if this address contains a
    user, as in `https://me:${PASSWORD}@host`.
    """
    start = _SERVER.match(url)
    server = start[0] if start is not None and "@" not in start[0] else ""
    for value, reference in _variables(url).items():
        if value not in server:
            yield from (Found(value, reference), Found(unquote(value), reference))
    try:
        user = urlsplit(url).netloc.rpartition("@")[0]
    except ValueError:
        return
    if user:
        name, _, password = user.partition(":")
        yield Found(password, variable("password"))
        yield from basic(unquote(name), unquote(password))
    for found in _PARAMETER.finditer(url):
        if is_secret(name := unquote(found[1])):
            yield from (Found(decode(found[2]), variable(name)) for decode in (str, unquote, unquote_plus))


def basic(name: str, password: str) -> Iterator[Found]:
    """Yields each secret in the credentials of basic authentication. A user without a password is a secret."""
    yield Found(password or name, variable("password"))
    yield Found(base64.b64encode(f"{name}:{password}".encode()).decode(), variable("password"))


def _of_headers(headers: Iterable[tuple[str, str]]) -> Iterator[Found]:
    for name, value in headers:
        if is_secret(name, value):
            yield from (Found(inserted, reference) for inserted, reference in _variables(value).items())
            yield from named(name, value)


def named(name: str, value: str) -> Iterator[Found]:
    """Yields a secret with a name, such as a header, and those inside it: credentials, parts of cookies, the user and
    the password.
    """
    yield Found(value, variable(name))
    scheme, _, credentials = value.strip().partition(" ")
    yield Found(credentials.strip(), variable(name))
    if "cookie" in name.lower():
        yield from (Found(part.strip(), variable(name)) for part in _PART_OF_COOKIE.findall(value))
    if scheme.lower() == "basic":
        try:
            user, _, password = base64.b64decode(credentials, validate=True).decode().partition(":")
        except (binascii.Error, UnicodeDecodeError):
            return
        yield from basic(user, password)


NOTHING_SECRET = Secrets()
