"""Reads the files of a contract, says what is wrong with a file, and copies the files for a new contract.

A folder contains the list of message types (`messages.json`), a schema for each of them, schemas to which they refer,
the rules that JSON Schema cannot express (`semantics.json`), and the ambiguities (`ambiguities.json`). The folder of a
changed contract contains only the files that differ from the built-in contract.
"""

import itertools
import shutil
from collections.abc import Iterable, Iterator, Mapping
from difflib import get_close_matches
from os.path import isdir, lexists
from pathlib import Path
from types import MappingProxyType
from typing import Any
from urllib.parse import urldefrag

from jsonschema_rs import ValidationError, meta, validator_for
from referencing.exceptions import Unresolvable

from brokerfuzz.contract_names import MANIFEST, MESSAGE_TYPES, MessageType
from brokerfuzz.errors import ContractError, problem_of
from brokerfuzz.file_contents import read_file, write_errors
from brokerfuzz.schemas.contract import DATA, Contract
from brokerfuzz.schemas.contract_entries import Ambiguity, ambiguity_of, semantic_rules_of
from brokerfuzz.schemas.contract_limits import (
    check_bounds,
    check_patterns,
    check_references,
    check_size,
    check_values,
    objects_in,
)
from brokerfuzz.schemas.flattening import Lookup, Resolver, flatten, simplify_nullable, unknown_keywords, with_all_sites
from brokerfuzz.schemas.json_parser import parsed_document
from brokerfuzz.schemas.keywords import KEYWORDS, Schema
from brokerfuzz.schemas.manifest import transfers_of
from brokerfuzz.schemas.rule import Rule
from brokerfuzz.schemas.sites import Site, sites_of
from brokerfuzz.schemas.validation import DRAFT, SCHEMA_SUFFIX, registry_of, validator
from brokerfuzz.shapes import problem_in
from brokerfuzz.wording import listed

SEMANTICS, AMBIGUITIES = "semantics.json", "ambiguities.json"
ENVELOPE = "envelope"
"""The schema that both responses of the built-in contract share."""
FILES = (
    *(f"{name}{SCHEMA_SUFFIX}" for name in (*MESSAGE_TYPES, ENVELOPE)),
    MANIFEST, SEMANTICS, AMBIGUITIES,
)  # fmt: skip
"""The files of the built-in contract."""
_COPIED = ("README.md", *(name for name in FILES if name not in (SEMANTICS, AMBIGUITIES)))
"""The files of a new contract. Copies of the other files would only repeat the built-in entries."""
SitesOfTypes = Mapping[str, Mapping[str, Site]]


def new_contract(folder: Path) -> None:
    """Copies the built-in contract into an empty or new folder."""
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise ContractError(f"{folder} already exists and is not an empty folder: specify a new folder")
    with write_errors(folder, ContractError):
        folder.mkdir(parents=True, exist_ok=True)
        for name in _COPIED:
            shutil.copyfile(DATA / name, folder / name)


def read_contract(folder: Path) -> Contract:
    """Raises `ContractError` if the folder or one of its files is wrong. Uses the built-in file for a missing file."""
    _check_folder(folder)
    transfers = transfers_of(json_of(_file(folder, MANIFEST)), folder / MANIFEST)
    schemas = _schemas(folder, transfers)
    try:
        flat = _flattened(schemas, transfers, folder)
        sites_of_types = {message_type: sites_of(schema) for message_type, schema in flat.items()}
        _check_names(sites_of_types, folder)
        return Contract(
            MappingProxyType(transfers),
            MappingProxyType(schemas),
            MappingProxyType(flat),
            _ambiguities(folder, sites_of_types),
            _semantics(folder, sites_of_types),
            folder,
            warnings=tuple(warning for name, schema in schemas.items() for warning in _warnings(schema, folder, name)),
        )
    except (KeyError, TypeError, AttributeError, RecursionError) as problem:
        raise ContractError(
            f"the contract in {folder} cannot be used ({problem_of(problem)}): compare its files with the built-in ones"
        ) from problem


def _warnings(schema: Schema, folder: Path, name: str) -> Iterator[str]:
    for at, keyword in unknown_keywords(schema):
        near = get_close_matches(keyword, KEYWORDS, n=1)
        guess = f"did you mean {near[0]!r}?" if near else "remove it, or let its name begin with x-"
        path = folder / f"{name}{SCHEMA_SUFFIX}"
        yield f"{path} has the unknown keyword {keyword!r} at {at}, which has no effect: {guess}"


