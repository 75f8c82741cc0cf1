"""Measures how many requests per second a campaign sends, including its verdicts, its journal and its report. For comparison, the
program wrk sends the same bodies over the same number of connections.
"""

import json
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from benchmarks.rates import Round, in_turn, table
from brokerfuzz.campaign import Campaign, Journal, Options, run
from brokerfuzz.cases.case import Case
from brokerfuzz.cases.catalogue import catalogue
from brokerfuzz.reports import json_document
from brokerfuzz.service.running import running
from brokerfuzz.targets import HttpTarget

NOW = datetime(2026, 1, 1, tzinfo=UTC)
CONNECTIONS = 16
SECONDS = 3
LONGEST = 5000  # bytes; without this limit, a few messages of 1 MB would dominate the measurement
REJECTING = Path(__file__).parent / "node" / "rejecting.mjs"


def firing() -> str:
    """Compares brokerfuzz with wrk on the reference service and, if Node is installed, on a minimal server in Node."""
    cases = [case for case in catalogue("offer-creation-request", now=NOW) if len(case.body) < LONGEST and not case.headers]
    servers = {"the reference service": _reference}
    if shutil.which("node"):
        servers["a server in Node that rejects everything"] = _rejecting
    tables = []
    for name, serve in servers.items():
        with serve() as url, tempfile.TemporaryDirectory() as folder:
            rounds: dict[str, Round] = {"wrk": partial(_wrk, url, cases, Path(folder))} if shutil.which("wrk") else {}
            rounds["brokerfuzz fire"] = partial(_brokerfuzz, url, cases, Path(folder))
            tables.append(table(f"Requests per second with {CONNECTIONS} connections to {name}", in_turn(rounds, 3), next(iter(rounds))))
    return "\n\n".join(tables)


@contextmanager
def _reference() -> Iterator[str]:
    with running(now=NOW) as base:
        yield f"{base}/offers"


@contextmanager
def _rejecting() -> Iterator[str]:
    with subprocess.Popen(["node", str(REJECTING)], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield process.stdout.readline().strip()
        finally:
            process.kill()


def _brokerfuzz(url: str, cases: list[Case], folder: Path) -> tuple[int, float]:
    """Sends the catalogue to `url` repeatedly. Returns the number of requests, and the duration in seconds."""
    path = folder / "run.ndjson"
    path.unlink(missing_ok=True)
    journal = Journal.begun(path, {"plan": None})
    started = time.perf_counter()
    campaign = Campaign(_for_some_seconds(cases), HttpTarget(url), Options(now=NOW, concurrency=CONNECTIONS, shrink_requests=0), journal=journal)
    result = run(campaign)
    json.dumps(json_document.document(result), indent=2)
    seconds = time.perf_counter() - started
    journal.close()
    return result.requests, seconds


def _for_some_seconds(cases: list[Case]) -> Iterator[tuple[int, Case]]:
    until, number = time.monotonic() + SECONDS, 0
    while time.monotonic() < until:
        for case in cases:
            yield number, case
            number += 1


def _wrk(url: str, cases: list[Case], folder: Path) -> tuple[int, float]:
    """Sends only every fourth body of the catalogue, because Lua limits the size of a script. Returns the number of requests, and the seconds."""
    spelled = [f'bodies[{number}]="{_in_lua(case.body)}"' for number, case in enumerate(cases[::4], 1)]
    ask = 'function request() at = at % #bodies + 1 return wrk.format("POST", nil, {["content-type"] = "application/json"}, bodies[at]) end'
    script = folder / "post.lua"
    script.write_text("\n".join(["local bodies = {}", *spelled, "local at = 0", ask]))
    done = subprocess.run(
        ["wrk", "-t1", f"-c{CONNECTIONS}", f"-d{SECONDS}", "-s", str(script), url], capture_output=True, text=True, check=True
    ).stdout
    rate = next(float(line.split()[1]) for line in done.splitlines() if line.startswith("Requests/sec"))
    return int(rate * SECONDS), float(SECONDS)


def _in_lua(body: bytes) -> str:
    return "".join(f"\\{byte:03d}" for byte in body)
