"""Where the configuration is, and what it says."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from brokerfuzz.errors import ConfigurationError

NAME = "brokerfuzz.toml"
PROJECT = "pyproject.toml"
IN_PROJECT = ("tool", "brokerfuzz")
"""The table of `pyproject.toml` that is ours."""


class Configuration:
    """What a file says. Make it with `load`.

    `values` holds the sections as dictionaries, keys as they are written, references to the environment too. It may hold secrets, so
    that a configuration shows itself by its file alone.
    """

    __slots__ = ("path", "values")

    def __init__(self, path: Path, values: Mapping[str, Any]) -> None:
        self.path = path
        self.values = values

    def __repr__(self) -> str:
        return f"Configuration({str(self.path)!r})"

    @property
    def folder(self) -> Path:
        """The folder that file names in it are relative to."""
        return self.path.parent


def find(start: Path) -> Path | None:
    """The configuration of a folder: its own, or that of the nearest folder around it, up to the one that holds `.git`.

    In one folder, `brokerfuzz.toml` outranks a `pyproject.toml` with a table `[tool.brokerfuzz]`. Raises `ConfigurationError` for a
    `pyproject.toml` on the way that speaks of brokerfuzz and is not TOML.
    """
    try:
        here = start.absolute()
    except OSError:  # the current folder is gone
        return None
    for folder in (here, *here.parents):
        for path in (folder / NAME, folder / PROJECT):
            if _is_there(path) and (path.name == NAME or _has_ours(path)):
                return path
        if _is_there(folder / ".git", folders=True):
            return None
    return None


def load(path: Path) -> Configuration:
    """Reads and checks a file: all of it, or `[tool.brokerfuzz]` of a `pyproject.toml`.

    Raises `ConfigurationError` where it cannot be read, is not TOML, or says what the schema does not allow.
    """
    from brokerfuzz.configuration.validating import validated

    values = ours(parsed(path, text_of(path)), path)
    if values is None:
        raise ConfigurationError(f"{path} has no [{'.'.join(IN_PROJECT)}]: add it, or name another file")
    return Configuration(path.absolute(), validated(values, path, above(path)))


def above(path: Path) -> tuple[str, ...]:
    """The tables that our sections are in."""
    return IN_PROJECT if path.name == PROJECT else ()


def text_of(path: Path) -> str:
    """What a file holds, its line ends as they are, without a byte order mark."""
    try:
        return path.read_bytes().decode("utf-8-sig")
    except OSError as problem:
        raise ConfigurationError(f"{path} cannot be read: {problem.strerror or problem}; name another file") from None
    except UnicodeDecodeError as problem:
        raise ConfigurationError(f"{path} is not TOML: byte {problem.start + 1:,} is not UTF-8; save it as UTF-8") from None


def parsed(path: Path, text: str) -> dict[str, Any]:
    """What a file says. Raises `ConfigurationError` with the line and the column where it is not TOML."""
    import tomllib

    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as problem:
        raise ConfigurationError(f"{path} is not TOML: {_line(problem)}") from None
    except (ValueError, RecursionError):
        raise ConfigurationError(f"{path} cannot be read: a number in it is too long, or an array too deep; mend it") from None


def ours(content: Mapping[str, Any], path: Path) -> Any:
    """The part of a file that is ours; None where there is none."""
    found: Any = content
    for name in above(path):
        found = found.get(name) if isinstance(found, dict) else None
    return found


def _line(problem: Exception) -> str:
    said = " ".join(str(problem).split())
    return f"{said[:1].lower()}{said[1:]}"


def _has_ours(path: Path) -> bool:
    try:
        if IN_PROJECT[-1].encode() not in path.read_bytes():
            return False
    except OSError:
        return False
    return ours(parsed(path, text_of(path)), path) is not None


def _is_there(path: Path, *, folders: bool = False) -> bool:
    try:
        return path.exists() if folders else path.is_file()
    except OSError:  # a folder around the current one may be closed to us
        return False
