"""The generators of other tools. Each generator gets the schema of the offer and generates valid messages with its
default settings.

Schemathesis reads the original schema. The other generators get a schema with the same meaning, but without references
and with `if` and `then` under `allOf`. The reason is that json-schema-faker generates only invalid offers from the
original schema. polyfactory reads types (see `models`). hypothesis-jsonschema is patched to work with current
Hypothesis (see `benchmarks.peers`).
"""

# pyright: reportMissingImports=false
# (Other generators are installed only with the extra `bench`.)

import json
import random
import shutil
import subprocess
from collections.abc import Callable
from copy import deepcopy
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from hypothesis.strategies import SearchStrategy

from benchmarks import peers
from benchmarks.drawing import examples
from benchmarks.generators.generator import Generator, Made, clocked, written
from benchmarks.generators.messages import OFFER
from brokerfuzz.schemas import load_contract

NODE = Path(__file__).parents[1] / "node"
FAKER = NODE / "node_modules" / "json-schema-faker"

IN_PYTHON = "pip install '.[bench]'"
IN_NODE = "npm ci --prefix benchmarks/node"

Make = Callable[[int], Made]


def theirs() -> tuple[list[Generator], list[str]]:
    """Returns the generators of other tools that are installed. For each other generator, returns a line that says how
    to install it.
    """
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
            missing.append(f"{name} is not included ({problem}). To install it: {how}")
    return found, missing


def hypothesis_jsonschema() -> Make:
    return _drawn(peers.from_schema())


def schemathesis() -> Make:
    """Generates the bodies that Schemathesis considers valid, for an HTTP operation that receives an offer."""
    return _drawn(peers.schemathesis().map(lambda case: case.body))


def _drawn(strategy: SearchStrategy[Any]) -> Make:
    return clocked(lambda count: list(map(written, examples(strategy, count))))


def jsf() -> Make:
    from jsf import JSF

    maker = JSF(_schema())

    def make(count: int) -> list[bytes]:
        random.seed(1)
        return [written(maker.generate()) for _ in range(count)]

    return clocked(make)


def polyfactory() -> Make:
    from polyfactory.factories.pydantic_factory import ModelFactory

    from benchmarks.generators.models import model

    factory: Any = ModelFactory.create_factory(model("Offer", _schema()))

    def make(count: int) -> list[bytes]:
        factory.seed_random(1)
        return [factory.build().model_dump_json().encode() for _ in range(count)]

    return clocked(make)


def json_schema_faker() -> Make:
    """Raises `ImportError` if Node or json-schema-faker is not installed."""
    if not shutil.which("node"):
        raise ImportError("Node is not installed")
    if not FAKER.exists():
        raise ImportError("No package named 'json-schema-faker'")
    return _faked


def _faked(count: int) -> Made:
    """The measured seconds do not include the start of Node or the transfer of the messages."""
    order = json.dumps({"schema": _schema(), "count": count})
    done = subprocess.run(
        ["node", "faker.mjs"], cwd=NODE, input=order, capture_output=True, encoding="utf-8", check=True
    )
    answer = json.loads(done.stdout)
    return Made([text.encode() for text in answer["messages"]], answer["seconds"])


def versions() -> str:
    found = {
        name: _version(name)
        for name in ("hypothesis", "hypothesis-jsonschema", "schemathesis", "jsf", "polyfactory", "orjson")
    }
    if FAKER.exists():
        found["json-schema-faker"] = json.loads((FAKER / "package.json").read_text(encoding="utf-8"))["version"]
    return ", ".join(f"{name} {number}" for name, number in found.items() if number)


def _version(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None


def _schema() -> dict[str, Any]:
    return deepcopy(load_contract().flat[OFFER])
