"""Counts the headlines of campaigns against services with one or two known bugs."""

import argparse
from collections.abc import Sequence
from datetime import UTC, datetime
from itertools import pairwise
from random import Random

import brokerfuzz
from benchmarks.fleet.fleet import fleet
from benchmarks.fleet.messages import OFFER, Answer, Behaviour, Message, Reader
from benchmarks.fleet.mutants import Mutant
from brokerfuzz.schemas import load_contract

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
SINGLE, PAIRS = 60, 20


def headlines(arguments: Sequence[str]) -> str:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks headlines",
        description="Counts the headlines of campaigns against 60 services with one bug and 20 with two bugs.",
    )
    parser.add_argument("half", choices=("tuned", "held-out"), help="half of the services")
    odd = parser.parse_args(arguments).half == "held-out"
    chosen = Random(1).sample(fleet(NOW), SINGLE + 2 * PAIRS)
    single, several = chosen[:SINGLE][odd::2], [*pairwise(chosen[SINGLE:])][::2][odd::2]
    reader = Reader(load_contract(), NOW)
    counts = [_count_of_single(mutant, reader) for mutant in single]
    alone = f"one bug: {len(single)} services, one headline {counts.count(1)}, two {counts.count(2)}, "
    alone += f"none {counts.count(0)}, more {sum(count > 2 for count in counts)}"
    shared = sum(_shares_a_headline(pair, reader) for pair in several)
    return f"{alone}\ntwo bugs: {len(several)} services, a headline of both {shared}"


def _count_of_single(mutant: Mutant, reader: Reader) -> int:
    report = _fired(mutant.answer, reader)
    if len(report.headlines) != 1:
        print(f"{mutant.name}: {len(report.headlines)} headlines", *_texts(report), sep="\n    ", flush=True)
    return len(report.headlines)


def _shares_a_headline(pair: tuple[Mutant, Mutant], reader: Reader) -> bool:
    """Returns whether one headline has findings of both bugs. A finding that shows both bugs counts as neither."""

    def answer(message: Message) -> Answer:
        first = pair[0].answer(message)
        return first if message.contradicts(first) else pair[1].answer(message)

    report = _fired(answer, reader)
    for headline in report.headlines:
        messages = [reader(finding.body) for finding in headline.findings]
        wrong = [{mutant.name for mutant in pair if one.contradicts(mutant.answer(one))} for one in messages]
        if len({name for names in wrong if len(names) == 1 for name in names}) > 1:
            print(" and ".join(mutant.name for mutant in pair), headline.sentence(), sep=": ", flush=True)
            return True
    return False


def _fired(answer: Behaviour, reader: Reader) -> brokerfuzz.Report:
    def target(body: bytes) -> bool:
        found = answer(reader(body))
        if found == "crashed":
            raise RuntimeError("a bug")
        return found == "accepted"

    return brokerfuzz.fire(target, OFFER, now=NOW)


def _texts(report: brokerfuzz.Report) -> list[str]:
    return [f"{one.text} ({one.extent})"[:200] for one in report.headlines[:8]]
