import asyncio
import os
import shutil
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest
from hand_made_programs import SECONDS, answer, answers, cancelled_after, dies, is_alive, python
from waiting import happens

from brokerfuzz.errors import TargetError
from brokerfuzz.targets import CommandTarget
from brokerfuzz.targets.target import opened

pytestmark = [
    pytest.mark.skipif(sys.platform != "linux", reason="looks at processes in /proc"),
    pytest.mark.usefixtures("tidy"),
]


@pytest.mark.parametrize(
    ("code", "kind", "reason"),
    [
        pytest.param("", "accepted", "exit status 0", id="exits with 0"),
        pytest.param("print('fine')", "accepted", "exit status 0", id="exits with 0 and output"),
        pytest.param("raise SystemExit(3)", "rejected", "exit status 3", id="rejects"),
        pytest.param(
            "print('\\n no\\x1b number\\nx'); raise SystemExit(3)",
            "rejected",
            "exit status 3: no� number",
            id="gives a reason",
        ),
        pytest.param(
            "import sys; print('out'); sys.exit('error\\nmore')",
            "rejected",
            "exit status 1: error",
            id="standard error first",
        ),
        pytest.param("{}['number']", "rejected", "exit status 1: KeyError: 'number'", id="a traceback's last line"),
        pytest.param("import os; os.kill(os.getpid(), 11)", "crashed", "killed by SIGSEGV", id="signal"),
        pytest.param(
            "import os; os.kill(os.getpid(), 40)", "crashed", "killed by signal 40", id="signal without a name"
        ),
        pytest.param("import os; os.abort()", "crashed", "killed by SIGABRT", id="abort"),
        pytest.param("import os; os.closerange(0, 3)", "accepted", "exit status 0", id="closes all streams and ends"),
    ],
)
def test_exit_statuses_become_answers(code: str, kind: str, reason: str) -> None:
    said = answer(CommandTarget(python(code)))
    assert (said.kind, said.reason, said.status, said.reached) == (kind, reason, None, True)
    assert said.seconds > 0


@pytest.mark.parametrize(
    ("status", "kind"), [(0, "accepted"), (1, "crashed"), (2, "rejected"), (65, "rejected"), (137, "crashed")]
)
def test_if_rejecting_statuses_are_given_others_are_crashes(status: int, kind: str) -> None:
    assert answer(CommandTarget(python(f"raise SystemExit({status})"), reject=[2, 65])).kind == kind


def test_the_message_is_standard_input_byte_for_byte() -> None:
    body = bytes(range(256)) * 4000
    code = (
        f"import sys; raise SystemExit(0 if sys.stdin.buffer.read() == bytes(range(256)) * {len(body) // 256} else 1)"
    )
    assert answer(CommandTarget(python(code)), body).kind == "accepted"
    assert answer(CommandTarget(python("import sys; sys.exit(len(sys.stdin.buffer.read()))")), b"").kind == "accepted"


def test_a_command_line_is_split_like_in_a_shell_but_no_shell_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    line = f"'{sys.executable}' -ISc 'import sys; sys.exit(\" \".join(sys.argv[1:]))' \"a  b\" $HOME `id` '*' > x; true"
    said = answer(CommandTarget(line))
    assert said.reason == "exit status 1: a  b $HOME `id` * > x; true"
    assert not list(tmp_path.iterdir())


def test_the_beginning_of_the_output_is_kept() -> None:
    both = answer(CommandTarget(python("import sys; print('o' * 5000); sys.exit('e' * 5000)")))
    assert (len(both.body), both.body[:2], both.body[-2:]) == (2048, b"oo", b"ee")
    assert len(both.reason) < 300
    assert answer(CommandTarget(python("import sys; sys.exit('e')"))).body == b"e\n"


def test_a_program_that_exceeds_the_timeout_is_killed_with_its_children(tmp_path: Path) -> None:
    pids = tmp_path / "pids"
    code = (
        "import os, signal, subprocess, sys, time\n"
        "for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP): signal.signal(number, signal.SIG_IGN)\n"
        "child = subprocess.Popen(['sleep', '60'])\n"
        "open(sys.argv[1], 'w').write(f'{os.getpid()} {child.pid}')\n"
        "print('begun', flush=True)\n"
        "while True: time.sleep(60)"
    )
    said = answer(CommandTarget(python(code, str(pids)), timeout=3))
    assert (said.kind, said.reason, said.body) == ("timeout", "still running after 3 s: killed", b"begun\n")
    assert 2.9 < said.seconds < SECONDS
    assert all(dies(int(pid)) for pid in pids.read_text().split())


