"""Begins a contract: a copy of the built-in one, or one message type with a schema that the user already has."""

import json
import re
import shutil
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from brokerfuzz.contract_names import MANIFEST
from brokerfuzz.errors import ContractError, needs_extra, problem_of
from brokerfuzz.file_contents import read_file
from brokerfuzz.schemas.contract_files import AMBIGUITIES, DATA, FILES, SEMANTICS, json_of
from brokerfuzz.schemas.contract_limits import check_size
from brokerfuzz.schemas.flattening import KEYWORDS, Schema
from brokerfuzz.schemas.loading import load_contract
from brokerfuzz.schemas.manifest import LONGEST_NAME, is_name
from brokerfuzz.schemas.openapi import OF_OLD_DRAFTS, modernised, request_body
from brokerfuzz.schemas.structural_validation import DRAFT, SCHEMA_SUFFIX

LARGEST_DOCUMENT = 16 << 20
"""The maximum size of a document from which a contract is made, in bytes."""
_MOST_VALUES = 1_000_000
"""The maximum number of values in a YAML document. In a short document with many aliases, they can be billions."""
_README = "README.md"
_OLD_DRAFT = re.compile(r"https?://json-schema\.org/draft(-0[467]|/2019-09)/schema#?")


class Beginning(NamedTuple):
    """The message type of a new contract. `notes` say what differs from the file `source`."""

    name: str
    route: str
    schema: Schema
    source: Path
    notes: Sequence[str] = ()


def from_schema(path: Path, name: str | None) -> Beginning:
    """Raises `ContractError` if the file contains no JSON Schema."""
    schema = _document(path)
    if isinstance(schema, dict) and {"openapi", "swagger"} & schema.keys():
        raise ContractError(f"{path} is not a JSON Schema: use --from-openapi for OpenAPI documents")
    if not isinstance(schema, dict) or not schema.keys() & {*KEYWORDS}:
        raise ContractError(f"{path} is not a JSON Schema, which is a JSON object with keywords such as properties")
    notes: list[str] = []
    if _OLD_DRAFT.fullmatch(str(schema.get("$schema"))):
        notes = [f"converted from {schema['$schema']} to draft 2020-12", *modernised(schema, OF_OLD_DRAFTS)]
        schema["$schema"] = DRAFT
    chosen = _name(name or path.name.partition(".")[0])
    route = f"GET /{chosen}" if chosen.endswith("-response") else f"POST /{chosen}"
    return Beginning(chosen, route, schema, path, notes)


def from_openapi(path: Path, operation: str, name: str | None) -> Beginning:
    """`operation` is an operationId, or a method and a path. Raises `ContractError` or `UnknownNameError`."""
    try:
        found, schema, notes = request_body(_document(path), operation, path)
    except (AttributeError, KeyError, TypeError, ValueError, RecursionError) as problem:
        raise ContractError(f"{path} is not a valid OpenAPI document ({problem_of(problem)}): correct it") from problem
    return Beginning(_name(name or found.name), found.route, {"$schema": DRAFT, **schema}, path, notes)


def new_contract(folder: Path, beginning: Beginning | None) -> None:
    """Writes a contract into an empty or new folder, which is removed if the contract cannot be used."""
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise ContractError(f"{folder} already exists and is not an empty folder: specify a new folder")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(DATA / _README, folder / _README)
        if beginning is not None:
            _write(folder, beginning)
        for name in FILES if beginning is None else ():
            if name not in (SEMANTICS, AMBIGUITIES):  # own files would only repeat the built-in entries
                shutil.copyfile(DATA / name, folder / name)
    except OSError as problem:
        raise ContractError(f"cannot write {folder} ({problem_of(problem)}): specify another folder") from problem


def _write(folder: Path, beginning: Beginning) -> None:
    name, route, schema, source, _ = beginning
    direction = "response" if name.endswith("-response") else "request"
    schema_file = folder / f"{name}{SCHEMA_SUFFIX}"
    for path, content in {
        folder / MANIFEST: {name: {"direction": direction, "route": route}},
        schema_file: schema,
    }.items():
        path.write_text(json.dumps(content, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # `contract check` prints them
            load_contract(folder)
    except ContractError as problem:
        shutil.rmtree(folder)
        raise ContractError(str(problem).replace(str(schema_file.resolve()), str(source))) from problem


def _name(text: str) -> str:
    """Converts a name such as `createOrder` to the name of a message type, such as `create-order`."""
    words = re.sub("([a-z0-9])([A-Z])", r"\1-\2", text).lower()
    name = "-".join(re.findall("[a-z0-9]+", words))[:LONGEST_NAME].strip("-")
    if not is_name(name):
        raise ContractError(f"{text!r} cannot be the name of a message type: specify a name with --name")
    return name


# ------------------------------------------------------------------------------------------------------------ documents


def _document(path: Path) -> Any:
    if path.suffix not in (".yaml", ".yml"):
        return json_of(path, LARGEST_DOCUMENT)
    try:
        import yaml
    except ImportError as problem:
        raise ContractError(needs_extra(f"reading {path}", problem, "yaml")) from None
    try:
        check_size(path, LARGEST_DOCUMENT)
        content = getattr(yaml, "CSafeLoader", yaml.SafeLoader)(
            read_file(path, ContractError, "specify another file")
        ).get_single_data()
        _check_count(content)
        return json.loads(json.dumps(content, default=str))  # JSON has no dates, and all its names are strings
    except (OSError, ValueError, TypeError, RecursionError, yaml.YAMLError) as problem:
        raise ContractError(f"{path} is not readable YAML ({problem_of(problem)}): correct the file") from problem


def _check_count(content: Any) -> None:
    waiting, count = [content], 0
    while waiting:
        part = waiting.pop()
        count += 1
        if count + len(waiting) > _MOST_VALUES:
            raise ValueError(f"it contains more than {_MOST_VALUES:,} values")
        waiting.extend(part.values() if isinstance(part, dict) else part if isinstance(part, list) else ())
