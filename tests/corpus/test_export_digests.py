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
    ("offer-creation-request", CATALOGUE): "40a2d44b4b725f8d81c708ba1c8ea9c209cb45e4a2bebd9ee9c049cf87917938",
    ("offer-creation-request", RANDOM): "354eb5dbe94b3895ae4b304e7b8c4711e64a5d9d6bc592db3e5400b8cde4eb6d",
    ("product-list-response", CATALOGUE): "1bb11202fbfb5eaf3d8d5335ed934a5dbbae45990007fc315a238c848da8d3c3",
    ("product-list-response", RANDOM): "7549935853a5453272275ef46a563dd878b2cab2c583ba1237348ab2224893b1",
    ("offer-pricing-response", CATALOGUE): "26991010e7b130c7173f105efc662c34ac9d67be6dd90ac84b6125999a2793b8",
    ("offer-pricing-response", RANDOM): "127e12efda7a7ac5c9e03e76f26b3213f18df919b2c8803ac9cdf07063a27a40",
}
SUMS = "23d204c03054505cb0ddc1d8b7ba1c3ef232fcb91268b15d39891ee8271172f5"


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
