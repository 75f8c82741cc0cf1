"""Applications and functions that brokerfuzz tests in the process of the user, also if they try to end this process."""

import asyncio
import itertools
import logging
import os
import signal
import subprocess
import sys
import threading
import time
import warnings
from pathlib import Path
from typing import Any, Final

import pytest
from applications import asgi_of, wsgi_of
from fixture_types import Spawn, Start, Write
from hand_made_servers import answers, conforming, serving
from waiting import happens

import brokerfuzz

SOME: Final[Any] = {"rules": ["*orderMinimum:minimum"], "techniques": ["one-below"], "shrink": 0}
FEW: Final = ("--rule", "*orderMinimum:minimum", "--shrink", "off")
SECONDS: Final = 120


def status_of(body: bytes) -> int:
    logging.getLogger("shop").warning("a warning of the application")
    return 422 if brokerfuzz.check("offer-creation-request", body).label == "invalid" else 201


async def accepts_asynchronously(body: bytes) -> bool:
    return status_of(body) == 201


APPLICATIONS: Final[dict[str, Any]] = {
    "ASGI": asgi_of(status_of),
    "WSGI": wsgi_of(status_of),
    "function": lambda body: status_of(body) == 201,
    "asynchronous function": accepts_asynchronously,
}


@pytest.mark.parametrize("application", [asgi_of, wsgi_of])
def test_a_message_to_which_an_application_answers_429_is_sent_again(application: Any) -> None:
    numbers = itertools.count(1)

    def limits_the_rate(body: bytes) -> int:
        return status_of(body) if next(numbers) % 5 else 429

    report = brokerfuzz.fire(application(limits_the_rate), path="/offers", rules=["*orderMinimum:minimum"])
    assert report.outcome.state == "complete"
    assert "did not recur" not in report.outcome.headline
    assert not report.result.sporadic


def state_of_the_process() -> dict[str, Any]:
    """Returns everything that a library should leave as it is."""
    return {
        "handlers": list(logging.getLogger().handlers),
        "level": logging.getLogger().level,
        "record factory": logging.getLogRecordFactory(),
        "warnings": list(warnings.filters),
        "signals": {number: signal.getsignal(number) for number in signal.valid_signals()},
        "event loop policy": asyncio.get_event_loop_policy(),
        "path": list(sys.path),
        "environment": dict(os.environ),
        "streams": (sys.stdin, sys.stdout, sys.stderr),
        "hooks": (sys.excepthook, threading.excepthook, sys.unraisablehook),
        "folder": Path.cwd(),
        "recursion limit": sys.getrecursionlimit(),
    }


@pytest.mark.parametrize("name", APPLICATIONS)
def test_a_campaign_leaves_the_process_as_it_was(name: str) -> None:
    path: Any = {} if "function" in name else {"path": "/offers"}
    before, threads = state_of_the_process(), set(threading.enumerate())
    assert brokerfuzz.fire(APPLICATIONS[name], **path, **SOME).outcome.state == "complete"
    assert happens(lambda: state_of_the_process() == before, 10), state_of_the_process()
    assert happens(lambda: not [new for new in {*threading.enumerate()} - threads if "brokerfuzz" in new.name], 10)


# ------------------------------------------------------------------------------------------ applications that block

BLOCKING: Final = """
import sqlite3, time
from pathlib import Path

database = sqlite3.connect(":memory:")

async def app(scope, receive, send):
    if scope["type"] == "lifespan":
        raise ValueError("no lifespan")
    body = (await receive())["body"]
    database.execute("select 1")
    if b'"orderMinimum":0' in body:
        Path("blocked").touch()
        time.sleep(3600)
    await send({"type": "http.response.start", "status": 201, "headers": []})
    await send({"type": "http.response.body", "body": b"{}"})

async def starts_never(scope, receive, send):
    Path("blocked").touch()
    time.sleep(3600)
"""


@pytest.fixture
def blocking(folder: Path) -> Path:
    """Writes an application whose handler blocks its thread. Returns the file that then exists."""
    (folder / "brokerfuzz_blocking.py").write_text(BLOCKING)
    return folder / "blocked"


