import asyncio
import os
import pickle
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from hand_made_programs import SECONDS, answer, answers, cancelled_after, dies, is_alive, python

from brokerfuzz.errors import TargetError
from brokerfuzz.targets import Answer, LineTarget
from brokerfuzz.targets.target import opened

pytestmark = [
    pytest.mark.skipif(sys.platform != "linux", reason="looks at processes in /proc"),
    pytest.mark.usefixtures("tidy"),
]


NO_ANSWER = "no answer line within 0.5 s: killed"


def each(code: str, *arguments: str, before: str = "pass") -> list[str]:
    """Returns a program that runs `code` for each `line`. `code` can write bytes to standard output with `say`."""
    lines = [
        "import os, sys, time, signal",
        "def say(data): os.write(1, data)",
        before,
        "for line in iter(sys.stdin.buffer.readline, b''):",
        "    line = line[:-1]",
        *(f"    {part}" for part in code.splitlines()),
    ]
    return python("\n".join(lines), *arguments)


def says(data: bytes) -> list[str]:
    return each(f"say({data!r})")


BODY = b"it's 100% \\ \xff"
ECHO = each("say(b'accepted ' + line + b'\\n')")


@pytest.mark.parametrize(
    ("line", "kind", "reason"),
    [
        (b"accepted", "accepted", b""),
        (b"rejected", "rejected", b""),
        (b"crashed", "crashed", b""),
        (b"rejected no number\x1b", "rejected", b"no number\x1b"),
        (b'rejected: "number is required"', "rejected", b'"number is required"'),
        (b"rejected:/number: missing", "rejected", b"/number: missing"),
        (b"crashed KeyError: number", "crashed", b"KeyError: number"),
        (b'rejected {"errors": [{"field": "number"}]}', "rejected", b'{"errors": [{"field": "number"}]}'),
        (b"rejected \xff" + b"x" * 60000, "rejected", b"\xff" + b"x" * 2047),
        (b"rejected ", "rejected", b""),
        (b"rejected:", "rejected", b""),
        (b"rejected\r", "rejected", b""),
    ],
)
def test_the_word_before_the_first_space_or_colon_is_the_answer_and_the_rest_is_its_body(
    line: bytes, kind: str, reason: bytes
) -> None:
    said = answer(LineTarget(says(line + b"\n"), processes=1))
    assert (said.kind, said.body, said.reached) == (kind, reason, True)
    assert said.reason == kind if not reason else said.reason[0] == reason.decode(errors="replace")[0]


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b'{"accepted":true}', 'answered with "{"accepted":true}"'),
        (b"{" * 60000, f'answered with "{"{" * 199}…"'),
        (b"ok", 'answered with "ok"'),
        (b"Accepted", 'answered with "Accepted"'),
        (b"acceptedly", 'answered with "acceptedly"'),
        (b" accepted", 'answered with "accepted"'),
        (b"", "answered with an empty line"),
        (b"\xff\x00\xfe", 'answered with "���"'),
    ],
)
def test_any_other_line_is_a_crash(line: bytes, reason: str) -> None:
    first, second = answers(LineTarget(says(line + b"\n"), processes=1), b"{}", b"{}")
    assert (first.kind, first.reason, first.body, first.reached) == ("crashed", reason, line[:2048], True)
    assert second.kind == first.kind


def test_a_process_keeps_running_after_each_answer_line(tmp_path: Path) -> None:
    code = "say(b'%s %d\\n' % (line, os.getpid()))"
    said = answers(LineTarget(each(code), processes=1), b"crashed", b"rejected", b"crashed:", b"accepted")
    assert [answer.kind for answer in said] == ["crashed", "rejected", "crashed", "accepted"]
    assert len({answer.body for answer in said}) == 1


@pytest.mark.parametrize(
    ("code", "kind", "reason"),
    [
        pytest.param("os.kill(os.getpid(), 11)", "crashed", "ended without an answer, killed by SIGSEGV", id="signal"),
        pytest.param(
            "{}['number']", "crashed", "ended without an answer, exit status 1: KeyError: 'number'", id="exception"
        ),
        pytest.param("break", "crashed", "ended without an answer, exit status 0", id="ends"),
        pytest.param(
            "say(b'accept'); break", "crashed", "ended without an answer, exit status 0", id="ends within a line"
        ),
        pytest.param(
            "say(b'accepted\\n' * 2)", "crashed", 'answered before it received a message: "accepted"', id="two answers"
        ),
        pytest.param(
            "say(b'accepted\\nx')", "crashed", 'answered before it received a message: "x"', id="an answer and more"
        ),
        pytest.param(
            "os.close(1); time.sleep(60)", "crashed", "closed its output without an answer", id="closes its output"
        ),
        pytest.param("time.sleep(60)", "timeout", NO_ANSWER, id="hangs"),
        pytest.param("while True: say(b'x'); time.sleep(.01)", "timeout", NO_ANSWER, id="trickles"),
        pytest.param("print('accepted')\ntime.sleep(60)", "timeout", NO_ANSWER, id="buffers"),
        pytest.param("while True: os.write(2, b'x' * 65536)", "timeout", NO_ANSWER, id="floods errors"),
    ],
)
def test_missing_and_invalid_lines_become_answers(code: str, kind: str, reason: str) -> None:
    said = answer(LineTarget(each(code), timeout=0.5 if kind == "timeout" else SECONDS, processes=1))
    assert (said.kind, said.reason) == (kind, reason)


