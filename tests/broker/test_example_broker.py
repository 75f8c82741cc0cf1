import json
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from subprocess import DEVNULL, PIPE, Popen
from typing import Final
from urllib.request import urlopen

import chosen_campaigns
import pytest
from fixture_types import Run

from brokerfuzz.campaign import Result as CampaignResult
from brokerfuzz.cases.case import Case
from brokerfuzz.cases.catalogue import catalogue, plain_messages
from brokerfuzz.contract_names import MESSAGE_TYPES
from brokerfuzz.hooks.hooked_target import HookedTarget
from brokerfuzz.hooks.hooks import Hooks
from brokerfuzz.schemas import Contract, load_contract
from brokerfuzz.targets import HttpTarget
from examples.broker.mistakes import MISTAKES

ROOT: Final = Path(__file__).parents[2]
EXAMPLE: Final = ROOT / "examples/broker"
CASES: Final = 300


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


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with serving(token_life="60", rate="1000000") as found:
        yield found


@pytest.fixture(scope="module")
def contract(tmp_path_factory: pytest.TempPathFactory) -> Contract:
    values = tmp_path_factory.mktemp("values") / "values.toml"
    values.write_text(EXAMPLE.joinpath("brokerfuzz.toml").read_text().partition("[values]")[2])
    return load_contract(values=values)


@pytest.fixture(scope="module")
def cases(contract: Contract) -> list[Case]:
    return list(islice(catalogue(MESSAGE_TYPES[0], now=datetime.now(UTC), contract=contract), CASES))


def fired(
    url: str, contract: Contract, cases: list[Case], mistake: str, monkeypatch: pytest.MonkeyPatch
) -> CampaignResult:
    monkeypatch.setenv("BROKER_URL", url)
    hooks = Hooks(str(EXAMPLE / "hooks.py"), 10)
    target = HookedTarget(HttpTarget(f"{url}/offers", headers=[("X-Mistake", mistake)]), hooks=hooks, cleanup=None)
    plain = plain_messages(MESSAGE_TYPES[0], contract=contract)
    return chosen_campaigns.fired(cases, target, now=None, contract=contract, plain=plain, shrink=0.0)


@pytest.mark.long
@pytest.mark.parametrize("mistake", MISTAKES)
def test_each_mistake_is_found_with_300_cases(
    url: str, contract: Contract, cases: list[Case], mistake: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert fired(url, contract, cases, mistake, monkeypatch).findings


@pytest.mark.long
def test_the_broker_without_mistakes_has_no_findings(
    url: str, contract: Contract, cases: list[Case], monkeypatch: pytest.MonkeyPatch
) -> None:
    result = fired(url, contract, cases, "none", monkeypatch)
    assert (result.findings, result.unproven, result.cases) == ((), 0, CASES)


@pytest.mark.parametrize("choice", [("--rule", "*orderMinimum*"), pytest.param((), marks=pytest.mark.long)])
@pytest.mark.every(3)
def test_a_campaign_with_the_configuration_proves_everything_and_leaves_nothing(
    run: Run, choice: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(EXAMPLE)
    with serving(token_life="1", rate="300") as base:
        monkeypatch.setenv("BROKER_URL", base)
        done = run("fire", *choice, "--json")
        with urlopen(f"{base}/offers") as answer:
            left = json.load(answer)["data"]["count"]
    report = json.loads(done.stdout)
    assert (report["findings"], report["unproven"]["count"], report["outcome"]["state"], left) == ([], 0, "complete", 0)
    assert done.exit_code == 0
