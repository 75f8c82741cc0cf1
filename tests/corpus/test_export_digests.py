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
    ("offer-creation-request", CATALOGUE): "3c3a9b0eb92e4f4011b72ec2182d85d6e99e607d6b49de39ffe54cdcc039e325",
    ("offer-creation-request", RANDOM): "1931569bb269c3f7b771d80c3f69ffeb1338065e69a5f8a91d3b8fb8f8809092",
    ("product-list-response", CATALOGUE): "c589b62f7836cfc3db534381caea123c272956d1624e016ec6b2d6d82af5d308",
    ("product-list-response", RANDOM): "3d9a15901e42e45ed94fddd62977a4e2902815d710524da27ca72c14b7d61aba",
    ("offer-pricing-response", CATALOGUE): "96ec01ba9c17deda0db33059abda28cf29c65cae1c6ea51bf5835e7b3aa75710",
    ("offer-pricing-response", RANDOM): "d50cb383e4898f34c3ecabbfe7828c3d830fcdceea0fd97488e8b4dc145a6d9d",
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
