"""Reads messages from `brokerfuzz fire --exec 'python reader.py' --lines frames`, and answers each with one line."""

import json
import struct
import sys


def answer(body: bytes) -> str:
    """Replace this function with the code that you test."""
    try:
        json.loads(body)
    except ValueError as error:
        return f"rejected: {error}"
    return "accepted"


while head := sys.stdin.buffer.read(4):
    (length,) = struct.unpack(">I", head)
    print(answer(sys.stdin.buffer.read(length)), flush=True)
