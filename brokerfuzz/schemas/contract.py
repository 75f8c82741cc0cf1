"""Reads the contract from a folder: the message types, their rules and the ambiguities.

The folder contains a schema for each message type, a schema for the envelope of responses, the rules that JSON Schema
cannot express (`semantics.json`), and the ambiguities (`ambiguities.json`). The folder of a changed contract contains
only the files that differ from the built-in contract.
"""

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import Any
from urllib.parse import urldefrag, urljoin

from jsonschema_rs import ValidationError, meta

from brokerfuzz.contract_names import MESSAGE_TYPES, MessageType
from brokerfuzz.errors import ContractError, UnknownNameError, problem_of, quoted
from brokerfuzz.file_contents import read_file
from brokerfuzz.pointers import unescape
from brokerfuzz.schemas.ambiguity_detectors import OF_VALUES, TIMESTAMP
from brokerfuzz.schemas.contract_entries import Ambiguity, ambiguity_of, semantic_rule_of
from brokerfuzz.schemas.contract_limits import check_limits, check_references, check_size, check_values, patterns_in
from brokerfuzz.schemas.flattening import Schema, flatten, with_items
from brokerfuzz.schemas.known_values import DETECTOR, KNOWN_VALUES, KnownValues
from brokerfuzz.schemas.read_only import frozen
from brokerfuzz.schemas.sites import Rule, Site, derive_rules, sites
from brokerfuzz.schemas.structural_validation import DRAFT, SCHEMA_SUFFIX, SchemaFiles, validator
from brokerfuzz.schemas.trial_compilation import try_patterns
from brokerfuzz.wording import listed


class Policies(dict[str, tuple[str, ...]]):
    """Maps the ID of an ambiguity to the interpretations that the user allows. Use `Contract.check_policies` to create
    `Policies`.
    """


PolicyValues = Mapping[str, str | int | Sequence[str | int]]
"""Maps the ID of an ambiguity to one or several interpretations, as users write them.

The name of a group, such as `timestamp-format`, means all IDs that begin with this name.
"""

DATA = Path(__file__).parent
TABLES = ("semantics.json", "ambiguities.json")
FILES = (*(f"{name}{SCHEMA_SUFFIX}" for name in (*MESSAGE_TYPES, "envelope")), *TABLES)


