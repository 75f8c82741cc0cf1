"""Hooks for the example broker: a token that expires after a minute, and a signature of method and body."""

import hmac
import json
import os
import urllib.request

from brokerfuzz.hooks import Request

BROKER_URL = os.environ.get("BROKER_URL", "http://127.0.0.1:8000")
BROKER_KEY = os.environ.get("BROKER_KEY", "example key").encode()


def authenticate() -> dict[str, str]:
    with urllib.request.urlopen(f"{BROKER_URL}/tokens", data=b"", timeout=5) as response:
        return {"Authorization": f"Bearer {json.load(response)['token']}"}


def before_request(request: Request) -> Request:
    signed = request.method.encode() + b" " + request.body
    return request.with_header("X-Signature", hmac.new(BROKER_KEY, signed, "sha256").hexdigest())
