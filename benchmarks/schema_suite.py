"""`python -m benchmarks schema-suite FOLDER` uses each schema of the JSON Schema Test Suite as a contract whose only
property has this schema, and reports how many contracts brokerfuzz carries through.

FOLDER is a clone of https://github.com/json-schema-org/JSON-Schema-Test-Suite. The tests of `format` are those in
`optional/format`, because brokerfuzz checks formats.
"""

import argparse
import json
import signal
import tempfile
import traceback
import warnings
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from types import FrameType
from typing import Any, NamedTuple

from brokerfuzz import Contract, check, load_contract, messages
from brokerfuzz.errors import BrokerfuzzError
from brokerfuzz.explaining.contract_changes import changes

MESSAGE = "suite-request"
SECONDS = 20
CARRIED, PARTLY, REFUSED, CONTRADICTED, CRASHED = "carried through", "partly", "refused", "contradicted", "crashed"
_ANNOTATIONS = "format.json"
"""In these tests, a format never makes a value invalid."""


class Result(NamedTuple):
    kind: str
    name: str
    why: str = ""


def schema_suite(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks schema-suite", description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--only", default="", metavar="TEXT", help="Use only schemas whose names contain TEXT.")
    parser.add_argument("--json", action="store_true", help="Print one JSON document per schema.")
    options = parser.parse_args(arguments)
    warnings.simplefilter("ignore")
    signal.signal(signal.SIGALRM, _stop)
    counts: Counter[str] = Counter()
    for name, group in _groups(options.folder):
        if options.only in name:
            result = _result(name, group)
            counts[result.kind] += 1
            if options.json:
                print(json.dumps(result._asdict()), flush=True)
            elif result.kind != CARRIED:
                print(f"{result.kind}: {result.name}: {result.why}", flush=True)
    print(", ".join(f"{count} {kind}" for kind, count in counts.most_common()))
    return 1 if counts[CONTRADICTED] or counts[CRASHED] else 0


def _groups(folder: Path) -> Iterator[tuple[str, Any]]:
    tests = folder / "tests" / "draft2020-12"
    for path in (*sorted(tests.glob("*.json")), *sorted((tests / "optional" / "format").glob("*.json"))):
        if path.name != _ANNOTATIONS:
            for group in json.loads(path.read_bytes()):
                yield f"{path.stem}: {group['description']}", group


def _result(name: str, group: Any) -> Result:
    signal.alarm(SECONDS)
    try:
        with tempfile.TemporaryDirectory() as folder:
            contract = _contract(Path(folder), group["schema"])
            return _used(contract, name, group["tests"])
    except BrokerfuzzError as problem:
        kind = CRASHED if "\n" in str(problem) else REFUSED
        return Result(kind, name, str(problem))
    except Exception:
        return Result(CRASHED, name, traceback.format_exc())
    finally:
        signal.alarm(0)


def _stop(number: int, frame: FrameType | None) -> None:
    raise TimeoutError(f"not finished after {SECONDS} s")


def _contract(folder: Path, schema: Any) -> Contract:
    message = {"type": "object", "required": ["value"], "properties": {"value": {"$ref": "suite.schema.json"}}}
    written = {
        "messages.json": {MESSAGE: {"direction": "request", "route": "POST /"}},
        f"{MESSAGE}.schema.json": message,
        "suite.schema.json": schema if isinstance(schema, dict) else {} if schema else {"not": {}},
        "ambiguities.json": [{"id": ambiguity.id, "sites": {}} for ambiguity in load_contract().ambiguities],
    }
    for name, content in written.items():
        (folder / name).write_text(json.dumps(content), encoding="utf-8")
    return load_contract(folder)


def _used(contract: Contract, name: str, tests: Any) -> Result:
    for test in tests:
        expected = "valid" if test["valid"] else "invalid"
        label = check(MESSAGE, json.dumps({"value": test["data"]}).encode(), contract=contract).label
        if label not in (expected, "unspecified"):
            return Result(CONTRADICTED, name, f"{test['description']}: {label} instead of {expected}")
    for message in islice(messages(MESSAGE, 0, contract=contract), 20):
        if check(MESSAGE, message, contract=contract).label != "valid":
            return Result(CONTRADICTED, name, f"not valid: {message}")
    problem = changes(contract)[0].data["messages"][MESSAGE]["problem"]
    return Result(PARTLY, name, problem) if problem else Result(CARRIED, name)
