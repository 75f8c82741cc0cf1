import json
import os
import shutil
from collections.abc import Mapping
from pathlib import Path
from random import Random
from typing import Any, Final

import pytest
from fixture_types import Run
from pricing_reader import PRICING
from sampled import sample

from brokerfuzz.schemas.contract import DATA

NOWHERE: Final = "http://127.0.0.1:9"
LIVE: Final = "LIVE"
"""Stands for the URL of a running server."""
SOME: Final = ("--message", PRICING, "--rule", "*totalExtendedPrice:minimum")
CONFIGURATION: Final = f"""\
url = "{NOWHERE}"
timeout = "1s"
message = "{PRICING}"
headers = {{ "X-Key" = "${{HOME}}" }}
accept = ["200"]
rules = ["*:minimum"]
seed = 5
rate = 3
[policies]
cron-syntax = "accept"
"""

VALUES: Final = """\
"data.customerId" = ["CUS-1", "CUS-2"]
"data.offers[].productIds[]" = {lines = "lines.txt"}
"data.offers[].offerId" = {csv = "offers.csv", column = "offer"}
"data.offers[].quantity" = {csv = "offers.csv", column = "quantity"}
"""
HOOKS: Final = "hooks"
HOOK_FILE: Final = """\
import hashlib

TOKENS = {"first": "t-1"}

def authenticate():
    return {"Authorization": f"Bearer {TOKENS['first']}"}

def before_request(request):
    return request.with_header("X-Signature", hashlib.sha256(request.body).hexdigest())

def classify(answer):
    return "rejected" if answer.status == 299 else None
"""

READERS: Final[Mapping[str, tuple[str, tuple[str, ...]]]] = {
    "journal": ("run.ndjson", ("fire", LIVE, "--resume", "run.ndjson")),
    "report": ("report.json", ("replay", "report.json", LIVE)),
    "explained report": ("report.json", ("explain", "01234567", "report.json")),
    "baseline": ("baseline.json", ("fire", NOWHERE, *SOME, "--baseline", "baseline.json", "--timeout", "1")),
    "corpus": ("corpus.ndjson", ("corpus", "verify", "corpus.ndjson")),
    "manifest": ("folder/manifest.json", ("corpus", "verify", "folder")),
    "recording": ("run.har", ("check", "run.har")),
    "configuration": ("brokerfuzz.toml", ("fire", "--config", "brokerfuzz.toml")),
    "schema": ("contract/offer-pricing-response.schema.json", ("rules", "--contract", "contract")),
    "semantic rules": ("contract/semantics.json", ("check", "offer.json", "--contract", "contract")),
    "ambiguities": ("contract/ambiguities.json", ("check", "offer.json", "--contract", "contract")),
    "reference data": ("values.toml", ("corpus", "verify", "corpus.ndjson", "--values", "values.toml")),
    "table of values": ("offers.csv", ("corpus", "verify", "corpus.ndjson", "--values", "values.toml")),
    HOOKS: ("hooks.py", ("fire", NOWHERE, *SOME, "--hooks", "hooks.py", "--timeout", "1")),
}
"""Maps each reader to a file, and to a command that reads the file."""


@pytest.fixture(scope="module")
def originals(run: Run, tmp_path_factory: pytest.TempPathFactory, url: str) -> Path:
    """Returns a folder with one undamaged file of each kind."""
    folder = tmp_path_factory.mktemp("originals")
    kept = ("--journal", folder / "run.ndjson", "--report", folder / "report.json", "--report", folder / "run.har")
    new = ("--baseline", folder / "baseline.json", "--baseline-update")
    assert run("fire", url, *SOME, "--shrink", "off", *kept, *new).exit_code == 0
    small = ("--message", PRICING, "--rule", "*totalExtendedPrice:minimum")
    run("export", folder / "corpus.ndjson", *small)
    run("export", folder / "folder", "--format", "files", *small)
    (folder / "brokerfuzz.toml").write_text(CONFIGURATION)
    (folder / "values.toml").write_text(VALUES)
    (folder / "offers.csv").write_text("offer,quantity,name\nO-1,1,first\nO-2,20,second\n")
    (folder / "lines.txt").write_text("P-1\nP-2\n")
    (folder / "hooks.py").write_text(HOOK_FILE)
    (folder / "offer.json").write_text('{"number":"1","offerType":"Email"}')
    (folder / "contract").mkdir()
    for name in ("offer-pricing-response.schema.json", "semantics.json", "ambiguities.json"):
        (folder / "contract" / name).write_bytes((DATA / name).read_bytes())
    return folder


