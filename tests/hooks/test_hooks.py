import asyncio
import hmac
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import pytest
from fixture_types import Run
from hand_made_servers import response, serving_streams
from pricing_reader import BUG, PRICING, lenient

from brokerfuzz.hooks import hooked_target
from brokerfuzz.hooks.hook_file import hook_file
from brokerfuzz.hooks.hooked_target import HookedTarget
from brokerfuzz.hooks.hooks import Hooks
from brokerfuzz.targets import HttpTarget, Message
from brokerfuzz.targets.target import opened

SOME: Final = ("--message", PRICING, "--rule", BUG, "--rule", "*unitPrice:minimum", "--shrink", "10s")
KEY: Final = b"key of the tests"
HOOKS: Final = (Path(__file__).parents[2] / "examples/hooks/hooks.py").read_text(encoding="utf-8")


@dataclass
class Broker:
    """A service that demands a signature and a token. A token is valid for `life` requests. Rejections have status
    299.
    """

    url: str = ""
    life: int = 6
    tokens: list[str] = field(default_factory=list)
    left: int = 0
    stored: set[int] = field(default_factory=set)
    created: int = 0
    pause: float = 0.0
    """The seconds between the processing of a request and its answer."""
    sent: list[dict[str, str]] = field(default_factory=list)
    """The headers of all messages that were accepted or rejected."""

    def answer(self, method: str, path: str, headers: dict[str, str], body: bytes) -> bytes:
        if path == "/tokens":
            self.tokens.append(f"token-{len(self.tokens)}-is-secret")
            self.left = self.life
            return response(200, self.tokens[-1].encode())
        if self.tokens and (headers.get("authorization") != f"Bearer {self.tokens[-1]}" or self.left <= 0):
            return response(401, b"expired")
        if self.tokens and headers.get("x-signature") != hmac.new(KEY, body, "sha256").hexdigest():
            return response(403, b"wrong signature")
        self.left -= 1
        if method == "DELETE":
            self.stored.discard(int(path.rpartition("/")[2]))
            return response(204)
        self.sent.append(headers)
        if lenient(body) != 200:
            return response(299)
        self.created += 1
        self.stored.add(self.created)
        return response(201, json.dumps({"data": {"id": self.created}}).encode())


