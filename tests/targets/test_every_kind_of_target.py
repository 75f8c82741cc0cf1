"""What all kinds of targets have in common: URLs, applications, functions and programs."""

import asyncio
import pickle
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from hashlib import sha256
from pathlib import Path
from typing import Any

import every_kind_reader
import pytest
from hand_made_programs import SECONDS, answers
from hand_made_servers import response, serving

from brokerfuzz.targets import Answer, CallTarget, CommandTarget, HttpTarget, LineTarget, Target
from brokerfuzz.targets.application_target import ApplicationTarget
from brokerfuzz.targets.called_targets import FunctionTarget
from brokerfuzz.targets.target import opened

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="looks at processes in /proc")

SECRET = "s3cr3t-of-all-kinds"
PROGRAM = [sys.executable, "-IS", str(Path(every_kind_reader.__file__))]
SHELLS = [shell for shell in ("bash", "sh") if shutil.which(shell)]
BODIES = {
    "JSON": b'{"number":"1","offerType":"Direct Mail"}',
    "empty": b"",
    "quotes": b'{"number":"it\'s $HOME `id` \\\\ !!"}',
    "text beyond ASCII": '{"number":"é漢😀"}'.encode(),
    "an at sign first": b"@/etc/hostname",
    "a dash first": b"-d x",
    "percent signs": b"100%s %d\n",
    "line ends": b'{\r\n\t"number": "1"\n}\n\n',
    "no text": bytes(range(256)),
    "NUL": b"\0\0",
    "invisible marks": '{"number":"a\u202eb\u200b"}'.encode(),
    "long": b'{"number":"' + b"x" * 300_000 + b'"}',
}


def wsgi(environ: dict[str, Any], start_response: Callable[..., Any]) -> list[bytes]:
    status, said = every_kind_reader.response_to(environ["wsgi.input"].read())
    start_response(f"{status} Said", [])
    return [said]


async def asgi(scope: dict[str, Any], receive: Callable[[], Any], send: Callable[[dict[str, Any]], Any]) -> None:
    if scope["type"] == "lifespan":
        return
    body = (await receive())["body"]
    if b"hang" in body:
        await asyncio.sleep(60)
    status, said = every_kind_reader.response_to(body)
    await send({"type": "http.response.start", "status": status, "headers": []})
    await send({"type": "http.response.body", "body": said})


@contextmanager
def _served(**options: Any) -> Iterator[Target]:
    async def behave(body: bytes, writer: asyncio.StreamWriter) -> None:
        writer.write(response(*await asyncio.to_thread(every_kind_reader.response_to, body)))

    with serving(behave) as url:
        yield HttpTarget(url, **options)


KINDS: dict[str, Callable[..., AbstractContextManager[Target]]] = {
    "URL": _served,
    "ASGI": lambda **options: nullcontext(ApplicationTarget("test_every_kind_of_target:asgi", "/offers", **options)),
    "WSGI": lambda **options: nullcontext(ApplicationTarget("test_every_kind_of_target:wsgi", "/offers", **options)),
    "function": lambda **options: nullcontext(FunctionTarget(every_kind_reader.read, **options)),
    "exec": lambda **options: nullcontext(CommandTarget(PROGRAM, **options)),
    "lines": lambda **options: nullcontext(LineTarget([*PROGRAM, "lines"], encoding="base64", **options)),
    "call": lambda **options: nullcontext(CallTarget("every_kind_reader:read", **options)),
}
DIFFICULT = ("quotes", "a dash first", "percent signs", "no text", "long")
"""The bodies that are sent to programs, which start slowly."""
all_kinds = pytest.mark.parametrize("kind", KINDS)


@pytest.fixture(autouse=True)
def _environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("READER_SECRET", SECRET)
    monkeypatch.setenv("NO_PROXY", "*")


def text_of(answer: Answer) -> str:
    return answer.reason + answer.body.decode(errors="replace")


def hash_of(body: bytes) -> str:
    return sha256(body).hexdigest()[:16]


