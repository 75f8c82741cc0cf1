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
    ("offer-creation-request", CATALOGUE): "57ed5ffcea4a268891bb50fcf70bb2bef9e589b43de6d9da057c4084611333e9",
    ("offer-creation-request", RANDOM): "8d252f6ec579947bde482a77e3cc746820d926fdda39428968966f0b3aaf4579",
    ("product-list-response", CATALOGUE): "34d92f7a592ff3b77969799dac3a05d28ddf183fa32ec881ced62a8dfd84294a",
    ("product-list-response", RANDOM): "7eae010fdb68a7e1b1157a3ff3c2d9c95ece3c14073c31738f17e0f6b1e570c9",
    ("offer-pricing-response", CATALOGUE): "76c680e2a87918004952f640ec64a5afc21b0dd4783067473f07459b458d8691",
    ("offer-pricing-response", RANDOM): "77c4d5dcbf00263edd670aee8bd8512442476d27e0c0dad03067fe1b6adf61be",
}
SUMS = "af01c402649793f3e8859d2dc5571ce929f4e538813e28c82df619dd1ab34b95"


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
