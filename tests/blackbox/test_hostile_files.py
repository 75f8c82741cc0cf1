"""Files that users name: devices, named pipes, empty columns and numbers with thousands of digits give one clear
line.
"""

import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from fixture_types import Run

import brokerfuzz

MEMORY = 4 * 1024 * 1024
"""The memory that a command may use, in KiB."""
SMALL = ("--message", "offer-creation-request", "--site", "orderMinimum")
Writes = Callable[[Path, Path], Sequence[str]]
"""Writes files that name another file, and returns the words of the command."""


def _values(line: str) -> Writes:
    def write(folder: Path, other: Path) -> Sequence[str]:
        (folder / "values.toml").write_text(line.format(other))
        return ("export", "-", *SMALL, "--values", str(folder / "values.toml"))

    return write


def _contract(folder: Path, other: Path) -> Sequence[str]:
    (folder / "contract").mkdir()
    (folder / "contract" / "semantics.json").symlink_to(other)
    return ("export", "-", *SMALL, "--contract", str(folder / "contract"))


FILES: dict[str, Writes] = {
    "lines of a values file": _values('"*.productId" = {{lines = "{}"}}'),
    "a column of a values file": _values('"*.productId" = {{csv = "{}", column = "id"}}'),
    "rows of a values file": _values('[[rows]]\ncsv = "{}"\n"productClusters[].products[].productId" = "id"'),
    "a values file": lambda folder, other: ("export", "-", *SMALL, "--values", str(other)),
    "a file of a contract": _contract,
    "a configuration": lambda folder, other: ("fire", "--exec", "true", "--config", str(other)),
    "a baseline": lambda folder, other: ("fire", "--exec", "true", "--baseline", str(other)),
    "hooks": lambda folder, other: ("fire", "http://127.0.0.1:9/", "--hooks", str(other)),
    "certificates": lambda folder, other: ("fire", "https://127.0.0.1:9/", "--ca", str(other)),
    "a report": lambda folder, other: ("replay", str(folder / "report.json"), "http://127.0.0.1:9/"),
}


def _started(folder: Path, words: Sequence[str]) -> subprocess.Popen[str]:
    limited = ["sh", "-c", f'ulimit -v {MEMORY}; exec "$@"', "sh", sys.executable, "-m", "brokerfuzz", *words]
    return subprocess.Popen(
        limited, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


@pytest.mark.every(5)
@pytest.mark.parametrize("kind", FILES)
def test_a_device_or_a_named_pipe_instead_of_a_file_is_one_line(tmp_path: Path, kind: str) -> None:
    running = []
    for name in ("device", "pipe"):
        folder = tmp_path / name
        folder.mkdir()
        other = folder / ("hooks.py" if kind == "hooks" else "report.json")
        if name == "pipe":
            os.mkfifo(other)
        else:
            other.symlink_to("/dev/zero")
        running.append(_started(folder, FILES[kind](folder, other)))
    for process in running:
        _assert_one_line(process)


def _assert_one_line(process: subprocess.Popen[str]) -> None:
    with process:
        stderr = process.communicate(timeout=60)[1]
    assert process.returncode == 2, stderr
    assert len(stderr.splitlines()) == 1, stderr
    assert stderr.startswith("brokerfuzz: ")


@pytest.mark.every(4)
@pytest.mark.parametrize(
    "words",
    [
        ("check", "a.har"),
        ("coverage", "a.ndjson"),
        ("corpus", "show", "a.ndjson"),
        ("replay", "a.ndjson", "http://127.0.0.1:9/"),
    ],
)
def test_a_device_instead_of_messages_a_corpus_or_a_journal_is_one_line(tmp_path: Path, words: Sequence[str]) -> None:
    for name in ("a.har", "a.ndjson"):
        (tmp_path / name).symlink_to("/dev/zero")
    _assert_one_line(_started(tmp_path, words))


def test_an_empty_column_of_a_csv_file_is_named(run: Run, tmp_path: Path) -> None:
    (tmp_path / "products.csv").write_text("id,pages,file\nP-1,4,\nP-2,8,\n")
    above = "productClusters[].products[]"
    (tmp_path / "values.toml").write_text(
        f'[[rows]]\ncsv = "products.csv"\n"{above}.productId" = "id"\n"{above}.associatedFileName" = "file"\n'
    )
    for command in (("export", "-", *SMALL), ("fire", "--exec", "true")):
        result = run(*command, "--values", tmp_path / "values.toml")
        assert result.exit_code == 2
        assert "associatedFileName has no values" in result.stderr
        assert len(result.stderr.splitlines()) == 1


LONG = "9" * 5000
"""Python converts only strings of up to 4,300 digits to integers."""


@pytest.mark.parametrize(
    "words",
    [
        ("check", "-", "--message", "offer-creation-request", "--policy", f"clock-tolerance={LONG}"),
        ("fire", "--exec", "true", "--policy", f"clock-tolerance={LONG}"),
        ("export", "-", "--count", LONG),
        ("export", "-", "--seed", LONG),
        ("fire", "--exec", "true", "--rate", LONG),
        ("fire", "--exec", "true", "--max-time", f"{LONG}s"),
        ("fire", f"http://127.0.0.1:{LONG}/"),
    ],
    ids=lambda words: " ".join(words)[:40],
)
def test_a_number_of_five_thousand_digits_in_an_option_is_a_usage_error(run: Run, words: Sequence[str]) -> None:
    result = run(*words, text="{}")
    assert result.exit_code == 2
    assert "Traceback" not in result.stderr
    assert max(map(len, result.stderr.splitlines())) < 2000


@pytest.mark.parametrize(
    "content",
    [
        f'"*.productQuantityInOffer" = [{LONG}]',
        f"[policies]\nclock-tolerance = {LONG}",
        f'"*.weightInPounds" = [1e{LONG}]',
    ],
    ids=["values", "policies", "exponent"],
)
def test_a_number_of_five_thousand_digits_in_a_file_is_one_line(run: Run, tmp_path: Path, content: str) -> None:
    path = tmp_path / "brokerfuzz.toml"
    path.write_text(content)
    words = ("--config", path) if "policies" in content else ("--values", path)
    result = run("fire", "--exec", "true", *words)
    assert result.exit_code == 2
    assert len(result.stderr.splitlines()) == 1
    assert len(result.stderr) < 1000


def test_a_csv_file_with_long_numbers_is_rejected_with_the_line(run: Run, tmp_path: Path) -> None:
    (tmp_path / "weights.csv").write_text(f"weight\n{LONG}\n")
    (tmp_path / "values.toml").write_text('"*weightInPounds" = {csv = "weights.csv", column = "weight"}\n')
    result = run("export", "-", *SMALL, "--values", tmp_path / "values.toml")
    assert result.exit_code == 2
    assert "weights.csv:2" in result.stderr
    assert len(result.stderr.splitlines()) == 1


def test_a_policy_of_five_thousand_digits_is_rejected_in_python() -> None:
    with pytest.raises(brokerfuzz.BrokerfuzzError, match="clock-tolerance can be a number of seconds"):
        brokerfuzz.fire(
            lambda body: True, rules=["*orderMinimum:minimum"], shrink=0, policies={"clock-tolerance": LONG}
        )


def test_values_with_integers_of_five_thousand_digits_are_rejected_in_python() -> None:
    with pytest.raises(brokerfuzz.BrokerfuzzError, match="productQuantityInOffer"):
        brokerfuzz.load_contract(values={"*.productQuantityInOffer": [10**5000]})
