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
    ("offer-creation-request", CATALOGUE): "d8f02c96ed45e6c717b777318252f0a0401df026b3cee47d5afbd0d65b5a72fe",
    ("offer-creation-request", RANDOM): "7747441c40256bb27f33fef7e878234d699fb0d6676a6986541e39f9185a0315",
    ("product-list-response", CATALOGUE): "ade921bdfec5eb002596986d9dd3df47ceb3a7860ca8fdafda1d9e19d0629b78",
    ("product-list-response", RANDOM): "7eae010fdb68a7e1b1157a3ff3c2d9c95ece3c14073c31738f17e0f6b1e570c9",
    ("offer-pricing-response", CATALOGUE): "453b54a954df68f128c58be70e3e4da649469df8b9e4c9069e7a91139f554f8e",
    ("offer-pricing-response", RANDOM): "275caca00770a8def9af0cef035841cfdddfd6d123c54633fd3d9f5a62d6cfce",
}
SUMS = "25c2111bbc7bf286d2781492311b52c1c3f427a53d6538021f9a85c4fa02e8b6"


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
