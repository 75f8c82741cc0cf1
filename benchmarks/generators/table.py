"""The comparison as Markdown, ready for the README."""

import platform
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from benchmarks.generators.figures import rounded, share
from benchmarks.generators.generator import Generator
from benchmarks.generators.scoring import Score, known_sites

HEADS = ("generator", "messages/s", "MB/s", "of the floor", "invalid", "distinct", "sites reached")
FLOOR = "floor: `orjson.dumps` alone"


@dataclass(frozen=True)
class Row:
    """What was measured of a generator: its sample's score, its messages a second, round by round, and, where it has a floor, those of `orjson.dumps`
    right after."""

    generator: Generator
    score: Score
    rates: Sequence[float]
    floors: Sequence[float] = ()

    @property
    def rate(self) -> float:
        """Messages a second."""
        return median(self.rates)

    @property
    def floor(self) -> float | None:
        """Those of the floor."""
        return median(self.floors) if self.floors else None

    @property
    def times(self) -> float | None:
        """How many times as fast the floor is, by the rounds that belong together."""
        return median(floor / rate for floor, rate in zip(self.floors, self.rates, strict=True)) if self.floors else None

    @property
    def megabytes(self) -> float:
        """Millions of bytes of messages a second."""
        return self.rate * self.score.size / 1e6


def report(rows: Sequence[Row], missing: Sequence[str], versions: str, bulk: int) -> str:
    """The table, what has to be known to read it (an export was one of so many cases), and which peers are not there."""
    floors = (_line(_floor_cells(row, row.floor)) for row in rows if row.floor)
    lines = [_line(HEADS), _line(["---"] + ["--:"] * (len(HEADS) - 1)), *(_line(_cells(row)) for row in rows), *floors]
    return "\n".join([*lines, "", *_notes(rows, versions, bulk), *missing])


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _cells(row: Row) -> list[str]:
    score = row.score
    ratio = f"1/{row.times:.1f}" if row.times else ""
    return [
        row.generator.name, rounded(row.rate), rounded(row.megabytes), ratio, _invalid(row), share(score.distinct),
        f"{score.sites} of {len(known_sites())}",
    ]  # fmt: skip


def _floor_cells(row: Row, floor: float) -> list[str]:
    return [f"{FLOOR}, {row.generator.name}", rounded(floor), rounded(floor * row.score.size / 1e6), *[""] * (len(HEADS) - 3)]


def _invalid(row: Row) -> str:
    contract, schema = share(row.score.invalid), share(row.score.invalid_by_schema)
    if not row.generator.asks_valid:
        return "as asked"
    return contract if contract == schema else f"{contract} ({schema} by the schema alone)"


def _notes(rows: Sequence[Row], versions: str, bulk: int) -> list[str]:
    notes = {
        "": f"Python {platform.python_version()}, {versions}. {rows[0].score.count:,} messages of each were judged; MB are of messages. A site is "
        "reached where a value other than null stands. The floor is `orjson.dumps` of what an export writes and is JSON, as ready values, results "
        f"kept, right after each export, and the ratio the median of those of {len(rows[0].rates)} rounds. The exports, of {bulk:,} cases each time, "
        "each from a seed of its own, judge each case from its bytes, and write it to a file with all that is known of it; the others judge nothing.",
        "hypothesis-jsonschema": "hypothesis-jsonschema has a method back that newer Hypothesis took away, without which it raises.",
        "polyfactory": "polyfactory reads types: it has Pydantic models of the schema, which cannot say its condition, and leaves no property out.",
        "json-schema-faker": "json-schema-faker has the condition under `allOf`, where it passes it over: of the schema as it is written it makes "
        "nothing but offers of the type Product List, all of them invalid.",
    }
    there = {"", *(row.generator.name for row in rows)}
    return [note for name, note in notes.items() if name in there]
