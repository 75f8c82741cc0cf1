"""Programs as targets: one process per message (`--exec`), one process for many messages (`--lines`), and a Python
function in other processes (`--call`).
"""

import asyncio
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from textwrap import indent
from typing import Any

import pytest
from fixture_types import Start, Write
from hand_made_programs import SECONDS, answer, answers, cancelled_after, dies, is_alive, python
from waiting import happens

from brokerfuzz.targets import Answer, CallTarget, CommandTarget, LineTarget, Target
from brokerfuzz.targets.target import opened

pytestmark = [
    pytest.mark.skipif(sys.platform != "linux", reason="looks at processes in /proc"),
    pytest.mark.usefixtures("tidy"),
]

Calling = Callable[..., CallTarget]


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


@pytest.fixture
def calling(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Calling:
    """The returned function creates a target from the lines of a function `judge(body)`."""
    monkeypatch.chdir(tmp_path)

    def target(*lines: str, head: str = "def judge(body):", before: str = "", **options: Any) -> CallTarget:
        imports = "import asyncio, ctypes, os, signal, subprocess, sys, time"
        code = [imports, before, head, *(f"    {line}" for line in "\n".join(lines).splitlines())]
        (tmp_path / "mine.py").write_text("\n".join(code) + "\n")
        return CallTarget("mine:judge", **{"processes": 1, **options})

    return target


# ---------------------------------------------------------------------------------------------- what answers mean


@pytest.mark.parametrize(
    ("code", "kind", "reason"),
    [
        ("", "accepted", "exit status 0"),
        ("print('\\n no\\x1b number\\nx'); raise SystemExit(3)", "rejected", "exit status 3: no� number"),
        ("import sys; print('out'); sys.exit('error\\nmore')", "rejected", "exit status 1: error"),
        ("{}['number']", "rejected", "exit status 1: KeyError: 'number'"),
        ("import os; os.kill(os.getpid(), 11)", "crashed", "killed by SIGSEGV"),
        ("import os; os.kill(os.getpid(), 40)", "crashed", "killed by signal 40"),
        ("import os; os.closerange(0, 3)", "accepted", "exit status 0"),
        ("import os, time; os.closerange(0, 3); time.sleep(60)", "timeout", "still running after 1 s: killed"),
    ],
)
def test_the_exit_status_of_a_program_is_its_answer(code: str, kind: str, reason: str) -> None:
    said = answer(CommandTarget(python(code), timeout=1 if kind == "timeout" else SECONDS))
    assert (said.kind, said.reason, said.status, said.reached) == (kind, reason, None, True)
    assert 0 < said.seconds < SECONDS


@pytest.mark.parametrize(
    ("code", "kind", "reason"),
    [
        ("say(b'accepted\\n')", "accepted", "accepted"),
        ("say(b'rejected \\n')", "rejected", "rejected"),
        ("say(b'rejected\\r\\n')", "rejected", "rejected"),
        ("say(b'rejected no number\\x1b\\n')", "rejected", "no number�"),
        ("say(b'rejected:/number: missing\\n')", "rejected", "/number: missing"),
        ("say(b'crashed KeyError: number\\n')", "crashed", "KeyError: number"),
        ("say(b'rejected ' + b'x' * 60000 + b'\\n')", "rejected", "x" * 199 + "…"),
        ("say(b'acceptedly\\n')", "crashed", 'answered with "acceptedly"'),
        ("say(b' accepted\\n')", "crashed", 'answered with "accepted"'),
        ("say(b'\\n')", "crashed", "answered with an empty line"),
        (r"say(b'\xef\xbb\xbfrejected: no number\r\n')", "rejected", "no number"),
        ("os.kill(os.getpid(), 11)", "crashed", "ended without an answer, killed by SIGSEGV"),
        ("{}['number']", "crashed", "ended without an answer, exit status 1: KeyError: 'number'"),
        ("say(b'accept'); break", "crashed", "ended without an answer, exit status 0"),
        ("say(b'accepted\\n' * 2)", "crashed", 'answered before it received a message: "accepted"'),
        ("while True: say(b'x'); time.sleep(.01)", "timeout", "no answer line within 0.5 s: killed"),
        ("print('accepted')\ntime.sleep(60)", "timeout", "no answer line within 0.5 s: killed"),
        ("while True: os.write(2, b'x' * 4096); time.sleep(.001)", "timeout", "no answer line within 0.5 s: killed"),
    ],
)
def test_the_first_word_of_a_line_is_the_answer(code: str, kind: str, reason: str) -> None:
    said = answer(LineTarget(each(code), timeout=0.5 if kind == "timeout" else SECONDS, processes=1))
    assert (said.kind, said.reason) == (kind, reason)
    assert len(said.body) <= 2048


RESULTS = [
    ("pass", "accepted", "returned None"),
    ("return True", "accepted", "returned True"),
    ("return False", "rejected", "returned False"),
    ("return 'accepted'", "accepted", "accepted"),
    ("return 'rejected: /number: missing'", "rejected", "/number: missing"),
    ("return 'rejected by /number: missing'", "rejected", "by /number: missing"),
    ("return 'crashed'", "crashed", "crashed"),
    ("raise ValueError('no number\\nat all')", "rejected", "ValueError: no number at all"),
    ("raise ValueError", "rejected", "ValueError"),
    ("raise type('NoNumber', (type('ValidationFailed', (Exception,), {}),), {})('no')", "rejected", "NoNumber: no"),
    ("assert not body, 'why'", "crashed", "AssertionError: why"),
    ("return []", "crashed", "returned a list, which is not a valid answer: return True or False, or raise ValueError"),
    ("sys.exit(3)", "crashed", "SystemExit: 3"),
    ("raise KeyboardInterrupt", "crashed", "KeyboardInterrupt"),
    ("def f(): f()\nf()", "crashed", "RecursionError: maximum recursion depth exceeded"),
    ("raise type('Odd', (Exception,), {'__str__': lambda self: 1 / 0})", "crashed", "Odd: its error message cannot be read"),
    ("raise ValueError('x' * 10_000_000)", "rejected", f"ValueError: {'x' * 187}…"),
]  # fmt: skip
"""Each row contains the code of a function, and the kind and the reason of the answer."""


def test_return_values_and_exceptions_of_a_function_are_its_answers(calling: Calling) -> None:
    functions = (f"def judge_{number}(body):\n{indent(code, '    ')}" for number, (code, *_) in enumerate(RESULTS))
    target = calling("return globals()[f'judge_{body[0]}'](body[1:])", before="\n".join(functions))
    said = answers(target, *(bytes([number, 255]) for number in range(len(RESULTS))))
    without_lines = [(one.kind, re.sub(r" \(mine\.py:\d+\)$", "", one.reason)) for one in said]
    assert without_lines == [(kind, reason) for _, kind, reason in RESULTS]


def test_awaitables_are_awaited_in_one_event_loop(calling: Calling) -> None:
    code = "await asyncio.sleep(0)\nif body: raise ValueError(id(asyncio.get_running_loop()))"
    said = answers(calling(code, head="async def judge(body):"), b"", b"1", b"2")
    assert [one.kind for one in said] == ["accepted", "rejected", "rejected"]
    assert said[1].reason == said[2].reason


def test_the_process_of_a_function_imports_nothing_of_brokerfuzz(calling: Calling) -> None:
    code = "[name for name in sys.modules if name.partition('.')[0] in ('brokerfuzz', 'json', 'click')]"
    assert answer(calling(f"raise ValueError({code})")).reason == "ValueError: []"


def test_the_traceback_of_a_segmentation_fault_is_kept(calling: Calling) -> None:
    said = answer(calling("ctypes.string_at(0)"))
    assert b"Fatal Python error: Segmentation fault" in said.body
    assert b'mine.py", line 4 in judge' in said.body


@pytest.mark.parametrize(
    "target",
    [
        CommandTarget(["yes"], timeout=0.2),
        CommandTarget(python("import os\nfor _ in range(2000): os.write(2, b'x' * 65536)")),
        LineTarget(each("while True: say(b'x' * 65536)")),
        LineTarget(each("while True: say(b'accepted\\n' * 6000)")),
    ],
    ids=["output", "errors", "a line", "lines"],
)
def test_only_the_beginning_of_endless_output_is_kept(target: Target) -> None:
    import resource

    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss  # KiB
    assert all(len(said.body) <= 2048 for said in answers(target, *[b"{}"] * 3, at_once=True))
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 50_000


# ---------------------------------------------------------------------------------------------- messages and processes


def test_a_program_may_leave_its_input_unread() -> None:
    bodies = b"{}", b"x" * 3_000_000, b"", b"x" * 70_000
    for code in ("import os; os.close(0)", "import sys; sys.stdin.buffer.raw.read(1)", ""):
        said = answers(CommandTarget(python(code), processes=2), *bodies, at_once=True)
        assert {one.kind for one in said} == {"accepted"}


def test_an_unexpected_line_is_a_crash_of_the_next_message() -> None:
    async def ask() -> list[Answer]:
        program = each("say(b'accepted\\n'); time.sleep(.1); say(b'by the way\\n')")
        async with opened(LineTarget(program, processes=1)) as target:
            said = [await target.send(b"{}")]
            await asyncio.sleep(0.5)
            return [*said, await target.send(b"{}"), await target.send(b"{}")]

    said = asyncio.run(ask())
    assert [one.kind for one in said] == ["accepted", "crashed", "accepted"]
    assert said[1].reason == 'answered before it received a message: "by the way"'


def test_a_function_can_be_called_if_its_process_was_ready_before_brokerfuzz_looked(
    calling: Calling, monkeypatch: pytest.MonkeyPatch
) -> None:
    class SlowlyStarted(subprocess.Popen[bytes]):
        """As on a busy machine."""

        def __init__(self, *args: Any, **options: Any) -> None:
            super().__init__(*args, **options)
            time.sleep(1.5)

    monkeypatch.setattr(subprocess, "Popen", SlowlyStarted)
    said = answers(calling("return body == b'1'"), b"1", b"2")
    assert [one.kind for one in said] == ["accepted", "rejected"]


def test_the_number_of_programs_is_limited_and_waiting_does_not_count_towards_the_timeout(tmp_path: Path) -> None:
    code = (
        "import os, sys, time\n"
        "mine = os.path.join(sys.argv[1], str(os.getpid())); open(mine, 'w').close()\n"
        "running = len(os.listdir(sys.argv[1])); time.sleep(0.05); os.remove(mine); sys.exit(running)"
    )
    started = time.monotonic()
    said = answers(CommandTarget(python(code, str(tmp_path)), processes=2, timeout=SECONDS), *[b""] * 12, at_once=True)
    assert {one.reason for one in said} <= {"exit status 1", "exit status 2"}
    assert sum(one.seconds for one in said) < 3 * (time.monotonic() - started)


# ---------------------------------------------------------------------------------------------- the end of processes

HANGS = """
import os, signal, subprocess, sys, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
child = subprocess.Popen(['sleep', '60'])
for pid in (os.getpid(), child.pid):
    open(f'pids/{pid}', 'w').close()
time.sleep(60)
"""


@pytest.mark.parametrize("kind", ["exec", "lines", "call"])
def test_cancelled_and_hanging_programs_are_killed_with_their_children(
    kind: str, calling: Calling, tmp_path: Path
) -> None:
    (pids := tmp_path / "pids").mkdir()

    def target(**options: Any) -> Target:
        match kind:
            case "exec":
                return CommandTarget(python(HANGS), **options)
            case "lines":
                return LineTarget(
                    python(HANGS.replace("import", "import sys; sys.stdin.buffer.read(1)\nimport", 1)), **options
                )
        return calling(HANGS, **options)

    cancelled_after(target(processes=2), 4, pids, *[b"{}"] * 5)
    assert answer(target(timeout=2)).kind == "timeout"
    found = [int(path.name) for path in pids.iterdir()]
    assert len(found) == 6
    assert all(dies(pid) for pid in found)


@pytest.mark.parametrize(
    ("words", "number"),
    [
        (("--exec", "./hangs", "--lines", "plain"), signal.SIGTERM),
        pytest.param(("--call", "hangs:judge"), signal.SIGINT, marks=pytest.mark.long),
    ],
)
def test_ctrl_c_and_sigterm_end_programs_and_their_children(
    words: tuple[str, ...], number: signal.Signals, write: Write, start: Start
) -> None:
    Path("pids").mkdir()
    write("hangs.py", "def judge(body):", indent(HANGS, "    "))
    Path(write("hangs", f"#!{sys.executable}", "import sys", "sys.stdin.buffer.read(1)", HANGS)).chmod(0o755)
    with start("fire", *words, "--timeout", "60") as campaign:
        assert happens(lambda: len(list(Path("pids").iterdir())) == 2, 6 * SECONDS)
        campaign.send_signal(number)
        assert campaign.wait(SECONDS) == 130
    assert all(dies(int(path.name)) for path in Path("pids").iterdir())


@pytest.mark.parametrize("separate", [False, True])
def test_a_child_that_keeps_the_pipes_open_causes_no_delay(separate: bool, tmp_path: Path) -> None:
    code = (
        "import subprocess, sys; print('done', flush=True)\n"
        f"child = subprocess.Popen(['yes'], start_new_session={separate})\nopen(sys.argv[1], 'w').write(str(child.pid))"
    )
    said = answer(CommandTarget(python(code, str(tmp_path / "pid")), timeout=SECONDS))
    assert (said.kind, said.body[:5]) == ("accepted", b"done\n")
    assert dies(int((tmp_path / "pid").read_text()))  # in a session of its own, because nobody reads its output


def test_an_idle_process_can_end_normally_when_its_input_ends_and_is_killed_otherwise(tmp_path: Path) -> None:
    file = tmp_path / "file"
    code = f"import sys\nfor line in sys.stdin: print('accepted')\nopen({str(file)!r}, 'w').close()"
    assert answer(LineTarget([sys.executable, "-Sc", code])).kind == "accepted"  # the buffer of print is turned off
    assert file.exists()
    code = "open(sys.argv[1], 'w').write(str(os.getpid())); say(b'accepted\\n'); os.close(0); time.sleep(60)"
    assert answer(LineTarget(each(code, str(file)))).kind == "accepted"
    assert not is_alive(int(file.read_text()))


# ---------------------------------------------------------------------------------------------- errors


def test_a_program_that_can_no_longer_be_started_was_not_reached(tmp_path: Path) -> None:
    program = tmp_path / "validate"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)

    async def ask() -> list[Answer]:
        async with opened(CommandTarget(str(program))) as target:
            said = [await target.send(b"")]
            program.unlink()
            return [*said, await target.send(b"x")]

    assert [(one.kind, one.reached) for one in asyncio.run(ask())] == [("accepted", True), ("crashed", False)]


