"""Compares generators. Scores a sample of each generator, then measures the speed of all generators in turn. For comparison, also
measures the speed of `orjson.dumps` on ready messages, which is called the floor.
"""

import gc
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import orjson

from benchmarks.generators.brokerfuzz_generators import ours
from benchmarks.generators.figures import share
from benchmarks.generators.generator import Generator
from benchmarks.generators.peer_generators import theirs, versions
from benchmarks.generators.picture import Bar, picture
from benchmarks.generators.scoring import Score, score
from benchmarks.generators.table import FLOOR, Row, report
from benchmarks.rates import Round, each_in_turn

TITLE = "Offers per second, and the share of invalid ones if valid ones were requested"
LEAST, MOST, BULK = 10, 100_000, 300_000
"""`LEAST` and `MOST` limit the number of messages in a round, because most generators keep the messages in memory. Generators
with `in_bulk` keep no messages in memory, and need many messages to reach full speed. So their rounds have `BULK` messages for
each second of `Effort.seconds`.
"""
READY = 10_000
"""The maximum number of different messages that `orjson.dumps` serializes repeatedly. More messages would not fit into the caches
of the processor, so the speeds for two generators would not be comparable.
"""


@dataclass(frozen=True)
class Effort:
    """The size of the measurement: messages per sample, approximate seconds per round, and number of counted rounds."""

    sample: int = 1000
    seconds: float = 3.0
    rounds: int = 5


def generators(plot: Path | None = None, effort: Effort | None = None) -> str:
    """Writes a chart of the speeds to the SVG file `plot`."""
    found, missing = theirs()
    effort = effort or Effort()
    rows = measured([*ours(), *found], effort)
    if plot is not None:
        plot.write_text(picture(TITLE, list(_bars(rows))), encoding="utf-8")
    return report(rows, missing, versions(), round(effort.seconds * BULK))


def measured(some: Sequence[Generator], effort: Effort) -> list[Row]:
    scores: dict[str, Score] = {}
    rounds: dict[str, Round] = {}
    for generator in some:
        bodies, seconds = generator.make(effort.sample)
        scores[generator.name] = score(bodies)
        if generator.in_bulk is None:
            rounds[generator.name] = partial(_round, generator, round(min(max(effort.seconds * len(bodies) / seconds, LEAST), MOST)))
        else:
            count = round(effort.seconds * BULK)
            rounds[generator.name] = partial(_bulk, generator.in_bulk, count)
            rounds[_floor_of(generator)] = partial(_dump, _ready(generator.make(min(count, READY)).bodies), effort.seconds)
    with _ready_messages_frozen():
        rates = each_in_turn(rounds, effort.rounds)
    return [Row(generator, scores[generator.name], rates[generator.name], rates.get(_floor_of(generator), ())) for generator in some]


def _round(generator: Generator, count: int) -> tuple[int, float]:
    bodies, seconds = generator.make(count)
    return len(bodies), seconds


def _bulk(make: Callable[[int], float], count: int) -> tuple[int, float]:
    return count, make(count)


def _floor_of(generator: Generator) -> str:
    return f"{FLOOR}, {generator.name}"


def _ready(bodies: Sequence[bytes]) -> list[Any]:
    """Omits messages that are not JSON."""
    found = []
    for body in bodies:
        try:
            found.append(orjson.loads(body))
        except ValueError:
            continue
    return found


def _dump(ready: Sequence[Any], least: float) -> tuple[int, float]:
    """Serializes all messages repeatedly for at least `least` seconds."""
    started, count = time.perf_counter(), 0
    while not count or time.perf_counter() - started < least:
        kept = [orjson.dumps(message) for message in ready]
        count += len(kept)
    return count, time.perf_counter() - started


@contextmanager
def _ready_messages_frozen() -> Iterator[None]:
    """Excludes all ready messages from garbage collection, because scanning them would slow down the rounds."""
    gc.collect()
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()


def _bars(rows: Sequence[Row]) -> Iterator[Bar]:
    for row in rows:
        wrong = row.generator.asks_valid and row.score.invalid > 0
        words = f"{share(row.score.invalid)} invalid" if row.generator.asks_valid else "invalid as requested"
        yield Bar(_plain(row.generator.name), row.rate, words, wrong, "ours" if row.generator.is_ours else "peer")
        if row.floor:
            yield Bar(f"{_plain(FLOOR)}, {_plain(row.generator.name).rpartition(' ')[2]}", row.floor, "", False, "floor")


def _plain(markdown: str) -> str:
    return markdown.replace("`", "")
