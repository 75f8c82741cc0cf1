"""Creates the template of a configuration file. The template lists and describes every setting as a comment.

Editors with Taplo or Even Better TOML read the path of the JSON Schema from the first line. The template has this line
only if the schema is in the same folder, because otherwise `taplo check` fails.
"""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from brokerfuzz.configuration.files import NAME, PROJECT
from brokerfuzz.configuration.spelling import on_one_line, spelled, spelled_key
from brokerfuzz.configuration.validating import SCHEMA, schema, schema_text
from brokerfuzz.errors import ConfigurationError

if TYPE_CHECKING:
    from brokerfuzz.schemas import Contract


def template(contract: "Contract | None" = None, *, schema_beside: bool = False) -> str:
    """The template lists every ambiguity of the contract with its interpretations. With `schema_beside`, the first line
    tells editors to use `brokerfuzz.schema.json` in the same folder.
    """
    from brokerfuzz.schemas import load_contract

    lines = [f"#:schema ./{SCHEMA.name}"] if schema_beside else []
    lines += [f"# {schema()['title']}. Options on the command line override this file; see `brokerfuzz init --help`."]
    for name, section in schema()["properties"].items():
        lines += ["", f"[{name}]  # {section['description']}"]
        if name == "policies":
            for ambiguity in (contract or load_contract()).ambiguities:
                values: list[str | int] = [int(one) if one.isdigit() else one for one in ambiguity.interpretations]
                lines += [f"# {on_one_line(ambiguity.question)}", _commented(ambiguity.id, values)] if values else []
        elif "properties" in section:
            lines += _keys(name, section["properties"])
        else:
            lines += [_commented(key, value) for key, value in section["examples"][0].items()]
    return "\n".join([*lines, ""])


def write_template(
    path: Path, *, force: bool = False, contract: "Contract | None" = None, schema_beside: bool = False
) -> None:
    """With `force`, the template replaces an existing file. With `schema_beside`, brokerfuzz also writes
    `brokerfuzz.schema.json` to the same folder. Raises `ConfigurationError` if the file exists and `force` is false.
    Also raises `ConfigurationError` for `pyproject.toml`, because other tools store their settings in this file.
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
    if schema_beside:
        put(path.with_name(SCHEMA.name), schema_text())
    put(path, template(contract, schema_beside=schema_beside))


def put(path: Path, text: str) -> None:
    """Writes a file atomically. An existing file keeps its permissions. If `path` is a symbolic link, the link remains,
    and the file to which it points is replaced.
    """
    from brokerfuzz.atomic_files import atomic_file

    real = path.resolve()
    try:
        with atomic_file(real) as stream:
            if real.exists():
                Path(stream.name).chmod(real.stat().st_mode & 0o777)
            stream.write(text.encode())
    except OSError as problem:
        raise ConfigurationError(
            f"{path} cannot be written: {problem.strerror or problem}; specify another file, or free disk space"
        ) from None


def _keys(section: str, nodes: dict[str, Any]) -> Iterator[str]:
    for key, node in nodes.items():
        if node.get("type") == "object":
            yield from ("", f"[{section}.{key}]  # {node['description']}")
            for name, value in node["examples"][0].items():
                yield _commented(name, value)
        else:
            yield from (f"# {node['description']}", _commented(key, node.get("default", node["examples"][0])))


def _commented(key: str, value: Any) -> str:
    return f"# {spelled_key(key)} = {spelled(value)}"
