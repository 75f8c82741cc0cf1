"""The package, and what works without the packages of the extras."""

import subprocess
import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from importlib.metadata import version
from pathlib import Path

import pytest

import brokerfuzz

FACES = [
    "brokerfuzz",
    *(
        f"brokerfuzz.{room}"
        for room in ("campaign", "corpus", "generation", "schemas", "strategies", "cases.techniques")
    ),
]
HEAVY = ["hypothesis", "jsonschema_rs", "orjson", "aiohttp", "uvicorn", "asyncio", "click"]


@pytest.mark.parametrize("face", FACES)
def test_public_names_are_sorted_and_exist(face: str) -> None:
    module = import_module(face)
    assert module.__all__ == sorted(module.__all__, key=lambda name: (not name.isupper(), not name[0].isupper(), name))
    for name in module.__all__:
        assert getattr(module, name) is not None


def test_other_names_do_not_exist_for_type_checkers_either() -> None:
    with pytest.raises(AttributeError, match="no attribute 'chek'"):
        brokerfuzz.chek("offer-creation-request", b"{}")  # type: ignore[attr-defined]


def test_the_distribution_has_its_version_and_is_typed() -> None:
    assert version("brokerfuzz") == brokerfuzz.__version__
    assert Path(brokerfuzz.__file__).with_name("py.typed").exists()


def test_imports_do_not_load_heavy_libraries() -> None:
    code = "import sys, brokerfuzz.testing.plugin; print(*sys.modules); import brokerfuzz.corpus; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    with_plugin, with_corpora = (set(line.split()) for line in done.stdout.splitlines())
    assert "brokerfuzz" in with_plugin
    assert not set(HEAVY) & with_plugin
    assert "hypothesis" not in with_corpora


MISSING = ("aiohttp", "brotli", "distributed", "fsspec", "uvicorn", "uvloop")
BLOCKED = f"import sys; sys.modules.update(dict.fromkeys({MISSING}))\n"
"""The content of `sitecustomize.py`, which Python runs when it starts. Afterwards, Python cannot import the packages in
`MISSING`.
"""
USE = """
import sys
from itertools import islice
from hypothesis import Phase, find, settings
from brokerfuzz import check, messages, parametrize
from brokerfuzz.corpus import load, read, write
from brokerfuzz.strategies import cases
write("offers.ndjson", load("offer-pricing-response", techniques=["one-below"]))
assert list(read("offers.ndjson"))
assert check("offer-pricing-response", b"{}").label == "invalid"
assert next(messages("offer-pricing-response", 1, verdicts=["invalid"])).label == "invalid"
parametrize("offer-pricing-response")(lambda case: None)
find(cases("offer-pricing-response"), lambda case: True, settings=settings(phases=[Phase.generate]))
from brokerfuzz.cli import commands
few = ["--message", "offer-pricing-response", "--rule", "*quantity:minimum", "--technique", "one-below"]
commands(["export", "more.ndjson", *few], standalone_mode=False)
with open("reading.py", "w") as file:
    file.write("import brokerfuzz\\ndef read(body): return brokerfuzz.check('offer-pricing-response', body).label != 'invalid'")
assert commands(["fire", "--call", "reading:read", *few], standalone_mode=False) in (None, 0)
assert "hypothesis_jsonschema" not in sys.modules
"""
Light = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def light(tmp_path: Path, environment: Mapping[str, str]) -> Light:
    """Runs Python in a process without the packages of the extras."""
    (tmp_path / "sitecustomize.py").write_text(BLOCKED)
    env = {**environment, "PYTHONPATH": f"{tmp_path}:{environment['PYTHONPATH']}"}

    def run(*args: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, *args], capture_output=True, text=True, cwd=tmp_path, env=env, check=False
        )

    return run


def test_test_suites_and_corpora_need_no_optional_package(light: Light) -> None:
    done = light("-c", USE)
    assert done.returncode == 0, done.stderr


@pytest.mark.every(4)
@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("fire --demo", "the reference service needs uvicorn: pip install 'PATH[fire]', where PATH is a checkout or a"),
        ("fire http://127.0.0.1:1/offers", "sending messages to a URL needs aiohttp: pip install 'PATH[fire]', where"),
        ("export memory://a.ndjson", "a corpus at a URL needs fsspec: pip install 'PATH[remote]', where"),
        (
            "export a.ndjson --workers tcp://127.0.0.1:1",
            "a Dask cluster needs distributed: pip install 'PATH[cluster]'",
        ),
    ],
)
def test_a_command_without_its_package_says_in_one_line_what_to_install(light: Light, command: str, said: str) -> None:
    done = light("-m", "brokerfuzz", *command.split())
    assert (done.returncode, done.stdout) == (2, "")
    assert said in done.stderr
    assert len(done.stderr.splitlines()) == 1
