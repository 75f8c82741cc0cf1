"""Compares generators of offers: their speed, their share of invalid messages, and their variety.

Each tool gets the schema of the offer and generates valid messages with its default settings. Schemathesis reads the
original schema. The others get a schema with the same meaning, but without references and with `if` and `then` under
`allOf`, because json-schema-faker generates only invalid offers from the original schema.
"""

# pyright: reportMissingImports=false
# (Other generators are installed only with the extra `bench`.)

import argparse
import json
import platform
import random
import shutil
import subprocess
import time
from collections.abc import Callable, Sequence
from copy import deepcopy
from datetime import UTC, datetime
from importlib.metadata import version
from itertools import islice
from pathlib import Path
from statistics import median
from typing import Any

from hypothesis.strategies import SearchStrategy

from benchmarks.drawing import examples, hypothesis_jsonschema, schemathesis
from benchmarks.fleet.messages import ABSENT, OFFER, Reader
from benchmarks.fleet.plain_messages import written
from brokerfuzz import load_contract, messages
from brokerfuzz.strategies import offer_requests

NOW = datetime(2026, 1, 1, tzinfo=UTC)
NODE = Path(__file__).parent / "node"
LEAST, MOST = 10, 100_000
"""The limits of the number of messages in a round, because the generators keep the messages in memory."""
ROUNDS = 5

Generator = Callable[[int], tuple[list[bytes], float]]
"""Returns so many messages, and the seconds that they took. Each call returns the same messages."""


def generators(arguments: Sequence[str]) -> str:
    parser = argparse.ArgumentParser(prog="python -m benchmarks generators", description="Compares generators.")
    parser.add_argument("--sample", type=int, default=1000, help="messages to judge (default: %(default)s)")
    parser.add_argument("--seconds", type=float, default=3.0, help="duration of a round (default: %(default)s)")
    options = parser.parse_args(arguments)
    found, missing = _installed()
    samples = {name: generate(options.sample) for name, generate in found.items()}
    rates = _rates(found, {name: len(bodies) / took for name, (bodies, took) in samples.items()}, options.seconds)
    rows = [
        ["generator", "messages/s", "invalid", "distinct", "sites reached"],
        ["---", *["--:"] * 4],
        *([name, f"{rates[name]:,.3g}", *scores(bodies)] for name, (bodies, _) in samples.items()),
    ]
    tools = ", ".join(f"{name} {version(name)}" for name in ("hypothesis", "hypothesis-jsonschema", "jsonschema-rs"))
    return "\n".join(
        [*(f"| {' | '.join(row)} |" for row in rows), "", f"Python {platform.python_version()}, {tools}", *missing]
    )


def _installed() -> tuple[dict[str, Generator], list[str]]:
    """Returns the generators that are installed, and for each other one a line that says how to install it."""
    found, missing = {}, []
    for name, load in {
        "brokerfuzz `messages()`": lambda: _clocked(lambda count: list(islice(messages(OFFER, 1), count))),
        "brokerfuzz `offer_requests()`": lambda: _drawn(offer_requests()),
        "hypothesis-jsonschema": lambda: _drawn(hypothesis_jsonschema()),
        "Schemathesis": lambda: _drawn(schemathesis()),
        "jsf": _jsf,
        "json-schema-faker": _json_schema_faker,
    }.items():
        try:
            found[name] = load()
        except ImportError as problem:
            how = f"npm ci --prefix {NODE}" if name == "json-schema-faker" else "pip install '.[bench]'"
            missing.append(f"{name} is not included ({problem}). To install it: {how}")
    return found, missing


def _clocked(generate: Callable[[int], list[Any]]) -> Generator:
    def timed(count: int) -> tuple[list[bytes], float]:
        started = time.perf_counter()
        bodies = [written(message) for message in generate(count)]
        return bodies, time.perf_counter() - started

    return timed


def _drawn(strategy: SearchStrategy[Any]) -> Generator:
    return _clocked(lambda count: examples(strategy, count))


def _jsf() -> Generator:
    from jsf import JSF

    maker = JSF(_schema())

    def generate(count: int) -> list[Any]:
        random.seed(1)
        return [maker.generate() for _ in range(count)]

    return _clocked(generate)


def _json_schema_faker() -> Generator:
    if not shutil.which("node") or not (NODE / "node_modules").exists():
        raise ImportError("Node or the package json-schema-faker is missing")
    return _faked


def _faked(count: int) -> tuple[list[bytes], float]:
    """The seconds do not include the start of Node or the transfer of the messages."""
    order = json.dumps({"schema": _schema(), "count": count}).encode()
    done = subprocess.run(["node", "faker.mjs"], cwd=NODE, input=order, capture_output=True, check=True)
    answer = json.loads(done.stdout)
    return [text.encode() for text in answer["messages"]], answer["seconds"]


def _schema() -> dict[str, Any]:
    return deepcopy(load_contract().flat[OFFER])


def _rates(found: dict[str, Generator], expected: dict[str, float], seconds: float) -> dict[str, float]:
    """The generators take turns, so that a change in the speed of the machine affects all generators equally."""
    rates: dict[str, list[float]] = {name: [] for name in found}
    for _ in range(ROUNDS):
        for name, generate in found.items():
            bodies, took = generate(round(min(max(seconds * expected[name], LEAST), MOST)))
            rates[name].append(len(bodies) / took)
    return {name: median(of) for name, of in rates.items()}


def scores(bodies: Sequence[bytes]) -> list[str]:
    """Returns the share of invalid messages, that of distinct messages, and the number of sites that have a value other
    than null in at least one message.
    """
    read = list(map(Reader(load_contract(), NOW), bodies))
    sites = load_contract().sites[OFFER]
    reached = sum(any(value not in (None, ABSENT) for one in read for value in one.values(path)) for path in sites)
    invalid = sum(one.label == "invalid" for one in read) / len(read)
    return [_percent(invalid), _percent(len(set(bodies)) / len(bodies)), f"{reached} of {len(sites)}"]


def _percent(share: float) -> str:
    """Returns 0 % or 100 % only if the share is exactly 0 or 1."""
    return f"{100 * share:.0f} %" if share in (0, 1) else f"{min(max(100 * share, 0.1), 99.9):.1f} %"
