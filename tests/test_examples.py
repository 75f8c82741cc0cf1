"""The programs in `examples` show what their pages say: a broker, services with pytest, and a stateful test."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from shutil import copy, rmtree
from typing import Final
from urllib.request import urlopen

import pytest
from fixture_types import Run

ROOT: Final = Path(__file__).parents[1]
EXAMPLES: Final = ROOT / "examples"


def run_pytest(
    environment: Mapping[str, str], folder: Path, *words: str, **more: str
) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-c", os.devnull, *words]
    return subprocess.run(command, capture_output=True, text=True, check=False, cwd=folder, env={**environment, **more})


@contextmanager
def broker(*, token_life: str, rate: str) -> Iterator[str]:
    environment = {**os.environ, "BROKER_TOKEN_LIFE": token_life, "BROKER_RATE": rate}
    command = [sys.executable, "-m", "examples.broker.service", "0"]
    with subprocess.Popen(
        command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    ) as process:
        try:
            assert process.stdout is not None
            yield f"http://127.0.0.1:{int(process.stdout.readline().split()[1])}"
        finally:
            process.terminate()


@pytest.mark.parametrize("choice", [("--rule", "*orderMinimum:minimum"), pytest.param((), marks=pytest.mark.long)])
@pytest.mark.every(3)
def test_a_campaign_with_the_configuration_proves_everything_and_leaves_nothing(
    run: Run, choice: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("fastapi", reason="fastapi is not installed")
    monkeypatch.chdir(EXAMPLES / "broker")
    with broker(token_life="1", rate="300") as base:
        monkeypatch.setenv("BROKER_URL", base)
        done = run("fire", *choice, "--json")
        with urlopen(f"{base}/offers") as answer:
            left = json.load(answer)["data"]["count"]
    report = json.loads(done.stdout)
    assert (report["findings"], report["unproven"]["count"], report["outcome"]["state"], left) == ([], 0, "complete", 0)
    assert done.exit_code == 0


# ------------------------------------------------------------------------------------------------------------ services

SOME: Final = (
    "request/number: or offerType:enum or orderMinimum:minimum or request/:additional or priceTiers[].price:required"
)


@pytest.mark.parametrize("name", ["test_every_rule.py", pytest.param("test_services.py", marks=pytest.mark.long)])
def test_one_run_shows_every_mistake_of_the_lax_service_and_none_of_strict_ones(
    name: str, environment: Mapping[str, str]
) -> None:
    for framework in ("fastapi", "rest_framework"):
        pytest.importorskip(framework, reason=f"{framework} is not installed")
    folder = EXAMPLES / "services"
    chosen = ["-k", SOME] if name == "test_every_rule.py" else []
    words = ["-p", "brokerfuzz.testing.plugin", "--tb=line", *chosen, f"--rootdir={folder}", str(folder / name)]
    done = run_pytest(environment, Path.cwd(), *words, PYTEST_DISABLE_PLUGIN_AUTOLOAD="1")
    if name == "test_services.py":
        assert done.returncode == 0, done.stdout + done.stderr
        return
    failed = set(re.findall(r"test_rule\[offer-creation-request/(.*?)\](?: - |$)", done.stdout, re.MULTILINE))
    rules = {"number:minLength", "offerType:enum", "orderMinimum:minimum", ":additionalProperties"}
    assert rules <= failed, done.stdout
    assert not {"number:required", "priceClasses[].priceTiers[].price:required"} & failed


# ------------------------------------------------------------------------------------------------------------ stateful

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


@pytest.mark.long
def test_the_stateful_example_finds_the_bug_usually_in_four_steps_and_passes_without_it(
    tmp_path: Path, environment: Mapping[str, str]
) -> None:
    for path in (EXAMPLES / "stateful").glob("*.py"):
        copy(path, tmp_path)
    (tmp_path / "conftest.py").write_text(WITHOUT_COMMENTS)
    words = ("--confcutdir=.", str(tmp_path))
    lengths = []
    for seed in range(1, 7):
        rmtree(tmp_path / ".hypothesis", ignore_errors=True)
        done = run_pytest(environment, tmp_path, *words, f"--hypothesis-seed={seed}", PYTHONDONTWRITEBYTECODE="1")
        assert done.returncode == 1, done.stdout + done.stderr
        report, *_ = done.stdout.partition("short test summary info")  # with CI, the summary repeats the steps
        steps = re.findall(r"state\.(\w+)\(", report.partition("state = OfferStoreMachine()")[2])
        assert (steps[0], *steps[-2:]) == ("put", "find", "teardown")
        lengths.append(len(steps))
    assert max(lengths) <= 5
    assert lengths.count(4) >= 4
    store = tmp_path / "offer_store.py"
    text = store.read_text(encoding="utf-8")
    assert text.count(BUG) == 1
    store.write_text(text.replace(BUG, CORRECTED + BUG), encoding="utf-8")
    assert run_pytest(environment, tmp_path, *words, PYTHONDONTWRITEBYTECODE="1").returncode == 0
