"""Finds the secrets of a request or a command, and replaces them in everything that brokerfuzz reports.

Reports and logs must not contain secrets, because people copy them into tickets. Descriptions of requests contain
references to environment variables, such as `${TOKEN}`, in place of the secrets. In answers and errors, which may
repeat secrets in other spellings, `Masks` replaces them.
"""

import base64
import binascii
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from urllib.parse import unquote, unquote_plus, urlsplit, urlunsplit

from brokerfuzz.errors import TargetError
from brokerfuzz.secret_values import Secret
from brokerfuzz.targets.masks import HIDDEN, Masks
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
_PART_OF_COOKIE = re.compile(r"[^=;]*=\s*([^;]*)")
_REFERENCE = re.compile(r"\$\{[A-Za-z_][A-Za-z0-9_]*\}")
_COMPRESSED = (b"\x1f\x8b", b"\x28\xb5\x2f\xfd")
"""The first bytes of gzip and zstd data."""
_PART, _PASSWORD = "secret", "the password"
"""Places of secrets. `Secrets.note` never mentions parts of secrets (`_PART`), because they are often short."""


def is_secret(name: str, value: str = "") -> bool:
    """Guesses from the name and the value of a header or a parameter whether the value is secret."""
    return isinstance(value, Secret) or _looks_secret(name, value)


def _looks_secret(name: str, value: str = "") -> bool:
    words = {word.lower() for word in _WORD.findall(name)}
    return bool(_SECRET.search(name) or _CREDENTIALS.match(value)) or not words.isdisjoint(_SECRET_WORDS)


