import os
import re
import subprocess
import sys
from pathlib import Path
from shutil import copy, rmtree

import pytest

pytestmark = pytest.mark.long
EXAMPLE = Path(__file__).parent.parent.parent / "examples" / "stateful"
BUG = '        self._offers[offer["number"]] = offer'
CORRECTED = """\
        for numbers in self._numbers_by_product.values():
            numbers.discard(offer["number"])
"""
WITHOUT_COMMENTS = """\
from hypothesis import Phase, settings

settings.register_profile("fast", phases=[phase for phase in Phase if phase is not Phase.explain])
settings.load_profile("fast")
"""
"""Hypothesis needs half of its time for comments on the failing example."""


def run(folder: Path, seed: int = 1) -> subprocess.CompletedProcess[str]:
    options = f"-q -p no:cacheprovider -c /dev/null --confcutdir=. --hypothesis-seed={seed}".split()
    own = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
    command = [sys.executable, "-m", "pytest", *options, str(folder)]
    return subprocess.run(command, capture_output=True, text=True, check=False, cwd=folder, env=own)


@pytest.fixture
def copied(tmp_path: Path) -> Path:
    for path in EXAMPLE.glob("*.py"):
        copy(path, tmp_path)
    (tmp_path / "conftest.py").write_text(WITHOUT_COMMENTS)
    return tmp_path


def test_the_example_always_finds_the_bug_and_usually_in_four_steps(copied: Path) -> None:
    lengths = []
    for seed in range(1, 7):
        rmtree(copied / ".hypothesis", ignore_errors=True)
        done = run(copied, seed)
        assert done.returncode == 1, done.stdout + done.stderr
        report, *_ = done.stdout.partition("short test summary info")  # with CI, the summary repeats the steps
        steps = re.findall(r"state\.(\w+)\(", report.partition("state = OfferStoreMachine()")[2])
        assert (steps[0], *steps[-2:]) == ("put", "find", "teardown")
        lengths.append(len(steps))
    assert max(lengths) <= 5
    assert lengths.count(4) >= 4


def test_the_example_passes_without_the_bug(copied: Path) -> None:
    store = copied / "offer_store.py"
    text = store.read_text(encoding="utf-8")
    assert text.count(BUG) == 1
    store.write_text(text.replace(BUG, CORRECTED + BUG), encoding="utf-8")
    done = run(copied)
    assert done.returncode == 0, done.stdout + done.stderr
