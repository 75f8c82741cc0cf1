"""Builds shell commands that send a message again, byte for byte. Environment variables replace secrets."""

import os
from collections.abc import Iterable
from shlex import quote

from brokerfuzz.targets.secret_masking import split_at_references

LONGEST_ARGUMENT = 100_000  # bytes; Linux allows 131,072 per argument, and a shell's built-in printf has no limit
_SPECIAL = frozenset('"$`\\!')
"""Characters with a special meaning for a shell between double quotes."""


def curl_line(
    url: str,
    method: str,
    headers: Iterable[tuple[str, str]],
    body: bytes,
    *,
    options: Iterable[str] = (),
    before: str = "",
    server: str = "",
) -> str:
    """Returns a curl command that sends the body. If the body is long or not printable text, `printf` passes the body
    to curl.

    `url` and `headers` contain references such as `${TOKEN}` in place of secrets. `options` are further options of
    curl, and `server` is the part before a `url` that is only a path; both are quoted for a shell. The words in
    `before` come directly before `curl`.
    """
    plain = len(body) <= LONGEST_ARGUMENT and body.decode(errors="surrogateescape").isprintable()
    parts = ["curl", "-sS", "-i", "-X", quote(method), *options]
    for name, value in headers:
        parts += ["-H", shell_quoted(f"{name}: {value}" if value else f"{name};")]
    parts += ["--data-raw", quote(body.decode())] if plain else ["--data-binary", "@-"]
    parts += ["-g"] if set("[]{}") & set(url) else []
    line = " ".join([*([before] if before else []), *parts, server + shell_quoted(url)])
    return line if plain else fed(body, line)


def fed(body: bytes, line: str) -> str:
    """Returns a shell command that runs `line` with the message on standard input."""
    return f"printf '{octal(body)}' | {line}"


def octal(body: bytes) -> str:
    """Returns a format for `printf` that prints these bytes. The format uses octal escapes, because every `printf`
    supports them. It does not begin with a dash, because `printf` would take it for an option.
    """
    text = "".join(chr(byte) if 32 <= byte < 127 and byte not in b"%\\'" else f"\\{byte:03o}" for byte in body)
    return f"\\055{text[1:]}" if text.startswith("-") else text


def shell_quoted(word: str) -> str:
    """Quotes a word for a POSIX shell. References such as `${TOKEN}` in the word become environment variables."""
    parts = list(split_at_references(word))
    if len(parts) == 1:
        return _quoted(word)
    if not any(_SPECIAL & set(part) or not part.isprintable() for part, is_reference in parts if not is_reference):
        return f'"{word}"'
    return "".join(f'"{part}"' if is_reference else _quoted(part) for part, is_reference in parts if part)


def _quoted(text: str) -> str:
    """If the text contains unprintable characters, the result is `$(printf ...)` on one line. If such a text ends in a
    line break, its line breaks remain, because `$(printf ...)` would remove the last one.
    """
    if text.isprintable() or text.endswith("\n"):
        return quote(text)
    return f"\"$(printf '{octal(os.fsencode(text))}')\""
