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


def names(*words: str) -> set[str]:
    return {line.partition(",")[2] for line in completed("bash", "brokerfuzz", *words) if line}


def test_commands_and_options_complete() -> None:
    assert names("e") == {"explain", "export"}
    assert names("fire", "--max-") == {"--max-time"}
    assert names("check", "--message", "offer-p") == {"offer-pricing-response"}
    assert names("export", "--verdict", "in") == {"invalid"}
    assert names("check", "--policy", "cron") == {"cron-syntax=accepted", "cron-syntax=rejected"}
    assert "accepts-zero-order-minimum" in names("fire", "--bug", "accepts-z")


def test_rules_techniques_and_ambiguities_complete() -> None:
    assert names("explain", "offer-creation-request/orderMinimum") == {
        MINIMUM,
        MINIMUM.replace("minimum", "maximum"),
        MINIMUM.replace("minimum", "type"),
    }
    assert names("explain", "one-b") == {"one-below"}
    assert names("explain", "cron") == {"cron-syntax"}


@pytest.mark.parametrize(
    ("option", "typed", "name"),
    [("--rule", MINIMUM[:-5], MINIMUM), ("--technique", "one-b", "one-below"), ("--site", "orderMi", "orderMinimum")],
)
def test_a_name_that_can_be_excluded_completes_after_an_exclamation_mark(option: str, typed: str, name: str) -> None:
    assert names("export", option, f"!{typed}") == {f"!{name}"}
    assert names("explain", f"!{typed}") == set()


def test_a_changed_contract_completes_with_its_own_rules(tmp_path: Path) -> None:
    (tmp_path / "ambiguities.json").write_text('[{"id": "cron-syntax", "sites": {}}]')
    assert names("explain", "--contract", str(tmp_path), "cron") == set()
    assert names("explain", "--contract", str(tmp_path / "nowhere"), "cron") == set()


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
    done = run("completion", shell)
    assert done.exit_code == 0
    assert sign in done.stdout
