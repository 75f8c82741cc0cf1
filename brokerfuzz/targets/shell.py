"""Command lines: read as a shell would read them, shown without their secrets, and fed with a message, byte for byte."""

import os
import re
import shlex
import shutil
from collections.abc import Iterator, Sequence

from brokerfuzz.errors import TargetError
from brokerfuzz.targets.secret_masking import Secrets, is_secret, parts_of, variable

LONGEST_ARGUMENT = 100_000  # bytes; Linux takes 131,072 in one argument, and a shell's own printf any number

_ASSIGNED = re.compile(r"(-{0,2}[A-Za-z_][\w.-]*)=(.*)", re.DOTALL)


def words_of(command: str | Sequence[str]) -> list[str]:
    """The words of a command, which is a line or a list of them. Raises `TargetError` where there is no program in it."""
    try:
        words = shlex.split(command) if isinstance(command, str) else list(command)
    except ValueError as problem:
        raise TargetError(f"{command!r} is no command line ({problem}): quote as in a shell, or give a list of words") from problem
    if not words or not words[0]:
        raise TargetError(f"{command!r} names no program: give one such as 'node validate.js'")
    if any("\0" in word for word in words):
        raise TargetError(f"{command!r} holds a NUL, which no argument can: leave it out")
    return words


def program(words: Sequence[str], shown: str) -> str:
    """Where the program is. Raises `TargetError` where it is not, or cannot be executed."""
    if os.name != "posix":
        raise TargetError(f"{shown} cannot be a target here: programs and functions are on Linux and macOS; put an HTTP endpoint before it")
    name = words[0]
    found = shutil.which(name)
    if found is not None:
        return found
    if os.path.dirname(name) and os.path.isdir(name):  # noqa: PTH112, PTH120  (a name may end in a dot or a slash, and that matters)
        raise TargetError(f"{shown} cannot be started: {name} is a folder; name the program in it")
    if os.path.dirname(name) and os.path.exists(name):  # noqa: PTH110, PTH120
        raise TargetError(f"{shown} cannot be started: {name} may not be executed; chmod +x it, or name its interpreter first")
    where = "there is no such file" if os.path.dirname(name) else "no folder of $PATH has it"  # noqa: PTH120
    hint = f" (a program of this folder is ./{name})" if not os.path.dirname(name) and os.path.exists(name) else ""  # noqa: PTH110, PTH120
    raise TargetError(f"{shown} cannot be started: {name} is not found, {where}: correct its name{hint}")


def shown_command(words: Sequence[str]) -> str:
    """The command as a line for a POSIX shell. What may be a secret is a variable of the environment in it: `--token=` reads `$TOKEN`."""
    return " ".join("".join(f'"{part}"' if secret else quoted(part) for part, secret in word if part) or "''" for word in _parts(words))


def quoted(word: str) -> str:
    """The word for a POSIX shell, in one line where that can be: a shell drops line ends at the end of what a command prints."""
    if word.isprintable() or word.endswith("\n"):
        return shlex.quote(word)
    return f"\"$(printf '{octal(os.fsencode(word))}')\""


def secrets_of(words: Sequence[str]) -> Secrets:
    """The secrets among the arguments."""
    named = list(_named(words))
    url = next((value for _, value in named if "://" in value), "")
    return Secrets(url, [("token", value) for name, value in named if name is not None and is_secret(name)])


def fed(body: bytes, line: str) -> str:
    """The line for a POSIX shell that gives the command the message as its standard input."""
    return f"printf '{octal(body)}' | {line}"


def octal(body: bytes) -> str:
    """The format for printf that prints the bytes: octal escapes are the ones that every shell's printf knows."""
    return "".join(chr(byte) if 32 <= byte < 127 and byte not in b"%\\'" else f"\\{byte:03o}" for byte in body)


def _named(words: Sequence[str]) -> Iterator[tuple[str | None, str]]:
    """Each word after the first with the option or variable that it is the value of. A word such as `--a=b` comes as its value alone."""
    before: str | None = None
    for word in words[1:]:
        if assigned := _ASSIGNED.fullmatch(word):
            yield assigned[1], assigned[2]
            before = None
        elif word.startswith("-"):
            yield None, word
            before = word
        else:
            yield before, word
            before = None


def _parts(words: Sequence[str]) -> Iterator[list[tuple[str, bool]]]:
    """Each word in pieces; True says of a piece that it is the variable for a secret."""
    yield [(words[0], False)]
    for word, (name, value) in zip(words[1:], _named(words), strict=True):
        start = word[: len(word) - len(value)]
        if name is not None and value and is_secret(name):
            yield [(start, False), (variable(name.lstrip("-")), True)]
        elif "://" in value:
            yield [(start, False), *parts_of(value)]
        else:
            yield [(word, False)]
