"""Runs a Python stack, which reads messages from its standard input."""

import os
import sys
from base64 import b64decode
from collections.abc import Callable
from datetime import UTC, datetime

LAX = os.environ.get("STACK_SETTING") == "lax"
"""If true, a stack uses the ordinary settings of its library instead of strict ones: it converts values of a wrong
type, ignores unknown properties, and checks neither bounds nor formats.
"""
Accepts = Callable[[bytes, datetime], bool]
"""The function returns True if the service accepts the message at the given time."""


def main(accepts: Accepts) -> None:
    """Reads a message in base64 from each line of standard input, and writes a line with `accepted` or `rejected` for
    each message.

    The environment variable STACK_NOW can set the current time of the service: for example, 2026-03-01T12:00:00Z.
    """
    for line in sys.stdin.buffer:
        print("accepted" if accepts(b64decode(line), now()) else "rejected", flush=True)


def now() -> datetime:
    fixed = os.environ.get("STACK_NOW")
    return datetime.fromisoformat(fixed) if fixed else datetime.now(UTC)