@all_kinds
def test_accepted_rejected_and_crashing_messages_are_distinguished(kind: str) -> None:
    started = time.monotonic()
    with KINDS[kind]() as target:
        said = answers(target, b"accept", b"reject", b"crash", b"accept")
    assert time.monotonic() < started + SECONDS
    assert [one.kind for one in said] == ["accepted", "rejected", "crashed", "accepted"]
    assert all(one.reached and 0 < one.seconds < SECONDS for one in said)


@all_kinds
def test_a_message_without_an_answer_in_time_is_a_timeout_and_the_next_one_is_answered(kind: str) -> None:
    seconds = 1.5 if kind in ("exec", "lines", "call") else 0.5  # programs start slowly
    with KINDS[kind](timeout=seconds) as target:
        said = answers(target, b"hang", b"accept")
    assert [one.kind for one in said] == ["timeout", "accepted"]
    assert f" {seconds} s" in said[0].reason


@pytest.mark.every(3)
@all_kinds
def test_each_of_many_concurrent_messages_gets_its_own_answer(kind: str) -> None:
    words = ["accept", "reject", "crash"]
    bodies = [f"{words[number % 3]} {number}".encode() for number in range(12 if kind == "exec" else 24)]
    with KINDS[kind]() as target:
        said = answers(target, *bodies, at_once=True)
    assert [one.kind for one in said] == [
        ["accepted", "rejected", "crashed"][number % 3] for number in range(len(said))
    ]
    assert all(hash_of(body) in text_of(one) for body, one in zip(bodies, said, strict=True))


@all_kinds
def test_each_message_arrives_byte_for_byte(kind: str) -> None:
    with KINDS[kind]() as target:
        assert all(map(target.can_send, BODIES.values()))
        said = answers(target, *BODIES.values())
    assert all(hash_of(body) in text_of(one) for body, one in zip(BODIES.values(), said, strict=True))


@pytest.mark.every(3)
@pytest.mark.skipif(not SHELLS or not shutil.which("curl"), reason="needs a shell and curl")
@pytest.mark.parametrize(
    ("kind", "shell"),
    [*((kind, shell) for kind in ("URL", "exec") for shell in SHELLS), ("lines", "sh"), ("call", "sh")],
)
def test_the_command_that_reproduces_a_message_sends_it_byte_for_byte(kind: str, shell: str) -> None:
    folder = Path(every_kind_reader.__file__).parent
    with KINDS[kind]() as target:
        for body in BODIES.values() if kind == "URL" else map(BODIES.__getitem__, DIFFICULT):
            line = target.reproduction(body)
            done = subprocess.run(
                [shell], input=line, capture_output=True, text=True, check=True, cwd=folder, timeout=SECONDS
            )
            assert line.isprintable()
            assert hash_of(body) in done.stdout


@all_kinds
def test_answers_are_short_and_contain_no_part_of_a_secret(kind: str) -> None:
    with KINDS[kind](secrets=[("${READER_SECRET}", SECRET)]) as target:
        said = answers(target, b"accept", b"reject", b"crash")
        line = target.reproduction('{\n\t"number": "accept é"}'.encode())
        shown = [target.name, repr(target.about), line, *map(text_of, said)]
    assert line.isprintable()
    assert not [text for text in shown if SECRET[:6] in text or SECRET[-6:] in text]
    assert all("${READER_SECRET}" in text_of(one) for one in said)
    assert all(len(one.body) <= 2048 for one in said)


@all_kinds
def test_a_cancelled_message_does_not_affect_others(kind: str) -> None:
    async def ask(target: Target) -> list[Answer]:
        async with opened(target):
            hanging = asyncio.create_task(target.send(b"hang"))
            await asyncio.sleep(0.3)
            hanging.cancel()
            return [await target.send(b"accept"), await target.send(b"reject")]

    with KINDS[kind](timeout=2) as target:
        said = asyncio.run(ask(target))
    assert [one.kind for one in said] == ["accepted", "rejected"]


@all_kinds
def test_a_closed_target_can_be_reopened_and_sent_to_another_process(kind: str) -> None:
    with KINDS[kind]() as target:
        for one in (target, target, pickle.loads(pickle.dumps(target))):
            assert answers(one, b"accept")[0].kind == "accepted"
