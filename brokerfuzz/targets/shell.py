"""Splits command lines like a shell, hides their secrets, and builds commands that read a message from standard
input.
"""

import os
import re
import shlex
import shutil
from collections.abc import Iterator, Mapping, Sequence

from brokerfuzz.errors import TargetError
from brokerfuzz.targets.secret_masking import (
    SHORTEST,
    Secrets,
    basic,
    is_secret,
    marked,
    of_url,
    parts_of,
    variable,
    within,
)

LONGEST_ARGUMENT = 100_000  # bytes; Linux allows 131,072 per argument, and a shell's built-in printf has no limit

_HEADER = re.compile(r"(?:-H)?([A-Za-z][\w-]*):\s*(?!//)(\S.*)", re.DOTALL)
_USER_OPTIONS = ("-u", "--user")
_PASSWORD = "password"  # noqa: S105 - the name of an option
_DEEPEST = 3
"""The maximum depth of nested commands, as in `sh -c 'command'`, in which brokerfuzz searches for secrets."""
_ASSIGNED = re.compile(r"(-{0,2}[A-Za-z_][\w.-]*)=(.*)", re.DOTALL)


def words_of(command: str | Sequence[str]) -> list[str]:
    """Splits a command line into words. Raises `TargetError` if the command line is invalid or contains no program."""
    try:
        words = shlex.split(command) if isinstance(command, str) else list(command)
    except ValueError as problem:
        raise TargetError(
            f"the command is not a valid command line ({problem}): quote it as in a shell, or use a list of words"
        ) from None
    if not words or not words[0]:
        raise TargetError("the command contains no program: use a command such as 'node validate.js'")
    if any("\0" in word for word in words):
        raise TargetError("the command contains a NUL character, which is not allowed in arguments: remove it")
    return words


def path_of(words: Sequence[str], shown: str) -> str:
    """Returns the path of the program. Raises `TargetError` if the program does not exist or is not executable."""
    if os.name != "posix":
        raise TargetError(
            f"{shown} cannot be a target on this system: programs and functions need Linux or macOS; use an HTTP "
            "endpoint"
        )
    name = words[0]
    found = shutil.which(name)
    if found is not None:
        return found
    if _ASSIGNED.fullmatch(name):
        raise TargetError(
            f"{shown} cannot be started, because only a shell reads NAME=VALUE before a command: write `env {shown}`"
        )
    if os.path.dirname(name) and os.path.isdir(name):  # noqa: PTH112, PTH120  (a name may end in a dot or a slash, and that matters)
        raise TargetError(f"{shown} cannot be started: {name} is a folder; specify a program in this folder")
    if os.path.dirname(name) and os.path.exists(name):  # noqa: PTH110, PTH120
        raise TargetError(
            f"{shown} cannot be started: {name} is not executable; run chmod +x, or write its interpreter before its "
            "name"
        )
    where = "the file does not exist" if os.path.dirname(name) else "no folder in $PATH contains this program"  # noqa: PTH120
    is_here = not os.path.dirname(name) and os.path.exists(name)  # noqa: PTH110, PTH120
    hint = f" (to run a program in this folder, write ./{name})" if is_here else ""
    raise TargetError(f"{shown} cannot be started, because {name} was not found ({where}): correct its name{hint}")


def shown_command(words: Sequence[str], secrets: Mapping[str, str]) -> str:
    """Returns the command as a line for a POSIX shell. For example, `"${TOKEN}"` replaces the secret value of
    `--token`. `secrets` maps references such as `${TOKEN}` to further secret values.
    """
    references = {value: name for name, value in (*_found(words), *secrets.items()) if name.startswith("${") and value}
    parts = _parts(words, references)
    return " ".join(
        "".join(f'"{part}"' if secret else quoted(part) for part, secret in word if part) or "''" for word in parts
    )


def quoted(word: str) -> str:
    """Quotes a word for a POSIX shell. If a word contains unprintable characters, the result is `$(printf ...)` on one
    line. If such a word ends in a line break, its line breaks remain, because `$(printf ...)` would remove the last
    one.
    """
    if word.isprintable() or word.endswith("\n"):
        return shlex.quote(word)
    return f"\"$(printf '{octal(os.fsencode(word))}')\""