@pytest.fixture
def broker(monkeypatch: pytest.MonkeyPatch) -> Iterator[Broker]:
    found = Broker()

    async def converse(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while True:
            first, *lines = (await reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")[:-2]
            headers = {name.lower(): value for name, _, value in (line.partition(": ") for line in lines)}
            method, path, _ = first.split(" ")
            answer = found.answer(
                method, path, headers, await reader.readexactly(int(headers.get("content-length", 0)))
            )
            await asyncio.sleep(found.pause)
            writer.write(answer)
            await writer.drain()

    with serving_streams(converse) as url:
        found.url = url
        monkeypatch.setenv("BROKER_URL", url.removesuffix("/offers"))
        monkeypatch.setenv("BROKER_KEY", KEY.decode())
        yield found


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def written(text: str) -> str:
    Path("hooks.py").write_text(text)
    return "hooks.py"


@pytest.mark.parametrize("workers", [1, 2])
def test_hooks_authenticate_sign_classify_and_see_every_answer(run: Run, broker: Broker, workers: int) -> None:
    done = run(
        "fire",
        broker.url,
        *SOME,
        "--hooks",
        written(HOOKS),
        "--workers",
        workers,
        "--concurrency",
        4,
        "--json",
        "--journal",
        "run.ndjson",
    )
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


@pytest.mark.long
def test_the_workers_of_a_cluster_receive_the_hooks(
    run: Run, broker: Broker, cluster: tuple[str, list[int]], folder: Path
) -> None:
    seen = str(folder / "processes.txt")
    writes = f"    with open({seen!r}, 'a') as file:\n        print(os.getpid(), file=file)\n"
    hooks = f"import os\n\ndef before_request(request):\n{writes}    return request\n"
    address, workers = cluster
    done = run(
        "fire", broker.url, *SOME, "--reject", "299", "--hooks", written(hooks), "--cluster", address, "--no-preflight"
    )
    assert done.exit_code == 1, done.stderr
    assert set(map(int, Path(seen).read_text().split())) & set(workers)


EXPIRED: Final = """
get_token = authenticate
calls = []


def authenticate():
    calls.append(1)
    return {"Authorization": "Bearer expired"} if len(calls) == 1 else get_token()
"""
"""Hooks whose first token has expired."""


def test_concurrent_messages_with_an_expired_token_authenticate_once(run: Run, broker: Broker) -> None:
    broker.life, broker.tokens = 10**6, ["the newest token"]
    done = run("fire", broker.url, *SOME, "--hooks", written(HOOKS + EXPIRED), "--no-preflight", "--json")
    assert (done.exit_code, json.loads(done.stdout)["outcome"]["state"]) == (1, "complete")
    assert len(broker.tokens) == 2


def test_the_cleanup_removes_what_the_target_created(run: Run, broker: Broker) -> None:
    broker.life = 20
    Path("brokerfuzz.toml").write_text(
        f'url = "{broker.url}"\nhooks = "{written(HOOKS)}"\ncleanup = "DELETE /offers/{{id}}"\nmessage = '
        f'"{PRICING}"\nconcurrency = 4\n'
    )
    assert run("fire", *SOME[2:]).exit_code == 1
    assert broker.created > 10
    assert broker.stored == set()


def test_a_time_limit_leaves_nothing_at_the_target(run: Run, broker: Broker) -> None:
    broker.pause = 0.05
    done = run(
        "fire",
        broker.url,
        "--message",
        PRICING,
        "--cleanup",
        "DELETE /offers/{id}",
        "--max-time",
        "1s",
        "--shrink",
        "off",
        "--reject",
        "299",
    )
    assert "the time limit of 1 s was reached" in done.stdout
    assert broker.created > 0
    assert broker.stored == set()


def test_ctrl_c_does_not_wait_for_a_hook_that_hangs(
    broker: Broker, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hooked_target, "FINISHING_TIME", 600.0)
    (folder / "hangs.py").write_text("import time\ndef authenticate():\n    time.sleep(600)\n")

    async def interrupted() -> None:
        hooks = Hooks(hook_file("hangs.py"), 600)
        async with opened(HookedTarget(HttpTarget(broker.url), hooks=hooks, cleanup=None)) as target:
            await target.send(Message(b"{}"))

    async def interrupt() -> None:
        campaign = asyncio.create_task(interrupted())
        await asyncio.sleep(0.2)
        campaign.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asyncio.wait_for(campaign, 60)

    asyncio.run(interrupt())


def test_a_failed_cleanup_is_a_note_and_not_a_finding(run: Run, broker: Broker) -> None:
    done = run("fire", broker.url, *SOME, "--cleanup", "DELETE /offers/{unknown}", "--reject", "299")
    assert done.exit_code == 1
    assert (
        "cleanup requests failed, so offers may remain at the target; the first: DELETE /offers/{unknown} was not sent"
        in done.stderr
    )


# ---------------------------------------------------------------------------------------------------- failures of hooks


RAISES: Final = {
    "before_request": "def before_request(request):\n    raise ValueError('no\\npassword')\n",
    "classify": "def classify(answer):\n    raise ValueError('no\\npassword')\n",
    "after_answer": "def after_answer(case, answer):\n    raise ValueError('no\\npassword')\n",
}


@pytest.mark.parametrize("name", RAISES)
@pytest.mark.parametrize("workers", [1, 2])
def test_an_exception_in_a_hook_is_reported_with_its_traceback_and_is_no_finding(
    run: Run, broker: Broker, name: str, workers: int
) -> None:
    if workers > 1 and name != "classify":
        return
    later = (
        RAISES[name].replace(
            "    raise", "    calls.append(1)\n    if len(calls) < 2:\n        return RESULT\n    raise"
        )
        + "\n\ncalls = []\n"
    )
    result = {"before_request": "request", "classify": "None", "after_answer": "None"}[name]
    done = run(
        "fire",
        broker.url,
        *SOME,
        "--hooks",
        written(later.replace("RESULT", result)),
        "--json",
        "--no-preflight",
        "--workers",
        workers,
    )
    report = json.loads(done.stdout)
    assert (done.exit_code, report["findings"]) == (2, [])
    said = f"hooks.py, line 1: the hook {name} raised ValueError: no password; correct this error in the hook"
    assert said in report["stopped"]
    assert report["outcome"]["state"] in ("partial", "untested")
    assert "Traceback" in done.stderr
    assert re.search(rf'File "hooks.py", line \d+, in {name}', done.stderr)
    assert "threads.py" not in done.stderr


WRONG: Final[dict[str, tuple[str, str]]] = {
    "raises": (
        "def authenticate():\n    raise ValueError('no\\npassword')\n",
        "line 1: the hook authenticate raised ValueError: no password",
    ),
    "no headers": (
        "def authenticate():\n    return 5\n",
        "line 1: the hook authenticate returned 5: return a dictionary with headers",
    ),
    "a number": (
        "def authenticate():\n    return {'A': 5}\n",
        "line 1: the hook authenticate returned an invalid header 'A'",
    ),
    "a line break": (
        "def authenticate():\n    return {'A': 'a\\nb'}\n",
        "line 1: the hook authenticate returned an invalid header 'A'",
    ),
    "no request": (
        "def before_request(request):\n    pass\n",
        "line 1: the hook before_request returned None: return a Request",
    ),
    "another body": (
        "from dataclasses import replace\n\ndef before_request(request):\n    return replace(request, body=b'{}')\n",
        "line 3: before_request changed more than the headers",
    ),
    "no kind": (
        "def classify(answer):\n    return 'ok'\n",
        "line 1: the hook classify returned 'ok': return None or one of accepted, rejected,",
    ),
    "a result": (
        "def after_answer(case, answer):\n    return 1\n",
        "line 1: the hook after_answer returned 1: return nothing",
    ),
    "hangs": (
        "import time\n\ndef classify(answer):\n    time.sleep(99)\n",
        "line 3: the hook classify did not return within 0.5 s, and is at line 4",
    ),
    "exits": (
        "def classify(answer):\n    raise SystemExit(0)\n",
        "line 1: the hook classify raised RuntimeError: SystemExit",
    ),
    "parameters": (
        "\ndef classify():\n    pass\n",
        "line 2: classify does not have the expected parameters: write `def classify(answer)`",
    ),
    "async": ("async def classify(answer):\n    pass\n", "line 1: classify must be an ordinary function"),
    "no function": ("classify = 5\n", "classify is not a function"),
    "a typo": (
        "def authenticate():\n    return {}\n\ndef after_answers(case, answer):\n    pass\n",
        "line 4: after_answers is not the name of a hook: rename",
    ),
    "nothing": (
        "x = 1\n",
        "defines no hook: define at least one of authenticate, before_request, classify or after_answer",
    ),
    "syntax": ("x = 1\nx = = 2\n", "line 2: invalid syntax: correct this error in the hooks"),
    "import": (
        "\nimport not_installed\n",
        "line 2: the hooks cannot be loaded: ModuleNotFoundError: No module named 'not_installed'; correct",
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_hooks_give_an_error_with_file_and_line_before_any_case_is_sent(
    run: Run, broker: Broker, name: str
) -> None:
    text, said = WRONG[name]
    done = run("fire", broker.url, *SOME, "--hooks", written(text), "--timeout", "0.5")
    assert (done.exit_code, done.stdout) == (2, "")
    *others, last = done.stderr.splitlines()
    assert last.startswith("brokerfuzz: hooks.py")
    assert said in last
    assert others == [] or others[0].startswith("Traceback")
    assert len(broker.sent) <= 1


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--hooks", "missing.py"], "the hooks missing.py cannot be read: No such file"),
        (["--hooks", "missing.module"], "the module missing.module with the hooks does not exist"),
        (["--cleanup", "remove it"], "is not a method and a path: write a request such as 'DELETE /offers/{number}'"),
        (["--cleanup", "DELETE /offers/{number"], "is not a method and a path"),
        (["--demo", "--cleanup", "DELETE /offers/{number}"], "--cleanup works only with a URL"),
        (["--exec", "true", "--hooks", "hooks.py"], "--hooks works only with a URL"),
    ],
)
def test_wrong_options_give_one_line(run: Run, broker: Broker, words: list[Any], said: str) -> None:
    url = [] if {"--demo", "--exec"} & set(words) else [broker.url]
    done = run("fire", *url, *SOME, *words)
    assert (done.exit_code, done.stdout, len(done.stderr.splitlines())) == (2, "", 1)
    assert said in done.stderr
    assert broker.sent == []


def test_hooks_of_the_configuration_are_not_used_for_another_target(run: Run, broker: Broker) -> None:
    Path("brokerfuzz.toml").write_text(
        'url = "http://offers.example/"\nhooks = "hooks.py"\ncleanup = "DELETE /offers/{id}"\n'
    )
    written(RAISES["classify"])
    done = run("fire", broker.url, *SOME, "--reject", "299")
    assert done.exit_code == 1
    assert "hooks and cleanup in the configuration belong to a different target" in done.stderr
    assert len(broker.stored) == broker.created
