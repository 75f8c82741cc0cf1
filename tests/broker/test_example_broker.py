import json
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from subprocess import DEVNULL, PIPE, Popen
from typing import Final
from urllib.request import urlopen

import pytest
from fixture_types import Run

ROOT: Final = Path(__file__).parents[2]
EXAMPLE: Final = ROOT / "examples/broker"


@contextmanager
def serving(*, token_life: str, rate: str) -> Iterator[str]:
    environment = {**os.environ, "BROKER_TOKEN_LIFE": token_life, "BROKER_RATE": rate}
    command = [sys.executable, "-m", "examples.broker.service", "0"]
    with Popen(command, cwd=ROOT, env=environment, stdout=PIPE, stderr=DEVNULL) as process:
        try:
            assert process.stdout is not None
            yield f"http://127.0.0.1:{int(process.stdout.readline().split()[1])}"
        finally:
            process.terminate()


@pytest.mark.parametrize("choice", [("--rule", "*orderMinimum*"), pytest.param((), marks=pytest.mark.long)])
@pytest.mark.every(3)
def test_a_campaign_with_the_configuration_proves_everything_and_leaves_nothing(
    run: Run, choice: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("fastapi", reason="fastapi is not installed")
    monkeypatch.chdir(EXAMPLE)
    with serving(token_life="1", rate="300") as base:
        monkeypatch.setenv("BROKER_URL", base)
        done = run("fire", *choice, "--json")
        with urlopen(f"{base}/offers") as answer:
            left = json.load(answer)["data"]["count"]
    report = json.loads(done.stdout)
    assert (report["findings"], report["unproven"]["count"], report["outcome"]["state"], left) == ([], 0, "complete", 0)
    assert done.exit_code == 0
