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
    return load("offer-creation-request")[::7]


@pytest.fixture(scope="module")
def exports(tmp_path_factory: pytest.TempPathFactory, cases: list[Case]) -> Path:
    folder = tmp_path_factory.mktemp("exports")
    in_base64 = CorpusInfo(load_contract(), MESSAGE_TYPES, "", base64=True)
    write(folder / "corpus.ndjson", cases, info=in_base64)
    write(folder / "files", cases, fmt="files")
    return folder


def output(folder: Path, compiler: str, *commands: str, **places: object) -> list[list[str]]:
    """Runs the commands, and returns the words of each line that the last command prints."""
    printed = ""
    for command in commands:
        words = [word.format(**places, readers=READERS) for word in command.split()]
        if shutil.which(compiler) is None or shutil.which(words[0]) is None:
            pytest.skip(f"{compiler} is not installed")
        done = subprocess.run(words, cwd=folder, capture_output=True, text=True, timeout=TIMEOUT, check=False)
        assert done.returncode == 0, done.stderr
        printed = done.stdout
    return [line.split(" ") for line in printed.splitlines()]


@pytest.mark.parametrize(
    "command",
    [
        "python3 {readers}/reader.py", "node {readers}/reader.mjs", "go run {readers}/reader.go",
        "php {readers}/reader.php", "ruby {readers}/reader.rb", "sh {readers}/reader.sh",
    ],
)  # fmt: skip
@pytest.mark.every(3)
def test_a_reader_of_lines_gives_the_exact_bytes(exports: Path, cases: list[Case], command: str) -> None:
    found = output(
        exports, "jq" if command.endswith(".sh") else command.split(maxsplit=1)[0], f"{command} corpus.ndjson"
    )
    assert found == [[case.label, case.id, case.body.hex()] for case in cases]


@pytest.mark.parametrize(
    "commands",
    [
        ("rustc -o {out}/rust {readers}/reader.rs", "{out}/rust {messages}"),
        ("java {readers}/Reader.java {messages}",),
        ("cc -o {out}/c {readers}/reader.c", "{out}/c {messages}"),
    ],
)
@pytest.mark.every(3)
def test_a_reader_of_files_gives_the_exact_bytes(
    exports: Path, cases: list[Case], tmp_path: Path, commands: tuple[str, ...]
) -> None:
    messages = exports / "files" / "offer-creation-request" / "invalid"
    found = output(exports, commands[0].split()[0], *commands, out=tmp_path, messages=messages)
    assert sorted((name[-21:-5], body) for name, body in found) == sorted(
        (case.id, case.body.hex()) for case in cases if case.label == "invalid"
    )
