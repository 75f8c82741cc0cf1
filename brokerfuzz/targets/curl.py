"""The line for a shell that sends a message again, byte for byte."""

from collections.abc import Iterable
from shlex import quote
from urllib.parse import urlsplit, urlunsplit

_SECRET = ("auth", "cookie", "token", "secret", "key", "password", "session", "signature", "credential")
_LONGEST_ARGUMENT = 100_000  # bytes; Linux takes 131,072 in one argument, and a shell's own printf any number


def curl_line(url: str, method: str, headers: Iterable[tuple[str, str]], body: bytes, *, without: Iterable[str] = ()) -> str:
    """The curl command, with a `printf` before it where the body is no plain text. `without` are headers that curl is not to add.

    What may be a secret is not in it: headers that authenticate read a variable of the environment instead
    (`Authorization` reads `$AUTHORIZATION`), and so does a URL's user (`$TARGET_USER`, as `name:password`).
    """
    plain = _is_plain(body)
    parts = ["curl", "-sS", "-i", "-X", quote(method)]
    parts += ["--user", '"$TARGET_USER"'] if urlsplit(url).username is not None else []
    for name, value in headers:
        parts += ["-H", _secret_header(name) if is_secret(name) else quote(f"{name}: {value}" if value else f"{name};")]
    parts += [part for name in without for part in ("-H", quote(f"{name}:"))]
    parts += ["--data-raw", quote(body.decode())] if plain else ["--data-binary", "@-"]
    parts += (["-g"] if set("[]{}") & set(url) else []) + [quote(without_user(url))]
    line = " ".join(parts)
    return line if plain else f"printf '{_octal(body)}' | {line}"


def is_secret(header: str) -> bool:
    """Whether a header of this name may carry what nobody else should read."""
    return any(part in header.lower() for part in _SECRET)


def without_user(url: str) -> str:
    """The URL without the user and password in it."""
    parts = urlsplit(url)
    return urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2]))


def _secret_header(name: str) -> str:
    variable = "".join(char if char.isalnum() else "_" for char in name).upper()
    return f'"{name}: ${variable}"'


def _is_plain(body: bytes) -> bool:
    if len(body) > _LONGEST_ARGUMENT:
        return False
    try:
        return body.decode().isprintable()
    except UnicodeDecodeError:
        return False


def _octal(body: bytes) -> str:
    """The format for printf that prints the bytes: octal escapes are the ones that every shell's printf knows."""
    return "".join(chr(byte) if 32 <= byte < 127 and byte not in b"%\\'" else f"\\{byte:03o}" for byte in body)
