import asyncio
import pickle
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from textwrap import indent
from typing import Any

import pytest
from hand_made_programs import SECONDS, answer, answers, cancelled_after, dies

from brokerfuzz.errors import TargetError
from brokerfuzz.targets import Answer, CallTarget
from brokerfuzz.targets.function_target import FunctionTarget
from brokerfuzz.targets.target import opened

pytestmark = [
    pytest.mark.skipif(sys.platform != "linux", reason="looks at processes in /proc"),
    pytest.mark.usefixtures("tidy"),
]

Calling = Callable[..., CallTarget]


@pytest.fixture
def calling(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Calling:
    """The returned function creates a target from the lines of a function `judge(body)`."""
    monkeypatch.chdir(tmp_path)

    def target(*lines: str, head: str = "def judge(body):", before: str = "", **options: Any) -> CallTarget:
        imports = "import asyncio, ctypes, os, subprocess, sys, threading, time"
        code = [imports, before, head, *(f"    {line}" for line in "\n".join(lines).splitlines())]
        (tmp_path / "mine.py").write_text("\n".join(code) + "\n")
        return CallTarget("mine:judge", **{"processes": 1, **options})

    return target


ANSWERS = [
    ("pass", "accepted", "returned None"),
    ("return True", "accepted", "returned True"),
    ("return False", "rejected", "returned False"),
    ("return 'accepted'", "accepted", "accepted"),
    ("return 'rejected no number'", "rejected", "no number"),
    ("return 'rejected: /number: missing'", "rejected", "/number: missing"),
    ("return 'crashed'", "crashed", "crashed"),
    ("raise ValueError('no number\\nat all')", "rejected", "ValueError: no number�at all"),
    ("raise ValueError", "rejected", "ValueError"),
    (
        "body.decode()",
        "rejected",
        "UnicodeDecodeError: 'utf-8' codec can't decode byte 0xff in position 0: invalid start byte",
    ),
    ("raise type('ValidationError', (Exception,), {})('no')", "rejected", "ValidationError: no"),
    ("raise type('NoNumber', (type('ValidationFailed', (Exception,), {}),), {})('no')", "rejected", "NoNumber: no"),
    ("assert not body, 'why'", "crashed", "AssertionError: why"),
    ("{}['number']", "crashed", "KeyError: 'number'"),
    (
        "return 'perhaps'",
        "crashed",
        "returned a str, which is not a valid answer: return True or False, or raise ValueError",
    ),
    ("return []", "crashed", "returned a list, which is not a valid answer: return True or False, or raise ValueError"),
    ("return 1", "crashed", "returned an int, which is not a valid answer: return True or False, or raise ValueError"),
    ("sys.exit(3)", "crashed", "SystemExit: 3"),
    ("raise KeyboardInterrupt", "crashed", "KeyboardInterrupt"),
    ("def f(): f()\nf()", "crashed", "RecursionError: maximum recursion depth exceeded"),
    ("bytearray(1 << 62)", "crashed", "MemoryError"),
    (
        "raise type('Odd', (Exception,), {'__str__': lambda self: 1 / 0})",
        "crashed",
        "Odd: its error message cannot be read",
    ),
    ("raise ValueError('x' * 10_000_000)", "rejected", f"ValueError: {'x' * 187}…"),
    ("raise BaseExceptionGroup('all', [ValueError()])", "crashed", "ExceptionGroup: all (1 sub-exception)"),
]
"""Each row contains the code of a function, and the kind and the reason of the answer. The functions get a message with
only the byte 255.
"""


def test_return_values_and_exceptions_become_answers(calling: Calling) -> None:
    """The first byte of a message selects the function."""
    before = "\n".join(
        f"def judge_{number}(body):\n{indent(code, '    ')}" for number, (code, *_) in enumerate(ANSWERS)
    )
    target = calling("return globals()[f'judge_{body[0]}'](body[1:])", before=before)
    bodies = [bytes([number, 255]) for number in range(len(ANSWERS)) for _ in range(2)]
    said = [(answer.kind, answer.reason) for answer in answers(target, *bodies)]
    assert said == [(kind, reason) for _, kind, reason in ANSWERS for _ in range(2)]


def test_a_reason_after_a_space_may_contain_a_colon(calling: Calling) -> None:
    for target in (
        calling("return 'rejected by /number: missing'"),
        FunctionTarget(lambda _: "rejected by /number: missing"),
    ):
        assert (answer(target).kind, answer(target).reason) == ("rejected", "by /number: missing")


@pytest.mark.parametrize(
    ("code", "kind", "reason"),
    [
        pytest.param("os._exit(3)", "crashed", "ended without an answer, exit status 3", id="exits"),
        pytest.param(
            "os.write(2, b'alas\\n'); os._exit(0)",
            "crashed",
            "ended without an answer, exit status 0: alas",
            id="exits with output",
        ),
        pytest.param("os.kill(os.getpid(), 9)", "crashed", "ended without an answer, killed by SIGKILL", id="killed"),
        pytest.param(
            "ctypes.string_at(0)", "crashed", "ended without an answer, killed by SIGSEGV", id="segmentation fault"
        ),
        pytest.param(
            "while True: pass", "timeout", "the function did not return within 0.5 s: killed", id="endless loop"
        ),
        pytest.param(
            "while True: os.write(1, b'x' * 65536); os.write(2, b'x' * 65536)",
            "timeout",
            "the function did not return within",
            id="endless output",
        ),
        pytest.param(
            "os.closerange(0, 3); time.sleep(60)",
            "timeout",
            "the function did not return within",
            id="closes the standard streams",
        ),
        pytest.param(
            "os.closerange(0, 100); time.sleep(60)", "crashed", "closed its output without an answer", id="closes all"
        ),
        pytest.param(
            "os.write(4, b'accepted\\n')",
            "crashed",
            "wrote to file descriptor 4, which brokerfuzz uses for replies",
            id="writes garbage to the reply pipe",
        ),
        pytest.param(
            "os.write(4, b'\\0\\0\\0\\1A' * 2)",
            "crashed",
            "answered before it received a message",
            id="writes answers to the reply pipe",
        ),
        pytest.param("os.write(4, b'\\0\\0\\0\\1R')", "crashed", "answered ", id="says that it is ready"),
    ],
)
@pytest.mark.rotated(3)
def test_any_end_of_the_process_is_an_answer(calling: Calling, code: str, kind: str, reason: str) -> None:
    said = answer(calling(code, timeout=0.5 if kind == "timeout" else SECONDS))
    assert (said.kind, said.reason[: len(reason)], said.reached) == (kind, reason, True)


def test_after_a_crash_a_new_process_handles_the_next_message(calling: Calling) -> None:
    code = "if body == b'crash': os._exit(1)\nif body == b'hang': time.sleep(60)\nreturn 'accepted ' + body.decode()"
    bodies = [b"crash" if number % 13 == 0 else b"hang" if number == 30 else b"%d" % number for number in range(60)]
    said = answers(calling(code, processes=3, timeout=3), *bodies, at_once=True)
    kinds = {b"crash": "crashed", b"hang": "timeout"}
    assert [answer.kind for answer in said] == [kinds.get(body, "accepted") for body in bodies]
    assert all(
        answer.reason == body.decode() for answer, body in zip(said, bodies, strict=True) if answer.kind == "accepted"
    )


def test_each_of_a_thousand_messages_gets_its_own_answer(calling: Calling) -> None:
    target = calling(
        "print(body)", "print(body, file=sys.stderr)", "return f'accepted {len(body)} {body[:8]!r}'", processes=2
    )
    bodies = [b"\n%d\0\xff" % number + b"x" * (number % 7) ** 6 for number in range(1000)]
    assert [said.reason for said in answers(target, *bodies, at_once=True)] == [
        f"{len(body)} {body[:8]!r}" for body in bodies
    ]


def test_the_last_output_before_a_crash_is_kept(calling: Calling) -> None:
    said = answer(calling("ctypes.string_at(0)"))
    assert b"Fatal Python error: Segmentation fault" in said.body
    assert b'mine.py", line 4 in judge' in said.body


@pytest.mark.parametrize("head", ["async def judge(body):", "class judge:\n  async def __new__(cls, body):"])
def test_awaitables_are_awaited(calling: Calling, head: str) -> None:
    code = "await asyncio.sleep(0)\nif body: raise ValueError(id(asyncio.get_running_loop()))"
    said = answers(calling(code, head=head), b"", b"1", b"2")
    assert [answer.kind for answer in said] == ["accepted", "rejected", "rejected"]
    assert said[1].reason == said[2].reason  # all messages share one event loop


def test_users_can_choose_the_exceptions_that_reject(calling: Calling) -> None:
    code = "raise {b'k': KeyError, b'v': ValueError, b'a': AssertionError, b'u': UnicodeError}[body]('no')"
    said = answers(calling(code, rejections=["builtins:LookupError", "builtins:AssertionError"]), b"k", b"v", b"a")
    assert [answer.kind for answer in said] == ["rejected", "crashed", "rejected"]


def test_a_method_is_called_by_its_dotted_name(calling: Calling, tmp_path: Path) -> None:
    calling("return True", head="class Offer:\n  @classmethod\n  def read(cls, body):")
    assert answer(CallTarget("mine:Offer.read")).kind == "accepted"


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("mine.judge", "has no colon"),
        ("mine:", "is not a valid name"),
        (":judge", "is not a valid name"),
        ("./mine.py:judge", "is not a valid name"),
        ("mine:judge()", "is not a valid name"),
        (
            "no_such_module:judge",
            (
                "no_such_module cannot be imported .ModuleNotFoundError: No module named 'no_such_module'.: correct the "
                "name"
            ),
        ),
        ("mine:jugde", "mine has no 'jugde': did you mean 'judge'"),
        ("mine:judge.x", "mine.judge has no 'x'"),
        ("mine:LIMIT", "is an int and cannot be called: specify a function"),
        ("broken:judge", "broken cannot be imported .SyntaxError: .*: fix the error in the module"),
        ("exits:judge", "exits cannot be imported .SystemExit: 3"),
        (
            "dies:judge",
            "dies:judge cannot be called: exit status 7: last words; call the function in Python to see why",
        ),
        ("needs:judge", "No module named 'nothing_of_the_kind'"),
    ],
)
def test_a_name_that_cannot_be_called_is_an_error_with_a_remedy(
    calling: Calling, tmp_path: Path, name: str, words: str
) -> None:
    calling("return True", before="LIMIT = 3")
    (tmp_path / "broken.py").write_text("def (")
    (tmp_path / "exits.py").write_text("raise SystemExit(3)")
    (tmp_path / "dies.py").write_text("import os; os.write(2, b'last words\\n'); os._exit(7)")
    (tmp_path / "needs.py").write_text("import nothing_of_the_kind")
    with pytest.raises(TargetError, match=words) as raised:
        answer(CallTarget(name, processes=1))
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize(
    ("rejection", "words"),
    [("builtins:print", "not an exception class"), ("builtins:Nothing", "has no 'Nothing'"), ("x", "has no colon")],
)
def test_a_rejection_that_is_not_an_exception_class_is_an_error(calling: Calling, rejection: str, words: str) -> None:
    with pytest.raises(TargetError, match=words):
        answer(calling("return True", rejections=[rejection]))


