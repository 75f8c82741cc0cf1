"""Writes one case per row, with typed columns, for the analysis of cases. This format needs pyarrow.

- `id`, `message` and `verdict` are strings.
- `faults` is a list with `rule`, `at` and `technique`.
- `ambiguities` and `tags` are lists of strings.
- `twin` is the ID of the twin (the valid counterpart), or null.
- `headers` is a list with `name` and `value`. A value of null means that the header is not sent.
- `body` contains the bytes of the message. To read `body` as text, use `decode(body)` in DuckDB or
  `col("body").cast(String)` in Polars.

The metadata of the file contains the version of brokerfuzz and the options of the export (`recipe`). The same version
of pyarrow writes the same bytes for the same cases.
"""

from collections.abc import Iterable, Iterator
from functools import partial
from tempfile import TemporaryFile
from types import ModuleType
from typing import Any

from brokerfuzz.cases.case import Case
from brokerfuzz.corpus.formats.case_names import facts_of
from brokerfuzz.corpus.formats.format import CorpusInfo, single_file
from brokerfuzz.errors import CorpusError, needs_extra
from brokerfuzz.version import __version__

GROUP_ROWS, GROUP_BYTES = 2048, 8 * 1024 * 1024
"""A group of rows ends when it has `GROUP_ROWS` rows, or when its messages have `GROUP_BYTES` bytes."""

_PIECE = 1 << 20

Rows = list[dict[str, Any]]


def _pieces(cases: Iterable[Case], about: CorpusInfo) -> Iterator[bytes]:
    arrow, parquet = _pyarrow()
    schema = _schema(arrow)
    with TemporaryFile() as file:
        with parquet.ParquetWriter(file, schema, compression="zstd", store_schema=False) as writer:
            for rows in _groups(cases):
                writer.write_table(arrow.Table.from_pylist(rows, schema=schema), row_group_size=GROUP_ROWS)
            writer.add_key_value_metadata({"brokerfuzz": __version__, "recipe": about.recipe})
        file.seek(0)
        yield from iter(partial(file.read, _PIECE), b"")


def _pyarrow() -> tuple[ModuleType, ModuleType]:
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError as problem:
        raise CorpusError(needs_extra("the format `parquet`", problem, "parquet")) from problem
    return pa, pq


def _schema(arrow: Any) -> Any:
    text = arrow.string()
    fault = arrow.struct([arrow.field(name, text, nullable=False) for name in ("rule", "at", "technique")])
    header = arrow.struct([arrow.field("name", text, nullable=False), arrow.field("value", text)])
    types = {
        "id": text,
        "message": text,
        "verdict": text,
        "faults": _list_of(arrow, fault),
        "ambiguities": _list_of(arrow, text),
        "tags": _list_of(arrow, text),
        "twin": text,
        "headers": _list_of(arrow, header),
        "body": arrow.binary(),
    }
    return arrow.schema([arrow.field(name, of, nullable=name == "twin") for name, of in types.items()])


def _list_of(arrow: Any, of: Any) -> Any:
    return arrow.list_(arrow.field("element", of, nullable=False))


def _groups(cases: Iterable[Case]) -> Iterator[Rows]:
    rows: Rows = []
    size = 0
    for case in cases:
        rows.append(_row(case))
        size += len(case.body)
        if len(rows) == GROUP_ROWS or size >= GROUP_BYTES:
            yield rows
            rows, size = [], 0
    if rows:
        yield rows


def _row(case: Case) -> dict[str, Any]:
    headers = [{"name": name, "value": value} for name, value in case.headers]
    return {**facts_of(case), "tags": case.tags, "headers": headers, "body": case.body}


FORMAT = single_file("parquet", ".parquet", _pieces)