@pytest.mark.parametrize("code", ["while True: say(b'x' * 65536)", "while True: say(b'accepted\\n' * 6000)"])
def test_only_the_beginning_of_endless_output_is_kept(code: str) -> None:
    import resource

    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss  # KiB
    said = answers(LineTarget(each(code), processes=2), *[b"{}"] * 20, at_once=True)
    assert {answer.kind for answer in said} == {"crashed"}
    assert "a line of more than 65536 bytes" in said[0].reason or "before it received a message" in said[0].reason
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 50_000


@pytest.mark.parametrize("processes", [1, 3])
def test_each_of_a_thousand_messages_gets_its_own_answer(processes: int) -> None:
    bodies = [b"%d " % number + b"x" * (number % 7) ** 6 for number in range(1000)]
    for at_once in (True, False):
        said = answers(LineTarget(ECHO, processes=processes), *bodies[: 1000 if at_once else 100], at_once=at_once)
        assert [answer.body for answer in said] == [body.strip()[:2048] for body in bodies[: len(said)]]


def test_crashes_and_timeouts_do_not_mix_up_answers() -> None:
    code = "if line == b'crash': os.abort()\nif line == b'hang': time.sleep(60)\nsay(b'accepted ' + line + b'\\n')"
    bodies = [b"crash" if number % 17 == 0 else b"hang" if number == 40 else b"%d" % number for number in range(200)]
    said = answers(LineTarget(each(code), processes=3, timeout=3), *bodies, at_once=True)
    kinds = {b"crash": "crashed", b"hang": "timeout"}
    assert [answer.kind for answer in said] == [kinds.get(body, "accepted") for body in bodies]
    assert all(
        answer.reason == body.decode() for answer, body in zip(said, bodies, strict=True) if answer.kind == "accepted"
    )


def test_no_unnecessary_processes_are_started(tmp_path: Path) -> None:
    before = "open(os.path.join(sys.argv[1], str(os.getpid())), 'w').close()"
    answers(LineTarget(each("say(b'accepted\\n')", str(tmp_path), before=before), processes=4), *[b""] * 50)
    assert len(list(tmp_path.iterdir())) == 1


def test_a_process_that_ends_after_each_answer_is_replaced() -> None:
    said = answers(LineTarget(each("say(b'accepted\\n'); break"), processes=1), *[b"{}"] * 30)
    said += answers(LineTarget(each("say(b'accepted\\n'); break"), processes=2), *[b"{}"] * 30, at_once=True)
    assert {(answer.kind, answer.reached) for answer in said} == {("accepted", True)}


def test_a_process_that_closes_its_input_after_an_answer_is_replaced() -> None:
    said = answers(LineTarget(each("say(b'accepted\\n'); os.close(0); time.sleep(60)"), processes=1), b"a", b"b")
    assert [answer.kind for answer in said] == ["accepted", "accepted"]


def test_an_unexpected_line_is_a_crash_of_the_next_message() -> None:
    async def ask() -> list[Answer]:
        async with opened(
            LineTarget(each("say(b'accepted\\n'); time.sleep(.1); say(b'by the way\\n')"), processes=1)
        ) as target:
            said = [await target.send(b"{}")]
            await asyncio.sleep(0.5)
            said += [await target.send(b"{}"), await target.send(b"{}")]
        return said

    said = asyncio.run(ask())
    assert [answer.kind for answer in said] == ["accepted", "crashed", "accepted"]
    assert said[1].reason == 'answered before it received a message: "by the way"'


