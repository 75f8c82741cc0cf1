"""Compares generators. Scores a sample of each generator, then measures the speed of all generators in turn."""

import argparse
from collections.abc import Sequence
from itertools import islice
from statistics import median

from benchmarks.drawing import examples
from benchmarks.generators.generator import Generator, clocked, written
from benchmarks.generators.messages import OFFER
from benchmarks.generators.peer_generators import theirs, versions
from benchmarks.generators.scoring import score
from benchmarks.generators.table import Row, report
from brokerfuzz import messages
from brokerfuzz.strategies import offer_requests

LEAST, MOST = 10, 100_000
"""The limits of the number of messages in a round, because the generators keep the messages in memory."""
ROUNDS = 5


def generators(arguments: Sequence[str]) -> str:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks generators", description="Compares brokerfuzz with other generators of messages."
    )
    parser.add_argument(
        "--sample",
        type=int,
        default=1000,
        metavar="NUMBER",
        help="judge this number of messages of each generator (default: %(default)s)",
    )
    parser.add_argument(
        "--seconds",
        type=float,
        default=3.0,
        metavar="NUMBER",
        help="set the approximate duration of a round (default: %(default)s)",
    )
    options = parser.parse_args(arguments)
    found, missing = theirs()
    return report(measured([*ours(), *found], options.sample, options.seconds), missing, versions())


def ours() -> list[Generator]:
    return [
        Generator(
            "brokerfuzz `messages()`", clocked(lambda count: list(map(written, islice(messages(OFFER, 1), count))))
        ),
        Generator(
            "brokerfuzz under Hypothesis", clocked(lambda count: list(map(written, examples(offer_requests(), count))))
        ),
    ]


def measured(some: Sequence[Generator], sample: int, seconds: float) -> list[Row]:
    """The generators take turns, so that a change in the speed of the machine affects all generators equally."""
    samples = {generator: generator.make(sample) for generator in some}
    counts = {generator: round(min(max(seconds * made.rate, LEAST), MOST)) for generator, made in samples.items()}
    rates: dict[Generator, list[float]] = {generator: [] for generator in some}
    for _ in range(ROUNDS):
        for generator in some:
            rates[generator].append(generator.make(counts[generator]).rate)
    return [Row(generator.name, score(samples[generator].bodies), median(rates[generator])) for generator in some]
