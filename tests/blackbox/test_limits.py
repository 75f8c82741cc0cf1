"""Limits of a campaign: limits of time and of findings, the size that a target accepts, and hostile patterns."""

import json
import time
from pathlib import Path
from typing import Any, Final

import pytest
from fixture_types import Run

import brokerfuzz

OFFER: Final = "offer-creation-request"
GENEROUS = 30  # seconds; a matcher that tries all ways to distribute the characters would need hours
MANY_STARS = ["*" * 12 + "zzz", "*o" * 12 + "zzz", "*o*f" * 9 + "?zzz"]


@pytest.mark.parametrize("pattern", MANY_STARS)
def test_a_pattern_with_many_stars_in_a_journal_is_matched_quickly(run: Run, tmp_path: Path, pattern: str) -> None:
    journal = tmp_path / "run.ndjson"
    run("fire", "--call", "builtins:bool", "--rule", "*orderMinimum:minimum", "--journal", journal, "--no-preflight")
    head, *lines = journal.read_text().splitlines()
    forged: dict[str, Any] = json.loads(head)
    forged["plan"]["rules"] = [pattern]
    journal.write_text("\n".join([json.dumps(forged), *lines]) + "\n")
    begun = time.monotonic()
    assert run("replay", journal, "--call", "builtins:bool").exit_code == 2
    assert time.monotonic() - begun < GENEROUS


@pytest.mark.parametrize("pattern", MANY_STARS)
def test_a_rule_or_a_site_with_many_stars_is_matched_quickly(pattern: str) -> None:
    begun = time.monotonic()
    with pytest.raises(brokerfuzz.BrokerfuzzError, match="zzz"):
        brokerfuzz.fire(bool, rules=[pattern])
    with pytest.raises(brokerfuzz.BrokerfuzzError, match="zzz"):
        brokerfuzz.fire(bool, sites=[pattern])
    assert time.monotonic() - begun < GENEROUS
