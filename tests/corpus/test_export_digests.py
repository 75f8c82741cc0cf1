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
    ("offer-creation-request", CATALOGUE): "254cec607f74967ea0bb45e21c476dcf6a10fe72e75b12f96bce7454862bc248",
    ("offer-creation-request", RANDOM): "09a36c44b6a32f2b9ebca707cb81441aaf99426c1101c665e514ac0ab56aa11f",
    ("product-list-response", CATALOGUE): "47dcda67cf8fd5f33f27152fea2d0f1e36101c094bcba4f2a4d84b557407bd7f",
    ("product-list-response", RANDOM): "9f0ca5ac0455ddde11f10e6ebd1e49539b815c7c05aebc32cc9869d08e373734",
    ("offer-pricing-response", CATALOGUE): "40f277469c7d8af4be6b6874b0c9f88207e7aebeccf7f3963b75c5c56d7bb756",
    ("offer-pricing-response", RANDOM): "93db51b155ee5784a1f2a7793dce2a50bc92a2581744b6510c239802af2a3213",
}
SUMS = "10ff1390a083b58af21fd33b02da0c2545158e4f2bac5ccc4c5b970e629318df"


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
