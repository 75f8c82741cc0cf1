"""Splits command lines like a shell, shows them without secrets, and adds a message as standard input."""

import os
import re
import shlex
import shutil
from collections.abc import Iterator, Sequence

from brokerfuzz.errors import TargetError
from brokerfuzz.targets.secret_masking import Secrets, is_secret, parts_of, variable

LONGEST_ARGUMENT = 100_000  # bytes; Linux allows 131,072 per argument, and a shell's built-in printf has no limit

_HEADER = re.compile(r"(?:-H)?([A-Za-z][\w-]*):\s*(?!//)(\S.*)", re.DOTALL)
_USER_OPTIONS = ("-u", "--user")
_ASSIGNED = re.compile(r"(-{0,2}[A-Za-z_][\w.-]*)=(.*)", re.DOTALL)


def words_of(command: str | Sequence[str]) -> list[str]:
    """Splits a command line. Raises `TargetError` if the command line contains no program."""
    try:
        words = shlex.split(command) if isinstance(command, str) else list(command)
    except ValueError as problem:
        raise TargetError(f"{command!r} is not a valid command line ({problem}): quote it as in a shell, or use a list of words") from problem
    if not words or not words[0]:
        raise TargetError(f"{command!r} contains no program: use a command such as 'node validate.js'")
    if any("\0" in word for word in words):
        raise TargetError(f"{command!r} contains a NUL character, which is not allowed in arguments: remove it")
    return words


def program(words: Sequence[str], shown: str) -> str:
    """Returns the path of the program. Raises `TargetError` if the program does not exist or is not executable."""
    if os.name != "posix":
        raise TargetError(f"{shown} cannot be a target on this system: programs and functions need Linux or macOS; use an HTTP endpoint")
    name = words[0]
    found = shutil.which(name)
    if found is not None:
        return found
    if _ASSIGNED.fullmatch(name):
        raise TargetError(f"{shown} cannot be started, because brokerfuzz does not start a shell: write env {shown}")
    if os.path.dirname(name) and os.path.isdir(name):  # noqa: PTH112, PTH120  (a name may end in a dot or a slash, and that matters)
        raise TargetError(f"{shown} cannot be started: {name} is a folder; specify a program in this folder")
    if os.path.dirname(name) and os.path.exists(name):  # noqa: PTH110, PTH120
        raise TargetError(f"{shown} cannot be started: {name} is not executable; run chmod +x, or put its interpreter before it")
    where = "the file does not exist" if os.path.dirname(name) else "no folder in $PATH contains this program"  # noqa: PTH120
    hint = f" (to run a program in this folder, write ./{name})" if not os.path.dirname(name) and os.path.exists(name) else ""  # noqa: PTH110, PTH120
    raise TargetError(f"{shown} cannot be started, because {name} was not found ({where}): correct its name{hint}")


def shown_command(words: Sequence[str]) -> str:
    """Returns the command for a POSIX shell. Environment variables replace secrets: for example, `$TOKEN` replaces the value of
    `--token`.
    """
    return " ".join("".join(f'"{part}"' if secret else quoted(part) for part, secret in word if part) or "''" for word in _parts(words))


def quoted(word: str) -> str:
    """Quotes a word for a POSIX shell. The result is on one line, unless the word ends in a line break, which `$(...)` would lose."""
    if word.isprintable() or word.endswith("\n"):
        return shlex.quote(word)
    return f"\"$(printf '{octal(os.fsencode(word))}')\""


def secrets_of(words: Sequence[str]) -> Secrets:
    """Returns the secrets in a command."""
    split = list(_split(words))
    url = next((value for _, _, value in split if "://" in value), "")
    return Secrets(url, [("token", value) for _, secret, value in split if secret is not None])


def fed(body: bytes, line: str) -> str:
    """Returns a shell command that passes the message to `line` on standard input."""
    return f"printf '{octal(body)}' | {line}"


def octal(body: bytes) -> str:
    """Returns a format for printf that prints these bytes. The format uses octal escapes, because every printf supports them."""
    return "".join(chr(byte) if 32 <= byte < 127 and byte not in b"%\\'" else f"\\{byte:03o}" for byte in body)


def _split(words: Sequence[str]) -> Iterator[tuple[str, str | None, str]]:
    """Yields the text before the value, the name of the value, and the value of each word. The name is None if the value is not
    secret.

    For example, `--token=b` is split into `--token=`, `token` and `b`.
    """
    option = ""
    for word in words:
        assigned = _ASSIGNED.fullmatch(word)
        name, value = (assigned[1], assigned[2]) if assigned else (option, word)
        option = word if word.startswith("-") and not assigned else ""
        secret = is_secret(name) and not option
        if not secret and name in _USER_OPTIONS and ":" in value and not value.replace(":", "").isdigit():
            secret, name, value = True, "password", value.partition(":")[2]
        elif not secret and (header := _HEADER.fullmatch(value)) and is_secret(header[1], header[2]):
            secret, name, value, option = True, header[1], header[2], ""
        yield word[: len(word) - len(value)], name.lstrip("-") if secret and value else None, value


def _parts(words: Sequence[str]) -> Iterator[list[tuple[str, bool]]]:
    """Yields the parts of each word. True marks an environment variable that replaces a secret."""
    for start, secret, value in _split(words):
        if secret is not None:
            yield [(start, False), (variable(secret), True)]
        elif "://" in value:
            yield [(start, False), *parts_of(value)]
        else:
            yield [(start + value, False)]
