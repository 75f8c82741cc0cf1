"""Splits command lines like a shell, and finds their secrets."""

import os
import re
import shlex
import shutil
from collections.abc import Iterator, Sequence

from brokerfuzz.errors import TargetError
from brokerfuzz.targets.reproduction import shell_quoted
from brokerfuzz.targets.secret_masking import Secret, Secrets, is_secret, named, of_url

_HEADER = re.compile(r"(?:-H)?([A-Za-z][\w-]*):\s*(?!//)(\S.*)", re.DOTALL)
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
    program_path = shutil.which(words[0])
    if program_path is not None:
        return program_path
    remedy = "correct its name, or make it executable (chmod +x); write ./NAME for a file in this folder"
    if _ASSIGNED.fullmatch(words[0]):
        remedy = f"only a shell reads NAME=VALUE before a command, so write `env {shown}`"
    raise TargetError(f"{shown} cannot be started, because its first word is no executable program: {remedy}")


def shown_command(words: Sequence[str], secrets: Secrets) -> str:
    """Returns the command as a line for a POSIX shell. For example, `"${TOKEN}"` replaces the secret value of
    `--token`.
    """
    return " ".join(shell_quoted(secrets.described(word)) for word in words)


def secrets_in(words: Sequence[str]) -> Iterator[Secret]:
    """Yields the secrets in URLs, headers, options and variables. The words of a nested command are not searched."""
    option = ""
    for word in words:
        assigned = _ASSIGNED.fullmatch(word)
        name, value = (assigned[1], assigned[2]) if assigned else (option, word)
        header = _HEADER.fullmatch(value)
        option = word if word.startswith("-") and not assigned and not header else ""
        if "://" in value:
            yield from of_url(value)
        if header and is_secret(header[1]):
            yield from named(header[1], header[2])
        elif is_secret(name) and not option:
            yield from named(name.lstrip("-"), value)