def test_a_grandchild_that_keeps_the_pipes_open_causes_no_delay(tmp_path: Path) -> None:
    pid = tmp_path / "pid"
    code = (
        "import subprocess, sys; open(sys.argv[1], 'w').write(str(subprocess.Popen(['sleep', '60']).pid)); "
        "print('done')"
    )
    said = answer(CommandTarget(python(code, str(pid))))
    assert (said.kind, said.body) == ("accepted", b"done\n")
    assert said.seconds < SECONDS
    assert dies(int(pid.read_text()))


def test_a_grandchild_that_left_the_group_and_keeps_writing_causes_no_delay(tmp_path: Path) -> None:
    pid = tmp_path / "pid"
    code = (
        "import subprocess, sys\nchild = subprocess.Popen(['yes'], start_new_session=True)\nopen(sys.argv[1], "
        "'w').write(str(child.pid)); sys.exit(4)"
    )
    said = answer(CommandTarget(python(code, str(pid))))
    assert said.kind == "rejected"
    assert dies(int(pid.read_text()))  # nobody reads what it writes


@pytest.mark.parametrize("stream", [1, 2])
def test_endless_output_is_discarded(stream: int) -> None:
    import resource

    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss  # KiB
    code = f"import os\nfor _ in range(4000): os.write({stream}, b'x' * 65536)\nraise SystemExit(2)"
    said = answer(CommandTarget(python(code)))
    assert (said.kind, len(said.body)) == ("rejected", 2048)
    assert answer(CommandTarget(["yes"], timeout=0.3)).kind == "timeout"
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 50_000


@pytest.mark.parametrize(
    "code",
    [
        pytest.param("import os; os.close(0)", id="closes its input"),
        pytest.param("import sys; sys.stdin.buffer.raw.read(1)", id="reads a byte"),
        pytest.param("", id="reads nothing"),
    ],
)
def test_a_program_may_leave_its_input_unread(code: str) -> None:
    target = CommandTarget(python(code), processes=2)
    assert {said.kind for said in answers(target, b"{}", b"x" * 3_000_000, b"", b"x" * 70_000, at_once=True)} == {
        "accepted"
    }


def test_a_program_that_closes_all_pipes_and_keeps_running_times_out() -> None:
    said = answer(
        CommandTarget(python("import os, time; os.closerange(0, 3); time.sleep(60)"), timeout=0.4), b"x" * 1_000_000
    )
    assert said.kind == "timeout"


def test_slow_output_does_not_extend_the_timeout() -> None:
    code = "import time\nwhile True: print('x', end='', flush=True); time.sleep(0.02)"
    assert answer(CommandTarget(python(code), timeout=0.4)).seconds < SECONDS


def test_the_number_of_processes_is_limited_and_waiting_does_not_count_towards_the_timeout(tmp_path: Path) -> None:
    code = (
        "import os, sys, time\n"
        "mine = os.path.join(sys.argv[1], str(os.getpid())); open(mine, 'w').close()\n"
        "running = len(os.listdir(sys.argv[1])); time.sleep(0.05); os.remove(mine); sys.exit(running)"
    )
    started = time.monotonic()
    said = answers(CommandTarget(python(code, str(tmp_path)), processes=2, timeout=SECONDS), *[b""] * 12, at_once=True)
    assert {answer.reason for answer in said} <= {"exit status 1", "exit status 2"}
    assert max(answer.seconds for answer in said) < (time.monotonic() - started) / 2


def test_a_cancelled_program_is_killed(tmp_path: Path) -> None:
    code = "import os, sys, time; open(os.path.join(sys.argv[1], str(os.getpid())), 'w').close(); time.sleep(60)"
    started = time.monotonic()
    cancelled_after(CommandTarget(python(code, str(tmp_path)), processes=4), 4, tmp_path, *[b"{}"] * 8)
    assert time.monotonic() - started < SECONDS
    pids = [int(path.name) for path in tmp_path.iterdir()]
    assert len(pids) == 4
    assert not [pid for pid in pids if is_alive(pid)]


