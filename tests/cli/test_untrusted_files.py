"""Journals and reports can come from other people. So brokerfuzz runs no code that these files name, and sends nothing
to addresses in them.
"""

import json
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

import pytest
from fixture_types import Run
from hand_made_servers import recording
from pricing_reader import PRICING

SOME: Final = ("--message", PRICING, "--rule", "*totalExtendedPrice:minimum", "--shrink", "off")
PWNED: Final = "PWNED"
Files = Mapping[str, bytes]


@pytest.fixture(scope="module")
def campaign(run: Run, url: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("campaign")
    done = run("fire", url, *SOME, "--journal", folder / "good.ndjson", "--report", folder / "good.json")
    assert done.exit_code == 1
    return folder


@pytest.fixture
def lines(campaign: Path, folder: Path) -> list[dict[str, Any]]:
    """Returns the first lines of a journal. The module `evil`, which brokerfuzz must not import, creates a file."""
    shutil.copytree(campaign, folder, dirs_exist_ok=True)
    Path("evil.py").write_text(f"open({PWNED!r}, 'w')\ndef read(body):\n    open({PWNED!r}, 'w')\n")
    Path("mine").write_text("mine")
    return [json.loads(line) for line in Path("good.ndjson").read_text().splitlines()][:20]


@pytest.fixture
def elsewhere() -> Iterator[tuple[str, list[bytes]]]:
    """Yields the URL of a server that the user did not name, and the messages that it received."""
    with recording(lambda _: 200) as server:
        yield server


def written(lines: list[dict[str, Any]]) -> str:
    Path("run.ndjson").write_text("".join(json.dumps(line) + "\n" for line in lines))
    return "run.ndjson"


def files() -> Files:
    return {path.name: path.read_bytes() for path in Path().iterdir()}


ACTING: Final[Mapping[str, Any]] = {
    "exec": f"touch {PWNED}", "lines": "plain", "call": "evil:read", "headers": [["X-Evil",
    "1"]], "method": "DELETE",
    "ca": "/etc/hostname", "cert": "mine",
    "insecure": True,
    "bugs": ["accepts-zero-page-count"], "demo": True, "baseline": "mine", "baseline_update": True, "reports": ["mine",
    f"{PWNED}.html"],
    "report": f"{PWNED}.html", "journal": "mine", "resume": "mine", "config": "mine",
    "workers": "tcp://127.0.0.1:1",
}  # fmt: skip
"""Properties of a journal or a report that would do harm if brokerfuzz used them."""


def test_no_property_of_a_journal_or_report_chooses_a_target(
    run: Run, lines: list[dict[str, Any]], elsewhere: tuple[str, list[bytes]]
) -> None:
    everything = {**ACTING, "url": elsewhere[0]}
    inside = dict.fromkeys(("target_options", "target_description", "options", "request"), everything)
    head, *answered = lines
    written([{**everything, **head, **inside}, *answered])
    report = json.loads(Path("good.json").read_text())
    report["findings"] = [{**finding, **ACTING, "reproduce": f"touch {PWNED}"} for finding in report["findings"]]
    Path("run.json").write_text(json.dumps({**everything, **report, **inside}))
    before = files()
    for words in (["fire", "--resume", "run.ndjson"], ["replay", "run.json"]):
        result = run(*words)
        assert (result.exit_code, result.stdout) == (2, "")
    assert files() == before
    assert elsewhere[1] == []


@pytest.mark.parametrize("name", ACTING)
def test_a_journal_with_an_unknown_property_is_rejected(
    run: Run, url: str, lines: list[dict[str, Any]], name: str
) -> None:
    head, *answered = lines
    file = written([{**head, name: ACTING[name]}, *answered])
    before = files()
    result = run("fire", url, "--resume", file)
    assert (result.exit_code, result.stdout) == (2, "")
    said = f"brokerfuzz: {file} has the unknown property {name!r} in its first line: remove it\n"
    assert result.stderr == said or name == "journal"
    assert files() == before


def test_the_contract_of_a_journal_must_be_given_again(run: Run, url: str, lines: list[dict[str, Any]]) -> None:
    head, *answered = lines
    Path("contract").mkdir()
    Path("contract/ambiguities.json").write_text("not JSON")
    file = written([{**head, "plan": {**head["plan"], "contract": "contract"}}, *answered])
    result = run("fire", url, "--resume", file)
    assert result.exit_code == 2
    assert "specify the folder of this contract with --contract" in result.stderr
    assert "not readable JSON" in run("fire", url, "--resume", file, "--contract", "contract").stderr


@pytest.mark.parametrize("message", [{"body": {"number": 10**30}}, {"body": "\ud800"}])
def test_a_message_that_brokerfuzz_never_writes_into_a_report_causes_no_traceback(
    run: Run, elsewhere: tuple[str, list[bytes]], lines: object, message: dict[str, Any]
) -> None:
    url, received = elsewhere
    report = json.loads(Path("good.json").read_text())
    for place in ("smallest", "twin"):
        report["findings"] = [{**report["findings"][0], place: message}]
        Path("run.json").write_text(json.dumps(report))
        result = run("replay", "run.json", url)
        assert (result.exit_code, result.stderr) in ((1, ""), (2, ""))
    assert received
