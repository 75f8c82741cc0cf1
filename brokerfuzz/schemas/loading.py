"""Loads contracts: the built-in contract, changed contracts, and contracts with reference data."""

import copyreg
import warnings
from collections.abc import Mapping
from dataclasses import replace
from os.path import realpath
from pathlib import Path
from types import MappingProxyType
from typing import Any

from brokerfuzz.errors import ContractError, path_in, quoted
from brokerfuzz.file_contents import read_errors
from brokerfuzz.schemas.contract import DATA, Contract
from brokerfuzz.schemas.contract_entries import Ambiguity, AskedSite
from brokerfuzz.schemas.contract_files import read_contract
from brokerfuzz.schemas.known_values import KNOWN_VALUES, KnownValues, UnknownValue
from brokerfuzz.schemas.reference_data import check_values, known_values

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
    path = DATA if folder is None else _folder_named(folder)
    if isinstance(values, KnownValues) and (path, values) not in _loaded:
        check_values(values, load_contract(path))
    elif values is not None and not isinstance(values, KnownValues):
        values = known_values(values, load_contract(path))
    if (path, values) not in _loaded:
        _loaded[path, values] = _read(path) if values is None else _narrowed(load_contract(path), values)
    return _loaded[path, values]


def _read(folder: Path) -> Contract:
    contract = read_contract(folder)
    for warning in contract.warnings:
        warnings.warn(warning, stacklevel=3)
    return contract


def _load_again(folder: Path, values: KnownValues | None) -> Contract:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the process that has pickled the contract has shown them
        return load_contract(folder, values)


copyreg.pickle(Contract, lambda contract: (_load_again, (contract.folder, contract.values)))
"""Only the folder and the reference data are pickled. The process that unpickles a contract reads the folder again."""


def _folder_named(folder: str | Path) -> Path:
    with read_errors(folder, ContractError, "specify a folder with contract files"):
        return Path(realpath(path_in("folder", folder)))


def known_contract(contract: Contract | None) -> Contract:
    """Returns the contract, or the built-in one for None. Raises `TypeError`."""
    if contract is None:
        return load_contract()
    if not isinstance(contract, Contract):
        use = "the contract that load_contract(folder) returns"
        if isinstance(contract, str | Path):
            use = f"load_contract({quoted(str(contract))})"
        raise TypeError(f"contract={quoted(contract)}: use {use}")
    return contract


def _narrowed(contract: Contract, values: KnownValues) -> Contract:
    """Returns a copy of the contract that generates only the values that a target knows."""
    flat = {message_type: values.narrowed(message_type, schema) for message_type, schema in contract.flat.items()}
    asked = {message_type: values.sites(message_type) for message_type in flat}
    sites = {
        message_type: [AskedSite(path, tuple(known)) for path, known in known_sites.items()]
        for message_type, known_sites in asked.items()
        if known_sites
    }
    known_values = replace(load_contract().ambiguity(KNOWN_VALUES), kind=UnknownValue, sites=sites)
    other_ambiguities = [
        _without_known_sites(ambiguity, asked) for ambiguity in contract.ambiguities if ambiguity.id != KNOWN_VALUES
    ]
    ambiguities = (*other_ambiguities, known_values)
    return replace(contract, flat=MappingProxyType(flat), ambiguities=ambiguities, values=values, original=contract)


def _without_known_sites(ambiguity: Ambiguity, known_sites: Mapping[str, Mapping[str, Any]]) -> Ambiguity:
    """Removes the sites with reference data, because a value that the target knows is not ambiguous."""
    if ambiguity.sites is None:
        return ambiguity
    remaining_sites = {
        name: [asked for asked in asked_sites if asked.path not in known_sites.get(name, ())]
        for name, asked_sites in ambiguity.sites.items()
    }
    sites = {name: paths for name, paths in remaining_sites.items() if paths or not ambiguity.sites[name]}
    return replace(ambiguity, sites=sites)
