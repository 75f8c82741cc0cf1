"""Compares the digests of large exports with the digests in this file.

The same options must always give the same bytes, because users commit corpora, and different machines can write the parts of one
corpus. If a test fails after an intended change, copy the new digest from its output to this file, and describe the change in
CHANGELOG.md. If the change is not intended, the export depends on the order of a set, the clock, or the version of a library.
"""

from hashlib import sha256
from pathlib import Path

import pytest
from fixture_types import Run

from brokerfuzz.schemas import MESSAGE_TYPES

CATALOGUE = ("--full",)
RANDOM = ("--random", "--count", "2000", "--seed", "7")
DIGESTS = {
    ("offer-creation-request", CATALOGUE): "807d35ae36678bf66f4cd8b6465c7074df91c6e48d0860bf89c4603e48dac721",
    ("offer-creation-request", RANDOM): "8d252f6ec579947bde482a77e3cc746820d926fdda39428968966f0b3aaf4579",
    ("product-list-response", CATALOGUE): "fabab8519f79e01424396ae52e1b6f1d08119e00db5912e69ddc1576b830f48b",
    ("product-list-response", RANDOM): "7eae010fdb68a7e1b1157a3ff3c2d9c95ece3c14073c31738f17e0f6b1e570c9",
    ("offer-pricing-response", CATALOGUE): "dc171aa3c0c4f8a6b1b185879dc422a9997404fb1795250fa0f2f114daaf98e3",
    ("offer-pricing-response", RANDOM): "fc50dfc6e24e5212ca2bca219685af11e954e0cd289d9cebac271f3e2b7843b5",
}
SUMS = "263275e9e44d9b3387c374de9dc0eaa525aa7a45dd5841894deb76483558bf81"


@pytest.mark.parametrize("message_type", MESSAGE_TYPES)
@pytest.mark.parametrize("choice", [CATALOGUE, RANDOM])
def test_the_bytes_of_an_ndjson_export_do_not_change(run: Run, tmp_path: Path, message_type: str, choice: tuple[str, ...]) -> None:
    out = tmp_path / "out.ndjson"
    result = run("export", out, "--message", message_type, *choice)
    assert result.exit_code == 0, result.stderr
    assert sha256(out.read_bytes()).hexdigest() == DIGESTS[message_type, choice], "if this change is intended, see the top of this file"


def test_the_bytes_of_a_format_with_reasons_do_not_change(run: Run, tmp_path: Path) -> None:
    result = run("export", tmp_path / "out", "--format", "files")
    assert result.exit_code == 0, result.stderr
    assert sha256((tmp_path / "out" / "SHA256SUMS").read_bytes()).hexdigest() == SUMS, "if this change is intended, see the top of this file"
