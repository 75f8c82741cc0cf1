"""Ends campaigns at random moments, resumes them, and compares their results with those of a campaign that ran to its
end.

A resumed campaign begins with ordinary messages, sends at most 20 known cases again, and repeats the messages that were
under way when the earlier process ended: at most 16 per process, and those that failed up to four times. An offer that
is sent twice on purpose is sent twice again if the campaign ended between the two requests. Everything else is sent
once.
"""

import argparse
import asyncio
import json
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, Final

from brokerfuzz.campaign.journal import exchanges
from brokerfuzz.schemas import check

OFFER: Final = "offer-creation-request"
CASES: Final = ("--rule", "*productClusters*", "--rule", "*order*", "--random", "60", "--now", "2026-03-01T12:00:00Z")
OUTPUT: Final = ("--json", "--quiet", "--shrink", "5m")
"""A limit for shrinking that a busy machine does not reach, because the result would depend on it."""
sys.path.append(str(Path(__file__).parents[1] / "tests"))
SERVERS: Final = import_module("hand_made_servers")
VARYING: Final = ("started", "seconds", "latency", "campaign", "journal", "requests", "outcome", "old")


def status_of(body: bytes) -> int | None:
    if b'"orderMinimum":-' in body:
        return None
    if b'"pageCount":"' in body:
        return 500
    if b'"orderMaximum":null' in body:
        return 400
    if b'"pageCount":0' in body:
        return 201
    return 400 if check(OFFER, body).label == "invalid" else 201


def counting(seen: Counter[bytes]) -> Any:
    """The behaviour of a service with four mistakes. `seen` counts the requests with each body."""

    async def behave(body: bytes, writer: asyncio.StreamWriter) -> None:
        seen[body] += 1
        status = status_of(body)
        if status is None:
            writer.close()
        else:
            writer.write(SERVERS.response(status))

    return behave


def started(words: Sequence[object]) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "brokerfuzz", "fire", *map(str, words)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def finished(words: Sequence[object]) -> Any:
    """Returns the report without what differs between two runs."""
    stdout, _ = started(words).communicate()
    return varying_removed(json.loads(stdout)) if stdout else None


def varying_removed(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: varying_removed(prop) for name, prop in value.items() if name not in VARYING}
    return [varying_removed(item) for item in value] if isinstance(value, list) else value


def lines_of(journal: Path) -> int:
    return journal.read_bytes().count(b"\n") if journal.exists() else 0


def end_early(words: Sequence[object], journal: Path, lines: int, how: signal.Signals) -> None:
    """Runs a campaign until its journal has so many lines, and ends it."""
    with started(words) as process:
        while process.poll() is None and lines_of(journal) < lines:
            time.sleep(0.002)
        process.send_signal(how)
        process.communicate()


def sent_again(journal: Path) -> int:
    """Counts exchanges that are in the journal twice, except for those with which a campaign checks the target."""
    found = [exchange for exchange in exchanges(journal) if exchange.role not in ("plain", "anew")]
    keys = Counter((exchange.role, exchange.number, exchange.id, exchange.attempt) for exchange in found)
    return sum(count - 1 for count in keys.values())


def resumed(source: random.Random, url: str, journal: Path, total: int) -> tuple[str, Any]:
    """Ends a campaign once or twice before its journal has `total` lines, and then lets it finish. Returns what was
    done, and the report.
    """
    workers = source.choice((1, 2))
    how = source.choice((signal.SIGKILL, signal.SIGKILL, signal.SIGINT))
    lines = list[int]()
    words: list[object] = [*CASES, "--journal", journal]
    for end in sorted(source.randrange(1, total) for _ in range(source.choice((1, 1, 2)))):
        end_early([url, *words, *OUTPUT, "--workers", workers], journal, end, how)
        lines.append(lines_of(journal))
        words = ["--resume", journal]
    report = finished([url, *words, *OUTPUT, "--workers", workers])
    return f"{workers:<8} {how.name:<9} {', '.join(map(str, lines)):<15}", report


def kills(arguments: Sequence[str]) -> str:
    parser = argparse.ArgumentParser(prog="python -m benchmarks kills", description=__doc__)
    parser.add_argument("--campaigns", type=int, default=40)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args(arguments)
    source, seen, equal = random.Random(options.seed), Counter[bytes](), 0
    with tempfile.TemporaryDirectory() as folder, SERVERS.serving(counting(seen)) as url:
        journal = Path(folder) / "whole.ndjson"
        expected = finished([url, *CASES, *OUTPUT, "--journal", journal])
        requests, total = seen.total(), lines_of(journal)
        print(f"whole campaign: {total} lines, {len(expected['findings'])} findings, {requests} requests")
        print("campaign  workers  ended by  at lines        equal  in journal twice  more requests", flush=True)
        for number in range(options.campaigns):
            seen.clear()
            journal = Path(folder) / f"{number}.ndjson"
            done, report = resumed(source, url, journal, total)
            twice, more = sent_again(journal), seen.total() - requests
            print(f"{number:<9} {done} {report == expected!s:<6} {twice:<17} {more}", flush=True)
            equal += report == expected
    return f"{equal} of {options.campaigns} campaigns equal the whole campaign"
