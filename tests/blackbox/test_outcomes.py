"""How much a result claims: the first line of every report, exit statuses, and what is saved after an incomplete
campaign.
"""

import json
import re
from pathlib import Path
from typing import Final

import pytest
from fixture_types import Run, Spawn, Write
from hand_made_servers import answers, conforming, serving

FEW: Final = ("--rule", "*/orderMinimum:minimum", "--shrink", "off")

pytestmark = pytest.mark.usefixtures("folder")


# -------------------------------------------------------------------------------------- how much was sent


def test_a_complete_campaign_says_how_many_cases_it_sent(run: Run) -> None:
    with serving(answers(conforming)) as url:
        done = run("fire", url, *FEW)
    cases = re.search(r"sent +(\d+) cases", done.stdout)
    assert cases is not None
    assert done.stdout.startswith(f"no findings in {cases[1]} cases at {url}")


# -------------------------------------------------------------------------------------- resumed campaigns


def requests_in(path: str) -> int:
    return len(Path(path).read_text().splitlines()) - 1


def test_a_resumed_campaign_counts_the_requests_of_both_runs(run: Run) -> None:
    received: list[bytes] = []

    def status_of(body: bytes) -> int:
        received.append(body)
        return conforming(body)

    with serving(answers(status_of)) as url:
        short = ("--count", "0", "--rate", "20", "--max-time", "0.3s", "--concurrency", "1")
        first = run("fire", url, *FEW, "--journal", "run.ndjson", *short, "--json")
        assert 0 < json.loads(first.stdout)["cases"] < 10
        done = run("fire", url, "--resume", "run.ndjson", "--json")
    document = json.loads(done.stdout)
    assert document["requests"] == requests_in("run.ndjson")
    assert document["requests"] <= len(received) <= document["requests"] + 1  # the time limit may cancel a request
    assert "journal" not in document["outcome"]["headline"]


# -------------------------------------------------------------------------------------- code that ends the process


EXITING_APPLICATION: Final = """
import os, sys

def app(environ, start_response):
    body = environ["wsgi.input"].read()
    if b'"orderMinimum":0' in body:
        os._exit(0)
    if b'"orderMinimum":-' in body:
        sys.exit(0)
    start_response("201 Created", [])
    return [b""]
"""
EXITING_HOOK: Final = """
import os

def classify(answer):
    os._exit(0)
"""


def test_an_application_that_ends_the_process_with_status_0_is_a_finding(spawn: Spawn, write: Write) -> None:
    write("shop.py", EXITING_APPLICATION)
    done = spawn("fire", "--app", "shop:app", "/offers", *FEW, "--verbose")
    assert done.returncode == 1, done.stderr
    text = " ".join(done.stdout.decode().split())
    assert "os._exit(0) was called" in text
    assert "SystemExit: 0" in text


def test_an_application_that_ends_the_process_when_it_is_imported_is_an_error(spawn: Spawn, write: Write) -> None:
    write("shop.py", "import os; os._exit(0)")
    done = spawn("fire", "--app", "shop:app", "/offers", *FEW)
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr.decode().startswith("brokerfuzz: shop cannot be imported (")


def test_a_hook_that_ends_the_process_with_status_0_is_an_error(spawn: Spawn, write: Write) -> None:
    write("hooks.py", EXITING_HOOK)
    with serving(answers(conforming)) as url:
        done = spawn("fire", url, *FEW, "--hooks", "hooks.py")
    assert (done.returncode, done.stdout) == (2, b"")
    assert "os._exit(0) was called" in done.stderr.decode()
