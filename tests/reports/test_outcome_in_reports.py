"""The outcome of a campaign determines the exit status, and is the first line of every report."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from behaviours import CONFORMING, lenient

import brokerfuzz

NAMES = ["r.json", "r.html", "r.md", "r.xml"]
FEW: dict[str, Any] = {"rules": ["*orderM*:minimum"], "shrink": 0, "longest_wait": 0.3}


OUTCOMES: dict[str, tuple[Callable[[bytes], bool], dict[str, Any], str, int, str]] = {
    "complete": (CONFORMING, {}, "complete", 0, r"no findings in \d+ cases"),
    "a finding": (lenient("orderMinimum:minimum"), {}, "complete", 1, r"1 finding in \d+ cases"),
    "nothing accepted": (lambda _: False, {}, "untested", 2, r"untested \(the target accepted none of .*"),
}


@pytest.mark.parametrize("name", OUTCOMES)
@pytest.mark.usefixtures("folder")
def test_every_report_begins_with_the_outcome(name: str) -> None:
    target, options, state, status, line = OUTCOMES[name]
    report = brokerfuzz.fire(target, reports=NAMES, **FEW, **options)
    outcome = report.outcome
    assert (outcome.state, outcome.status) == (state, status)
    assert re.fullmatch(line, outcome.headline)
    assert json.loads(Path("r.json").read_text())["outcome"]["headline"] == outcome.headline
    assert Path("r.md").read_text().splitlines()[0].replace("`", "") == f"## brokerfuzz: {outcome.headline}"
    page = Path("r.html").read_text()
    assert f"<title>{outcome.headline}" in page
    assert ("No answer of the target contradicts" in page) == (state == "complete" and not report.findings)
    root = ET.parse("r.xml").getroot()
    assert [error.get("type") for error in root.iter("error")] == ([] if state == "complete" else [state])
    assert bool([*root.iter("failure")]) == bool(outcome.new)
    assert outcome.headline in next(text.text or "" for text in root.iter("system-out"))
