from collections.abc import Callable
from datetime import UTC, datetime
from io import BytesIO
from pathlib import Path

import pytest

from brokerfuzz.cases.catalogue_maker import generate
from brokerfuzz.cases.prepared_catalogue import DATA, STRENGTH, _prepared, prepared
from brokerfuzz.compression import compressing
from brokerfuzz.errors import CorpusError
from brokerfuzz.schemas import MESSAGE_TYPES, MessageType, load_contract

TODAY, FAR = datetime(2026, 3, 1, 12, tzinfo=UTC), datetime(2525, 12, 31, 23, 59, 59, tzinfo=UTC)
"""`FAR` is later than all timestamps that techniques use as the future: for example, a timestamp in 2038."""


@pytest.mark.parametrize("now", [pytest.param(TODAY, id="today"), pytest.param(FAR, id="far", marks=pytest.mark.long)])
@pytest.mark.parametrize("message_type", MESSAGE_TYPES)
def test_the_prepared_catalogue_equals_a_generated_one(message_type: MessageType, now: datetime) -> None:
    expected = generate(load_contract(), message_type, now, STRENGTH)
    assert prepared(message_type, now) == expected, (
        "the makers now give other cases: prepare the catalogue again with `python -m brokerfuzz.cases.prepared_catalogue`"
    )


def test_catalogues_for_other_times_share_their_fixed_cases() -> None:
    ours = {id(case) for case in prepared("offer-creation-request", TODAY)}
    assert sum(id(case) not in ours for case in prepared("offer-creation-request", FAR)) < 40


def test_the_data_folder_contains_only_the_message_types() -> None:
    assert sorted(path.name for path in DATA.iterdir()) == sorted(f"{name}.json.zst" for name in MESSAGE_TYPES)


PRICING: MessageType = "offer-pricing-response"


def _cut() -> bytes:
    return (DATA / f"{PRICING}.json.zst").read_bytes()[:1000]


def _of_another_version() -> bytes:
    stream = BytesIO()
    with compressing(stream, ".zst") as packed:
        packed.write(b'[{"body":"{}","verdict":"invalid"}]')
    return stream.getvalue()


@pytest.mark.parametrize("there", [bytes, _cut, lambda: b"no records", _of_another_version, None], ids=["empty", "cut", "other", "old", "gone"])
def test_an_unusable_catalogue_is_reported_with_a_remedy(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, there: Callable[[], bytes] | None) -> None:
    if there is not None:
        (tmp_path / f"{PRICING}.json.zst").write_bytes(there())
    monkeypatch.setattr("brokerfuzz.cases.prepared_catalogue.DATA", tmp_path)
    monkeypatch.setattr("brokerfuzz.cases.prepared_catalogue._prepared", _prepared.__wrapped__)
    with pytest.raises(CorpusError, match=r"install brokerfuzz again\. If you have changed brokerfuzz, prepare the catalogue again"):
        prepared(PRICING, TODAY)
