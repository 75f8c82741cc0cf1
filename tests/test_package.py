import subprocess
import sys
from importlib import import_module
from importlib.metadata import metadata, version
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


def test_the_version_is_that_of_the_distribution() -> None:
    assert version("brokerfuzz") == brokerfuzz.__version__
    assert metadata("brokerfuzz")["Requires-Python"] == ">=3.11"


def test_the_package_is_typed_and_contains_its_data() -> None:
    package = Path(brokerfuzz.__file__).parent
    assert (package / "py.typed").exists()
    assert {path.name for path in (package / "schemas").glob("*.json")} >= {
        "ambiguities.json",
        "semantics.json",
        "envelope.schema.json",
    }


@pytest.mark.parametrize(
    ("imported", "lean_of"),
    [
        ("brokerfuzz", HEAVY),
        ("brokerfuzz.cli", HEAVY[:-1]),
        ("brokerfuzz.corpus", ["hypothesis"]),
        ("brokerfuzz.testing.plugin", HEAVY),
    ],
)
def test_imports_do_not_load_heavy_libraries(imported: str, lean_of: list[str]) -> None:
    code = f"import sys, {imported}; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout.split()
    assert not set(lean_of) & set(loaded)
