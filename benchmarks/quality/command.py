import argparse
import json
import sys
import time
from collections.abc import Callable, Sequence

from benchmarks.quality.corpora import changed_lines, labels
from benchmarks.quality.examples import broken_rules, smallest_examples, variety
from benchmarks.quality.figures import Figures, table
from benchmarks.quality.kills import kills
from benchmarks.quality.minima import MINIMA
from benchmarks.quality.rates import rates
from benchmarks.quality.sizes import sizes


def quality(arguments: Sequence[str]) -> str:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks quality", description="Measures the quality of brokerfuzz in about two minutes."
    )
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    parser.add_argument(
        "--verbose",
        action="store_true",
        help="also print the smallest examples that differ from the expected ones, on standard error",
    )
    options = parser.parse_args(arguments)

    def shrunk() -> Figures:
        return smallest_examples(MINIMA, note if options.verbose else lambda _: None)

    figures = measured([kills, variety, broken_rules, shrunk, labels, changed_lines, rates, sizes])
    return json.dumps(figures, indent=2) if options.json else table(figures)


def measured(parts: Sequence[Callable[[], Figures]]) -> Figures:
    figures: Figures = {}
    for number, part in enumerate(parts, 1):
        started = time.process_time()
        figures |= part()
        note(f"{number} of {len(parts)} parts measured ({time.process_time() - started:.0f} s)")
    return figures


def note(words: str) -> None:
    print(words, file=sys.stderr, flush=True)
