"""Counts the headlines of campaigns against services with one known bug, and against lax services."""

import argparse
import os
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from random import Random

from benchmarks.fleet.fleet import fleet
from benchmarks.fleet.messages import OFFER, Mutant, Reader
from benchmarks.stacks.habits import STACKS
from brokerfuzz.campaign import Result, Settings, run_campaign
from brokerfuzz.cases.plan import Plan
from brokerfuzz.option import completed
from brokerfuzz.options import FireOptions
from brokerfuzz.schemas import load_contract
from brokerfuzz.targets import LineTarget, Target
from brokerfuzz.targets.called_targets import FunctionTarget

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
SINGLE = 60
MOST = 12
"""The maximum number of headlines of a lax service."""
HELD_OUT = ("msgspec", "attrs", "jsonschema_rs", "jackson")
"""The lax stacks of the held-out half."""


def headlines(arguments: Sequence[str]) -> str:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks headlines",
        description="Counts the headlines of campaigns against lax services and services with one bug.",
    )
    parser.add_argument("half", choices=("tuned", "held-out"), help="half of the services")
    parser.add_argument("--only", choices=_COUNTS, help="only these services")
    chosen = parser.parse_args(arguments)
    is_held_out = chosen.half == "held-out"
    return "\n".join(count(is_held_out) for name, count in _COUNTS.items() if chosen.only in (None, name))


def _lax(is_held_out: bool) -> str:
    os.environ.update(STACK_NOW=NOW.isoformat(), STACK_SETTING="lax")
    counts = {}
    for stack in STACKS:
        if (stack.name in HELD_OUT) == is_held_out and stack.is_installed:
            target = LineTarget([*stack.command], encoding="base64", processes=1, timeout=60)
            counts[stack.name] = _printed(stack.name, _fired(target), MOST)
    return "lax services: " + ", ".join(f"{name} {count}" for name, count in counts.items())


def _single(is_held_out: bool) -> str:
    chosen = Random(1).sample(fleet(NOW), SINGLE)[is_held_out::2]
    counts = [_printed(mutant.name, _fired(_target(mutant)), 1) for mutant in chosen]
    return (
        f"one bug: {len(counts)} services, one headline {counts.count(1)}, two {counts.count(2)}, "
        f"none {counts.count(0)}, more {sum(count > 2 for count in counts)}"
    )


_COUNTS: dict[str, Callable[[bool], str]] = {"lax": _lax, "single": _single}


def _printed(name: str, result: Result, most: int) -> int:
    """Prints the headlines if there are too many, or none. Returns their number."""
    if not 1 <= len(result.findings) <= most:
        texts = [finding.sentence()[:200] for finding in result.findings[:20]]
        print(f"{name}: {len(result.findings)} findings", *texts, sep="\n    ", flush=True)
    return len(result.findings)


def _target(mutant: Mutant) -> FunctionTarget:
    reader = Reader(load_contract(), NOW)

    def accepts(body: bytes) -> bool:
        answer = mutant.answer(reader(body))
        if answer == "crashed":
            raise RuntimeError("a bug")
        return answer == "accepted"

    return FunctionTarget(accepts)


def _fired(target: Target) -> Result:
    return run_campaign(
        Settings(plan=Plan(message_type=OFFER, now=NOW), options=completed(FireOptions, {"now": NOW})), target
    )
