import json
import re
import subprocess
from pathlib import Path
from typing import Final

import pytest
from fixture_types import Run, Spawn

pytestmark = pytest.mark.usefixtures("folder")

BUG: Final = "accepts-zero-order-minimum"
SOME: Final = ("--rule", "*orderMinimum:minimum", "--technique", "one-below")
REPORTS: Final = ("r.html", "r.xml", "r.json", "r.har", "r.md", "r.py")


@pytest.mark.parametrize(
    "words",
    [
        ["fire"], ["fire", ""], ["fire", "--exec", ""], ["fire", "--config", "empty.toml"],
        ["replay", "0" * 16],
        ["replay", "0" * 16, ""],
    ],
)  # fmt: skip
def test_a_missing_or_empty_target_is_an_error_that_names_the_demonstration(run: Run, words: list[str]) -> None:
    Path("empty.toml").write_text('url = "${BROKERFUZZ_TEST_UNSET:-}"\n')
    result = run(*words)
    assert (result.exit_code, result.stdout, len(result.stderr.splitlines())) == (2, "", 1)
    assert "--demo" in result.stderr
    assert "TARGET" in result.stderr


def test_bugs_can_be_seeded_only_in_a_demonstration(run: Run) -> None:
    result = run("fire", "--bug", BUG, "http://127.0.0.1:1/")
    assert (result.exit_code, result.stdout) == (2, "")
    assert "--bug works only with --demo" in result.stderr


def test_a_demonstration_excludes_other_targets(run: Run) -> None:
    assert "use only one of" in run("fire", "--demo", "http://127.0.0.1:1/").stderr
    assert "use only one of" in run("fire", "--demo", "--exec", "true").stderr


def test_the_option_takes_precedence_over_a_configured_target(run: Run) -> None:
    Path("brokerfuzz.toml").write_text('url = "http://127.0.0.1:1/"\n')
    assert run("fire", "--demo", *SOME).exit_code == 0


def test_the_first_line_and_every_report_say_that_it_is_a_demonstration(run: Run) -> None:
    done = run("fire", "--demo", "--bug", BUG, *SOME, *(word for name in REPORTS for word in ("--report", name)))
    assert done.exit_code == 1, done.stderr
    assert "demonstration" in done.stdout.splitlines()[0]
    assert [name for name in REPORTS if "demonstration" not in Path(name).read_text()] == []


def test_the_printed_commands_start_the_service_again_with_the_same_bugs_on_the_same_port(run: Run) -> None:
    done = run("fire", "--demo", "--bug", BUG, *SOME, "--json")
    document = json.loads(done.stdout)
    (port,) = re.findall(r":(\d+)/offers", document["target"])
    for finding in document["findings"]:
        assert f" --port {port} --bug {BUG} -- curl " in finding["reproduce"]
        said = subprocess.run(
            ["sh", "-c", finding["reproduce"]], capture_output=True, text=True, timeout=60, check=True
        )
        assert said.stdout.startswith(f"HTTP/1.1 {finding['got']['status']} ")


def test_findings_of_a_demonstration_are_sent_again_to_a_demonstration(run: Run) -> None:
    assert run("fire", "--demo", "--bug", BUG, *SOME, "--journal", "run.ndjson").exit_code == 1
    assert run("replay", "run.ndjson", "--demo", "--bug", BUG).exit_code == 1
    assert run("replay", "run.ndjson", "--demo").exit_code == 0
    assert run("fire", "--resume", "run.ndjson", "--demo", "--bug", BUG).exit_code == 1


def test_a_command_runs_while_the_service_runs(spawn: Spawn) -> None:
    done = spawn("serve", "--port", "0", "--", "sh", "-c", "cat; exit 7", body=b"input")
    assert (done.returncode, done.stdout, done.stderr) == (7, b"input", b"")
    done = spawn("serve", "--port", "0", "--", "no-such-program")
    assert (done.returncode, done.stdout) == (2, b"")
    assert b"no-such-program cannot be started" in done.stderr
