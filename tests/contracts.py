import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from brokerfuzz.schemas import Contract, load_contract
from brokerfuzz.schemas.contract import DATA


def changed_contract(folder: Path, name: str, change: Callable[[dict[str, Any]], object]) -> Contract:
    """Copies a schema into the folder, changes it there, and loads the folder as a contract."""
    schema = json.loads((DATA / f"{name}.schema.json").read_bytes())
    change(schema)
    (folder / f"{name}.schema.json").write_text(json.dumps(schema))
    return load_contract(folder)
