"""A contract changed in one schema."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from brokerfuzz.schemas import Contract, load_contract
from brokerfuzz.schemas.contract import DATA

Change = Callable[[dict[str, Any]], None]


@pytest.fixture
def changed_contract(tmp_path: Path) -> Callable[[str, Change], Contract]:
    """Copies a schema into a folder, changes it there, and loads the folder as a contract."""

    def change_one(name: str, change: Change) -> Contract:
        schema = json.loads((DATA / f"{name}.schema.json").read_bytes())
        change(schema)
        (tmp_path / f"{name}.schema.json").write_text(json.dumps(schema))
        return load_contract(tmp_path)

    return change_one
