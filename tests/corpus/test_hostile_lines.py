"""Lines of the greatest length exhaust neither the memory nor the terminal."""

import json
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from fixture_types import Run

from brokerfuzz.corpus.bundled_corpus import DATA
from brokerfuzz.corpus.reading import LONGEST_LINE

RECORD: dict[str, Any] = {
    "id": "0" * 16, "message": "offer-creation-request", "verdict": "invalid", "faults": [], "ambiguities": [],
    "tags": [], "twin": None,
}  # fmt: skip


def line_of(change: Mapping[str, Any], filling: str = "") -> bytes:
    """Returns a record with changed properties. `filling` is repeated in place of `@@` until the line has its maximum
    length.
    """
    text = json.dumps({**RECORD, **change}, separators=(",", ":")).replace('"@@"', "@@")
    return text.replace("@@", ",".join([filling] * ((LONGEST_LINE - len(text)) // (len(filling) + 1)))).encode()


HOSTILE: dict[str, Callable[[], bytes]] = {
    "objects": lambda: line_of({"body": ["@@"]}, '{"a":0}'),
    "errors": lambda: line_of({"message": "product-list-response", "body": {"data": ["@@"]}}, "{}"),
    "a name": lambda: line_of({"message": "x" * (LONGEST_LINE - 1000), "body": {}}),
}
_MEASURED = """
import resource, subprocess, sys
done = subprocess.run([sys.executable, "-m", "brokerfuzz", "corpus", *sys.argv[1:]], capture_output=True)
most = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * (1 if sys.platform == "darwin" else 1024)
print(most, done.returncode, len(done.stdout + done.stderr))
"""


@pytest.mark.skipif(sys.platform == "win32", reason="there is no module resource")
@pytest.mark.parametrize("kind", HOSTILE)
@pytest.mark.every(2)
def test_no_line_exhausts_the_memory(tmp_path: Path, environment: Mapping[str, str], kind: str) -> None:
    line = HOSTILE[kind]()
    assert len(line) < LONGEST_LINE
    (tmp_path / "a").write_bytes(line)
    args = [sys.executable, "-c", _MEASURED, "verify", str(tmp_path / "a")]
    done = subprocess.run(args, capture_output=True, text=True, check=True, env=environment)
    most, status, size = map(int, done.stdout.split())
    assert most < 1 << 29
    assert status == 1
    assert size < 2000


LONG = "x\0\n" * 200_000
LONG_STRINGS: dict[str, dict[str, Any]] = {
    "id": {"id": LONG},
    "verdict": {"verdict": LONG},
    "place": {"faults": [{"rule": "a", "at": LONG, "technique": "a"}]},
    "tags": {"tags": LONG},
    "time": {"tags": [f"now:{LONG}"], "verdict": "valid"},
    "twin": {"twin": LONG},
    "message itself": {"body": LONG},
    "string in the message": {"body": {"offerType": LONG}},
    "property of the record": {LONG: 1, "verdict": "valid"},
}


@pytest.mark.every(4)
@pytest.mark.parametrize("prop", LONG_STRINGS)
def test_a_problem_is_reported_in_a_line_of_limited_length(tmp_path: Path, run: Run, prop: str) -> None:
    good = (DATA / "offer-creation-request.ndjson").read_text(encoding="utf-8").splitlines()[-1]
    (tmp_path / "a").write_text(f"{json.dumps({**RECORD, 'body': {}, **LONG_STRINGS[prop]})}\n{good}\n")
    verified = run("corpus", "verify", tmp_path / "a")
    assert verified.exit_code == 1
    first, *_, last = verified.stdout.splitlines()
    assert "line 1: " in first
    assert " problem" in last
    assert "no problems" not in last
    assert max(map(len, verified.stdout.splitlines())) <= 1000
    rejected = run("corpus", "show", "--cases", tmp_path / "a")
    assert rejected.exit_code == 2
    assert rejected.stderr.count("\n") == 1
    assert len(rejected.stderr) < 1200
