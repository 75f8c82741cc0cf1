"""A reader as every kind of target. A message says what the reader does with it: accept, reject, crash or hang.

As a program, it reads one message from standard input, or one message per line (in base64) with the argument `lines`.
"""

import base64
import os
import sys
import time
from hashlib import sha256


def read(body: bytes) -> str:
    """Returns `accepted` or `rejected` with the hash of the message and a secret many times, or raises an exception."""
    if b"hang" in body:
        time.sleep(60)
    said = f"{sha256(body).hexdigest()[:16]} {os.environ.get('READER_SECRET', 'x') * 300}"
    if b"crash" in body:
        raise RuntimeError(said)
    return f"{'rejected' if b'reject' in body else 'accepted'}: {said}"


def response_to(body: bytes) -> tuple[int, bytes]:
    try:
        word, _, said = read(body).partition(": ")
        return (201 if word == "accepted" else 422), said.encode()
    except RuntimeError as problem:
        return 500, str(problem).encode()


if __name__ == "__main__":
    if sys.argv[1:] == ["lines"]:
        for line in sys.stdin.buffer:
            print(read(base64.b64decode(line)), flush=True)
    else:
        try:
            word, _, said = read(sys.stdin.buffer.read()).partition(": ")
        except RuntimeError as problem:
            print(problem, flush=True)
            os.abort()
        print(said, flush=True)
        sys.exit(0 if word == "accepted" else 2)
