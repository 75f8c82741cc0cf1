"""The bytes of a large export, pinned.

Corpora are committed, and their shards are written by machines that are not alike: the same options give the same bytes. To change these is a
deliberate act. Where one of these tests fails and that is meant, put the digest that it shows here, and a line into CHANGELOG.md that says what users
will see change in their corpora. (`brokerfuzz export - --message TYPE --now 2025-06-15T12:00:00Z [--random --count 5000 --seed 7] | sha256sum` gives
it too.) Where it is not meant, something depends on what it must not: an order of a set, the clock, a library's version.
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
    ("offer-creation-request", CATALOGUE): "58c70303628daa21226d743b314fcfc588025681c07b6deb8eba8b6f6257d79e",
    ("offer-creation-request", RANDOM): "cb50f19dcbaa597223eb55112e9d3008d9d11e876b957d19de099d55d8a9d81c",
    ("product-list-response", CATALOGUE): "bfc87f7c2a70ebe500130f809ec08e6e7803c47e410809e2fd8c56bbfd9f7526",
    ("product-list-response", RANDOM): "c4c10d2853429b6f52d6c53a5af0bee44b7df79117ffdb7b9d102fbc53de2d7c",
    ("offer-pricing-response", CATALOGUE): "3d230521578ab86e912f9850f2c2f7afeed1a6129d00ff640dd611d7b31de928",
    ("offer-pricing-response", RANDOM): "19eed667e44ebd2aa3ba492a65ab4d4a3cdd7a1ae3fc849b660b79bb86d7ee22",
}
SUMS = "02669f44b0ae1ff7e983453d2b5b8721fe5678578db2fba3d1091213fa0cb339"


@pytest.mark.parametrize("message_type", MESSAGE_TYPES)
@pytest.mark.parametrize("choice", [CATALOGUE, RANDOM])
def test_the_bytes_of_an_export_stay_as_they_are(run: Run, tmp_path: Path, message_type: str, choice: tuple[str, ...]) -> None:
    out = tmp_path / "out.ndjson"
    result = run("export", out, "--message", message_type, "--now", "2025-06-15T12:00:00Z", *choice)
    assert result.exit_code == 0, result.stderr
    assert sha256(out.read_bytes()).hexdigest() == DIGESTS[message_type, choice], "on purpose? see the top of this file"


def test_so_do_those_of_a_format_that_says_why(run: Run, tmp_path: Path) -> None:
    result = run("export", tmp_path / "out", "--format", "http", "--minimal", "--now", "2025-06-15T12:00:00Z")
    assert result.exit_code == 0, result.stderr
    assert sha256((tmp_path / "out" / "SHA256SUMS").read_bytes()).hexdigest() == SUMS, "on purpose? see the top of this file"