# ---------------------------------------------------------------------------------------------- encodings, reproductions

HEX = each("say(b'accepted ' + line.hex().encode() + b'\\n')")
"""A program that answers with the bytes of the message."""
ONE_LINE = [b"", b"{}", b"\0\x85\x0b\x0c", bytes(range(14, 256)), b" \t", "{\u2027}".encode()]
SEVERAL_LINES = [b"\n", b"{}\n", b"{\r\n}", b"\r", "{\u2028}".encode(), "\u2029".encode()]


def test_messages_without_an_encoding_keep_their_bytes_and_have_one_line() -> None:
    target = LineTarget([*HEX, "--token", "abcdef1"], encoding="plain", processes=1)
    assert [body for body in (*ONE_LINE, *SEVERAL_LINES) if target.can_send(body)] == ONE_LINE
    assert [bytes.fromhex(said.body.decode()) for said in answers(target, *ONE_LINE)] == ONE_LINE
    line = target.reproduction(b"it's 100%s")
    assert "abcdef1" not in line
    said = subprocess.run(["sh", "-c", line], capture_output=True, check=True, env={**os.environ, "TOKEN": "abcdef1"})
    assert bytes.fromhex(said.stdout.split()[1].decode()) == b"it's 100%s"


EXAMPLES = Path(__file__).parents[2] / "examples" / "frames"
EXAMPLE_COMMANDS = {
    "reader.py": [sys.executable, "reader.py"],
    "reader.mjs": ["node", "reader.mjs"],
    "Reader.java": ["java", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "Reader.java"],
    "reader.c": ["sh", "-c", 'cc -Wall -Wextra -Werror reader.c -o "$0/reader" && exec "$0/reader"'],
}


@pytest.mark.every(3)
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
    assert [one.kind for one in said] == ["accepted", "rejected", "accepted", "accepted", "rejected"], said
