import asyncio
import hmac
import json
import re
import signal
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import pytest
from click.testing import Result
from fixture_types import Run, Start
from hand_made_servers import read_request, response, serving_streams
from pricing_reader import BUG, PRICING, lenient
from waiting import happens

SOME: Final = ("--message", PRICING, "--rule", BUG, "--rule", "*unitPrice:minimum", "--shrink", "10s")
HOOKED: Final = ("--hooks", "hooks.py")
KEY: Final = b"key of the tests"
pytestmark = pytest.mark.usefixtures("folder")
HOOKS: Final = (Path(__file__).parents[2] / "examples/hooks/hooks.py").read_text(encoding="utf-8")


@dataclass
class Broker:
    """A service that demands a signature and a token. A token is valid for `life` requests. Rejections have status
    299.
    """

    url: str = ""
    life: int = 12
    tokens: list[str] = field(default_factory=list)
    left: int = 0
    is_ready: bool = True
    sent: list[dict[str, str]] = field(default_factory=list)
    """The headers of all messages that were accepted or rejected."""

    def answer(self, path: str, headers: dict[str, str], body: bytes) -> bytes:
        if not self.is_ready:
            return response(503)
        if path == "/tokens":
            self.tokens.append(f"token-{len(self.tokens)}-is-secret")
            self.left = self.life
            return response(200, self.tokens[-1].encode())
        if self.tokens and (headers.get("authorization") != f"Bearer {self.tokens[-1]}" or self.left <= 0):
            return response(401, b"expired")
        if self.tokens and headers.get("x-signature") != hmac.new(KEY, body, "sha256").hexdigest():
            return response(403, b"wrong signature")
        self.left -= 1
        self.sent.append(headers)
        return response(201 if lenient(body) == 200 else 299)


