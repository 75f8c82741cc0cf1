"""Reads and writes the configuration: `brokerfuzz.toml`, or the section `[tool.brokerfuzz]` of `pyproject.toml`.

The settings are the options of the command `fire`, and have their names (see `options`). Options on the command line
override settings.
"""

import json
import os
import re
import textwrap
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from brokerfuzz.errors import ConfigurationError, quoted
from brokerfuzz.file_contents import read_file, write_errors
from brokerfuzz.option import OTHERS, SECTIONS, Option, checked, declared, setting_name
from brokerfuzz.options import FireCommandOptions
from brokerfuzz.schemas import Contract, load_contract

NAME = "brokerfuzz.toml"
PROJECT = "pyproject.toml"
_IN_PROJECT = ("tool", "brokerfuzz")
"""The section of `pyproject.toml` that contains the settings of brokerfuzz."""
_REMEDY = "specify a configuration file, or write one with `brokerfuzz init`"
_WIDTH = 118


@dataclass(frozen=True)
class Configuration:
    """The settings in a file. They still contain references to environment variables, such as `${NAME}`. Settings may
    also contain secrets, so `repr` shows only the path of the file.
    """

    path: Path = Path(NAME)
    options: Mapping[str, Any] = field(default_factory=dict, repr=False)


SETTINGS = {
    setting_name(name): (name, option)
    for name, option in declared(FireCommandOptions).items()
    if option.example is not None
}
"""Maps the name of each setting to its option."""


# ------------------------------------------------------------------------------------------------------------- reading


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
            if os.path.isfile(path) and (path.name == NAME or _mentions_us(path)):  # noqa: PTH113 - without errors
                if not _is_trusted(path):
                    raise ConfigurationError(
                        f"{path} belongs to another user: read the file, and add --config {path} if you trust it"
                    )
                return path
    return None


def _searched(here: Path) -> tuple[Path, ...]:
    folders = (here, *here.parents)
    for number, folder in enumerate(folders, 1):
        if os.path.exists(folder / ".git"):  # noqa: PTH110 - without errors
            return folders[:number]
    return (here,)


def _is_trusted(path: Path) -> bool:
    """Returns whether the file, or the link to the file, belongs to this user or to root. On Windows, brokerfuzz cannot
    check the owner of a file, and trusts every file.
    """
    return not hasattr(os, "geteuid") or {path.stat().st_uid, path.lstat().st_uid} <= {0, os.geteuid()}


def _mentions_us(path: Path) -> bool:
    try:
        if _IN_PROJECT[-1].encode() not in read_file(path, ConfigurationError, _REMEDY):
            return False
    except ConfigurationError:
        return False
    return _table(path) is not None


def read_configuration(path: Path) -> Configuration:
    """Raises `ConfigurationError` if the file cannot be read or is not TOML, or if a setting is unknown or wrong."""
    table = _table(path)
    if table is None:
        raise ConfigurationError(
            f"{path} has no [{'.'.join(_IN_PROJECT)}] section: add this section, or specify another file"
        )
    if not isinstance(table, dict):
        raise ConfigurationError(f"{path}: [{'.'.join(_IN_PROJECT)}] is not a table: use a table")
    for name in table:
        if name not in SETTINGS:
            raise ConfigurationError(f"{path}: unknown setting {quoted(name)}: {_remedy(name)}")
    values = {SETTINGS[key][0]: value for key, value in table.items()}
    if isinstance(values.get("values"), dict):
        values["values"] = str(path) if values["values"] else None
    try:
        options = checked(
            FireCommandOptions,
            {name: _beside(path, name, value) for name, value in values.items() if value is not None},
            lambda name, option: f"{path}: {setting_name(name)}",
        )
    except ValueError as problem:
        raise ConfigurationError(str(problem)) from None
    return Configuration(path.absolute(), options)


def _beside(path: Path, name: str, value: Any) -> Any:
    """Makes paths relative to the folder of the configuration."""
    is_module = name == "hooks" and not str(value).endswith(".py")
    if name == "values" or is_module or not declared(FireCommandOptions)[name].file:
        return value
    if isinstance(value, list):
        return [_beside(path, name, each) for each in value]
    return str(path.parent / value) if isinstance(value, str) and value else value


