import platform
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from benchmarks.generators.figures import rounded, share
from benchmarks.generators.generator import Generator
from benchmarks.generators.scoring import Score, known_sites

HEADS = ("generator", "messages/s", "MB/s", "speed relative to the floor", "invalid", "distinct", "sites reached")
FLOOR = "floor: `orjson.dumps` alone"


@dataclass(frozen=True)
class Row:
    """`rates` contains the messages per second of each round. If the generator has `in_bulk`, `floors` contains the messages per
    second of `orjson.dumps`, measured directly after each round.
    """

    generator: Generator
    score: Score
    rates: Sequence[float]
    floors: Sequence[float] = ()

    @property
    def rate(self) -> float:
        return median(self.rates)

    @property
    def floor(self) -> float | None:
        return median(self.floors) if self.floors else None

    @property
    def times(self) -> float | None:
        """The speed of `orjson.dumps` divided by the speed of the generator: the median of the ratios in all rounds."""
        return median(floor / rate for floor, rate in zip(self.floors, self.rates, strict=True)) if self.floors else None

    @property
    def megabytes(self) -> float:
        return self.rate * self.score.size / 1e6


def report(rows: Sequence[Row], missing: Sequence[str], versions: str, bulk: int) -> str:
    """`missing` contains a line for each generator that is not installed. `bulk` is the number of cases of an export."""
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
        return "as requested"
    return contract if contract == schema else f"{contract} ({schema} by the schema alone)"


def _notes(rows: Sequence[Row], versions: str, bulk: int) -> list[str]:
    floor = (
        "- The floor is the rate of `orjson.dumps` alone, for the messages of an export that are JSON. It starts from ready Python values and keeps "
        f"the results. The ratio is the median of {len(rows[0].rates)} rounds; in each round, the floor is measured right after the export."
    )
    notes = {
        "": f"Versions: Python {platform.python_version()}, {versions}.\n\n"
        f"- `invalid`, `distinct` and `sites reached` come from a sample of {rows[0].score.count:,} messages of each generator. A site is reached if "
        "a message has a value other than null there.\n"
        f"- MB counts the bytes of the messages. Each export writes {bulk:,} cases from a new seed. It judges each case from its bytes and writes it "
        f"to a file with its verdict and reasons. The other generators do not judge their messages.\n{floor}",
        "hypothesis-jsonschema": "- hypothesis-jsonschema is patched to work with current Hypothesis.",
        "polyfactory": "- polyfactory reads types: it uses Pydantic models of the schema. These cannot express the condition in the schema, and "
        "polyfactory never omits a property.",
        "json-schema-faker": "- json-schema-faker gets a schema with the condition under `allOf`, where it ignores the condition. From the original "
        "schema, it generates only offers of the type Product List, all of them invalid.",
    }
    there = {"", *(row.generator.name for row in rows)}
    return [note for name, note in notes.items() if name in there]
