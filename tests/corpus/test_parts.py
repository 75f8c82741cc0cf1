from datetime import UTC, datetime
from pathlib import Path

from brokerfuzz.cases.plan import Plan
from brokerfuzz.corpus.exporting.parts import ExportTask, make, make_spooled, parts


def part() -> ExportTask:
    plan = Plan(
        message_type="offer-creation-request", now=datetime(2025, 1, 1, tzinfo=UTC), seed=1, count=300, only_random=True
    )
    return next(parts(plan.blocks(), [100, 200], "ndjson", ""))


def test_taking_a_spooled_part_returns_its_bytes_and_deletes_the_file(tmp_path: Path) -> None:
    pieces = make_spooled(str(tmp_path), part())
    assert [piece.data for piece in pieces] == [b"", b""]
    assert len(list(tmp_path.iterdir())) == 2
    assert [piece.take() for piece in pieces] == [piece.data for piece in make(part())]
    assert not list(tmp_path.iterdir())


def test_a_part_stays_in_memory_if_it_cannot_be_spooled(tmp_path: Path) -> None:
    pieces = make_spooled(str(tmp_path / "gone"), part())
    assert [piece.take() for piece in pieces] == [piece.data for piece in make(part())]
