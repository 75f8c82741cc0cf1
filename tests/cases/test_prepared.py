"""The prepared catalogue: what would be made today, at any time."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from brokerfuzz.cases.making import made
from brokerfuzz.cases.prepared import DATA, STRENGTH, _prepared, prepared
from brokerfuzz.errors import CorpusError
from brokerfuzz.schemas import MESSAGE_TYPES, MessageType, load_contract

TODAY, FAR = datetime(2026, 3, 1, 12, tzinfo=UTC), datetime(2525, 12, 31, 23, 59, 59, tzinfo=UTC)
"""The second is behind much that techniques of the clock take for the future."""


@pytest.mark.parametrize("now", [TODAY, FAR], ids=["today", "far"])
@pytest.mark.parametrize("message_type", MESSAGE_TYPES)
def test_it_is_what_is_made_today(message_type: MessageType, now: datetime) -> None:
    expected = made(load_contract(), message_type, now, STRENGTH)
    assert prepared(message_type, now) == expected, "the makers make something else now: prepare it again with `python -m brokerfuzz.cases.prepared`"


def test_another_time_shares_what_no_time_changes() -> None:
    ours = {id(case) for case in prepared("offer-creation-request", TODAY)}
    assert sum(id(case) not in ours for case in prepared("offer-creation-request", FAR)) < 40


def test_it_holds_the_message_types_and_nothing_else() -> None:
    assert sorted(path.name for path in DATA.iterdir()) == sorted(f"{name}.ndjson.zst" for name in MESSAGE_TYPES)


def test_what_is_damaged_is_to_be_installed_again(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    message_type: MessageType = "offer-pricing-response"
    whole = (DATA / f"{message_type}.ndjson.zst").read_bytes()
    monkeypatch.setattr("brokerfuzz.cases.prepared.DATA", tmp_path)
    for part in (b"", whole[:1000], None):
        if part is not None:
            (tmp_path / f"{message_type}.ndjson.zst").write_bytes(part)
        else:
            (tmp_path / f"{message_type}.ndjson.zst").unlink()
        with pytest.raises(CorpusError, match="install it again"):
            _prepared.__wrapped__(message_type)
