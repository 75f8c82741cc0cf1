"""The file that a configuration begins with: every key with what it is about, commented out.

Editors that know Taplo or Even Better TOML check a file by the JSON Schema that its first line names. That is a file beside it: a path into the
installed package would be another one on each machine, and the file is committed for all of them. As `taplo check` fails where the
schema is not there, the line is written along with the schema or not at all.
"""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from brokerfuzz.configuration.files import NAME, PROJECT
from brokerfuzz.configuration.spelling import on_a_line, spelled, spelled_key
from brokerfuzz.configuration.validating import SCHEMA, schema, schema_text
from brokerfuzz.errors import ConfigurationError

if TYPE_CHECKING:
    from brokerfuzz.schemas import Contract


def template(contract: "Contract | None" = None, *, schema_beside: bool = False) -> str:
    """The text of a new configuration file, with every ambiguity of the contract as a policy that says nothing yet.

    `schema_beside` is for a file that has `brokerfuzz.schema.json` beside it: editors are told.
    """
    from brokerfuzz.schemas import load_contract

    lines = [f"#:schema ./{SCHEMA.name}"] if schema_beside else []
    lines += [f"# {schema()['title']}. The command line outranks them; `brokerfuzz init --help` tells more."]
    for name, section in schema()["properties"].items():
        lines += ["", f"[{name}]  # {section['description']}"]
        if name == "policies":
            for ambiguity in (contract or load_contract()).ambiguities:
                lines += [f"# {on_a_line(ambiguity.question)}", _unset(ambiguity.id, section["additionalProperties"]["default"])]
        else:
            lines += _keys(name, section["properties"])
    return "\n".join([*lines, ""])


def write_template(path: Path, *, force: bool = False, contract: "Contract | None" = None, schema_beside: bool = False) -> None:
    """Writes the template to a file that appears whole or not at all; `force` replaces what is there.

    With `schema_beside`, `brokerfuzz.schema.json` is written into the same folder, in place of an older one.

    Raises `ConfigurationError` where a file is there already, and for any `pyproject.toml`, which is not ours to replace.
    """
    if path.name == PROJECT:
        raise ConfigurationError(f"{path} is for other tools too: write {NAME}, or add [tool.brokerfuzz] to it yourself")
    if os.path.lexists(path) and not path.is_file():
        raise ConfigurationError(f"{path} is there and is no file: name one")
    if path.exists() and not force:
        raise ConfigurationError(f"{path} is there already: add --force to replace it, or name another file")
    if schema_beside:
        put(path.with_name(SCHEMA.name), schema_text())
    put(path, template(contract, schema_beside=schema_beside))


def put(path: Path, text: str) -> None:
    """Writes a file whole; one that is there keeps its rights, and stays where a link to it leads."""
    from brokerfuzz.atomic_files import whole

    real = path.resolve()
    try:
        with whole(real) as stream:
            if real.exists():
                Path(stream.name).chmod(real.stat().st_mode & 0o777)
            stream.write(text.encode())
    except OSError as problem:
        raise ConfigurationError(f"{path} cannot be written: {problem.strerror or problem}; name another file, or make room") from None


def _keys(section: str, nodes: dict[str, Any]) -> Iterator[str]:
    for key, node in nodes.items():
        if node.get("type") == "object":
            yield from ("", f"[{section}.{key}]  # {node['description']}")
            for name, value in node["examples"][0].items():
                yield _unset(name, value)
        else:
            yield from (f"# {node['description']}", _unset(key, node.get("default", node["examples"][0])))


def _unset(key: str, value: Any) -> str:
    return f"# {spelled_key(key)} = {spelled(value)}"
