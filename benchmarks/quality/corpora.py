"""Measures the labels of the catalogue, and how many lines of the default corpus change with the contract."""

import json
import subprocess
import sys
import tempfile
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import brokerfuzz
from benchmarks.quality.figures import Figures, Value
from benchmarks.quality.kills import NOW
from brokerfuzz import MESSAGE_TYPES, MessageType, catalogue

PRODUCTS: MessageType = "product-list-response"
SCHEMA = f"{PRODUCTS}.schema.json"
TEXT = {"type": ["string", "null"]}


def labels() -> Figures:
    """Compares the labels with those of a judge that was written by hand from the contract. This judge sees only bytes,
    so cases with headers are omitted.
    """
    judge = import_module("tests.second_judge").judge
    cases = [case for message_type in MESSAGE_TYPES for case in catalogue(message_type, now=NOW) if not case.headers]
    others = sum(judge(case.message_type, case.body, NOW).label != case.label for case in cases)
    return {"labels of the catalogue": {"second judge disagrees with": others, "of": len(cases)}}


Record = dict[str, Any]
"""The schema of one record in a product list response."""


def add_optional(record: Record) -> None:
    record["properties"]["color"] = TEXT


def add_required(record: Record) -> None:
    record["properties"]["color"] = TEXT
    record["required"].append("color")


def rename(record: Record) -> None:
    record["properties"]["owner"] = record["properties"].pop("productOwner")


def add_bound(record: Record) -> None:
    record["properties"]["productNumber"]["maxLength"] = 20


CHANGES: dict[str, Callable[[Record], None]] = {
    "optional property": add_optional,
    "required property": add_required,
    "new name": rename,
    "new bound": add_bound,
}


def changed_lines() -> Figures:
    """Counts the lines that disappear from the corpus or appear in it (a changed line counts twice)."""
    before = _corpus(lambda _: None)
    counts: dict[str, Value] = {name: len(before ^ _corpus(change)) for name, change in CHANGES.items()}
    return {f"corpus lines changed, of {len(before):,}": counts}


def _corpus(change: Callable[[Record], None]) -> set[str]:
    """Returns the lines of the corpus for a contract with this change."""
    schema = json.loads((Path(brokerfuzz.__file__).parent / "schemas" / SCHEMA).read_bytes())
    change(schema["properties"]["data"]["items"])
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / SCHEMA).write_text(json.dumps(schema), encoding="utf-8")
        command = [sys.executable, "-m", "brokerfuzz", "export", "-", "--message", PRODUCTS, "--contract", folder]
        return set(subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines())