def test_a_module_may_print_read_and_sleep_while_it_is_imported(calling: Calling) -> None:
    before = "print('x' * 100_000); sys.stdin.read(); time.sleep(.6); sys.stdout.close()"
    assert answer(calling("return sys.argv[1:] == []", before=before, timeout=0.3)).kind == "accepted"


def test_a_function_that_can_no_longer_be_imported_gets_time_to_return(calling: Calling, tmp_path: Path) -> None:
    broken = tmp_path / "broken"

    async def ask() -> list[Answer]:
        async with opened(
            calling("if body: os._exit(1)", before="if os.path.exists('broken'): raise OSError('broken')", patience=0.5)
        ) as target:
            said = [await target.send(b"")]
            broken.touch()
            said += [await target.send(b"x"), await target.send(b"")]
            broken.unlink()
            said.append(await target.send(b""))
        return said

    said = asyncio.run(ask())
    assert [(answer.kind, answer.reached) for answer in said] == [
        ("accepted", True),
        ("crashed", True),
        ("crashed", False),
        ("accepted", True),
    ]
    assert "OSError: broken" in said[2].reason


def test_its_process_inherits_no_descriptors(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    code = "[name for name in sys.modules if name.partition('.')[0] in ('brokerfuzz', 'asyncio', 'json', 'click')]"
    Path("mine.py").write_text(f"import sys\ndef judge(body):\n    raise ValueError({code})\n")
    assert answer(CallTarget("mine:judge", processes=1)).reason == "ValueError: []"


def test_a_cancelled_or_hanging_process_is_killed_with_its_children(calling: Calling, tmp_path: Path) -> None:
    (pids := tmp_path / "pids").mkdir()
    code = (
        "for pid in (os.getpid(), subprocess.Popen(['sleep', '60']).pid): open(f'pids/{pid}', "
        "'w').close()\ntime.sleep(60)"
    )
    started = time.monotonic()
    cancelled_after(calling(code, processes=2), 4, pids, *[b"{}"] * 5)
    assert answer(calling(code, timeout=2)).kind == "timeout"
    assert time.monotonic() - started < SECONDS
    found = [int(path.name) for path in pids.iterdir()]
    assert len(found) == 6
    assert all(dies(pid) for pid in found)


@pytest.mark.parametrize("body", [b"{}", b"it's \\ %s\n\0\xff", b"x" * 200_000], ids=["plain", "odd", "long"])
def test_the_reproduction_calls_the_function_with_the_same_bytes(calling: Calling, body: bytes) -> None:
    target = calling("open('seen', 'wb').write(body)", "return True")
    line = target.reproduction(body)
    assert line.isprintable()
    assert subprocess.run(["sh"], input=line, capture_output=True, text=True, check=True, timeout=20).stdout == "True\n"
    assert Path("seen").read_bytes() == body


def test_messages_without_headers_can_be_sent_and_a_closed_target_can_be_reopened(calling: Calling) -> None:
    target = calling("return True")
    assert target.can_send(b"\n\0\xff")
    assert not target.can_send(b"", (("accept", None),))
    assert target.name == "mine:judge"
    assert answer(target).kind == answer(pickle.loads(pickle.dumps(target))).kind == "accepted"
    with pytest.raises(TargetError, match="not open"):
        asyncio.run(target.send(b"{}"))