def test_a_handler_that_blocks_its_thread_is_a_timeout_and_ends_the_campaign(start: Start, blocking: Path) -> None:
    options = ("--timeout", 0.5, "--concurrency", 1, "--longest-wait", "500ms")
    with start("fire", "--app", "brokerfuzz_blocking:app", "/offers", *FEW, *options) as process:
        stdout, stderr = process.communicate(timeout=SECONDS)
    assert blocking.exists()
    assert process.returncode in (1, 2)
    assert b"brokerfuzz_blocking:app" in stdout
    assert b"no answer within 0.5 s" in stdout
    assert b"Traceback" not in stderr


@pytest.mark.every(2)
@pytest.mark.parametrize("application", ["app", "starts_never"])
def test_ctrl_c_ends_the_command_while_an_application_blocks(application: str, start: Start, blocking: Path) -> None:
    with start("fire", "--app", f"brokerfuzz_blocking:{application}", "/offers", *FEW, "--timeout", 600) as process:
        assert happens(blocking.exists)
        time.sleep(0.5)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=30)
    assert process.returncode in (2, 130)


# ---------------------------------------------------------------------------------------------------- interrupts

INTERRUPTED: Final = """
import asyncio, os, signal, threading, time
import brokerfuzz

calls = 0

def handler(body):
    global calls
    calls += 1
    if calls == 50:
        threading.Timer(0.2, os.kill, [os.getpid(), signal.SIGINT]).start()
    time.sleep(0.01)
    return True

async def asynchronous(body):
    return handler(body)

async def in_an_event_loop():
    campaign(asynchronous)

def campaign(target):
    try:
        brokerfuzz.fire(target, rules=["*:minimum"], shrink=0, journal="run.ndjson")
    except KeyboardInterrupt:
        pass

{launch}
before = calls
time.sleep(1)
print("still running" if calls > before else "stopped", [thread.name for thread in threading.enumerate()])
brokerfuzz.fire(lambda body: True, rules=["*orderMinimum:minimum"], shrink=0)
"""


@pytest.mark.every(3)
@pytest.mark.parametrize(
    "launch",
    ["campaign(handler)", "campaign(asynchronous)", "asyncio.new_event_loop().run_until_complete(in_an_event_loop())"],
)
def test_an_interrupt_ends_the_thread_and_the_journal_of_a_campaign(launch: str, folder: Path) -> None:
    (folder / "script.py").write_text(INTERRUPTED.format(launch=launch))
    done = subprocess.run([sys.executable, "script.py"], capture_output=True, text=True, timeout=SECONDS, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("stopped ['MainThread']")
    assert Path("run.ndjson").read_text().endswith("\n")


# ------------------------------------------------------------------------------------------- code that ends the process

EXITING: Final = """
def app(environ, start_response):
    body = environ["wsgi.input"].read()
    if b'"orderMinimum":0' in body:
        os._exit(0)
    if b'"orderMinimum":-' in body:
        sys.exit(0)
    start_response("201 Created", [])
    return [b""]
"""


@pytest.mark.parametrize(
    ("code", "words", "status", "said"),
    [
        (EXITING, ("--app", "shop:app", "/offers", "-v"), 1, ("os._exit(0) was called", "SystemExit: 0")),
        pytest.param(
            "def classify(answer): os._exit(0)", ("URL", "--hooks", "shop.py"), 2, ("os._exit(0) was called",),
            marks=pytest.mark.long,
        ),
        pytest.param(
            "os._exit(0)", ("--app", "shop:app", "/offers"), 2, ("brokerfuzz: shop cannot be imported (",),
            marks=pytest.mark.long,
        ),
    ],
    ids=["an application", "a hook", "an application that is imported"],
)  # fmt: skip
def test_code_that_ends_the_process_with_status_0_does_not_end_the_campaign_with_status_0(
    spawn: Spawn, write: Write, code: str, words: tuple[str, ...], status: int, said: tuple[str, ...]
) -> None:
    write("shop.py", "import os, sys", code)
    with serving(answers(conforming)) as url:
        done = spawn("fire", *(url if word == "URL" else word for word in words), *FEW)
    assert done.returncode == status, done.stderr
    assert bool(done.stdout) == (status == 1)
    text = " ".join((done.stdout or done.stderr).decode().split())
    assert [part for part in said if part not in text] == []
