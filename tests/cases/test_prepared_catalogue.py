"""The prepared catalogue: what would be made today, at any time."""

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from io import BytesIO
from pathlib import Path

import pytest

from brokerfuzz.cases.catalogue_maker import made
from brokerfuzz.cases.prepared_catalogue import DATA, STRENGTH, _prepared, prepared
from brokerfuzz.cases.records import encode
from brokerfuzz.compression import packing
from brokerfuzz.errors import CorpusError
from brokerfuzz.schemas import MESSAGE_TYPES, MessageType, load_contract

TODAY, FAR = datetime(2026, 3, 1, 12, tzinfo=UTC), datetime(2525, 12, 31, 23, 59, 59, tzinfo=UTC)
"""The second is behind much that techniques of the clock take for the future."""


@pytest.mark.parametrize("now", [pytest.param(TODAY, id="today"), pytest.param(FAR, id="far", marks=pytest.mark.long)])
@pytest.mark.parametrize("message_type", MESSAGE_TYPES)
def test_it_is_what_is_made_today(message_type: MessageType, now: datetime) -> None:
    expected = made(load_contract(), message_type, now, STRENGTH)
    assert prepared(message_type, now) == expected, (
        "the makers make something else now: prepare it again with `python -m brokerfuzz.cases.prepared_catalogue`"
    )


def test_another_time_shares_what_no_time_changes() -> None:
    ours = {id(case) for case in prepared("offer-creation-request", TODAY)}
    assert sum(id(case) not in ours for case in prepared("offer-creation-request", FAR)) < 40


def test_it_holds_the_message_types_and_nothing_else() -> None:
    assert sorted(path.name for path in DATA.iterdir()) == sorted(f"{name}.ndjson.zst" for name in MESSAGE_TYPES)


PRICING: MessageType = "offer-pricing-response"


def _cut() -> bytes:
    return (DATA / f"{PRICING}.ndjson.zst").read_bytes()[:1000]


def _of_another_version() -> bytes:
    broken = next(case for case in prepared(PRICING, TODAY) if case.twin is not None)
    assert broken.twin is not None
    stream = BytesIO()
    with packing(stream, ".zst") as packed:
        packed.write(encode(replace(broken, body=broken.twin.body, twin=None), last=True))
    return stream.getvalue()


@pytest.mark.parametrize("there", [bytes, _cut, lambda: b"no records", _of_another_version, None], ids=["empty", "cut", "other", "old", "gone"])
def test_what_cannot_be_used_is_told_with_what_to_do(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, there: Callable[[], bytes] | None) -> None:
    if there is not None:
        (tmp_path / f"{PRICING}.ndjson.zst").write_bytes(there())
    monkeypatch.setattr("brokerfuzz.cases.prepared_catalogue.DATA", tmp_path)
    monkeypatch.setattr("brokerfuzz.cases.prepared_catalogue._prepared", _prepared.__wrapped__)
    with pytest.raises(CorpusError, match="install brokerfuzz again, or where you have changed it"):
        prepared(PRICING, TODAY)
