"""Builds a curl command that sends exactly the same bytes again."""

from collections.abc import Iterable
from shlex import quote
from urllib.parse import urlsplit

from brokerfuzz.targets.secret_masking import is_secret, parts_of, variable
from brokerfuzz.targets.shell import LONGEST_ARGUMENT, fed


def curl_line(
    url: str,
    method: str,
    headers: Iterable[tuple[str, str]],
    body: bytes,
    *,
    without: Iterable[str] = (),
    options: Iterable[str] = (),
    before: str = "",
) -> str:
    """Returns a curl command that sends the body. If the body is long or not printable text, `printf` passes it to curl. The
    words in `before` come directly before `curl`.

    `options` are further words of the command, already quoted for a shell. `without` lists the default headers that curl must not
    send. Environment variables replace secrets. For example, `$AUTHORIZATION` replaces the value of the header `Authorization`,
    `$TOKEN` replaces the URL parameter `token`, and `$TARGET_USER` replaces the user and the password in the URL.
    """
    plain = _is_plain(body)
    parts = ["curl", "-sS", "-i", "-X", quote(method), *options]
    parts += ["--user", '"$TARGET_USER"'] if urlsplit(url).username is not None else []
    for name, value in headers:
        parts += ["-H", _secret_header(name) if is_secret(name, value) else quote(f"{name}: {value}" if value else f"{name};")]
    parts += [part for name in without for part in ("-H", quote(f"{name}:"))]
    parts += ["--data-raw", quote(body.decode())] if plain else ["--data-binary", "@-"]
    shown = list(parts_of(url))
    parts += (["-g"] if set("[]{}") & set(url) else []) + ["".join(f'"{part}"' if secret else quote(part) for part, secret in shown if part)]
    line = " ".join([before, *parts] if before else parts)
    return line if plain else fed(body, line)


def _secret_header(name: str) -> str:
    return f'"{name}: {variable(name)}"'


def _is_plain(body: bytes) -> bool:
    if len(body) > LONGEST_ARGUMENT:
        return False
    try:
        return body.decode().isprintable()
    except UnicodeDecodeError:
        return False
