"""Finds the secrets of a request, and removes them from everything that brokerfuzz reports.

Reports and logs must not contain secrets, because people copy them into tickets. brokerfuzz describes a request with
references to environment variables, such as `${TOKEN}`, in place of the secrets. If a response or an error repeats a
secret, brokerfuzz replaces the secret.
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

_SECRET = (
    "auth",
    "cookie",
    "token",
    "secret",
    "key",
    "pass",
    "pwd",
    "session",
    "signature",
    "credential",
    "jwt",
    "hmac",
)
_SECRET_WORDS = frozenset(("sig", "otp", "pin", "access", "cert", "sid"))
"""These words suggest a secret only as whole words, because they are short."""
_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_CREDENTIALS = re.compile(r"(?:basic|bearer|digest|negotiate|token|apikey)\s", re.IGNORECASE)
_SCHEME = re.compile(r"[a-z][a-z0-9+.-]*://", re.IGNORECASE)
_SERVER = re.compile(r"[a-z][a-z0-9+.-]*://[^/?#]*", re.IGNORECASE)
_PARAMETER = re.compile(r"(?<=[?&;#])([^=&;#?]*)=([^&;#]*)")
_PART_OF_COOKIE = re.compile(r"[^=;]*=\s*([^;]*)")
_REFERENCE = re.compile(r"\$\{[A-Za-z_][A-Za-z0-9_]*\}")
_ELLIPSIS = "…".encode()
_COMPRESSED = (b"\x1f\x8b", b"\x28\xb5\x2f\xfd")
"""The first bytes of gzip and zstd data."""


def is_secret(name: str, value: str = "") -> bool:
    """Guesses from the name and the value of a header or a parameter whether the value is secret."""
    return isinstance(value, Secret) or _looks_secret(name, value)


def _looks_secret(name: str, value: str) -> bool:
    lower = name.lower()
    words = {word.lower() for word in _WORD.findall(name)}
    return (
        any(part in lower for part in _SECRET) or not words.isdisjoint(_SECRET_WORDS) or bool(_CREDENTIALS.match(value))
    )


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


def marked(text: str, references: Mapping[str, str]) -> str:
    """If the text contains secret values, returns it as a `Secret`. `references` maps the values to references such as
    `${TOKEN}`.
    """
    if isinstance(text, Secret) and not text.parts:
        return text
    values = sorted(
        (value for value in references if value and (value == text or (value in text and len(value) >= SHORTEST))),
        key=len,
        reverse=True,
    )
    if not values:
        return text
    secret = re.compile(f"({'|'.join(map(re.escape, values))})")
    parts: list[tuple[str, str | None]] = []
    for part, name in text.parts if isinstance(text, Secret) else [(text, None)]:
        pieces = [part] if name is not None else secret.split(part)
        parts += [(piece, name or (references[piece][2:-1] if piece in values else None)) for piece in pieces]
    return Secret(text, parts) if any(name is not None for _, name in parts) else text


def parts_of_header(name: str, value: str) -> list[tuple[str, bool]]:
    """Splits the value of a header into texts and references such as `${TOKEN}`, which replace secrets. Each part has a
    flag, which is True for a reference.

    If the header's name suggests a secret, one reference replaces the whole value, because all parts may be secret. But
    if the value consists of a scheme and an environment variable, the scheme remains, as in `Bearer ${TOKEN}`.
    """
    if isinstance(value, Secret) and value.parts:
        parts = [
            (text, False) if variable_name is None else (f"${{{variable_name}}}", True)
            for text, variable_name in value.parts
        ]
    else:
        parts = list(_split_at_references(value))
    others = "".join(text for text, hidden in parts if not hidden)
    if len(others) == len(value) and not is_secret(name, value):
        return [(value, False)]
    closed = _looks_secret(name, value) and others.strip() and not _CREDENTIALS.fullmatch(others)
    return [(variable(name), True)] if closed or not any(hidden for _, hidden in parts) else parts


def parts_of(url: str) -> Iterator[tuple[str, bool]]:
    """Splits a URL into texts and references such as `${TOKEN}`, which replace secrets, and removes the user and the
    password. Each part has a flag, which is True for a reference.
    """
    shown, at = without_user(with_references(url)), 0
    for found in _PARAMETER.finditer(shown):
        if found[2] and is_secret(unquote(found[1])) and not _REFERENCE.fullmatch(found[2]):
            yield from _split_at_references(shown[at : found.start(2)])
            yield variable(unquote(found[1])), True
            at = found.end(2)
    yield from _split_at_references(shown[at:])


def with_references(url: str) -> str:
    """Replaces the values of environment variables in a URL with `${NAME}`. The address of the server remains, because
    it is not secret.
    """
    hidden = secret_variables(url)
    parts = url.parts if isinstance(url, Secret) else [(url, None)]
    return "".join(text if name not in hidden else f"${{{name}}}" for text, name in parts)


def secret_variables(url: str) -> Mapping[str, str]:
    """Maps the names of the environment variables in a URL to their secret values. Variables in the address of the
    server are not secret. But if the address contains a user, as in `https://me:${PASSWORD}@host`, they are secret.
    """
    if not isinstance(url, Secret):
        return {}
    start = _SERVER.match(url)
    return {
        name: value
        for name, value in url.variables.items()
        if value not in (start[0] if start and "@" not in start[0] else "")
    }


def _split_at_references(text: str) -> Iterator[tuple[str, bool]]:
    """Splits a text into references such as `${TOKEN}` and the text between them. Each part has a flag, which is True
    for a reference.
    """
    at = 0
    for found in _REFERENCE.finditer(text):
        yield from ((text[at : found.start()], False), (found[0], True))
        at = found.end()
    yield text[at:], False


def shown(url: str) -> str:
    """Returns the URL with references such as `${TOKEN}` in place of its secrets."""
    return "".join(part for part, _ in parts_of(url))


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
    """The secrets of a target, with methods that replace them in answers, errors and descriptions of requests. A secret
    from an environment variable is replaced by a reference such as `${TOKEN}`, and any other secret by the text
    `[secret]`.

    `more` contains further secrets, such as the values of `--secret`. `note` tells the user which secrets are too short
    to be replaced in answers. If all secrets are long enough, `note` is empty.
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
        self._references = {value: _reference(where) for where, value in reversed(found)}

    def marked(self, text: str) -> str:
        """If a part of a request contains one of the secrets, returns it as a `Secret`, so that descriptions of the
        request contain a reference in place of the secret.
        """
        return marked(text, self._references)

    def hide(self, text: str) -> str:
        """Replaces each secret in a text. If the text was shortened and ends in an ellipsis, the beginning of a secret
        before the ellipsis is also replaced.
        """
        hidden = self.masks.hidden(text.encode(errors="surrogatepass"))
        cut = hidden.rstrip(b'"').removesuffix(_ELLIPSIS)
        if hidden.rstrip(b'"') != cut and (begun := self.masks.begun(cut)) >= SHORTEST:
            hidden = cut[:-begun] + HIDDEN.encode()
        return hidden.decode(errors="surrogatepass")

    def excerpt(self, body: bytes, size: int) -> bytes:
        """Returns the first `size` bytes of a body, without its secrets. A secret that begins in these bytes and
        continues after them is also replaced.

        If the body is compressed, the result states only the length of the body, because the compressed data may
        contain secrets.
        """
        if self.masks.longest and body.startswith(_COMPRESSED):
            return f"[compressed response of {len(body):,} bytes]".encode()[:size]
        hidden = self.masks.hidden(body[: size + self.masks.longest], size)
        if (
            len(body) == size and (begun := self.masks.begun(hidden)) >= SHORTEST
        ):  # other code may have cut off the body
            hidden = hidden[:-begun] + HIDDEN.encode()
        return hidden[:size]


_PART, _PASSWORD = "secret", "the password"
"""`Secrets.note` never mentions parts of secrets (`_PART`), because they are often short."""


def _reference(where: str) -> str:
    """Returns the reference that replaces a secret in descriptions of requests. For example, the reference for a secret
    from `the header X-API-Key` is `${X_API_KEY}`.
    """
    return where if _REFERENCE.fullmatch(where) else variable(where.rpartition(" ")[2])


def of_url(url: str) -> Iterator[tuple[str, str]]:
    """Yields the place and the value of each secret in a URL."""
    for name, value in secret_variables(url).items():
        yield f"${{{name}}}", value
        yield _PART, unquote(value)
    try:
        user = urlsplit(url).netloc.rpartition("@")[0]
    except ValueError:
        return
    if user:
        name, _, password = user.partition(":")
        yield from ((_PART, user), (_PASSWORD, password))
        yield from basic(unquote(name), unquote(password))
    for found in _PARAMETER.finditer(url):
        if found[2] and is_secret(unquote(found[1])):
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
        if not is_secret(name, value):
            continue
        if isinstance(value, Secret):
            yield from ((f"${{{variable_name}}}", inserted) for variable_name, inserted in value.variables.items())
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