def test_many_messages_leak_no_descriptors() -> None:
    assert {said.kind for said in answers(CommandTarget(["cat"]), *[b"{}"] * 200, at_once=True)} == {"accepted"}


@pytest.mark.rotated(6)
def test_on_systems_without_pidfds_threads_wait_for_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(os, "pidfd_open")
    said = answers(
        CommandTarget(python("import sys; sys.exit(len(sys.stdin.read()))"), timeout=SECONDS),
        b"",
        b"a",
        b"ab",
        at_once=True,
    )
    assert [answer.reason for answer in said] == ["exit status 0", "exit status 1", "exit status 2"]
    assert answer(CommandTarget(["sleep", "60"], timeout=0.2)).kind == "timeout"
    happens(lambda: threading.active_count() == 1, SECONDS)


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("no-such-program --now", r"no folder in .PATH contains this program\): correct its name"),
        ("./no-such-program", "the file does not exist"),
        ("/tmp", "is a folder"),
    ],
)
def test_a_missing_program_is_an_error_with_a_remedy(command: str, words: str) -> None:
    with pytest.raises(TargetError, match=words):
        answer(CommandTarget(command))


def test_a_program_that_is_not_executable_is_an_error_with_a_remedy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    program = tmp_path / "validate"
    program.write_text("exit 0\n")
    with pytest.raises(TargetError, match=r"chmod \+x"):
        answer(CommandTarget("./validate"))
    with pytest.raises(TargetError, match=r"to run a program in this folder, write ./validate"):
        answer(CommandTarget("validate"))
    program.chmod(0o755)
    with pytest.raises(TargetError, match=r"Exec format error.*run the command in a shell"):
        answer(CommandTarget("./validate"))


def test_a_program_that_disappears_is_waited_for_and_then_reported(tmp_path: Path) -> None:
    program = tmp_path / "validate"

    def write() -> None:
        program.write_text("#!/bin/sh\n")
        program.chmod(0o755)

    async def ask() -> list[tuple[str, bool]]:
        write()
        async with opened(CommandTarget([str(program)], patience=0.5)) as target:
            said = [await target.send(b"{}")]
            program.unlink()
            asyncio.get_running_loop().call_later(0.1, write)
            said.append(await target.send(b"{}"))
            program.unlink()
            said.append(await target.send(b"{}"))
        return [(answer.kind, answer.reached) for answer in said]

    assert asyncio.run(ask()) == [("accepted", True), ("accepted", True), ("crashed", False)]


@pytest.mark.parametrize(
    ("command", "options", "words"),
    [
        ("", {}, "contains no program"),
        ([], {}, "contains no program"),
        ("node 'x", {}, "No closing quotation"),
        ("a\0b", {}, "NUL"),
        ("cat", {"timeout": 0}, "greater than 0"),
        ("cat", {"timeout": float("nan")}, "greater than 0"),
        ("cat", {"processes": 0}, "use 1 or more"),
        ("cat", {"reject": [0]}, "from 1 to 255"),
    ],
)
def test_invalid_arguments_are_rejected_at_once(command: Any, options: Any, words: str) -> None:
    with pytest.raises(TargetError, match=words):
        CommandTarget(command, **options)


def test_messages_with_headers_cannot_be_sent() -> None:
    target = CommandTarget("cat")
    assert target.can_send(b"\n\0\xff")
    assert not target.can_send(b"{}", (("content-type", None),))

    async def ask() -> None:
        await target.open()
        await target.send(b"{}", (("content-type", None),))

    with pytest.raises(TargetError, match="can_send"):
        asyncio.run(ask())
    with pytest.raises(TargetError, match="not open"):
        asyncio.run(CommandTarget("cat").send(b""))