def secrets_of(words: Sequence[str], more: Mapping[str, str]) -> Secrets:
    return Secrets(more=[*_found(words), *more.items()])


def _found(words: Sequence[str], depth: int = 0) -> Iterator[tuple[str, str]]:
    """Yields the place and the value of each secret in a command. Also searches words that are themselves commands, as
    in `sh -c 'command'`.
    """
    for start, name, value in _split(words):
        yield from of_url(value) if "://" in value else ()
        if name is not None:
            yield variable(name), value
            yield from within(name, value)
        if depth < _DEEPEST:
            yield from _found(_words_within(start + value), depth + 1)
        if name == _PASSWORD and start.endswith(":"):
            yield from basic(start[:-1].rpartition("=")[2].removeprefix("-u"), value)


def _words_within(word: str) -> list[str]:
    """If `word` contains a whole command, as in `sh -c 'curl -u me:secret'`, returns the words of this command.
    Otherwise, the result is empty.
    """
    reader = shlex.shlex(word, posix=True, punctuation_chars=True)
    reader.whitespace_split, reader.commenters = True, ""
    try:
        words = list(reader)
    except ValueError:
        return []
    return words if len(words) > 1 else []


def fed(body: bytes, line: str) -> str:
    """Returns a shell command that runs `line` with the message on standard input."""
    return f"printf '{octal(body)}' | {line}"


def octal(body: bytes) -> str:
    """Returns a format for `printf` that prints these bytes. The format uses octal escapes, because every `printf`
    supports them.
    """
    return "".join(chr(byte) if 32 <= byte < 127 and byte not in b"%\\'" else f"\\{byte:03o}" for byte in body)


def _split(words: Sequence[str]) -> Iterator[tuple[str, str | None, str]]:
    """Splits each word of a command into a prefix, a name and a value. If the value is secret, the name is that of its
    option or header. Otherwise, the name is None.

    For example, `--token=b` is split into `--token=`, `token` and `b`.
    """
    option = ""
    for word in words:
        assigned = None if option == "-c" and _words_within(word) else _ASSIGNED.fullmatch(word)  # sh -c 'A=b command'
        name, value = (assigned[1], assigned[2]) if assigned else (option, word)
        option = word if word.startswith("-") and not assigned else ""
        secret = is_secret(name) and not option
        user = value if name in _USER_OPTIONS else word[2:] if word.startswith("-u") else ""
        if not secret and ":" in user and not user.replace(":", "").isdigit():
            secret, name, value, option = True, _PASSWORD, user.partition(":")[2], ""
        elif not secret and (header := _HEADER.fullmatch(value)) and is_secret(header[1], header[2]):
            secret, name, value, option = True, header[1], header[2], ""
        yield word[: len(word) - len(value)], name.lstrip("-") if secret and value else None, value


def _parts(words: Sequence[str], references: Mapping[str, str]) -> Iterator[list[tuple[str, bool]]]:
    """Splits each word into texts and references such as `${TOKEN}`, which replace secrets. Each part has a flag, which
    is True for a reference. `references` maps secret values to references.
    """
    for start, secret, value in _split(words):
        if secret is not None:
            yield [(start, False), (variable(secret), True)]
        elif "://" in value and " " not in value:
            yield [(start, False), *parts_of(marked(value, references))]
        else:
            yield list(_parts_within(start + value, references))


def _parts_within(word: str, references: Mapping[str, str]) -> Iterator[tuple[str, bool]]:
    """Splits a word into texts and references, like `_parts`. The word may contain a whole command with secrets. If a
    secret is written with quotes inside it, as in `se'cr'et`, `${COMMAND}` replaces the whole word.
    """
    inner = {value: name for name, value in _found(_words_within(word)) if name.startswith("${") and value}
    names = inner | {
        value: name for value, name in references.items() if value == word or (len(value) >= SHORTEST and value in word)
    }
    if not names:
        yield word, False
    elif not all(value in word for value in inner):
        yield variable("command"), True
    else:
        at = 0
        for found in re.finditer("|".join(re.escape(value) for value in sorted(names, key=len, reverse=True)), word):
            yield from ((word[at : found.start()], False), (names[found[0]], True))
            at = found.end()
        yield word[at:], False