def _check_folder(folder: Path) -> None:
    if not isdir(folder):  # noqa: PTH112 - without errors
        raise ContractError(
            f"{folder} is not a folder: specify a folder with the contract files that you changed, such as {FILES[0]}"
        )
    if not any(lexists(folder / name) for name in FILES):
        raise ContractError(
            f"{folder} contains none of {', '.join(FILES)}: copy the files that you want to change into this folder"
        )


def _file(folder: Path, name: str) -> Path:
    """Returns the path of a file of a contract: in its folder, or in the built-in contract."""
    own = folder / name
    if lexists(own) or name in FILES:
        return own if lexists(own) else DATA / name
    raise ContractError(
        f"{own} is missing, but {folder / MANIFEST} lists this message type: add the schema, or correct the list"
    )


def _schemas(folder: Path, message_types: Iterable[MessageType]) -> Mapping[str, Schema]:
    """Returns the schemas of the message types, and those to which they may refer."""
    needed = [*message_types, ENVELOPE]
    file_names = sorted(path.name.removesuffix(SCHEMA_SUFFIX) for path in folder.glob(f"*{SCHEMA_SUFFIX}"))
    schemas: dict[str, Schema] = {}
    for name in dict.fromkeys([*needed, *file_names]):
        file = f"{name}{SCHEMA_SUFFIX}"
        schemas[name] = _checked_schema(folder / file, json_of(_file(folder, file)))
    references = {str(part.get("$ref", "")) for schema in schemas.values() for part in objects_in(schema)}
    if not any("/anyOf/" in reference for reference in references):
        for schema in schemas.values():
            simplify_nullable(schema)
    for name in (name for name in file_names if name not in needed):
        file = f"{name}{SCHEMA_SUFFIX}"
        if not any(
            {file, schemas[name].get("$id")} & {uri, uri.rpartition("/")[2]} for uri, _ in map(urldefrag, references)
        ):
            raise ContractError(
                f"{folder / file} does not belong to any message type: add {name} to {MANIFEST}, refer to the file "
                f"with $ref, or remove it (the message types are {', '.join(message_types)})"
            )
    return schemas


def json_of(path: Path) -> Any:
    """Reads a file. Raises `ContractError` if it is not JSON, or too large."""
    contents = read_file(path, ContractError, "specify another file, or remove it")
    check_size(path)
    try:
        return parsed_document(contents, parse_float=_number)
    except ValueError as problem:
        raise ContractError(f"{path} is not readable JSON ({problem}): correct or remove the file") from problem


def _number(digits: str) -> int | float:
    """Converts a number with a decimal point. `3.0` becomes 3, because JSON Schema does not distinguish them."""
    number = float(digits)
    return int(number) if number.is_integer() and abs(number) < 1 << 53 else number


# ------------------------------------------------------------------------------------------------------------- schemas


def _checked_schema(path: Path, schema: Any) -> Schema:
    if not isinstance(schema, dict):
        raise ContractError(
            f"{path} must contain a JSON object, but contains {_line(schema)}: compare it with the built-in file of "
            "the same name"
        )
    if (draft := schema.get("$schema", DRAFT)) not in (DRAFT, f"{DRAFT}#"):
        raise ContractError(f"{path} is a schema of the unsupported draft {draft}: rewrite it for {DRAFT}")
    check_bounds(schema, path)
    check_patterns(schema, path)
    try:
        meta.validate(schema)
    except (ValidationError, ValueError) as problem:
        raise ContractError(
            f"{path} is not a JSON Schema of draft 2020-12 ({_line(getattr(problem, 'message', problem))}): correct "
            "the file"
        ) from problem
    return schema


def _flattened(
    schemas: Mapping[str, Schema], message_types: Iterable[MessageType], folder: Path
) -> Mapping[str, Schema]:
    registry = registry_of(schemas)
    flat: dict[str, Schema] = {}
    for message_type in message_types:
        path = folder / f"{message_type}{SCHEMA_SUFFIX}"
        finite = flatten(schemas[message_type], _lookup_in(path), registry.resolver(path.name))
        if finite is None:
            raise ContractError(
                f"{path} allows only endless messages: make a property optional on each path of $ref to itself"
            )
        flat[message_type] = with_all_sites(finite)
        check_values(flat[message_type], path)
        try:
            validator(schemas[message_type], registry)
        except ValueError as problem:
            raise ContractError(
                f"{path} cannot be used as a schema ({_line(problem)}): correct the schema"
            ) from problem
    return flat


