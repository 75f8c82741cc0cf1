import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from fixture_types import Run, Spawn

PLAIN = '{"number":"1","offerType":"Email"}'
RECORD = (
    '{"id":"0123456789abcdef","message":"offer-creation-request","verdict":"valid","faults":%s,"ambiguities":[],'
    '"tags":[],"twin":null,"body":{}}\n'
)
BASELINE = '{"baseline": 4, "findings": [%s]}'
ENTRY = '{"finding": "2cbdcdfc", "message": "x", "sentence": "A.", "failing": [], "case": "0123456789abcdef"'

FILES = {
    "offer.json": PLAIN,
    "there": "mine",
    "empty": "",
    "other.json": '{"a": 1}',
    "other.har": '{"log":{"entries":[{"request":{"postData":{"text":"{}"}}}]}}',
    "empty.ndjson": "\n\n",
    "empty.har": '{"log":{"entries":[]}}',
    "torn.har": '{"log":{},\n}',
    "cut.ndjson": RECORD % "[]",
    "torn.ndjson": RECORD % "[5]",
    "mixed.ndjson": RECORD % "[]" + PLAIN + "\n",
    "values.toml": '\n"productID" = ["P-1"]',
    "numbers.toml": 'number = ["N-1", "N-2"]',
    "nameless.json": '{"baseline": 4, "findings": [\n{"sentence": "A."}]}',
    "torn.json": "{",
    "run.ndjson": '{"journal":4}\n{"role":"case"}\n',
    "old-run.ndjson": '{"journal":2}\n',
    "known-number.json": BASELINE % f'{ENTRY}, "until": "9999-12-31"}}, 1',
    "known-reason.json": BASELINE % f'{ENTRY}, "reason": 5}}',
    "known-soon.json": BASELINE % f'{ENTRY}, "until": "soon"}}',
    "known-case.json": BASELINE % f'{ENTRY}, "case": "2cbdcdfc"}}',
    "known-utnil.json": BASELINE % f'{ENTRY}, "utnil": "2026-12-31"}}',
    "known-later.json": '{"baseline": 7, "findings": []}',
    "deep.json": "[" * 10_000,
    "hooks.py": "def authenticate():\n    return {}\n",
    "shops_that_end.py": "import os; os.write(2, b'last words'); os._exit(7)",
    "shops_with_mistakes.py": """
nothing = 7

def broken():
    raise OSError("no database")

async def asgi(scope, receive, send):
    await receive()
    await send({"type": "lifespan.startup.failed", "message": "no database"})
""",
}
CONTRACTS = {
    "broken": "{",
    "wrong": '{"type": 5}',
    "list": "[]",
    "remote": '{"properties": {"a": {"$ref": "https://example.com/a.json"}}}',
    "undescribed": '{"type": "object", "required": ["a"], "additionalProperties": false}',
}


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Returns a folder with the files of the commands, which may change none of them."""
    made = tmp_path_factory.mktemp("files")
    for name, text in FILES.items():
        (made / name).write_text(text)
    for name, text in CONTRACTS.items():
        (made / name).mkdir()
        (made / name / "offer-creation-request.schema.json").write_text(text)
    for name in ("huge.json", "huge.ndjson"):
        with (made / name).open("wb") as stream:
            stream.truncate(2 << 30)  # a sparse file uses no disk space
    for name in ("folder", "folder.xml"):
        (made / name).mkdir()
    os.mkfifo(made / "pipe.xml")
    return made


@pytest.fixture(autouse=True)
def _surroundings(files: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(files)
    monkeypatch.delenv("BROKER_UNSET", raising=False)


LINES = Path(__file__).with_name("mistakes.txt").read_text(encoding="utf-8").splitlines()
ROWS = (line.split(" => ") for line in LINES if line and not line.startswith("#"))
MISTAKES = {command.rstrip(): words for command, words in ROWS}
"""Maps each command with a mistake to words of its error."""


def assert_one_line(status: int, stderr: str, words: str) -> None:
    assert status == 2
    assert stderr.startswith("brokerfuzz: ")
    assert stderr.count("\n") == 1
    assert stderr.rstrip("\n").isprintable()
    assert words in stderr
    assert "hunter2" not in stderr
    assert "Traceback" not in stderr


def existing() -> list[Path]:
    return [path for path in sorted(Path().rglob("*")) if "__pycache__" not in path.parts]


@pytest.mark.parametrize("command", MISTAKES)
def test_a_mistake_is_reported_in_one_line(run: Run, command: str) -> None:
    before = existing()
    result = run(*shlex.split(command))
    assert_one_line(result.exit_code, result.stderr, MISTAKES[command])
    assert command.startswith("check") or result.stdout == ""
    assert existing() == before
    assert Path("there").read_text() == "mine"


def test_a_process_reports_a_mistake_in_one_line(spawn: Spawn) -> None:
    command = "check --verbos offer.json"
    done = spawn(*shlex.split(command))
    assert done.stdout == b""
    assert_one_line(done.returncode, done.stderr.decode(), MISTAKES[command])


def test_the_other_files_are_judged_if_one_cannot_be_read(run: Run) -> None:
    result = run("check", "nowhere.json", "offer.json")
    assert result.exit_code == 2
    assert "offer.json:1: valid" in result.stdout


def test_a_message_of_unbounded_length_on_standard_input_is_rejected(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("brokerfuzz.inputs.files.LARGEST_MESSAGE", 1000)
    result = run("check", "-", text="[\n" * 2000)
    assert_one_line(result.exit_code, result.stderr, "more than 1,000 bytes")


def test_an_unexpected_error_exits_with_2_and_says_how_to_report_it() -> None:
    broken = "from brokerfuzz.commands import rules; rules.command.callback = lambda **options: {}['missing']"
    program = f"{broken}; from brokerfuzz.cli import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", program, "rules"], capture_output=True, text=True, check=False, timeout=60
    )
    assert done.returncode == 2
    assert "KeyError: 'missing'" in done.stderr
    assert "this is a bug in brokerfuzz" in done.stderr.splitlines()[-1]
    assert "report the bug" in done.stderr.splitlines()[-1]
