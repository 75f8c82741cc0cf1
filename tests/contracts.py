import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

from brokerfuzz.schemas import Contract, load_contract
from brokerfuzz.schemas.contract import DATA

ORDER: Final = "order"


def changed_contract(folder: Path, name: str, change: Callable[[dict[str, Any]], object]) -> Contract:
    """Copies a schema into the folder, changes it there, and loads the folder as a contract."""
    schema = json.loads((DATA / f"{name}.schema.json").read_bytes())
    change(schema)
    (folder / f"{name}.schema.json").write_text(json.dumps(schema))
    return load_contract(folder)


def own_contract(folder: Path, schema: Mapping[str, Any], **manifest: Any) -> Contract:
    """Writes a contract with one message type, `order`, into the folder. Such a contract has a small catalogue."""
    folder.mkdir(exist_ok=True)
    entry = {"direction": "request", "route": "POST /orders", **manifest}
    (folder / "messages.json").write_text(json.dumps({ORDER: entry}))
    (folder / f"{ORDER}.schema.json").write_text(json.dumps(schema))
    return load_contract(folder)


def with_properties(**properties: Any) -> dict[str, Any]:
    """Returns the schema of an object with required properties."""
    return {"type": "object", "properties": properties, "required": list(properties)}
