"""Pinned digests of large exports.

Users commit corpora, and different machines write the shards of one corpus. So the same options must give the same bytes. If a
test fails after an intended change, copy the new digest from its output to this file, and describe the change in CHANGELOG.md.
(This command also prints the digest: `brokerfuzz export - --message TYPE [--random --count 5000
--seed 7] | sha256sum`.) If the change is not intended, the export depends on something that it must not depend on: the order
of a set, the clock, or the version of a library.
"""

from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

import pytest
from click.testing import Result

from brokerfuzz.schemas import MESSAGE_TYPES

Run = Callable[..., Result]

CATALOGUE: tuple[str, ...] = ()
RANDOM = ("--random", "--count", "5000", "--seed", "7")
DIGESTS = {
    ("offer-creation-request", CATALOGUE): "0efd1e36b90ab4859307cd2dddc49ab08cf91f023f2bce5ebf7dfa03645a05f7",
    ("offer-creation-request", RANDOM): "59a66323f74b6ad5351ae1afbc9563630058ad44324929f5f0179c714265c79c",
    ("product-list-response", CATALOGUE): "f638540428a06b5485a036ff032d98ae3669b6e7cdb7ab8c1317ae71bec0cef9",
    ("product-list-response", RANDOM): "2f196a0f633122ef27462b7f5e23cc00e05b312a618241dbe8bd47b2e58ffd7a",
    ("offer-pricing-response", CATALOGUE): "40f277469c7d8af4be6b6874b0c9f88207e7aebeccf7f3963b75c5c56d7bb756",
    ("offer-pricing-response", RANDOM): "93db51b155ee5784a1f2a7793dce2a50bc92a2581744b6510c239802af2a3213",
}
SUMS = "569c6df07735529481c90a137410c4546b130d6949a105857ca76913bb23eb3f"


@pytest.mark.parametrize("message_type", MESSAGE_TYPES)
@pytest.mark.parametrize("choice", [CATALOGUE, RANDOM])
def test_the_bytes_of_an_ndjson_export_do_not_change(run: Run, tmp_path: Path, message_type: str, choice: tuple[str, ...]) -> None:
    out = tmp_path / "out.ndjson"
    result = run("export", out, "--message", message_type, *choice)
    assert result.exit_code == 0, result.stderr
    assert sha256(out.read_bytes()).hexdigest() == DIGESTS[message_type, choice], "if this change is intended, see the top of this file"


def test_the_bytes_of_a_format_with_reasons_do_not_change(run: Run, tmp_path: Path) -> None:
    result = run("export", tmp_path / "out", "--format", "http", "--minimal")
    assert result.exit_code == 0, result.stderr
    assert sha256((tmp_path / "out" / "SHA256SUMS").read_bytes()).hexdigest() == SUMS, "if this change is intended, see the top of this file"