@pytest.fixture
def broker(monkeypatch: pytest.MonkeyPatch) -> Iterator[Broker]:
    found = Broker()

    async def converse(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while True:
            head, body = await read_request(reader)
            first, *lines = head.decode().split("\r\n")[:-2]
            headers = {name.lower(): value for name, _, value in (line.partition(": ") for line in lines)}
            _, path, _ = first.split(" ")
            writer.write(found.answer(path, headers, body))
            await writer.drain()

    with serving_streams(converse) as url:
        found.url = url
        monkeypatch.setenv("BROKER_URL", url.removesuffix("/offers"))
        monkeypatch.setenv("BROKER_KEY", KEY.decode())
        yield found


Fire = Callable[..., Result]


@pytest.fixture
def fire(run: Run, broker: Broker) -> Fire:
    """The returned function writes hooks to the file `hooks.py`, and sends some cases to the broker."""

    def fired(options: str, hooks: str | None = None, *words: str) -> Result:
        if hooks is not None:
            Path("hooks.py").write_text(hooks)
        return run("fire", broker.url, *SOME, *options.split(), *words, *([] if hooks is None else HOOKED))

    return fired


@pytest.mark.parametrize("workers", [1, 2])
def test_hooks_authenticate_sign_classify_and_see_every_answer(fire: Fire, broker: Broker, workers: int) -> None:
    done = fire(f"--workers {workers} --concurrency 4 --json --journal run.ndjson", HOOKS)
    assert done.exit_code == 1, done.stderr
    report = json.loads(done.stdout)
    assert [found["kind"] for found in report["findings"]] == ["invalid-accepted"]
    assert (report["outcome"]["state"], report["unproven"]["count"]) == ("complete", 0)
    assert 1 < len(broker.tokens) <= 2 + len(broker.sent) // broker.life + 2 * workers
    assert "crashed" not in json.dumps(report["counts"]).replace('"crashed": 0', "")
    seen = [line.split() for line in Path("answers.txt").read_text().splitlines()]
    assert sorted(case for case, _ in seen) == sorted(headers["x-brokerfuzz-case"] for headers in broker.sent)
    assert {kind for _, kind in seen} == {"accepted", "rejected"}
    command = report["findings"][0]["reproduce"]
    assert '"Authorization: ${AUTHORIZATION}"' in command.replace("authorization", "Authorization")
    assert "${X_SIGNATURE}" in command
    for text in (done.stdout, done.stderr, Path("run.ndjson").read_text()):
        assert "is-secret" not in text


EXPIRED: Final = """
get_token = authenticate
sessions = []


def authenticate():
    sessions.append(get_token() if sessions else {"Authorization": "Bearer expired"})
    return sessions[-1]


def after_answer(case, answer):
    print(sessions[-1])
"""
"""Hooks whose first token has expired, and that print the token."""


def test_concurrent_messages_with_an_expired_token_authenticate_once_and_no_token_is_shown(
    fire: Fire, broker: Broker
) -> None:
    broker.life, broker.tokens = 10**6, ["the newest token"]
    done = fire("--json", HOOKS + EXPIRED)
    assert (done.exit_code, json.loads(done.stdout)["outcome"]["state"]) == (1, "complete")
    assert len(broker.tokens) == 2
    assert "{'Authorization': 'Bearer ${AUTHORIZATION}'}" in done.stderr
    assert "is-secret" not in done.stderr


def test_ctrl_c_does_not_wait_for_a_hook_that_hangs(broker: Broker, start: Start) -> None:
    Path("hooks.py").write_text(
        "import pathlib, time\ndef authenticate():\n    pathlib.Path('called').touch()\n    time.sleep(600)\n"
    )
    with start("fire", broker.url, *SOME, *HOOKED, "--timeout", "600") as campaign:
        assert happens(Path("called").exists)
        campaign.send_signal(signal.SIGINT)
        try:
            assert campaign.wait(30) in (2, 130)
        finally:
            campaign.kill()


# ---------------------------------------------------------------------------------------------------- failures of hooks


LATER: Final = """
calls = []

def {name}({parameters}):
    calls.append(1)
    if len(calls) < 3:
        return {result}
    raise ValueError('no\\npassword')
"""
"""A hook that raises an exception after the plain message was sent twice."""


@pytest.mark.every(2)
@pytest.mark.parametrize(
    ("name", "parameters", "result", "workers"),
    [("before_request", "request", "request", 1), ("classify", "answer", "None", 2)],
)
def test_an_exception_in_a_hook_is_reported_with_its_traceback_and_is_no_finding(
    fire: Fire, name: str, parameters: str, result: str, workers: int
) -> None:
    done = fire(f"--json --workers {workers}", LATER.format(name=name, parameters=parameters, result=result))
    report = json.loads(done.stdout)
    assert (done.exit_code, report["findings"]) == (2, [])
    said = f"hooks.py, line 4: the hook {name} raised ValueError: no password; correct this error in the hook"
    assert said in report["stopped"]
    assert report["outcome"]["state"] in ("partial", "untested")
    assert "Traceback" in done.stderr
    assert re.search(rf'File "hooks.py", line \d+, in {name}', done.stderr)
    assert "threads.py" not in done.stderr


WRONG: Final = [
    ("def authenticate(): raise ValueError('no\\nkey')", "line 1: the hook authenticate raised ValueError: no key"),
    ("def authenticate(): return 5", "line 1: the hook authenticate returned 5: return a dictionary with headers"),
    ("def authenticate(): return {'A': 5}", "line 1: the hook authenticate returned an invalid header 'A'"),
    ("def before_request(request): pass", "line 1: the hook before_request returned None: return a Request"),
    (
        "from dataclasses import replace\ndef before_request(request): return replace(request, body=b'{}')",
        "line 2: the hook before_request changed more than the headers: change only the headers; a function for --call",
    ),
    (
        "def classify(answer): return 'ok'",
        "line 1: the hook classify returned 'ok': return None or one of accepted, re",
    ),
    ("def after_answer(case, answer): return 1", "line 1: the hook after_answer returned 1: return nothing"),
    ("import time\ndef classify(answer): time.sleep(99)", "line 2: the hook classify did not return within 0.5 s: cor"),
    ("def classify(answer): raise SystemExit(0)", "line 1: the hook classify raised RuntimeError: SystemExit"),
    ("\ndef classify(): pass", "line 2: classify does not have the expected parameters: write `def classify(answer)`"),
    ("\ndef after_answers(case, answer): pass", "line 2: after_answers is not the name of a hook: rename"),
    ("x = 1", "defines no hook: define at least one of authenticate, before_request, classify or after_answer"),
    ("\nx = = 2", "line 2: the hooks cannot be loaded: SyntaxError: invalid syntax (hooks.py, line 2); correct"),
    ("\nimport gone", "line 2: the hooks cannot be loaded: ModuleNotFoundError: No module named 'gone'; correct"),
]
"""Hooks with a mistake, and the words of the error."""


@pytest.mark.parametrize(("hooks", "said"), WRONG)
def test_wrong_hooks_give_an_error_with_file_and_line_before_any_case_is_sent(
    fire: Fire, broker: Broker, hooks: str, said: str
) -> None:
    done = fire("--timeout 0.5", f"{hooks}\n")
    assert (done.exit_code, done.stdout) == (2, "")
    *others, last = done.stderr.splitlines()
    assert last.startswith("brokerfuzz: hooks.py")
    assert said in last
    assert others == [] or others[0].startswith("Traceback")
    assert len(broker.sent) <= 1


def test_a_login_that_fails_because_the_service_is_not_ready_is_repeated_only_for_the_longest_wait(
    fire: Fire, broker: Broker
) -> None:
    broker.is_ready = False
    done = fire("--longest-wait 500ms", "def authenticate(): raise OSError('no token')")
    assert done.exit_code == 2
    assert "line 1: the hook authenticate raised OSError: no token; correct this error in the hook" in done.stderr
    assert "or check the service, which answers with status 503" in done.stderr
