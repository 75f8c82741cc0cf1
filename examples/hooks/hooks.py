"""An example of all hooks of brokerfuzz: `brokerfuzz fire $BROKER_URL/offers --hooks hooks.py`.

Keep only the hooks that your service needs, and delete the others. The tests of brokerfuzz run this file.
"""

import hashlib
import hmac
import os
import urllib.request
from pathlib import Path

from brokerfuzz.hooks import Answer, AnswerKind, Request, SentCase

BROKER_URL = os.environ["BROKER_URL"]
BROKER_KEY = os.environ["BROKER_KEY"].encode()


def authenticate() -> dict[str, str]:
    """brokerfuzz calls this function before the first message, and again after a status 401."""
    with urllib.request.urlopen(f"{BROKER_URL}/tokens", data=b"", timeout=5) as response:
        return {"Authorization": f"Bearer {response.read().decode()}"}


def before_request(request: Request) -> Request:
    """Signs the body."""
    return request.with_header("X-Signature", hmac.new(BROKER_KEY, request.body, hashlib.sha256).hexdigest())


def classify(answer: Answer) -> AnswerKind | None:
    """This service uses the status 299 for rejections. None means that brokerfuzz interprets the answer as usual."""
    return "rejected" if answer.status == 299 else None


def after_answer(case: SentCase, answer: Answer) -> None:
    """Writes a log of all answers."""
    with Path("answers.txt").open("a") as file:
        file.write(f"{case.id} {answer.kind}\n")
