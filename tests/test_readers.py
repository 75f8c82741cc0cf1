import shutil
import subprocess
from pathlib import Path

import pytest

from brokerfuzz import MESSAGE_TYPES, load_contract
from brokerfuzz.cases.case import Case
from brokerfuzz.corpus import load, write
from brokerfuzz.corpus.formats.format import CorpusInfo

READERS = Path(__file__).parents[1] / "examples" / "readers"
TIMEOUT = 240
"""The time to compile and run a reader, in seconds. A busy machine can compile slowly."""


@pytest.fixture(scope="module")
def cases() -> list[Case]:
    return [case for case in load("offer-creation-request") if not case.headers][::7]


@pytest.fixture(scope="module")
def exports(tmp_path_factory: pytest.TempPathFactory, cases: list[Case]) -> Path:
    folder = tmp_path_factory.mktemp("exports")
    in_base64 = CorpusInfo(load_contract(), MESSAGE_TYPES, "", base64=True)
    write(folder / "corpus.ndjson", cases, about=in_base64)
    write(folder / "files", cases, fmt="files")
    return folder


def output(folder: Path, *commands: list[str]) -> list[list[str]]:
    """Runs the commands, and returns the words of each line that the last command prints."""
    printed = ""
    for command in commands:
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=TIMEOUT, check=False)
        assert done.returncode == 0, done.stderr
        printed = done.stdout
    return [line.split(" ") for line in printed.splitlines()]


def needed(*tools: str) -> None:
    for tool in tools:
        if shutil.which(tool) is None:
            pytest.skip(f"{tool} is not installed")


@pytest.mark.parametrize(
    ("command", "reader"),
    [
        ("python3", "reader.py"), ("node", "reader.mjs"), ("go run", "reader.go"), ("php", "reader.php"), ("ruby",
        "reader.rb"), ("sh", "reader.sh"),
    ],
)  # fmt: skip
@pytest.mark.every(3)
def test_a_reader_of_lines_gives_the_exact_bytes(exports: Path, cases: list[Case], command: str, reader: str) -> None:
    needed(command.split(maxsplit=1)[0], *(["jq"] if reader == "reader.sh" else []))
    found = output(exports, [*command.split(), str(READERS / reader), "corpus.ndjson"])
    assert found == [[case.label, case.id, case.body.hex()] for case in cases]


@pytest.mark.parametrize(
    ("compiler", "commands"),
    [
        ("rustc", ["rustc -o {out}/rust {readers}/reader.rs", "{out}/rust {messages}"]),
        ("java", ["java {readers}/Reader.java {messages}"]),
        ("cc", ["cc -o {out}/c {readers}/reader.c", "{out}/c {messages}"]),
    ],
)
@pytest.mark.every(3)
def test_a_reader_of_files_gives_the_exact_bytes(
    exports: Path, cases: list[Case], tmp_path: Path, compiler: str, commands: list[str]
) -> None:
    needed(compiler)
    places = {"out": tmp_path, "readers": READERS, "messages": exports / "files" / "offer-creation-request" / "invalid"}
    found = output(exports, *([word.format(**places) for word in command.split()] for command in commands))
    assert sorted((name[-21:-5], body) for name, body in found) == sorted(
        (case.id, case.body.hex()) for case in cases if case.label == "invalid"
    )