def variable(name: str) -> str:
    """Converts the name of a header, parameter or option to a reference. For example, `X-API-Key` becomes
    `${X_API_KEY}`. If a secret value does not come from an environment variable, this reference replaces the value.
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
    at = 0
    for found in _REFERENCE.finditer(text):
        yield from ((text[at : found.start()], False), (found[0], True))
        at = found.end()
    yield text[at:], False


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
    """The secrets of a target. `more` contains the places and values of further secrets. If a place is a reference such
    as `${TOKEN}`, this reference replaces the value in all texts. In answers and errors, `[secret]` replaces any other
    value.

    `note` tells the user which secrets are too short to be replaced in answers. Otherwise, it is empty.
    """

    def __init__(
        self,
        url: str = "",
        headers: Iterable[tuple[str, str]] = (),
        proxy: str = "",
        more: Iterable[tuple[str, str]] = (),
    ) -> None:
        found = [*of_url(url), *of_url(proxy), *_of_headers(headers), *more]
        short = dict.fromkeys(where for where, value in found if 0 < len(value) < SHORTEST and where != _PART)
        what = (
            f"contains a secret of fewer than {SHORTEST} characters: brokerfuzz hides it there, but not in answers "
            "that repeat it"
        )
        self.note = f"{listed(short)} {what}" if short else ""
        known = {text: HIDDEN for _, value in found for text in (value, *value.splitlines()) if len(text) >= SHORTEST}
        known |= {value: where for where, value in found if value in known and _REFERENCE.fullmatch(where)}
        self.masks = Masks(known)
        self._places = {value: where for where, value in reversed(found) if value}

    def hide(self, text: str) -> str:
        """Replaces each secret in a text."""
        if not self.masks.longest:
            return text
        return self.masks.hidden(text.encode(errors="surrogatepass")).decode(errors="surrogatepass")

    def excerpt(self, body: bytes, size: int) -> bytes:
        """Returns the first `size` bytes of a body, without its secrets. A secret that begins in these bytes and
        continues after them is also replaced.

        If the body is compressed, the result states only the length of the body, because the compressed data may
        contain secrets.
        """
        if self.masks.longest and body.startswith(_COMPRESSED):
            return f"[compressed response of {len(body):,} bytes]".encode()[:size]
        return self.masks.hidden(body[: size + self.masks.longest], size)[:size]

    def described(self, text: str, *, short: bool = False) -> str:
        """Replaces secrets with references, in a part of a request or a command. With `short`, also replaces short
        secrets at the end of the text.
        """
        for parts in (False, True):
            places = {value: where for value, where in self._places.items() if (where == _PART) is parts}
            references = {value: _reference(where) for value, where in places.items() if len(value) >= SHORTEST}
            text = _replaced(text, references)
            for value, where in places.items() if short else ():
                if len(value) < SHORTEST and text.endswith(value):
                    text = text.removesuffix(value) + _reference(where)
        return text

    def url(self, url: str) -> str:
        """Describes a URL, without user and password. The address of the server is not secret."""
        shown = without_user(url)
        start = _SERVER.match(shown)
        server = start[0] if start is not None else ""
        rest = _replaced(shown[len(server) :], _variables(url))
        return server + self.described(_PARAMETER.sub(_parameter, rest))

    def header(self, name: str, value: str) -> str:
        """Describes the value of a header. If the name suggests a secret, one reference replaces the whole value,
        because all parts may be secret. But if the value consists of a scheme and a reference, the scheme remains, as
        in `Bearer ${TOKEN}`.
        """
        shown = self.described(_replaced(value, _variables(value)))
        others = _REFERENCE.sub("", shown).strip()
        is_open = not others or _CREDENTIALS.fullmatch(f"{others} ") or not _looks_secret(name, value)
        is_hidden = shown != value or not isinstance(value, Secret)
        return shown if is_open and is_hidden else variable(name)


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


def _reference(where: str) -> str:
    """Returns the reference that replaces a secret in descriptions of requests. For example, the reference for a secret
    from `the header X-API-Key` is `${X_API_KEY}`.
    """
    return where if _REFERENCE.fullmatch(where) else variable(where.rpartition(" ")[2])


# ----------------------------------------------------------------------------------------------- places of secrets


def of_url(url: str) -> Iterator[tuple[str, str]]:
    """Yields the place and the value of each secret in a URL. Variables in the address of the server are secrets only
    if this address contains a user, as in `https://me:${PASSWORD}@host`.
    """
    start = _SERVER.match(url)
    server = start[0] if start is not None and "@" not in start[0] else ""
    for value, reference in _variables(url).items():
        if value not in server:
            yield from ((reference, value), (_PART, unquote(value)))
    try:
        user = urlsplit(url).netloc.rpartition("@")[0]
    except ValueError:
        return
    if user:
        name, _, password = user.partition(":")
        yield from ((_PART, user), (_PASSWORD, password))
        yield from basic(unquote(name), unquote(password))
    for found in _PARAMETER.finditer(url):
        if is_secret(unquote(found[1])):
            yield f"the URL parameter {unquote(found[1])}", found[2]
            yield from ((_PART, unquote(found[2])), (_PART, unquote_plus(found[2])))


def basic(name: str, password: str) -> Iterator[tuple[str, str]]:
    """Yields the place and the value of each secret in the credentials of basic authentication. A user without a
    password is a secret.
    """
    yield from ((_PASSWORD, password), (_PART, f"{name}:{password}"), (_PART, "" if password else name))
    yield _PART, base64.b64encode(f"{name}:{password}".encode()).decode()


def _of_headers(headers: Iterable[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    for name, value in headers:
        if is_secret(name, value):
            yield from ((reference, inserted) for inserted, reference in _variables(value).items())
            yield f"the header {name}", value
            yield from within(name, value)


def within(name: str, value: str) -> Iterator[tuple[str, str]]:
    """Yields the place and the value of each secret inside a header: credentials, parts of cookies, the user and the
    password.
    """
    scheme, _, credentials = value.strip().partition(" ")
    yield _PART, credentials.strip()
    if "cookie" in name.lower():
        yield from ((_PART, part.strip()) for part in _PART_OF_COOKIE.findall(value))
    if scheme.lower() == "basic":
        try:
            user, _, password = base64.b64decode(credentials, validate=True).decode().partition(":")
        except (binascii.Error, UnicodeDecodeError):
            return
        yield from basic(user, password)


NOTHING_SECRET = Secrets()
