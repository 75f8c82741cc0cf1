"""Writes one case per row, with typed columns, for the analysis of cases. This format needs pyarrow.

To read the column `body` as text, use `decode(body)` in DuckDB or `col("body").cast(String)` in Polars. The metadata of
the file contains the version of brokerfuzz and the options of the export (`recipe`). The same version of pyarrow writes
the same bytes for the same cases.
"""

from collections.abc import Iterable, Iterator
from functools import partial
from itertools import islice
from tempfile import TemporaryFile
from typing import Any

from brokerfuzz.cases.case import Case
from brokerfuzz.corpus.formats.case_names import facts_of
from brokerfuzz.corpus.formats.format import CorpusInfo, single_file
from brokerfuzz.errors import CorpusError, needs_extra
from brokerfuzz.version import __version__

GROUP_ROWS = 512

_PIECE = 1 << 20


def _pieces(cases: Iterable[Case], about: CorpusInfo) -> Iterator[bytes]:
    try:
        import pyarrow as pa
        from pyarrow import parquet
    except ImportError as problem:
        raise CorpusError(needs_extra("the format `parquet`", problem, "parquet")) from problem
    schema = _schema(pa)
    with TemporaryFile() as file:
        with parquet.ParquetWriter(file, schema, compression="zstd", store_schema=False) as writer:
            rows = map(_row, cases)
            while group := list(islice(rows, GROUP_ROWS)):
                writer.write_table(pa.Table.from_pylist(group, schema=schema), row_group_size=GROUP_ROWS)
            writer.add_key_value_metadata({"brokerfuzz": __version__, "recipe": about.recipe})
        file.seek(0)
        yield from iter(partial(file.read, _PIECE), b"")


def _schema(arrow: Any) -> Any:
    def list_of(kind: Any) -> Any:
        return arrow.list_(arrow.field("element", kind, nullable=False))

    text = arrow.string()
    fault = arrow.struct([arrow.field(name, text, nullable=False) for name in ("rule", "at", "technique")])
    header = arrow.struct([arrow.field("name", text, nullable=False), arrow.field("value", text)])
    types = {"id": text, "message": text, "verdict": text, "faults": list_of(fault), "ambiguities": list_of(text)}
    types |= {"tags": list_of(text), "twin": text, "headers": list_of(header), "body": arrow.binary()}
    return arrow.schema([arrow.field(name, kind, nullable=name == "twin") for name, kind in types.items()])


def _row(case: Case) -> dict[str, Any]:
    headers = [{"name": name, "value": value} for name, value in case.headers]
    return {**facts_of(case), "tags": case.tags, "headers": headers, "body": case.body}


FORMAT = single_file("parquet", ".parquet", _pieces)
