"""Records the messages that Schemathesis and brokerfuzz send to a correct service.

A mutant counts as killed if it answers a message wrongly, even if Schemathesis would not report the wrong answer. Schemathesis must
be installed (`pip install '.[bench]'`).
"""

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.fleet.messages import OFFER
from benchmarks.fleet.recorder import PATH, recording
from brokerfuzz.schemas import load_contract


@dataclass(frozen=True)
class Sent:
    """`bodies` contains the sent offers in their order. `requests` is the number of all requests. `seconds` is the duration of the command."""

    bodies: list[bytes]
    requests: int
    seconds: float


def schemathesis(*options: str) -> Sent:
    """Runs `schemathesis run` with these options and a fixed seed."""
    with tempfile.TemporaryDirectory() as folder:
        document = Path(folder) / "openapi.json"
        document.write_text(json.dumps(_document()), encoding="utf-8")
        return _sent([sys.executable, "-m", "schemathesis.cli", "run", str(document), "--url", "{url}", "--seed", "1", *options], folder)


def brokerfuzz() -> Sent:
    with tempfile.TemporaryDirectory() as folder:
        return _sent([sys.executable, "-m", "brokerfuzz", "fire", "{url}" + PATH], folder)


def _sent(command: Sequence[str], folder: str) -> Sent:
    with recording() as recorder:
        started = time.perf_counter()
        done = subprocess.run([part.replace("{url}", recorder.url) for part in command], cwd=folder, capture_output=True, text=True, check=False)
        seconds = time.perf_counter() - started
        if not recorder.bodies:
            raise RuntimeError(f"{command[2]} sent nothing: {done.stdout[-500:]}{done.stderr[-500:]}")
        return Sent(recorder.bodies, recorder.requests, seconds)


def _document() -> dict[str, Any]:
    body = {"required": True, "content": {"application/json": {"schema": dict(load_contract().schemas[OFFER])}}}
    answers = {"200": {"description": "accepted"}, "400": {"description": "rejected"}, "405": {"description": "another method"}}
    operation = {"requestBody": body, "responses": answers}
    return {"openapi": "3.1.0", "info": {"title": "offers", "version": "1"}, "paths": {PATH: {"post": operation}}}