@pytest.mark.parametrize(
    ("command", "shown"),
    [
        ("node validate.js", "node validate.js"),
        ("v --token=abcdef1 -v", 'v --token="${TOKEN}" -v'),
        ("v --password abcdef1 file", 'v --password "${PASSWORD}" file'),
        ("v --auth --verbose", "v --auth --verbose"),
        ("env API_KEY=abcdef1 v", 'env API_KEY="${API_KEY}" v'),
        ("v --url=https://me:abcdef1@host/x?token=abcdef1", 'v --url=https://host/x?token="${TOKEN}"'),
        ("v https://me:abcdef1@host/", "v https://host/"),
        ("v -H 'Authorization: Bearer abcdef1' file", "v -H 'Authorization: '\"${AUTHORIZATION}\" file"),
        ("v --header=X-Otp:abcdef1", 'v --header=X-Otp:"${X_OTP}"'),
        ("v '-HX-Api-Key: abcdef1' file", "v '-HX-Api-Key: '\"${X_API_KEY}\" file"),
        ("v -H 'Accept: text/plain' host:80", "v -H 'Accept: text/plain' host:80"),
        ("v --token=a:bcdef1 --key a:bcdef1", 'v --token="${TOKEN}" --key "${KEY}"'),
        ("v -u me:abcdef1", 'v -u me:"${PASSWORD}"'),
        ("v --user=me:abcdef1", 'v --user=me:"${PASSWORD}"'),
        ("docker run -u 1000:1000 --user me v", "docker run -u 1000:1000 --user me v"),
        ("DB_PASSWORD=abcdef1 ./v", 'DB_PASSWORD="${DB_PASSWORD}" ./v'),
        ("sh -c 'DB_PASSWORD=abcdef1 ./v; exit 1'", "sh -c 'DB_PASSWORD='\"${DB_PASSWORD}\"' ./v; exit 1'"),
        ("env 'DB_PASSWORD=abc def' v", 'env DB_PASSWORD="${DB_PASSWORD}" v'),
        ("""sh -c "v --token 'a'bcdef1" """, 'sh -c "${COMMAND}"'),
        ("""sh -c "v --token abcdef1 --password 'b'cdef2" """, 'sh -c "${COMMAND}"'),
        (["v", "a b", ""], "v 'a b' ''"),
    ],
)
def test_the_name_and_the_reproduction_contain_no_secret(command: Any, shown: str) -> None:
    target = CommandTarget(command)
    assert target.name.replace("'", "") == shown.replace("'", "")
    assert target.reproduction(b"{}") == f"printf '{{}}' | {target.name}"


@pytest.mark.parametrize(
    ("words", "name"),
    [
        (["--token=abcdef1"], "${TOKEN}"),
        (["-H", "Authorization: Bearer abcdef1"], "[secret]"),
        (["-u", "me:abcdef1"], "${PASSWORD}"),
    ],
)
def test_a_secret_that_the_program_repeats_is_masked_in_the_answer(words: list[str], name: str) -> None:
    said = answer(CommandTarget(python("import sys; sys.exit('it is ' + sys.argv[-1][-7:])", *words)))
    assert (said.reason, said.body) == (f"exit status 1: it is {name}", f"it is {name}\n".encode())


def test_a_variable_before_the_program_is_an_error_without_its_value() -> None:
    with pytest.raises(
        TargetError, match="only a shell reads NAME=VALUE before a command: write `env DB_PASSWORD="
    ) as raised:
        asyncio.run(CommandTarget("DB_PASSWORD=abcdef1 ./v").open())
    assert "abcdef1" not in str(raised.value)


@pytest.mark.parametrize("shell", [shell for shell in ("bash", "sh") if shutil.which(shell)])
def test_the_reproduction_sends_the_program_the_same_bytes(shell: str, tmp_path: Path) -> None:
    body = bytes(range(256)) + b"100%s '\\n' \xf0\x9f\x98\x80" * 3
    file = tmp_path / "an odd 'name"
    line = CommandTarget(
        python("import sys; open(sys.argv[1], 'wb').write(sys.stdin.buffer.read())", str(file))
    ).reproduction(body)
    assert line.isprintable()
    subprocess.run([shell], input=line, text=True, check=True, timeout=20)
    assert file.read_bytes() == body


@pytest.mark.skipif(not shutil.which("node"), reason="needs node")
def test_a_program_in_node_is_a_target() -> None:
    code = "let s='';process.stdin.on('data',d=>s+=d).on('end',()=>{try{JSON.parse(s)}catch(e){console.error(e.name);process.exit(65)}})"
    said = answers(CommandTarget(["node", "-e", code], reject=[65]), b"{}", b"{")
    assert [(answer.kind, answer.reason) for answer in said] == [
        ("accepted", "exit status 0"),
        ("rejected", "exit status 65: SyntaxError"),
    ]
