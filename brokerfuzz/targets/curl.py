"""Builds a curl command that sends exactly the same bytes again."""

from collections.abc import Iterable
from shlex import quote
from urllib.parse import urlsplit

from brokerfuzz.targets.secret_masking import parts_of, parts_of_header
from brokerfuzz.targets.shell import LONGEST_ARGUMENT, fed

_SPECIAL = frozenset('"$`\\!')
"""Characters with a special meaning for a shell between double quotes."""


def curl_line(
    url: str,
    method: str,
    headers: Iterable[tuple[str, str]],
    body: bytes,
    *,
    without: Iterable[str] = (),
    options: Iterable[str] = (),
    before: str = "",
    server: str = "",
) -> str:
    """Returns a curl command that sends the body. If the body is long or not printable text, `printf` passes the body
    to curl. The words in `before` come directly before `curl`. If `url` is only a path, `server` is the part before it,
    quoted for a shell.

    `options` are further options of curl, already quoted for a shell. `without` lists the default headers that curl
    must not send. The command contains a variable such as `${TOKEN}` in place of each secret. If the user specified no
    variable for a secret, the variable has the name of the header or URL parameter that contains the secret. Examples:
    `${AUTHORIZATION}` for the header `Authorization`, and `${TOKEN}` for the URL parameter `token`. `${TARGET_USER}`
    replaces the user and the password in the URL.
    """
    plain = _is_plain(body)
    parts = ["curl", "-sS", "-i", "-X", quote(method), *options]
    parts += ["--user", '"${TARGET_USER}"'] if urlsplit(url).username is not None else []
    for name, value in headers:
        parts += [
            "-H",
            _in_shell([(f"{name}: ", False), *parts_of_header(name, value)]) if value else quote(f"{name};"),
        ]
    parts += [part for name in without for part in ("-H", quote(f"{name}:"))]
    parts += ["--data-raw", quote(body.decode())] if plain else ["--data-binary", "@-"]
    parts += (["-g"] if set("[]{}") & set(url) else []) + [server + _in_shell(parts_of(url))]
    line = " ".join([before, *parts] if before else parts)
    return line if plain else fed(body, line)


def _in_shell(parts: Iterable[tuple[str, bool]]) -> str:
    """Joins and quotes the parts of a word for a shell. Each part has a flag, which is True for an environment
    variable.
    """
    parts = list(parts)
    if not any(secret for _, secret in parts):
        return quote("".join(part for part, _ in parts))
    if not any(_SPECIAL & set(part) for part, secret in parts if not secret):
        return f'"{"".join(part for part, _ in parts)}"'
    return "".join(f'"{part}"' if secret else quote(part) for part, secret in parts if part)


def _is_plain(body: bytes) -> bool:
    if len(body) > LONGEST_ARGUMENT:
        return False
    try:
        return body.decode().isprintable()
    except UnicodeDecodeError:
        return False