@dataclass(frozen=True, eq=False, repr=False)
class Contract:
    """A read-only contract. Use `load_contract` to create a `Contract`.

    `schemas` maps the names of schema files (`envelope`, `product-list-response`) to their contents. `flat` maps
    message types to flat schemas (see `flattening`). `folder` contains the files of the contract. If `values` contains
    reference data (the values that a target knows), the schemas in `flat` allow only these values. Then `original` is
    the contract without reference data.

    >>> from brokerfuzz import load_contract
    >>> len(load_contract().rules["offer-creation-request"])
    117
    """

    schemas: Mapping[str, Schema]
    flat: Mapping[str, Schema]
    ambiguities: tuple[Ambiguity, ...]
    semantics: tuple[Rule, ...]
    folder: Path | None = None
    values: KnownValues | None = None
    original: "Contract | None" = None

    def __repr__(self) -> str:
        """Returns only the folder, because Hypothesis prints the arguments of strategies."""
        return (
            f"load_contract({str(self.folder)!r})"
            if self.values is None
            else f"load_contract({str(self.folder)!r}, values=...)"
        )

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickles only the folder and the reference data. The process that unpickles a contract reads the folder
        again.
        """
        return load_contract, (self.folder, self.values)

    @cached_property
    def rules(self) -> Mapping[str, tuple[Rule, ...]]:
        """Maps each message type to its rules."""
        if self.original is not None:
            return self.original.rules
        found: dict[str, tuple[Rule, ...]] = {}
        for of in MESSAGE_TYPES:
            rules = (*derive_rules(of, self.flat[of]), *self._semantics_of(of))
            found[of] = rules if self.folder == DATA else tuple(map(_with_own_source, rules))
        return MappingProxyType(found)

    def _semantics_of(self, message_type: str) -> list[Rule]:
        """Returns the rules in `semantics.json` for a message type. If a changed contract lacks the site of a rule, the
        rule is omitted.
        """
        return [
            rule
            for rule in self.semantics
            if rule.message_type == message_type and rule.site in self.sites[message_type]
        ]

    @cached_property
    def sites(self) -> Mapping[str, Mapping[str, Site]]:
        """Maps each message type to its sites."""
        return MappingProxyType(
            {
                message_type: MappingProxyType({site.path: site for site in sites(schema)})
                for message_type, schema in self.flat.items()
            }
        )

    @cached_property
    def undescribed(self) -> Mapping[str, tuple[str, ...]]:
        """Maps each message type to its required properties that no schema describes."""
        known = self.sites
        return MappingProxyType(
            {
                message_type: tuple(rule.site for rule in rules if rule.site not in known[message_type])
                for message_type, rules in self.rules.items()
            }
        )

    def check_described(self, message_type: str) -> None:
        """Raises `ContractError` if the contract requires a property, but has no schema for it. brokerfuzz can judge
        messages with such a property, but cannot generate them.
        """
        for site in self.undescribed[message_type]:
            raise ContractError(
                f"{message_type} requires {site!r}, but its `properties` do not contain {site!r}: add this property, "
                "with "
                "the schema {} if any value is allowed"
            )

    @cached_property
    def rules_by_id(self) -> Mapping[str, Rule]:
        """Maps rule IDs to the rules of all message types."""
        return MappingProxyType({rule.id: rule for rules in self.rules.values() for rule in rules})

    @cached_property
    def sources(self) -> frozenset[str | None]:
        """The sources of all rules."""
        return frozenset(rule.source for rule in self.rules_by_id.values())

    def rule(self, rule_id: str) -> Rule:
        if rule_id not in self.rules_by_id:
            raise UnknownNameError("rule", rule_id, self.rules_by_id, "`brokerfuzz rules` lists all rules")
        return self.rules_by_id[rule_id]

    def ambiguity(self, ambiguity_id: str) -> Ambiguity:
        for ambiguity in self.ambiguities:
            if ambiguity.id == ambiguity_id:
                return ambiguity
        raise UnknownNameError(
            "ambiguity", ambiguity_id, self.ambiguity_names, "`brokerfuzz rules` lists all ambiguities"
        )

    def group(self, name: str) -> Sequence[Ambiguity]:
        """Returns the ambiguities of a group. For example, the IDs in the group `timestamp-format` begin with
        `timestamp-format.`.
        """
        return [one for one in self.ambiguities if one.id.startswith(f"{name}.")]

    @property
    def ambiguity_names(self) -> Sequence[str]:
        """The IDs of the ambiguities, and the names of their groups."""
        return list(dict.fromkeys(name for one in self.ambiguities for name in (one.id, one.id.partition(".")[0])))

    def check_policies(self, policies: PolicyValues) -> Policies:
        """Converts policies to a uniform format that maps the ID of each ambiguity to its allowed interpretations.

        To allow several interpretations, use a sequence or a string with commas. A group, such as `timestamp-format`,
        means all IDs that begin with this name. Raises `UnknownNameError` if an ambiguity or an interpretation is
        unknown.
        """
        if isinstance(policies, Policies):
            return policies
        found = Policies()
        for name in sorted(
            policies, key=lambda name: name.count(".")
        ):  # the ID of an ambiguity has priority over the name of its group
            given = policies[name]
            values = tuple(map(str, given)) if isinstance(given, list | tuple) else tuple(str(given).split(","))
            for ambiguity in self.group(name) or [self.ambiguity(name)]:
                for value in values:
                    if not ambiguity.interpretations:
                        raise UnknownNameError(
                            "policy",
                            f"{name}={value}",
                            (),
                            f"no policy settles {name}, because this ambiguity has no interpretations: remove the "
                            "policy",
                        )
                    if not ambiguity.has(value):
                        raise UnknownNameError(
                            "policy", f"{name}={value}", ambiguity.interpretations, f"{name} can be {ambiguity.choices}"
                        )
                found[ambiguity.id] = values
        return found


def _with_own_source(rule: Rule) -> Rule:
    """Removes the source of a changed rule if it is a source of the built-in contract, because the built-in contract
    does not state the changed rule.
    """
    built_in = load_contract()
    if built_in.rules_by_id.get(rule.id) == rule or rule.source not in built_in.sources:
        return rule
    return replace(rule, source=None, validation_rule=None)


def known_message_type(name: str) -> MessageType:
    for message_type in MESSAGE_TYPES:
        if message_type == name:
            return message_type
    raise UnknownNameError("message type", str(name), MESSAGE_TYPES, f"use one of {', '.join(MESSAGE_TYPES)}")


def known_contract(contract: Contract | None) -> Contract:
    """Returns the contract, or the built-in contract for None. Raises `TypeError` if the argument is not a
    `Contract`.
    """
    if contract is None:
        return load_contract()
    if not isinstance(contract, Contract):
        remedy = (
            f"use load_contract({str(contract)!r})"
            if isinstance(contract, str | Path)
            else "use the contract that load_contract(folder) returns"
        )
        raise TypeError(f"contract={quoted(contract)}: {remedy}")
    return contract


_loaded: dict[tuple[Path, KnownValues | None], Contract] = {}


def load_contract(
    folder: str | Path | None = None, values: KnownValues | str | Path | Mapping[str, Any] | None = None
) -> Contract:
    """Returns the contract in a folder. If `folder` is None, returns the built-in contract.

    `values` is reference data: the values that a target knows, as a TOML file or as a mapping with the same content. At
    the sites in `values`, generated messages contain only the listed values. For example:

    >>> from brokerfuzz import load_contract, messages
    >>> contract = load_contract(values={"number": ["N-1", "N-2"]})
    >>> next(messages("offer-creation-request", 0, contract=contract))["number"]
    'N-1'

    The folder contains some of the files of `brokerfuzz/schemas` (`*.schema.json`, `semantics.json`,
    `ambiguities.json`). If a file is missing, brokerfuzz uses the built-in file. If the files change later, the same
    process does not read them again.

    Raises `ContractError` if the folder does not exist, or if one of its files is not JSON, not a schema of draft
    2020-12, or has a wrong name.

    >>> from brokerfuzz import load_contract
    >>> load_contract().sites["offer-pricing-response"]["data.offers[].quantity"].schema["minimum"]
    1
    """
    path = DATA if folder is None else Path(folder).resolve()
    if values is not None and not isinstance(values, KnownValues):
        from brokerfuzz.schemas.reference_data import known_values

        values = known_values(values, load_contract(path))
    if (path, values) not in _loaded:
        _loaded[path, values] = _load(path) if values is None else _narrowed(load_contract(path), values)
    return _loaded[path, values]


def _narrowed(contract: Contract, values: KnownValues) -> Contract:
    """Raises `ReferenceDataError` if the contract does not allow one of the values."""
    from brokerfuzz.schemas.reference_data import check_values

    check_values(values, contract)
    flat = {message_type: values.narrowed(message_type, schema) for message_type, schema in contract.flat.items()}
    asked = {message_type: [*values.detectors(message_type)] for message_type in flat}
    sites = {message_type: found for message_type, found in asked.items() if found}
    known = replace(load_contract().ambiguity(KNOWN_VALUES), detector=DETECTOR, sites=sites)
    others = (
        _without_known_sites(ambiguity, sites) for ambiguity in contract.ambiguities if ambiguity.id != KNOWN_VALUES
    )
    return replace(contract, flat=frozen(flat), ambiguities=(*others, known), values=values, original=contract)


def _without_known_sites(ambiguity: Ambiguity, known: Mapping[str, Sequence[str]]) -> Ambiguity:
    """Removes the sites with reference data from an ambiguity, because a value that the target knows is not
    ambiguous.
    """
    if ambiguity.detector not in (*OF_VALUES, TIMESTAMP) or ambiguity.sites is None:
        return ambiguity
    left = {
        name: [site for site in sites if site not in known.get(name, ())] for name, sites in ambiguity.sites.items()
    }
    return replace(ambiguity, sites={name: sites for name, sites in left.items() if sites or not ambiguity.sites[name]})


def _load(folder: Path) -> Contract:
    if not folder.is_dir():
        raise ContractError(
            f"{folder} is not a folder: specify a folder with the contract files that you changed, such as {FILES[0]}"
        )
    names = {path.name for path in folder.glob(f"*{SCHEMA_SUFFIX}")}
    if stray := sorted(names - set(FILES)):
        raise ContractError(
            f"{folder / stray[0]} does not belong to any message type: the allowed file names are {', '.join(FILES)}"
        )
    if folder != DATA and not (names | {name for name in TABLES if (folder / name).exists()}):
        raise ContractError(
            f"{folder} contains none of {', '.join(FILES)}: copy the files that you want to change into this folder"
        )
    files = {name: _read(folder / name if (folder / name).exists() else DATA / name) for name in FILES}
    schemas = {
        name.removesuffix(SCHEMA_SUFFIX): _checked_schema(folder / name, files[name])
        for name in FILES
        if name.endswith(SCHEMA_SUFFIX)
    }
    try:
        flat = _flattened(schemas, folder)
        ambiguities = tuple(
            ambiguity_of(entry) for entry in _entries(folder / "ambiguities.json", files["ambiguities.json"])
        )
        semantics = tuple(
            semantic_rule_of(entry) for entry in _entries(folder / "semantics.json", files["semantics.json"])
        )
        contract = Contract(frozen(schemas), frozen(flat), ambiguities, semantics, folder)
        _check_names(contract, folder)
        _check_tables(contract, folder)
        contract = replace(
            contract, ambiguities=tuple(ambiguity.at_sites_of(contract.sites) for ambiguity in ambiguities)
        )
    except (KeyError, TypeError, AttributeError, RecursionError) as problem:
        reason = problem_of(problem)
        raise ContractError(
            f"the contract in {folder} cannot be used ({reason}): compare its files with the built-in ones"
        ) from problem
    return contract


def _flattened(schemas: Mapping[str, Schema], folder: Path) -> Mapping[str, Schema]:
    files = SchemaFiles(schemas)
    flat: dict[str, Schema] = {}
    for message_type in MESSAGE_TYPES:
        path = folder / f"{message_type}{SCHEMA_SUFFIX}"
        flat[message_type] = with_items(flatten(schemas[message_type], _Resolver(files, path)))
        check_values(flat[message_type], path)
        try:
            validator(schemas[message_type], files)
        except ValueError as problem:
            raise ContractError(
                f"{path} cannot be used as a schema ({_line(problem)}): correct the schema"
            ) from problem
    return flat


def _check_names(contract: Contract, folder: Path) -> None:
    """Raises `ContractError` if a property name cannot be part of the name of a site, or cannot occur in a valid
    message.
    """
    for message_type, schema in contract.flat.items():
        for site in sites(schema):
            for name in site.schema.get("properties", {}):
                path = folder / f"{message_type}{SCHEMA_SUFFIX}"
                if not name or "." in name or "[]" in name:
                    raise ContractError(
                        f"{path} has a property named {name!r}: rename it, because '.' and '[]' are reserved for site "
                        "names"
                    )
                if "\0" in name:
                    raise ContractError(
                        f"{path} has a property named {name!r}, which contains NUL: rename it, because a message with "
                        "NUL is never valid"
                    )


def _check_tables(contract: Contract, folder: Path) -> None:
    """Raises `ContractError` if two ambiguities have the same ID, or if a file of the folder contains a site that does
    not exist. If the folder lacks a file, the sites in the built-in file are not checked, because a changed schema may
    lack them.
    """
    ids = Counter(ambiguity.id for ambiguity in contract.ambiguities)
    if repeated := [name for name, count in ids.items() if count > 1]:
        raise ContractError(
            f"{folder / 'ambiguities.json'} has several ambiguities with the ID {repeated[0]!r}: give each ambiguity "
            "a different ID"
        )
    for table, sites_of_table in (
        ("semantics.json", _semantic_sites(contract)),
        ("ambiguities.json", _ambiguous_sites(contract)),
    ):
        for message_type, site in sites_of_table if (folder / table).exists() else ():
            if message_type not in MESSAGE_TYPES:
                raise ContractError(
                    f"{folder / table} contains the unknown message type {message_type!r}: use "
                    f"{listed(MESSAGE_TYPES, 'or')}"
                )
            if site not in contract.sites[message_type]:
                near = get_close_matches(site, list(contract.sites[message_type]), n=1, cutoff=0.4)
                guess = f"did you mean {near[0]!r}?" if near else "use a site of the schema"
                raise ContractError(
                    f"{folder / table} contains the site {site!r}, which does not exist in {message_type}: {guess}"
                )


def _semantic_sites(contract: Contract) -> Iterator[tuple[str, str]]:
    return ((rule.message_type, rule.site) for rule in contract.semantics)


def _ambiguous_sites(contract: Contract) -> Iterator[tuple[str, str]]:
    """Yields the sites of all ambiguities, and the sites of the properties that their detectors read, each with its
    message type.
    """
    for ambiguity in contract.ambiguities:
        for message_type, sites_of_type in (ambiguity.sites or {}).items():
            yield from ((message_type, site) for where in sites_of_type for site in ambiguity.read_at(where))


def _read(path: Path) -> Any:
    try:
        check_size(path)
        return json.loads(read_file(path))
    except (OSError, ValueError, RecursionError) as problem:
        raise ContractError(f"{path} is not readable JSON ({problem}): correct or remove the file") from problem


def _entries(path: Path, table: Any) -> list[Mapping[str, Any]]:
    if not isinstance(table, list):
        raise ContractError(f"{path} must contain a JSON array: compare it with the built-in file of the same name")
    return table


def _checked_schema(path: Path, schema: Any) -> Schema:
    if not isinstance(schema, dict):
        raise ContractError(
            f"{path} must contain a JSON object, but contains {_line(schema)}: compare it with the built-in file of "
            "the same name"
        )
    if (draft := schema.get("$schema", DRAFT)) not in (DRAFT, f"{DRAFT}#"):
        raise ContractError(f"{path} is a schema of the unsupported draft {draft}: rewrite it for {DRAFT}")
    check_limits(schema, path)
    try_patterns(path, patterns_in(schema))
    try:
        meta.validate(schema)
    except (ValidationError, ValueError) as problem:
        raise ContractError(
            f"{path} is not a JSON Schema of draft 2020-12 ({_line(getattr(problem, 'message', problem))}): correct "
            "the file"
        ) from problem
    return schema


def _line(message: object) -> str:
    """Shortens an error message to one line of at most 200 characters."""
    line = " ".join(str(message).split())
    return line if len(line) <= 200 else f"{line[:197]}..."


class _Resolver:
    """Finds the schema to which a `$ref` refers, among the schemas of a contract."""

    def __init__(self, files: SchemaFiles, path: Path) -> None:
        self.files = files
        self.path = path
        self._count = 0

    def __call__(self, reference: str, base: str) -> tuple[Any, str]:
        self._count += 1
        check_references(self._count, self.path)
        uri, fragment = urldefrag(urljoin(base or self.path.name, reference))
        try:
            target: Any = self.files.find(uri)
        except LookupError as problem:
            raise ContractError(
                f"{self.path} has a $ref {reference!r} to a file outside the contract: use only files of the contract"
            ) from problem
        for step in filter(None, fragment.split("/")):
            try:
                target = target[int(step) if isinstance(target, list) else unescape(step)]
            except (LookupError, TypeError, ValueError) as problem:
                raise ContractError(
                    f"{self.path} has a $ref {reference!r}, but {step!r} does not exist: correct the reference"
                ) from problem
        return target, uri
