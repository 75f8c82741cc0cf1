"""Begins a contract: a copy of the built-in one."""

import shutil
from pathlib import Path

from brokerfuzz.errors import ContractError
from brokerfuzz.file_contents import write_errors
from brokerfuzz.schemas.contract import DATA
from brokerfuzz.schemas.contract_files import AMBIGUITIES, FILES, SEMANTICS

_README = "README.md"
_COPIED = (_README, *(name for name in FILES if name not in (SEMANTICS, AMBIGUITIES)))
"""Copies of the other files would only repeat the built-in entries."""


def new_contract(folder: Path) -> None:
    """Copies the built-in contract into an empty or new folder."""
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise ContractError(f"{folder} already exists and is not an empty folder: specify a new folder")
    with write_errors(folder, ContractError):
        folder.mkdir(parents=True, exist_ok=True)
        for name in _COPIED:
            shutil.copyfile(DATA / name, folder / name)
