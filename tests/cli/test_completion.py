"""Shells complete commands, options and names, with click's protocol."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

Spawn = Callable[..., subprocess.CompletedProcess[bytes]]

MINIMUM = "offer-creation-request/orderMinimum:minimum"


def completed(spawn: Spawn, shell: str, *words: str) -> list[str]:
    """Returns the completions for a shell. The last word is being typed."""
    position = words[-1] if shell == "fish" else str(len(words) - 1)
    env = {"_BROKERFUZZ_COMPLETE": f"{shell}_complete", "COMP_WORDS": " ".join(words), "COMP_CWORD": position}
    done = spawn(env=env)
    assert (done.returncode, done.stderr) == (0, b"")
    return done.stdout.decode().splitlines()


def names(spawn: Spawn, *words: str) -> set[str]:
    return {line.partition(",")[2] for line in completed(spawn, "bash", "brokerfuzz", *words) if line}


def test_commands_and_options_complete(spawn: Spawn) -> None:
    assert names(spawn, "e") == {"explain", "export"}
    assert names(spawn, "fire", "--max-f") == {"--max-findings"}
    assert names(spawn, "check", "--message", "offer-p") == {"offer-pricing-response"}
    assert names(spawn, "export", "--verdict", "in") == {"invalid"}


def test_rules_techniques_and_ambiguities_complete(spawn: Spawn) -> None:
    assert names(spawn, "explain", "offer-creation-request/orderMinimum") == {
        MINIMUM,
        MINIMUM.replace("minimum", "maximum"),
        MINIMUM.replace("minimum", "type"),
    }
    assert names(spawn, "explain", "one-b") == {"one-below"}
    assert names(spawn, "explain", "cron") == {"cron-syntax"}


@pytest.mark.parametrize(
    ("option", "typed", "name"), [("--rule", MINIMUM[:-5], MINIMUM), ("--technique", "one-b", "one-below"), ("--site", "orderMi", "orderMinimum")]
)
def test_a_name_that_can_be_excluded_completes_after_an_exclamation_mark(spawn: Spawn, option: str, typed: str, name: str) -> None:
    assert names(spawn, "export", option, f"!{typed}") == {f"!{name}"}
    assert names(spawn, "explain", f"!{typed}") == set()


def test_policies_and_bugs_complete(spawn: Spawn) -> None:
    assert names(spawn, "check", "--policy", "cron") == {"cron-syntax=accepted", "cron-syntax=rejected"}
    assert "accepts-zero-order-minimum" in names(spawn, "serve", "--bug", "accepts-z")
    assert "accepts-zero-order-minimum" in names(spawn, "fire", "--bug", "accepts-z")


def test_a_changed_contract_completes_with_its_own_rules(spawn: Spawn, tmp_path: Path) -> None:
    (tmp_path / "ambiguities.json").write_text("[]")
    assert names(spawn, "explain", "--contract", str(tmp_path), "cron") == set()
    assert names(spawn, "explain", "--contract", str(tmp_path / "nowhere"), "cron") == set()


def test_zsh_and_fish_show_what_a_name_means(spawn: Spawn) -> None:
    assert completed(spawn, "zsh", "brokerfuzz", "explain", "offer-creation-request/orderMinimum:mini") == [
        "plain", MINIMUM.replace(":", "\\:"), "at least 1",
    ]  # fmt: skip
    assert completed(spawn, "fish", "brokerfuzz", "explain", "cron") == ["plain,cron-syntax\tWhich cron dialect is accepted?"]


@pytest.mark.parametrize(("shell", "sign"), [("bash", "complete -o nosort -F"), ("zsh", "#compdef brokerfuzz"), ("fish", "complete --no-files")])
def test_scripts_are_printed(spawn: Spawn, shell: str, sign: str) -> None:
    if shell == "bash" and shutil.which("bash") is None:
        pytest.skip("click asks bash for its version, and bash is not installed")
    done = spawn("completion", shell)
    assert done.returncode == 0
    assert sign in done.stdout.decode()


@pytest.mark.skipif(shutil.which("bash") is None, reason="bash is not installed")
@pytest.mark.parametrize(
    ("words", "replies"),
    [
        (["explain", "offer-creation-request/orderMinimum", ":", "mini"], {"minimum"}),
        (["explain", "offer-creation-request/orderMinimum", ":"], {"minimum", "maximum", "type"}),
        (["check", "--policy", "cron-syntax", "=", "acc"], {"accepted"}),
        (["check", "--policy", "=", "cron-syntax", "=", "acc"], {"accepted"}),
        (["check", "--message", "=", "offer-p"], {"offer-pricing-response"}),
        (["explain", "one-b"], {"one-below"}),
        (["explain", ""], None),
    ],
)
def test_bash_completes_what_follows_a_colon_or_an_equals_sign(
    environment: Mapping[str, str], tmp_path: Path, words: list[str], replies: set[str] | None
) -> None:
    shim = tmp_path / "brokerfuzz"
    shim.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m brokerfuzz.cli "$@"\n')
    shim.chmod(0o755)
    typed = " ".join(f"'{word}'" for word in ["brokerfuzz", *words])
    script = f"""
        eval "$(brokerfuzz completion bash)"
        COMP_WORDS=({typed}); COMP_CWORD={len(words)}
        _brokerfuzz_completion brokerfuzz
        printf '%s\\n' "${{COMPREPLY[@]}}"
    """
    env = {**environment, "PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}"}
    done = subprocess.run(["bash", "--norc", "-c", script], capture_output=True, text=True, timeout=60, check=True, env=env)
    found = set(done.stdout.split())
    assert found == replies if replies is not None else len(found) > 200
