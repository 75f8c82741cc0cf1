"""Second opinions: five JSON Schema validators, in two languages, check the same values."""

import json
import os
import shutil
import subprocess
from collections.abc import Callable, Sequence
from copy import deepcopy
from functools import cache
from pathlib import Path
from typing import Any

import fastjsonschema
import jsonschema
import jsonschema_rs
import pytest
from referencing import Registry, Resource

import brokerfuzz.schemas
from brokerfuzz.schemas import MessageType, load_contract

SCHEMAS = Path(brokerfuzz.schemas.__file__).parent
NODE = Path(__file__).parent / "node"


def agree(message_type: MessageType, values: Sequence[Any]) -> list[dict[str, bool]]:
    """For each value, maps the name of each validator to True if the validator accepts the value.

    JavaScript has only one type of number, so 1.0 and integers beyond 2**53 change there. If Node or its packages are
    missing, skips the test. In CI, fails the test instead.
    """
    in_javascript = _in_node(message_type, values)
    in_python = _in_python(message_type)
    return [
        {name: judge(value) for name, judge in in_python.items()} | verdicts
        for value, verdicts in zip(values, in_javascript, strict=True)
    ]


@cache
def _in_python(message_type: MessageType) -> dict[str, Callable[[Any], bool]]:
    schemas = {
        name: deepcopy(schema) for name, schema in load_contract().schemas.items()
    }  # jsonschema-rs rejects read-only ones
    schema = schemas[message_type]
    resources = [(other["$id"], Resource.from_contents(other)) for other in schemas.values()]
    by_id = {other["$id"]: other for other in schemas.values()}
    fast = fastjsonschema.compile(schema, handlers={"https": by_id.__getitem__}, use_default=False)
    rust = jsonschema_rs.Draft202012Validator(schema, registry=jsonschema_rs.Registry([*by_id.items()]))
    return {
        "jsonschema-rs": rust.is_valid,
        "jsonschema": jsonschema.Draft202012Validator(schema, registry=Registry().with_resources(resources)).is_valid,
        "fastjsonschema": lambda value: _passes(fast, value),
    }


def _passes(judge: Callable[[Any], Any], value: Any) -> bool:
    try:
        judge(value)
    except fastjsonschema.JsonSchemaValueException:
        return False
    return True


def _in_node(message_type: MessageType, values: Sequence[Any]) -> list[dict[str, bool]]:
    lines = "".join(json.dumps({"message": message_type, "body": value}, allow_nan=False) + "\n" for value in values)
    return [json.loads(line) for line in said_by_node(NODE / "validate.mjs", SCHEMAS, text=lines).splitlines()]


def said_by_node(*arguments: object, text: str = "") -> str:
    """Runs Node. If it or its packages are missing, skips the test, or fails it in CI."""
    node = shutil.which("node")
    if not node or not (NODE / "node_modules").is_dir():
        reason = "no second opinions from JavaScript: install Node, and run `npm ci` in tests/node"
        (pytest.fail if os.environ.get("CI") == "true" else pytest.skip)(reason)
    command = [str(node), *map(str, arguments)]
    run = subprocess.run(command, input=text, capture_output=True, encoding="utf-8", timeout=300, check=False)
    assert (run.returncode, run.stderr) == (0, "")
    return run.stdout
