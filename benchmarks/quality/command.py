import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from importlib import import_module
from itertools import islice
from pathlib import Path
from typing import Any

import brokerfuzz
from benchmarks.fleet.fleet import fleet
from benchmarks.fleet.messages import OFFER, Mutant, Reader
from benchmarks.quality import NOW, Figures, Value
from benchmarks.quality.examples import broken_rules, smallest_examples, variety
from benchmarks.quality.rates import rates
from brokerfuzz import MESSAGE_TYPES, Case, MessageType, catalogue, load_contract, messages

RANDOM_CASES = 3000
PRODUCTS: MessageType = "product-list-response"
SCHEMA = f"{PRODUCTS}.schema.json"
TEXT = {"type": ["string", "null"]}


def quality(arguments: Sequence[str]) -> str:
    parser = argparse.ArgumentParser(prog="python -m benchmarks quality", description="Measures brokerfuzz.")
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    parser.add_argument("--verbose", action="store_true", help="also print smallest examples that are not as expected")
    options = parser.parse_args(arguments)
    note: Callable[[str], None] = _note if options.verbose else lambda _: None
    figures: Figures = {}
    for part in (kills, variety, broken_rules, lambda: smallest_examples(note), labels, changed_lines, rates):
        started = time.process_time()
        measured = part()
        figures |= measured
        _note(f"measured in {time.process_time() - started:.0f} s: {', '.join(measured)}")
    return json.dumps(figures, indent=2) if options.json else _table(figures)


def _note(words: str) -> None:
    print(words, file=sys.stderr, flush=True)


def _table(figures: Figures) -> str:
    width = max(map(len, figures))
    return "\n".join(f"{name:<{width}}  {_words(values)}" for name, values in figures.items())


def _words(values: Mapping[str, Value]) -> str:
    return ", ".join(
        f"{name} {value:.3g}" if isinstance(value, float) else f"{name} {value:,}" for name, value in values.items()
    )


def kills() -> Figures:
    """Counts the services of the fleet that answer a message wrongly. Each service has one bug."""
    mutants = fleet(NOW)
    cases = list(catalogue(OFFER, now=NOW))
    of_random: dict[str, Value] = {
        f"seed {seed}:": _killed(
            mutants, islice(messages(OFFER, seed, verdicts=["valid", "invalid", "unspecified"], now=NOW), RANDOM_CASES)
        )
        for seed in (1, 2, 3)
    }
    return {
        "bugs killed by the catalogue": {"killed": _killed(mutants, cases), "of": len(mutants), "cases": len(cases)},
        f"bugs killed by {RANDOM_CASES:,} random cases": of_random,
    }


def _killed(mutants: Sequence[Mutant], cases: Iterable[Case]) -> int:
    reader = Reader(load_contract(), NOW)
    read = [reader(case.body) for case in cases]
    return sum(mutant.first_kill(read) is not None for mutant in mutants)


def labels() -> Figures:
    """Compares the labels of the catalogue with those of a judge that was written by hand from the contract."""
    judge = import_module("tests.second_judge").judge
    cases = [case for message_type in MESSAGE_TYPES for case in catalogue(message_type, now=NOW)]
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
    """Counts the lines of the corpus that disappear or appear when the contract changes (a changed line counts
    twice).
    """
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