def _lookup_in(path: Path) -> Lookup:
    count = itertools.count(1)

    def lookup(reference: str, resolver: Resolver) -> Any:
        check_references(next(count), path)
        try:
            return resolver.lookup(reference)
        except (Unresolvable, LookupError, ValueError) as problem:
            raise ContractError(
                f"{path} has a $ref {reference!r} that does not exist: correct the reference, and use only schemas of "
                "the contract"
            ) from problem

    return lookup


# --------------------------------------------------------------------------------------------------- names and sites


def _check_names(sites_of_types: SitesOfTypes, folder: Path) -> None:
    for message_type, sites in sites_of_types.items():
        for name in (name for site in sites.values() for name in site.schema.get("properties", {})):
            if not name or any(part in name for part in ("%2E", "%5B%5D", "\0")):
                raise ContractError(
                    f"{folder / message_type}{SCHEMA_SUFFIX} has a property named {name!r}: rename it, because names "
                    "of sites contain '%2E' and '%5B%5D' for '.' and '[]', and a message with NUL is never valid"
                )


def _entries(folder: Path, name: str) -> Iterator[tuple[dict[str, Any], bool]]:
    """Yields the built-in entries of a table and those of the folder, and whether the folder says their sites. An entry
    of the folder with the ID of a built-in entry changes the properties that it names.
    """
    path = folder / name
    entries = {entry["id"]: entry for entry in json_of(DATA / name)}
    own = json_of(path) if lexists(path) and folder != DATA else []
    if problem := problem_in(own, _TABLE):
        raise ContractError(f"{path} is not a list of entries ({problem}): compare it with the built-in file")
    ids = [entry["id"] for entry in own]
    if twice := next((entry_id for entry_id in ids if ids.count(entry_id) > 1), None):
        raise ContractError(f"{path} has several entries with the ID {twice!r}: give each entry a different ID")
    entries |= {entry["id"]: {**entries.get(entry["id"], {}), **entry} for entry in own}
    with_sites = {entry["id"] for entry in own if "sites" in entry}
    yield from ((entry, entry["id"] in with_sites) for entry in entries.values())


_TABLE = validator_for(
    {
        "type": "array",
        "items": {"type": "object", "required": ["id"], "properties": {"id": {"type": "string", "minLength": 1}}},
    }
)


def _semantics(folder: Path, sites_of_types: SitesOfTypes) -> tuple[Rule, ...]:
    all_rules: list[Rule] = []
    for entry, is_own in _entries(folder, SEMANTICS):
        rules = semantic_rules_of(entry)
        _check_sites(sites_of_types, folder / SEMANTICS, ((rule.message_type, rule.site) for rule in rules if is_own))
        all_rules += rules
    return tuple(all_rules)


def _ambiguities(folder: Path, sites_of_types: SitesOfTypes) -> tuple[Ambiguity, ...]:
    """Omits the ambiguities that concern nothing in the contract."""
    placed = []
    for entry, is_own in _entries(folder, AMBIGUITIES):
        ambiguity = ambiguity_of(entry)
        _check_sites(sites_of_types, folder / AMBIGUITIES, ambiguity.read_sites if is_own else ())
        placed.append(ambiguity.at_sites_of(sites_of_types))
    return tuple(ambiguity for ambiguity in placed if ambiguity.sites != {})


def _check_sites(sites_of_types: SitesOfTypes, path: Path, named: Iterable[tuple[str, str]]) -> None:
    """Raises `ContractError` if a file of the folder contains a site that does not exist."""
    for message_type, site in named:
        if message_type not in sites_of_types:
            raise ContractError(
                f"{path} contains the unknown message type {message_type!r}: use {listed(sites_of_types, 'or')}"
            )
        if site not in sites_of_types[message_type]:
            near = get_close_matches(site, list(sites_of_types[message_type]), n=1, cutoff=0.4)
            guess = f"did you mean {near[0]!r}?" if near else "use a site of the schema"
            raise ContractError(f"{path} contains the site {site!r}, which does not exist in {message_type}: {guess}")


def _line(message: object) -> str:
    """Shortens an error message to one line of at most 200 characters."""
    line = " ".join(str(message).split())
    return line if len(line) <= 200 else f"{line[:197]}..."
