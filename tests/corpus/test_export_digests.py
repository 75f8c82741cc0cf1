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
    ("offer-creation-request", CATALOGUE): "f65caf079991d9c351f1d4be5f9a1fa12b5e0dd7e5b7fe5e95a9f03ec5f30fd0",
    ("offer-creation-request", RANDOM): "b9c4747058302e91e8b3eaafef7e50f5e618efc64c0d8428780ecd39e2d21940",
    ("product-list-response", CATALOGUE): "5abb1591b57a9d3041146389b311db3385128f7045c50690fc87bc18529d3446",
    ("product-list-response", RANDOM): "adf6e1b16187ea69861f165a51f024a011da1960d34dd914c83f1af4ed02b0cf",
    ("offer-pricing-response", CATALOGUE): "9f04063748969639abf7cd86a18401aba2f7e65fced44248a90cb701d29168a6",
    ("offer-pricing-response", RANDOM): "c4bfd3180b82247ad1deea0d5f39a2821330cac39d0fcddc1de7f0652d027185",
}
SUMS = "5c7f49ef03ea06902eb4f4ff772652bef67aa52cb8cdf7126f11e5100e9ff4eb"


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
