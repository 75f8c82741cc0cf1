"""Writes a message as JSON, for reports and baselines."""

import json
from base64 import b64encode
from typing import Any

from brokerfuzz.cases.case import compact
from brokerfuzz.schemas.headers import Headers


def message_json(body: bytes, headers: Headers) -> dict[str, Any]:
    """If the message is compact JSON, the property `body` of the result contains the message. Otherwise, the property
    `raw` contains the bytes in base64.
    """
    others = {"headers": [list(header) for header in headers]} if headers else {}
    try:
        value = json.loads(body)
        if compact(value) == body:
            return {**others, "body": value}
    except (ValueError, TypeError, RecursionError):
        pass
    return {**others, "raw": b64encode(body).decode()}
