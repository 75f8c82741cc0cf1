"""Counts the headlines of campaigns against services with one or two known bugs, and against lax services."""

import argparse
import os
import shutil
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from itertools import pairwise
from random import Random

from benchmarks.fleet.fleet import fleet
from benchmarks.fleet.messages import OFFER, Answer, Reader
from benchmarks.fleet.mutants import Mutant
from benchmarks.stacks.habits import STACKS
from brokerfuzz.campaign import Result, Settings, fire
from brokerfuzz.cases.plan import Plan
from brokerfuzz.option import completed
from brokerfuzz.options import FireOptions
from brokerfuzz.schemas import load_contract
from brokerfuzz.targets import LineTarget, Target
from brokerfuzz.targets.called_targets import FunctionTarget

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
SINGLE, PAIRS = 60, 20
MOST = 12
"""The maximum number of headlines of a lax service."""
HELD_OUT = ("msgspec", "attrs", "jsonschema_rs", "jackson")
"""The lax stacks of the held-out half."""


def headlines(arguments: Sequence[str]) -> str:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks headlines",
        description="Counts the headlines of campaigns against lax services, services with one bug, and with two.",
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
        is_installed = shutil.which(stack.command[0]) and all(path.exists() for path in stack.needs)
        if (stack.name in HELD_OUT) == is_held_out and is_installed:
            target = LineTarget([*stack.command, "--lines"], encoding="base64", processes=1, timeout=60)
            counts[stack.name] = _printed(stack.name, _fired(target), MOST)
    return "lax services: " + ", ".join(f"{name} {count}" for name, count in counts.items())


def _single(is_held_out: bool) -> str:
    chosen = _chosen()[:SINGLE][is_held_out::2]
    counts = [_printed(mutant.name, _fired(_target([mutant])), 1) for mutant in chosen]
    return (
        f"one bug: {len(counts)} services, one headline {counts.count(1)}, two {counts.count(2)}, "
        f"none {counts.count(0)}, more {sum(count > 2 for count in counts)}"
    )


def _pairs(is_held_out: bool) -> str:
    pairs = [*pairwise(_chosen()[SINGLE:])][::2][is_held_out::2]
    shared = sum(_shares_a_headline(pair) for pair in pairs)
    return f"two bugs: {len(pairs)} services, a headline of both {shared}"


_COUNTS: dict[str, Callable[[bool], str]] = {"lax": _lax, "single": _single, "pairs": _pairs}


def _chosen() -> Sequence[Mutant]:
    return Random(1).sample(fleet(NOW), SINGLE + 2 * PAIRS)


def _printed(name: str, result: Result, most: int) -> int:
    """Prints the headlines if there are too many, or none. Returns their number."""
    if not 1 <= len(result.headlines) <= most:
        texts = [f"{one.text} ({one.extent})"[:200] for one in result.headlines[:20]]
        print(f"{name}: {len(result.headlines)} headlines", *texts, sep="\n    ", flush=True)
    return len(result.headlines)


def _shares_a_headline(pair: Sequence[Mutant]) -> bool:
    """Returns whether one headline has findings of both bugs. A finding that shows both bugs counts as neither."""
    reader = Reader(load_contract(), NOW)
    for headline in _fired(_target(pair)).headlines:
        messages = [reader(finding.body) for finding in headline.findings]
        wrong = [{mutant.name for mutant in pair if one.contradicts(mutant.answer(one))} for one in messages]
        if len({name for names in wrong if len(names) == 1 for name in names}) > 1:
            print(" and ".join(mutant.name for mutant in pair), headline.sentence(), sep=": ", flush=True)
            return True
    return False


def _target(mutants: Sequence[Mutant]) -> FunctionTarget:
    """A service with the bugs of all these mutants."""
    reader = Reader(load_contract(), NOW)

    def accepts(body: bytes) -> bool:
        message = reader(body)
        answers: list[Answer] = [mutant.answer(message) for mutant in mutants]
        if answers[0] == "crashed":
            raise RuntimeError("a bug")
        if answers[-1] == "crashed" and not message.contradicts(answers[0]):
            raise RuntimeError("a bug")  # at a line of its own, as another bug would be
        return next((answer for answer in answers if message.contradicts(answer)), answers[-1]) == "accepted"

    return FunctionTarget(accepts)


def _fired(target: Target) -> Result:
    return fire(Settings(plan=Plan(message_type=OFFER, now=NOW), options=completed(FireOptions, {"now": NOW})), target)
