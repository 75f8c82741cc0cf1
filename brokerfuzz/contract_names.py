"""The names of message types and verdicts. Some modules need these names before they import the contract."""

import json
from pathlib import Path
from typing import Literal, get_args

MessageType = str
"""The name of a message type of a contract, such as `offer-creation-request`."""

MANIFEST = "messages.json"
"""The file of a contract that lists its message types."""

MESSAGE_TYPES: tuple[MessageType, ...] = tuple(
    json.loads((Path(__file__).parent / "schemas" / MANIFEST).read_text(encoding="utf-8"))
)
"""The message types of the built-in contract."""

Label = Literal["valid", "invalid", "unspecified"]
LABELS: tuple[Label, ...] = get_args(Label)
