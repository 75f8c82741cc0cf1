"""Parts of an export that are handed over in files."""

from datetime import UTC, datetime
from pathlib import Path

from brokerfuzz.cases.blocks import blocks
from brokerfuzz.cases.plan import Plan
from brokerfuzz.corpus.exporting.parts import ExportTask, make, make_aside, parts


def part() -> ExportTask:
    plan = Plan(message_type="offer-creation-request", now=datetime(2025, 1, 1, tzinfo=UTC), seed=1, count=300, only_random=True)
    return next(parts(blocks((plan,)), [100, 200], "ndjson", ""))


def test_what_is_put_aside_is_what_is_made_and_is_gone_once_it_is_taken(tmp_path: Path) -> None:
    pieces = make_aside(str(tmp_path), part())
    assert [piece.data for piece in pieces] == [b"", b""]
    assert len(list(tmp_path.iterdir())) == 2
    assert [piece.taken() for piece in pieces] == [piece.data for piece in make(part())]
    assert not list(tmp_path.iterdir())


def test_where_there_is_no_room_it_is_handed_over_as_it_is(tmp_path: Path) -> None:
    pieces = make_aside(str(tmp_path / "gone"), part())
    assert [piece.taken() for piece in pieces] == [piece.data for piece in make(part())]
