"""Finds and reads the configuration file."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from brokerfuzz.errors import ConfigurationError
from brokerfuzz.file_contents import read_file

NAME = "brokerfuzz.toml"
PROJECT = "pyproject.toml"
IN_PROJECT = ("tool", "brokerfuzz")
"""The section of `pyproject.toml` that contains the settings of brokerfuzz."""


class Configuration:
    """The contents of a configuration file. Use `load` to create a `Configuration`.

    `values` maps sections to their settings. The settings still contain references to environment variables, such as
    `${NAME}`. Settings may also contain secrets, so `repr` shows only the path of the file.
    """

    __slots__ = ("path", "values")

    def __init__(self, path: Path, values: Mapping[str, Any]) -> None:
        self.path = path
        self.values = values

    def __repr__(self) -> str:
        return f"Configuration({str(self.path)!r})"

    @property
    def folder(self) -> Path:
        """File names in the configuration are relative to this folder."""
        return self.path.parent


def find(start: Path) -> Path | None:
    """Searches a folder and its parent folders for a configuration file, up to the top of the repository (the folder
    with `.git`).

    Without a repository, only the folder `start` is searched. In each folder, `brokerfuzz.toml` has priority over
    `pyproject.toml`. Raises `ConfigurationError` if a `pyproject.toml` mentions brokerfuzz but is not TOML. Also raises
    `ConfigurationError` if the file belongs to another user, because it may contain commands.
    """
    try:
        here = start.absolute()
    except OSError:  # the current folder no longer exists
        return None
    for folder in _searched(here):
        for path in (folder / NAME, folder / PROJECT):
            if _exists(path) and (path.name == NAME or _has_ours(path)):
                if not _is_trusted(path):
                    raise ConfigurationError(
                        f"{path} belongs to another user: read the file, and add --config {path} if you trust it"
                    )
                return path
    return None


def _searched(here: Path) -> tuple[Path, ...]:
    folders = (here, *here.parents)
    for number, folder in enumerate(folders, 1):
        if _exists(folder / ".git", folders=True):
            return folders[:number]
    return (here,)


def _is_trusted(path: Path) -> bool:
    """Returns whether the file, or the link to the file, belongs to this user or to root. On Windows, brokerfuzz cannot
    check the owner of a file, and trusts every file.
    """
    return not hasattr(os, "geteuid") or {path.stat().st_uid, path.lstat().st_uid} <= {0, os.geteuid()}


def load(path: Path) -> Configuration:
    """Raises `ConfigurationError` if the file cannot be read, is not TOML, or violates the schema."""
    from brokerfuzz.configuration.validating import validated

    values = ours(parsed(path, text_of(path)), path)
    if values is None:
        raise ConfigurationError(
            f"{path} has no [{'.'.join(IN_PROJECT)}] section: add this section, or specify another file"
        )
    return Configuration(path.absolute(), validated(values, path, above(path)))


def above(path: Path) -> tuple[str, ...]:
    """Returns the names of the TOML tables that contain the settings of brokerfuzz: `tool` and `brokerfuzz` in
    `pyproject.toml`, otherwise none.
    """
    return IN_PROJECT if path.name == PROJECT else ()


def text_of(path: Path) -> str:
    """Returns the contents of a file, with unchanged line endings but without a byte order mark."""
    try:
        return read_file(path).decode("utf-8-sig")
    except OSError as problem:
        raise ConfigurationError(
            f"{path} cannot be read: {problem.strerror or problem}; specify another file"
        ) from None
    except UnicodeDecodeError as problem:
        raise ConfigurationError(
            f"{path} is not TOML: byte {problem.start + 1:,} is not UTF-8; save the file as UTF-8"
        ) from None


def parsed(path: Path, text: str) -> dict[str, Any]:
    """Parses TOML. Raises `ConfigurationError` with the line and the column of a syntax error."""
    import tomllib

    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as problem:
        raise ConfigurationError(f"{path} is not TOML ({_one_line(problem)}): correct the file") from None
    except (ValueError, RecursionError):
        raise ConfigurationError(
            f"{path} has a number that is too long, or arrays that are nested too deeply: correct the file"
        ) from None


def ours(content: Mapping[str, Any], path: Path) -> Any:
    """Returns the settings of brokerfuzz from a parsed TOML file, or None if the file has no settings of brokerfuzz."""
    found: Any = content
    for name in above(path):
        found = found.get(name) if isinstance(found, dict) else None
    return found


def _one_line(problem: Exception) -> str:
    message = " ".join(str(problem).split())
    return f"{message[:1].lower()}{message[1:]}"


def _has_ours(path: Path) -> bool:
    try:
        if IN_PROJECT[-1].encode() not in read_file(path):
            return False
    except OSError:
        return False
    return ours(parsed(path, text_of(path)), path) is not None


def _exists(path: Path, *, folders: bool = False) -> bool:
    try:
        return path.exists() if folders else path.is_file()
    except OSError:  # the user may have no permission to read a parent folder
        return False