def _remedy(name: str) -> str:
    near = get_close_matches(name.replace("_", "-"), SETTINGS, n=1, cutoff=0.4)
    return f"did you mean {near[0]!r}?" if near else "`brokerfuzz init` writes a file that explains every setting"


def _table(path: Path) -> Any:
    """Returns the settings in a file, or None if a `pyproject.toml` contains none."""
    try:
        settings: Any = tomllib.loads(_text(path))
    except tomllib.TOMLDecodeError as problem:
        reason = " ".join(str(problem).split())
        raise ConfigurationError(f"{path} is not TOML ({reason[:1].lower()}{reason[1:]}): correct the file") from None
    except (ValueError, RecursionError):
        raise ConfigurationError(
            f"{path} has a number that is too long, or arrays that are nested too deeply: correct the file"
        ) from None
    for name in _IN_PROJECT if path.name == PROJECT else ():
        settings = settings.get(name) if isinstance(settings, dict) else None
    return settings


def _text(path: Path) -> str:
    """Returns the contents of a file, with unchanged line endings but without a byte order mark."""
    try:
        return read_file(path, ConfigurationError, _REMEDY).decode("utf-8-sig")
    except UnicodeDecodeError as problem:
        raise ConfigurationError(
            f"{path} is not TOML: byte {problem.start + 1:,} is not UTF-8; save the file as UTF-8"
        ) from None


# ------------------------------------------------------------------------------------------------------------- writing


def template(contract: Contract | None = None) -> str:
    """Returns a configuration that describes every setting in comments, and every ambiguity of the contract."""
    lines = ["# Settings of brokerfuzz. Options on the command line override this file; see `brokerfuzz fire --help`."]
    tables: list[str] = []
    for section in (*SECTIONS, OTHERS):
        of_section = {key: option for key, (_, option) in SETTINGS.items() if option.section == section}
        plain = {key: option for key, option in of_section.items() if not isinstance(option.example, dict)}
        lines += ["", f"# ---- {section}"] if plain else []
        for key, option in plain.items():
            lines += ["", *_described(option), _commented(key, option.example)]
        for key in (key for key in of_section if key not in plain):
            tables += ["", *_described(of_section[key]), f"[{key}]", *_example(key, of_section[key], contract)]
    return "\n".join([*lines, *tables, ""])


def _described(option: Option) -> list[str]:
    default = f" Default: {option.default_text}." if option.default_text else ""
    return textwrap.wrap(option.help + default, _WIDTH, initial_indent="# ", subsequent_indent="# ")


def _example(key: str, option: Option, contract: Contract | None) -> list[str]:
    if key != "policies":
        return [_commented(name, value) for name, value in option.example.items()]
    lines = []
    for ambiguity in (contract or load_contract()).ambiguities:
        if ambiguity.interpretations:
            question = "".join(char if char.isprintable() else " " for char in ambiguity.question)
            answers = [int(answer) if answer.isdigit() else answer for answer in ambiguity.interpretations]
            lines += [f"# {question}", _commented(ambiguity.id, answers)]
    return lines


def _commented(key: str, value: Any) -> str:
    """Writes a setting as a TOML comment."""
    spelled = key if re.fullmatch("[A-Za-z0-9_-]+", key) else json.dumps(key)
    return f"# {spelled} = {json.dumps(value, ensure_ascii=False)}"


def write_template(path: Path, *, force: bool = False, contract: Contract | None = None) -> None:
    """With `force`, the template replaces an existing file. Raises `ConfigurationError` if the file exists and `force`
    is false. Also raises `ConfigurationError` for `pyproject.toml`, because other tools store their settings in this
    file.
    """
    if path.name == PROJECT:
        raise ConfigurationError(
            f"{path} also contains settings of other tools: specify {NAME} instead, or add [tool.brokerfuzz] to "
            f"{path} yourself"
        )
    if os.path.lexists(path) and not path.is_file():
        raise ConfigurationError(f"{path} already exists and is not a file: specify another name")
    if path.exists() and not force:
        raise ConfigurationError(f"{path} already exists: add --force to replace it, or specify another file")
    with write_errors(path, ConfigurationError):
        path.write_text(template(contract), encoding="utf-8")
