import platform
from collections.abc import Sequence
from math import floor, log10
from typing import NamedTuple

from benchmarks.generators.scoring import Score, known_sites

HEADS = ("generator", "messages/s", "MB/s", "invalid", "distinct", "sites reached")
NOTES = {
    "hypothesis-jsonschema": "- hypothesis-jsonschema is patched to work with current Hypothesis.",
    "polyfactory": "- polyfactory reads types: it uses Pydantic models of the schema. These cannot express the "
    "condition in the schema, and "
    "polyfactory never omits a property.",
    "json-schema-faker": "- json-schema-faker gets a schema with the condition under `allOf`, where it ignores the "
    "condition. From the original "
    "schema, it generates only offers of the type Product List, all of them invalid.",
}


class Row(NamedTuple):
    """`rate` is in messages per second."""

    name: str
    score: Score
    rate: float


def report(rows: Sequence[Row], missing: Sequence[str], versions: str) -> str:
    """`missing` contains a line for each generator that is not installed."""
    lines = [_line(HEADS), _line(["---"] + ["--:"] * (len(HEADS) - 1)), *(_line(_cells(row)) for row in rows)]
    sample = (
        f"- `invalid`, `distinct` and `sites reached` come from a sample of {rows[0].score.count:,} messages of each "
        "generator. A site is reached if "
        "a message has a value other than null there."
    )
    notes = [NOTES[row.name] for row in rows if row.name in NOTES]
    return "\n".join(
        [*lines, "", f"Versions: Python {platform.python_version()}, {versions}.", "", sample, *notes, *missing]
    )


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _cells(row: Row) -> list[str]:
    score = row.score
    megabytes = row.rate * score.size / 1e6
    return [
        row.name,
        rounded(row.rate),
        rounded(megabytes),
        _invalid(score),
        share(score.distinct),
        f"{score.sites} of {len(known_sites())}",
    ]


def _invalid(score: Score) -> str:
    contract, schema = share(score.invalid), share(score.invalid_by_schema)
    return contract if contract == schema else f"{contract} ({schema} by the schema alone)"


def share(part: float) -> str:
    """Returns 0 % or 100 % only if the share is exactly 0 or 1."""
    percent = 100 * part
    return f"{percent:.0f} %" if percent in (0, 100) else f"{min(max(percent, 0.1), 99.9):.1f} %"


def rounded(value: float) -> str:
    """Returns three significant digits, because further digits are not reproducible."""
    if value <= 0:
        return "0"
    digits = 2 - floor(log10(value))
    return f"{round(value, digits):,.{max(digits, 0)}f}"
