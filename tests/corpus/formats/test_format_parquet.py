import io
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result
from exported_cases import cases, written

from brokerfuzz.corpus.formats import parquet

pq = pytest.importorskip("pyarrow.parquet", reason="pyarrow is not installed")


@pytest.fixture(scope="module")
def content() -> bytes:
    return written("parquet", cases())


def test_rows_have_the_data_of_the_cases(content: bytes) -> None:
    rows = pq.read_table(io.BytesIO(content)).to_pylist()
    assert len(rows) == len(cases())
    for row, case in zip(rows, cases(), strict=True):
        assert (row["id"], row["message"], row["verdict"], row["twin"]) == (
            case.id,
            case.message_type,
            case.label,
            case.twin_id,
        )
        assert row["body"] == case.body
        assert tuple(row["tags"]) == case.tags
        assert tuple((header["name"], header["value"]) for header in row["headers"]) == case.headers
        assert [tuple(fault.values()) for fault in row["faults"]] == [
            (fault.rule, fault.at, fault.technique) for fault in case.faults
        ]
        assert set(row["ambiguities"]) == {touch.ambiguity for touch in case.verdict.ambiguities}


def test_rows_are_written_in_groups_to_limit_the_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parquet, "GROUP_ROWS", 100)
    metadata = pq.read_metadata(io.BytesIO(written("parquet", cases()[:250])))
    assert [metadata.row_group(number).num_rows for number in range(metadata.num_row_groups)] == [100, 100, 50]


def test_duckdb_can_query_rules_and_decode_messages(tmp_path: Path, content: bytes) -> None:
    duckdb = pytest.importorskip("duckdb", reason="DuckDB is not installed")
    (tmp_path / "corpus.parquet").write_bytes(content)
    corpus = duckdb.read_parquet(str(tmp_path / "corpus.parquet"))  # noqa: F841 - the queries name it
    rules = dict(
        duckdb.sql(
            "SELECT fault.rule, count(*) FROM (SELECT unnest(faults) AS fault FROM corpus) GROUP BY ALL"
        ).fetchall()
    )
    broken = [fault.rule for case in cases() for fault in case.faults]
    assert rules == {rule: broken.count(rule) for rule in set(broken)}
    numbers = duckdb.sql(
        "SELECT decode(body)::JSON ->> '$.number' FROM corpus WHERE verdict = 'valid' AND message LIKE 'offer-c%'"
    ).fetchall()
    assert [number for (number,) in numbers] == [
        case.value["number"] for case in cases() if case.label == "valid" and case.message_type[6] == "c"
    ]


def test_without_pyarrow_no_file_is_left(
    run: Callable[..., Result], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    result = run("export", tmp_path / "c.parquet", "--random", "--count", 5, "--message", "product-list-response")
    assert result.exit_code == 2
    assert "needs pyarrow" in result.stderr
    assert "[parquet]'" in result.stderr
    assert list(tmp_path.iterdir()) == []