def state(folder: str = ".") -> dict[str, tuple[int, int]]:
    """Maps the path of each file in a folder to its size and its modification time."""
    found: dict[str, tuple[int, int]] = {}
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_dir():
                found |= state(entry.path)
            about = entry.stat()
            found[entry.path] = (about.st_size, about.st_mtime_ns)
    return found


@pytest.mark.every(2)
@sample(15, 1_500)
@pytest.mark.parametrize("reader", READERS)
def test_a_damaged_file_gives_an_error_of_one_line(
    originals: Path, url: str, folder: Path, run: Run, reader: str, size: int
) -> None:
    name, words = READERS[reader]
    words = tuple(url if word == LIVE else word for word in words)
    shutil.copytree(originals, folder, dirs_exist_ok=True)
    undamaged = (originals / name).read_bytes()
    noticed = 0
    for seed in range(size):
        content = damaged(undamaged, Random(f"{reader} {seed}"))
        Path(name).write_bytes(content)
        before = state()
        result = run(*words)
        assert result.exit_code in (0, 1, 2), (seed, result.output)
        if reader != HOOKS:  # an error in a hook comes with its traceback
            assert "Traceback" not in result.output, (seed, result.output)
        assert state() == before or "--resume" in words, (seed, "a file was written")
        noticed += result.exit_code != 0
        if result.exit_code == 2:
            assert any(line.startswith("brokerfuzz: ") for line in result.stderr.splitlines()), (seed, result.stderr)
    assert noticed, "no damage was noticed"


# ------------------------------------------------------------------------------------------------ how files are damaged

ODD: list[Any] = [
    None, True, -1, 0, 10**30, 1.5, "", "x", "\ud800", "../../etc/passwd", "touch PWNED", "a" * 5000, [], {}, [[]],
    [None], {"": None},
    [1, "a", {"b": []}], "2026-02-30T00:00:00Z", "offer-creation-request", "http://127.0.0.1:1/",
]  # fmt: skip
"""Values that readers may not expect."""
ODD_BYTES = [b"", b"\0", b"\xff", b"\xef\xbb\xbf", b"\r\n", b'"', b"{", b"]", b"[" * 3000, b"1e999"]


def damaged(content: bytes, random: Random) -> bytes:
    """Makes one to three changes. If the file contains JSON, most changes concern a value in the JSON. The other
    changes concern bytes.
    """
    for _ in range(random.randint(1, 3)):
        lines = content.split(b"\n")
        number = random.choice([0, random.randrange(len(lines))])
        parts = (
            (b"", content, b""),
            (_joined([*lines[:number], b""]), lines[number], _joined([b"", *lines[number + 1 :]])),
        )
        start, text, rest = next((part for part in parts if _is_json(part[1])), parts[0])
        if _is_json(text) and random.random() < 0.8:
            content = start + json.dumps(_changed(json.loads(text), random)).encode() + rest
        else:
            at, end = sorted(random.randrange(len(content) + 1) for _ in range(2))
            content = (
                content[:at] + random.choice(ODD_BYTES) + content[random.choice([at, at + 1, end, len(content)]) :]
            )
    return content


def _joined(lines: list[bytes]) -> bytes:
    return b"\n".join(lines)


def _is_json(text: bytes) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def _changed(value: Any, random: Random) -> Any:
    """Returns the value with one change at a random depth."""
    if not isinstance(value, dict | list) or not value or random.random() < 0.15:
        return random.choice(ODD)
    key = random.choice(list(value) if isinstance(value, dict) else range(len(value)))
    copy = value.copy()
    kind = random.random()
    if kind < 0.6:
        copy[key] = _changed(value[key], random)
    elif kind < 0.75:
        del copy[key]
    elif isinstance(copy, dict):
        copy[random.choice(["x", "exec", "url", "__class__", f"{key}s"])] = random.choice([value[key], *ODD])
    else:
        copy.insert(key, random.choice([value[key], *ODD]))
    return copy