@pytest.mark.parametrize(
    "command",
    [
        pytest.param(python("import no_such_module"), id="cannot import"),
        pytest.param(python("raise SystemExit('no licence')"), id="exits"),
        pytest.param(python("import os, time; os.close(0); time.sleep(60)"), id="closes its input"),
    ],
)
def test_a_program_that_never_reads_or_answers_is_an_error(command: list[str]) -> None:
    with pytest.raises(
        TargetError,
        match=r"cannot be used: the process (ends before it reads|closes its input).*run the command in a shell",
    ):
        answer(LineTarget(command, processes=2))


def test_a_program_that_answered_but_now_ends_at_once_gets_time_to_return(tmp_path: Path) -> None:
    broken = tmp_path / "broken"

    async def ask() -> list[Answer]:
        program = each(
            "say(b'accepted\\n'); break", str(broken), before="if os.path.exists(sys.argv[1]): sys.exit('broken')"
        )
        async with opened(LineTarget(program, processes=1, patience=0.6)) as target:
            said = [await target.send(b"{}")]
            broken.touch()
            asyncio.get_running_loop().call_later(0.2, broken.unlink)
            said.append(await target.send(b"{}"))
            broken.touch()
            said += await asyncio.gather(target.send(b"{}"), target.send(b"{}"))
        return said

    said = asyncio.run(ask())
    assert [(answer.kind, answer.reached) for answer in said] == [("accepted", True)] * 2 + [("crashed", False)] * 2
    assert said[2].reason == "the process ends before it reads anything (exit status 1: broken)"


def test_a_program_that_cannot_be_executed_is_an_error_in_open(tmp_path: Path) -> None:
    program = tmp_path / "validate"
    program.write_text("exit 0\n")
    program.chmod(0o755)
    with pytest.raises(TargetError, match=r"cannot be started .Exec format error"):
        asyncio.run(LineTarget([str(program)]).open())
    with pytest.raises(TargetError, match="was not found"):
        asyncio.run(LineTarget("no-such-program").open())


def test_a_cancelled_or_hanging_process_is_killed_with_its_children(tmp_path: Path) -> None:
    before = (
        "import subprocess; signal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
        "child = subprocess.Popen(['sleep', '60'])\n"
        "for pid in (os.getpid(), child.pid): open(os.path.join(sys.argv[1], str(pid)), 'w').close()"
    )
    command = each("time.sleep(60)", str(tmp_path), before=before)
    started = time.monotonic()
    cancelled_after(LineTarget(command, processes=2), 4, tmp_path, *[b"{}"] * 5)
    assert answer(LineTarget(command, timeout=2)).kind == "timeout"
    assert time.monotonic() - started < SECONDS
    pids = [int(path.name) for path in tmp_path.iterdir()]
    assert len(pids) == 6
    assert all(dies(pid) for pid in pids)


def test_a_cancelled_message_does_not_affect_other_answers() -> None:
    async def ask() -> list[str]:
        async with opened(
            LineTarget(each("time.sleep(.2 if line == b'slow' else 0); say(b'accepted ' + line + b'\\n')"), processes=1)
        ) as target:
            slow = asyncio.create_task(target.send(b"slow"))
            waiting = [asyncio.create_task(target.send(b"%d" % number)) for number in range(4)]
            await asyncio.sleep(0.1)
            slow.cancel()
            waiting.pop(1).cancel()
            return [(await task).reason for task in waiting]

    assert asyncio.run(ask()) == ["0", "2", "3"]


def test_an_idle_process_can_end_normally_when_its_input_ends(tmp_path: Path) -> None:
    done = tmp_path / "done"
    code = f"import sys\nfor line in sys.stdin: print('accepted')\nopen({str(done)!r}, 'w').close()"
    assert answer(LineTarget([sys.executable, "-Sc", code])).kind == "accepted"  # the buffer of print is turned off
    assert done.exists()
    code = (
        "import os, sys, time; open(sys.argv[1], 'w').write(str(os.getpid())); os.read(0, 9); os.write(1, "
        "b'accepted\\n'); time.sleep(60)"
    )
    assert answer(LineTarget(python(code, str(done)))).kind == "accepted"
    assert not is_alive(int(done.read_text()))


HEX = {
    "plain": each("say(b'accepted ' + line.hex().encode() + b'\\n')"),
    "base64": each("import base64; say(b'accepted ' + base64.b64decode(line, validate=True).hex().encode() + b'\\n')"),
    "frames": python(
        "import os, struct, sys\n"
        "read = sys.stdin.buffer.read\n"
        "while head := read(4): os.write(1, b'accepted ' + read(struct.unpack('>I', head)[0]).hex().encode() + b'\\n')"
    ),
}
"""For each encoding, a program that answers with the bytes of the message."""
ONE_LINE = [b"", b"{}", b"\0\x85\x0b\x0c", bytes(range(14, 256)), b" \t", "{\u2027}".encode()]
SEVERAL_LINES = [b"\n", b"{}\n", b"{\r\n}", b"\r", "{\u2028}".encode(), "\u2029".encode()]


