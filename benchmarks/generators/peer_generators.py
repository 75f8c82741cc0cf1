"""What people use today. Each is given the offer schema, asked for valid messages, and left at its defaults.

Schemathesis reads the schema as it is written. The others that read schemas get the flat one, which says the same with its condition under `allOf`:
of the written one json-schema-faker makes nothing but offers of the type Product List, all of them invalid. polyfactory reads types: see `models`.
hypothesis-jsonschema gets a method of Hypothesis back that it calls: see `brokerfuzz.decoder.unsupported_keywords`.
"""

# pyright: reportMissingImports=false
# (Peers are there only where the benchmark was asked for.)

import json
import random
import shutil
import subprocess
from collections.abc import Callable
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from benchmarks import peers
from benchmarks.generators.drawing import drawn
from benchmarks.generators.generator import Generator, Made, clocked, written
from benchmarks.generators.messages import OFFER
from brokerfuzz.schemas import load_contract

NODE = Path(__file__).parents[1] / "node"
FAKER = NODE / "node_modules" / "json-schema-faker"
"""Where npm puts it."""

IN_PYTHON = "pip install '.[bench]'"
IN_NODE = "npm ci --prefix benchmarks/node"

Make = Callable[[int], Made]


def theirs() -> tuple[list[Generator], list[str]]:
    """The peers that are installed, and a line for each that is not, with how to get it."""
    known: list[tuple[str, Callable[[], Make], str]] = [
        ("hypothesis-jsonschema", hypothesis_jsonschema, IN_PYTHON),
        ("Schemathesis", schemathesis, IN_PYTHON),
        ("jsf", jsf, IN_PYTHON),
        ("polyfactory", polyfactory, IN_PYTHON),
        ("json-schema-faker", json_schema_faker, IN_NODE),
    ]
    found, missing = [], []
    for name, load, how in known:
        try:
            found.append(Generator(name, load()))
        except ImportError as problem:
            missing.append(f"{name} is left out ({problem}): {how}")
    return found, missing


def hypothesis_jsonschema() -> Make:
    """Examples of `from_schema`."""
    return clocked(partial(drawn, peers.from_schema(), patient=True))


def schemathesis() -> Make:
    """Bodies of the positive cases of an operation that takes an offer."""
    return clocked(partial(drawn, peers.schemathesis().map(lambda case: case.body), patient=True))


def jsf() -> Make:
    """One `JSF`, asked again and again."""
    from jsf import JSF

    maker = JSF(_schema())

    def make(count: int) -> list[bytes]:
        random.seed(1)
        return [written(maker.generate()) for _ in range(count)]

    return clocked(make)


def polyfactory() -> Make:
    """A factory of Pydantic models."""
    from polyfactory.factories.pydantic_factory import ModelFactory

    from benchmarks.generators.models import model

    factory: Any = ModelFactory.create_factory(model("Offer", _schema()))

    def make(count: int) -> list[bytes]:
        factory.seed_random(1)
        return [factory.build().model_dump_json().encode() for _ in range(count)]

    return clocked(make)


def json_schema_faker() -> Make:
    """json-schema-faker in a process of Node."""
    if not shutil.which("node"):
        raise ImportError("there is no node")
    if not FAKER.exists():
        raise ImportError("No package named 'json-schema-faker'")
    return _faked


def _faked(count: int) -> Made:
    """Node's start and the way out of it are not timed."""
    order = json.dumps({"schema": _schema(), "count": count})
    done = subprocess.run(["node", "faker.mjs"], cwd=NODE, input=order, capture_output=True, encoding="utf-8", check=True)
    answer = json.loads(done.stdout)
    return Made([text.encode() for text in answer["messages"]], answer["seconds"])


def versions() -> str:
    """Of the peers that are there."""
    found = {name: _version(name) for name in ("hypothesis", "hypothesis-jsonschema", "schemathesis", "jsf", "polyfactory", "orjson")}
    if FAKER.exists():
        found["json-schema-faker"] = json.loads((FAKER / "package.json").read_text(encoding="utf-8"))["version"]
    return ", ".join(f"{name} {number}" for name, number in found.items() if number)


def _version(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None


def _schema() -> dict[str, Any]:
    return dict(load_contract().flat[OFFER])
