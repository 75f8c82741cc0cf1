import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner
from fixture_types import Run

from brokerfuzz.cli import commands

MINIMUM = "offer-creation-request/orderMinimum:minimum"


def completed(shell: str, *words: str) -> list[str]:
    """Returns the proposals of the shell for the last word, which is incomplete."""
    position = words[-1] if shell == "fish" else str(len(words) - 1)
    env = {"_BROKERFUZZ_COMPLETE": f"{shell}_complete", "COMP_WORDS": " ".join(words), "COMP_CWORD": position}
    done = CliRunner().invoke(commands, [], env=env)
    assert (done.exit_code, done.stderr) == (0, "")
    return done.stdout.splitlines()


COMPLETIONS = {
    "e": {"explain", "export"},
    "fire --max-": {"--max-time"},
    "check --message offer-p": {"offer-pricing-response"},
    "export --verdict in": {"invalid"},
    "check --policy cron": {"cron-syntax=accepted", "cron-syntax=rejected"},
    "fire --bug accepts-zero-order": {"accepts-zero-order-minimum"},
    "explain offer-creation-request/orderMinimum:m": {MINIMUM, MINIMUM.replace("minimum", "maximum")},
    "explain one-b": {"one-below"},
    "explain cron": {"cron-syntax"},
    f"export --rule !{MINIMUM[:-5]}": {f"!{MINIMUM}"},
    "export --technique !one-b": {"!one-below"},
    "export --rule !orderMi": {"!orderMinimum"},
    "explain !one-b": set(),
    "explain --contract changed cron": set(),
    "explain --contract nowhere cron": set(),
}


@pytest.mark.parametrize("typed", COMPLETIONS)
def test_names_complete(folder: Path, typed: str) -> None:
    (folder / "changed").mkdir()
    (folder / "changed/ambiguities.json").write_text('[{"id": "cron-syntax", "sites": {}}]')
    proposals = completed("bash", "brokerfuzz", *typed.split())
    assert {line.partition(",")[2] for line in proposals if line} == COMPLETIONS[typed]


def test_zsh_and_fish_show_what_a_name_means() -> None:
    assert completed("zsh", "brokerfuzz", "explain", "offer-creation-request/orderMinimum:mini") == [
        "plain", MINIMUM.replace(":", "\\:"), "at least 1",
    ]  # fmt: skip
    assert completed("fish", "brokerfuzz", "explain", "cron") == ["plain,cron-syntax\tWhich cron dialect is accepted?"]


@pytest.mark.parametrize(
    ("shell", "sign"),
    [("bash", "complete -o nosort -F"), ("zsh", "#compdef brokerfuzz"), ("fish", "complete --no-files")],
)
def test_scripts_are_printed(run: Run, shell: str, sign: str) -> None:
    if shell == "bash" and shutil.which("bash") is None:
        pytest.skip("click asks bash for its version, and bash is not installed")
    assert sign in run("completion", shell).stdout