@pytest.mark.parametrize("encoding", ["plain", "base64", "frames"])
def test_each_encoding_preserves_the_bytes_of_every_message_that_it_can_send(encoding: Any) -> None:
    target = LineTarget(HEX[encoding], encoding=encoding, processes=1)
    bodies = ONE_LINE if encoding == "plain" else [*ONE_LINE, *SEVERAL_LINES]
    assert all(target.can_send(body) for body in bodies)
    assert [bytes.fromhex(said.body.decode()) for said in answers(target, *bodies)] == bodies
    assert not target.can_send(b"{}", (("accept", "text/plain"),))


@pytest.mark.parametrize("body", SEVERAL_LINES)
def test_a_message_with_a_line_break_cannot_be_sent_as_a_plain_line(body: bytes) -> None:
    assert not LineTarget(ECHO).can_send(body)
    with pytest.raises(TargetError, match="can_send"):
        answer(LineTarget(ECHO), body)


@pytest.mark.parametrize("encoding", ["plain", "base64", "frames"])
def test_the_reproduction_sends_the_program_the_same_message(encoding: Any) -> None:
    target = LineTarget([*HEX[encoding], "--token", "abcdef1"], encoding=encoding)
    line = target.reproduction(BODY)
    assert line.isprintable()
    assert "abcdef1" not in line
    said = subprocess.run(
        ["sh", "-c", line], capture_output=True, check=True, timeout=20, env={**os.environ, "TOKEN": "abcdef1"}
    ).stdout
    assert said == b"accepted " + BODY.hex().encode() + b"\n"


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"encoding": "hex"}, "plain.*base64.*frames"),
        ({"timeout": -1}, "greater than 0"),
        ({"processes": 0}, "use 1 or more"),
    ],
)
def test_invalid_arguments_are_rejected_at_once(options: Any, words: str) -> None:
    with pytest.raises(TargetError, match=words):
        LineTarget("cat", **options)


def test_a_closed_target_can_be_reopened_and_pickled() -> None:
    target = LineTarget(ECHO)
    assert answer(target).kind == "accepted"
    assert answer(pickle.loads(pickle.dumps(target))).kind == "accepted"
    with pytest.raises(TargetError, match="not open"):
        asyncio.run(target.send(b"{}"))


@pytest.mark.skipif(not shutil.which("node"), reason="needs node")
def test_a_program_in_node_is_a_target() -> None:
    judged = "try{JSON.parse(l);console.log('accepted')}catch(e){console.log('rejected '+e.name)}"
    code = f"require('readline').createInterface({{input:process.stdin}}).on('line',l=>{{{judged}}})"
    said = answers(LineTarget(["node", "-e", code], processes=1), b"{}", b"{", b"[]")
    assert [answer.reason for answer in said] == ["accepted", "SyntaxError", "accepted"]


EXAMPLES = Path(__file__).parents[2] / "examples" / "frames"
EXAMPLE_COMMANDS = {
    "reader.py": [sys.executable, "reader.py"],
    "reader.mjs": ["node", "reader.mjs"],
    "Reader.java": ["java", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "Reader.java"],
    "reader.c": ["sh", "-c", 'cc -Wall -Wextra -Werror reader.c -o "$0/reader" && exec "$0/reader"'],
}
"""Maps the files in `examples/frames` to the commands that run them."""


@pytest.mark.skipif(not EXAMPLES.is_dir(), reason="needs the examples")
def test_every_example_in_the_folder_is_tested() -> None:
    assert {path.name for path in EXAMPLES.iterdir()} == EXAMPLE_COMMANDS.keys()


@pytest.mark.parametrize("name", EXAMPLE_COMMANDS)
def test_the_examples_in_several_languages_read_frames(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    command = [*EXAMPLE_COMMANDS[name], *([str(tmp_path)] if name == "reader.c" else [])]
    if not EXAMPLES.is_dir() or not shutil.which("cc" if name == "reader.c" else command[0]):
        pytest.skip(f"needs the examples and {command[0]}")
    monkeypatch.chdir(EXAMPLES)
    bodies = [b"{}", b"x\n", b'{"description": "\\n"}\n', b'{"number": "%s"}' % (b"A" * 200_000), b""]
    said = answers(LineTarget(command, encoding="frames", timeout=60, processes=1), *bodies)
    assert [answer.kind for answer in said] == ["accepted", "rejected", "accepted", "accepted", "rejected"], said
    assert said[1].body
