from collections.abc import Iterator
from statistics import mean, median
from typing import NamedTuple

from benchmarks.examples.effort import Effort
from benchmarks.examples.sources import RUN, in_runs, source_named, sources
from benchmarks.planted.bugs import BUGS, PROGRAMS, Bug, is_expected, loaded, shows
from benchmarks.planted.later_bugs import LATER_BUGS
from brokerfuzz.schemas import MESSAGE_TYPES, MessageType


class Search(NamedTuple):
    """For each bug, `first` contains the number of the first example that shows the bug. The first example has the number 1.

    `false_alarms` is the share of examples for which even the correct program does not give the expected answer.
    """

    first: list[int]
    false_alarms: float


def search(name: str, message_type: MessageType, count: int, seed: int) -> Search:
    """If no example shows a bug, the number of this bug in `Search.first` is `count` + 1."""
    bodies, aim = in_runs(name, message_type, count, seed), source_named(name).aim
    correct = next(loaded(program) for program in PROGRAMS if program.message_type == message_type)
    return Search(
        [next((index for index, body in enumerate(bodies, 1) if shows(bug, body, aim)), count + 1) for bug in _of(message_type)],
        mean(not is_expected(correct(body), aim) for body in bodies),
    )


def _of(message_type: MessageType) -> list[Bug]:
    return [bug for bug in [*BUGS, *LATER_BUGS] if bug.program.message_type == message_type]


def planted(effort: Effort) -> str:
    """Measures the median number of examples until each bug is found. Compares the best strategy of brokerfuzz with the best strategy
    of all other tools.
    """
    lines = [row for message_type in MESSAGE_TYPES for row in _rows(message_type, effort)]
    fewer, bugs = sum(row.startswith("  fewer") for row in lines), len(BUGS) + len(LATER_BUGS)
    head = f"Examples until a planted bug is found: median of {effort.seeds} seeds, {RUN} examples per run, at most {effort.examples} examples"
    return "\n".join([head, *lines, f"brokerfuzz needs fewer examples for {fewer} of {bugs} bugs"])


def _rows(message_type: MessageType, effort: Effort) -> Iterator[str]:
    every = sources(message_type, only_ours=effort.only_ours)
    seeds = range(1, effort.seeds + 1)
    found = effort.results(search, [(source.name, message_type, effort.examples, seed) for source in every for seed in seeds])
    of_source = {source: found[number * effort.seeds : (number + 1) * effort.seeds] for number, source in enumerate(every)}
    for number, bug in enumerate(_of(message_type)):
        medians = {source: median(result.first[number] for result in of_source[source]) for source in every}
        groups = ([source for source in every if source.is_ours is ours] for ours in (True, False))
        best = [min(group, key=medians.__getitem__) for group in groups if group]
        mark = "fewer" if medians[best[0]] < min((medians[other] for other in best[1:]), default=0) else ""
        shown = (f"{source.name} {_shown(medians[source], effort.examples)}" for source in best)
        yield f"  {mark:<5}  {bug.program.module.rpartition('.')[2]:<15} {bug.effect:<8} {bug.name:<62} {'; '.join(shown)}"
    alarms = (f"{source.name} {mean(result.false_alarms for result in of_source[source]):.1%}" for source in every if source.aim != "unspecified")
    yield f"         false alarms for {message_type}: {', '.join(alarms)}"


def _shown(value: float, limit: int) -> str:
    return f"{value:.0f}" if value <= limit else f"over {limit}"
