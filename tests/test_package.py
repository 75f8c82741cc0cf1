"""The package's face: what it names is there, sorted, and costs nothing until it is used."""

import subprocess
import sys
from importlib import import_module
from importlib.metadata import metadata, version
from pathlib import Path

import pytest

import brokerfuzz

FACES = ["brokerfuzz", *(f"brokerfuzz.{room}" for room in ("campaign", "corpus", "decoder", "schemas", "strategies", "cases.techniques"))]
HEAVY = ["hypothesis", "jsonschema_rs", "orjson", "pyreqwest", "uvicorn", "asyncio", "click"]


@pytest.mark.parametrize("face", FACES)
def test_what_a_face_names_is_sorted_and_there(face: str) -> None:
    module = import_module(face)
    assert module.__all__ == sorted(module.__all__, key=lambda name: (not name.isupper(), not name[0].isupper(), name))
    for name in module.__all__:
        assert getattr(module, name) is not None


def test_what_is_not_named_is_not_there() -> None:
    with pytest.raises(AttributeError, match="no attribute 'utils'"):
        brokerfuzz.utils  # noqa: B018  (the access is the test)


def test_the_version_is_the_distributions() -> None:
    assert version("brokerfuzz") == brokerfuzz.__version__
    assert metadata("brokerfuzz")["Requires-Python"] == ">=3.11"


def test_it_is_typed_and_carries_its_data() -> None:
    package = Path(brokerfuzz.__file__).parent
    assert (package / "py.typed").exists()
    assert {path.name for path in (package / "schemas").glob("*.json")} >= {"ambiguities.json", "semantics.json", "envelope.schema.json"}


@pytest.mark.parametrize(("imported", "lean_of"), [("brokerfuzz", HEAVY), ("brokerfuzz.cli", HEAVY[:-1]), ("brokerfuzz.corpus", ["hypothesis"])])
def test_imports_stay_lean(imported: str, lean_of: list[str]) -> None:
    code = f"import sys, {imported}; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout.split()
    assert not set(lean_of) & set(loaded)
