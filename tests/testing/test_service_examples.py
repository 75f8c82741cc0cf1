import os
import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[2] / "examples" / "services"
SOME = "minLength or enum or minimum or additionalProperties or required"


@pytest.mark.parametrize("name", ["test_every_rule.py", pytest.param("test_services.py", marks=pytest.mark.long)])
def test_one_run_shows_every_mistake_of_the_lax_service_and_none_of_strict_ones(
    name: str, environment: Mapping[str, str]
) -> None:
    for framework in ("fastapi", "rest_framework"):
        pytest.importorskip(framework, reason=f"{framework} is not installed")
    options = ["-p", "brokerfuzz.testing.plugin", "-p", "no:cacheprovider", "-c", os.devnull, "-q", "--tb=line"]
    chosen = ["-k", SOME] if name == "test_every_rule.py" else []
    command = [sys.executable, "-m", "pytest", *options, *chosen, f"--rootdir={EXAMPLES}", str(EXAMPLES / name)]
    env = {**environment, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=env)
    if name == "test_services.py":
        assert done.returncode == 0, done.stdout + done.stderr
        return
    failed = set(re.findall(r"test_rule\[offer-creation-request/(.*?)\](?: - |$)", done.stdout, re.MULTILINE))
    assert {"number:minLength", "offerType:enum", "orderMinimum:minimum", ":additionalProperties"} <= failed, (
        done.stdout
    )
    assert not {"number:required", "priceClasses[].priceTiers[].price:required"} & failed
