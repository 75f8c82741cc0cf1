"""Writes a message as JSON into reports and baselines, and reads it again."""

import json
from base64 import b64decode, b64encode
from collections.abc import Mapping
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


def body_of(message: Mapping[str, Any]) -> bytes:
    """Returns the bytes of a message. The file may have been edited, so `raw` may not be base64, and `body` may be no
    value that `message_json` writes.
    """
    if "raw" in message:
        try:
            return b64decode(message["raw"])
        except ValueError:
            return str(message["raw"]).encode(errors="surrogatepass")
    try:
        return compact(message["body"])
    except TypeError:
        return json.dumps(message["body"], separators=(",", ":")).encode()
