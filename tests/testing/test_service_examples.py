import os
import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[2] / "examples" / "services"


@pytest.fixture(autouse=True)
def _needs_frameworks() -> None:
    for name in ("fastapi", "rest_framework"):
        pytest.importorskip(name, reason=f"{name} is not installed")


def run(name: str, environment: Mapping[str, str]) -> subprocess.CompletedProcess[str]:
    options = ["-p", "brokerfuzz.testing.plugin", "-p", "no:cacheprovider", "-c", os.devnull, "-q", "--tb=line"]
    env = {**environment, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    command = [sys.executable, "-m", "pytest", *options, f"--rootdir={EXAMPLES}", str(EXAMPLES / name)]
    return subprocess.run(command, capture_output=True, text=True, check=False, env=env)


@pytest.mark.long
def test_strict_services_have_no_findings(environment: Mapping[str, str]) -> None:
    done = run("test_services.py", environment)
    assert done.returncode == 0, done.stdout + done.stderr


def test_one_run_shows_every_mistake_of_the_lax_service(environment: Mapping[str, str]) -> None:
    done = run("test_every_rule.py", environment)
    failed = set(re.findall(r"test_rule\[offer-creation-request/(.*?)\](?: - |$)", done.stdout, re.MULTILINE))
    assert {"number:minLength", "offerType:enum", "orderMinimum:minimum", ":additionalProperties"} <= failed, (
        done.stdout
    )
    assert {"lastUpdatedDateTimeUtc:not-in-future", "productClusters[].products[].productId:minLength"} <= failed
    assert not {"number:required", "priceClasses[].priceTiers[].price:required"} & failed
