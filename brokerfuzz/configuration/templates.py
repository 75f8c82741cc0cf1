"""Creates the template of a configuration file. The template lists every key with its description, and all keys are commented out.

The first line can name a JSON Schema in the same folder. Editors with Taplo or Even Better TOML use this schema to check the configuration. The
line is written only together with the schema, because `taplo check` fails if the schema is missing.
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
    """Returns the text of a new configuration file. It lists every ambiguity of the contract with all of its interpretations.

    With `schema_beside`, the first line refers editors to `brokerfuzz.schema.json` in the same folder.
    """
    from brokerfuzz.schemas import load_contract

    lines = [f"#:schema ./{SCHEMA.name}"] if schema_beside else []
    lines += [f"# {schema()['title']}. Options on the command line override them; see `brokerfuzz init --help`."]
    for name, section in schema()["properties"].items():
        lines += ["", f"[{name}]  # {section['description']}"]
        if name == "policies":
            for ambiguity in (contract or load_contract()).ambiguities:
                values: list[str | int] = [int(one) if one.isdigit() else one for one in ambiguity.interpretations]
                lines += [f"# {on_one_line(ambiguity.question)}", _commented(ambiguity.id, values)] if values else []
        else:
            lines += _keys(name, section["properties"])
    return "\n".join([*lines, ""])


def write_template(path: Path, *, force: bool = False, contract: "Contract | None" = None, schema_beside: bool = False) -> None:
    """Writes the template to a file atomically. `force` replaces an existing file.

    With `schema_beside`, also writes `brokerfuzz.schema.json` into the same folder and replaces an older one.

    Raises `ConfigurationError` if the file already exists, and for any `pyproject.toml`, because it contains settings of other tools.
    """
    if path.name == PROJECT:
        raise ConfigurationError(f"{path} also contains settings of other tools: specify {NAME} instead, or add [tool.brokerfuzz] to {path} yourself")
    if os.path.lexists(path) and not path.is_file():
        raise ConfigurationError(f"{path} already exists and is not a file: specify another name")
    if path.exists() and not force:
        raise ConfigurationError(f"{path} already exists: add --force to replace it, or specify another file")
    if schema_beside:
        put(path.with_name(SCHEMA.name), schema_text())
    put(path, template(contract, schema_beside=schema_beside))


def put(path: Path, text: str) -> None:
    """Writes a file atomically. An existing file keeps its permissions, and a symbolic link to it remains."""
    from brokerfuzz.atomic_files import atomic_file

    real = path.resolve()
    try:
        with atomic_file(real) as stream:
            if real.exists():
                Path(stream.name).chmod(real.stat().st_mode & 0o777)
            stream.write(text.encode())
    except OSError as problem:
        raise ConfigurationError(f"{path} cannot be written: {problem.strerror or problem}; specify another file, or free disk space") from None


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
