"""Writes a message as JSON into reports and baselines, and reads it again."""

import json
from base64 import b64decode, b64encode
from collections.abc import Mapping
from typing import Any

from brokerfuzz.cases.case import compact


def message_json(body: bytes) -> dict[str, Any]:
    """If the message is compact JSON, the property `body` of the result contains the message. Otherwise, the property
    `raw` contains the bytes in base64.
    """
    try:
        value = json.loads(body)
        if compact(value) == body:
            return {"body": value}
    except (ValueError, TypeError, RecursionError):
        pass
    return {"raw": b64encode(body).decode()}


def body_of(message: Mapping[str, Any]) -> bytes:
    """Returns the bytes of a message."""
    if "raw" in message:
        return b64decode(message["raw"])
    try:
        return compact(message["body"])
    except TypeError:  # someone edited the file: `message_json` does not write such a value
        return json.dumps(message["body"], separators=(",", ":")).encode()
