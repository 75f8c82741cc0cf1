"""Writes corpora to files, folders and streams. The module `shards` writes them in several parts."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import lru_cache, partial
from pathlib import Path
from typing import BinaryIO, Protocol

from brokerfuzz.cases.case import Case
from brokerfuzz.cases.fresh_values import renewed
from brokerfuzz.cases.plan import RANDOM_PER_SHARD, Plan
from brokerfuzz.contract_names import LABELS
from brokerfuzz.corpus.folders import manifest_of, write_folder
from brokerfuzz.corpus.formats import CorpusInfo, Format, format_named
from brokerfuzz.errors import CorpusError
from brokerfuzz.schemas import load_contract
from brokerfuzz.storage import folder_problem, place_of, suffix, written
from brokerfuzz.workers import Workers

NOTHING = (
    "no cases to write: choose more messages, verdicts, rules, techniques, sites or tags, or add --full, "
    "--large, --clock or --count"
)
TOO_FEW = "brokerfuzz found too few new random cases that match the filters; use a smaller --count"


@dataclass(frozen=True, slots=True)
class Summary:
    """The number of written cases: in total, and for each message type and label."""

    count: int
    by_label: dict[tuple[str, str], int]

    def by_message(self) -> dict[str, dict[str, int]]:
        """Maps each message type that has cases to the number of cases for each label."""
        written = dict.fromkeys(name for (name, _), count in self.by_label.items() if count)
        return {name: {label: self.by_label.get((name, label), 0) for label in LABELS} for name in written}


@dataclass
class Outcome:
    """The result of an export. `bytes` is the size of the corpus. `kept` is the number of cases in the existing shards
    that a resumed export keeps.
    """

    info: CorpusInfo
    bytes: int = 0
    kept: int = 0
    passed: Counter[tuple[str, str]] = field(default_factory=Counter)
    """The number of cases that the format received, for each message type and label."""

    @property
    def summary(self) -> Summary:
        counts = self.passed - self.info.left_out.by_label
        return Summary(counts.total(), dict(counts))

    @property
    def left_out(self) -> dict[str, int]:
        """Maps a reason, such as `longer than 100 bytes`, to the number of cases that the format did not write."""
        return dict(self.info.left_out.by_reason)

    def counted(
        self, cases: Iterable[Case], progress: Callable[[int], None] | None = None, problem: str = NOTHING
    ) -> Iterator[Case]:
        """Raises `CorpusError` with the text `problem` if there are no cases."""
        before = self.passed.total()
        for case in cases:
            self.passed[case.message_type, case.label] += 1
            if progress:
                progress(self.kept + self.passed.total())
            yield case
        if self.passed.total() == before:
            raise CorpusError(problem)


class Progress(Protocol):
    """Is called with the number of cases that were written so far. `total` is the number of all cases."""

    total: int | None

    def __call__(self, done: int) -> None: ...


@dataclass(frozen=True)
class Export:
    """An export of the cases of several plans, in one format. `workers` generate the random cases. Without them, this
    process does. The cases are the same. `fresh` names the properties that have a different value in each case, with
    commas between them.
    """

    plans: tuple[Plan, ...]
    form: Format
    info: CorpusInfo
    workers: Workers | None = None
    progress: Progress | None = None
    fresh: str | None = None

    def count(self) -> int:
        """Returns the number of cases to write. If few random cases match the filters, fewer cases are written. Raises
        `CorpusError` if there is no case.
        """
        total = sum(plan.total or 0 for plan in self.plans)
        if not total:
            raise CorpusError(NOTHING)
        if self.progress is not None:
            self.progress.total = total
        return total

    def cases(self, start: int, stop: int) -> Iterator[Case]:
        """Yields the cases with the numbers from `start` to `stop` - 1."""
        before = 0
        for plan in self.plans:
            catalogue = plan.catalogue_cases()
            yield from _renewed(catalogue[max(start - before, 0) : max(stop - before, 0)], plan, self.fresh)
            before += len(catalogue)
            yield from self._random_cases(plan, max(start - before, 0), max(stop - before, 0))
            before += plan.count or 0

    def _random_cases(self, plan: Plan, start: int, stop: int) -> Iterator[Case]:
        """Yields random cases of a plan. Any process can generate a block of random cases from its number."""
        stop = min(stop, plan.count or 0)
        blocks = range(start // RANDOM_PER_SHARD, -(-stop // RANDOM_PER_SHARD))
        block = partial(_block, plan, self.fresh)
        found = self.workers.map(block, blocks) if self.workers else map(block, blocks)
        for number, cases in zip(blocks, found, strict=True):
            if not cases:  # hardly any case matches the filters
                return
            first = number * RANDOM_PER_SHARD
            yield from cases[max(start - first, 0) : stop - first]


@lru_cache(maxsize=1)
def _block(plan: Plan, fresh: str | None, number: int) -> list[Case]:
    """The last block is kept, because the next shard may begin in it."""
    return list(_renewed(plan.random_cases(number), plan, fresh))


def _renewed(cases: Iterable[Case], plan: Plan, fresh: str | None) -> Iterable[Case]:
    return cases if fresh is None else (renewed(case, fresh, plan.demands) for case in cases)


def write_corpus(export: Export, out: str, *, force: bool = False) -> Outcome:
    """Raises `CorpusError` if the corpus cannot be written, if there is no case, or if `force` is false and `out`
    already exists.
    """
    place, outcome = place_of(out), Outcome(export.info)
    check_place(place, export.form, force=force)
    write_place(place, export.form, outcome.counted(export.cases(0, export.count()), export.progress), outcome)
    return outcome


def write_stream(export: Export, stream: BinaryIO) -> Outcome:
    """Raises `CorpusError` if there is no case, or if the format needs a folder."""
    if export.form.is_folder:
        raise CorpusError(f"the format `{export.form.name}` writes a folder: specify the name of a folder instead of -")
    outcome = Outcome(export.info)
    cases = outcome.counted(export.cases(0, export.count()), export.progress)
    for piece in export.form.pieces(cases, export.info):
        stream.write(piece)
        outcome.bytes += len(piece)
    return outcome


def check_name(place: Path) -> None:
    if place.name in ("", ".."):
        raise CorpusError(f"{place} does not end in the name of a file or folder: add the name of the corpus")


def write(
    path: str | Path,
    cases: Iterable[Case],
    *,
    progress: Callable[[int], None] | None = None,
    fmt: str = "ndjson",
    about: CorpusInfo | None = None,
) -> Summary:
    """Writes a corpus to a path, or to a URL that fsspec supports. An existing corpus is replaced.

    `fmt` is the name of a format. A file is compressed if its name ends in `.gz` or `.zst`. `progress` is called with
    the number of cases that were written so far. `about` is a description of the corpus, which some formats use.

    Raises `UnknownNameError` if the format is unknown. Raises `CorpusError` if the corpus cannot be written or there is
    no case. After an error, no new local file remains.

    >>> from brokerfuzz.corpus import load, write
    >>> write("responses.ndjson.gz", load("product-list-response")[:100]).count
    100
    """
    place, form = place_of(path), format_named(fmt)
    outcome = Outcome(about or CorpusInfo(load_contract(), load_contract().message_types, "", place.name))
    check_place(place, form, force=True)
    write_place(place, form, outcome.counted(cases, progress), outcome)
    return outcome.summary


def dump(stream: BinaryIO, cases: Iterable[Case]) -> Summary:
    """Writes a corpus to a stream, in the format `ndjson`. Raises `CorpusError` if there is no case."""
    outcome = Outcome(CorpusInfo(load_contract(), load_contract().message_types, ""))
    stream.writelines(format_named("ndjson").pieces(outcome.counted(cases), outcome.info))
    return outcome.summary


def write_place(place: Path, form: Format, cases: Iterable[Case], outcome: Outcome) -> None:
    with write_errors(place):
        if form.is_folder:
            info = replace(outcome.info, folder=place.name)
            outcome.bytes += write_folder(place, form.name, form.files(cases, info), info)
        else:
            with written(place) as stream:
                stream.writelines(form.pieces(cases, outcome.info))
            outcome.bytes += place.stat().st_size


@contextmanager
def write_errors(place: Path) -> Iterator[None]:
    try:
        yield
    except (OSError, ValueError) as problem:
        reason = getattr(problem, "strerror", None) or problem
        raise CorpusError(
            f"{place} cannot be written: {reason}; choose an existing folder with write permission and free space"
        ) from problem


def check_place(place: Path, form: Format, *, force: bool, remedy: str = "add --force to replace it") -> None:
    """Raises `CorpusError` if a corpus in this format cannot be written to `place`. A folder that contains files but is
    not a corpus is never replaced.
    """
    check_name(place)
    with write_errors(place):
        if problem := folder_problem(place):
            raise CorpusError(f"{place} cannot be written: {problem}")
        if form.is_folder and suffix(place.name):
            raise CorpusError(
                f"{place} cannot be compressed, because the format `{form.name}` writes a folder: use a name without "
                f"{suffix(place.name)}"
            )
        if place.exists():
            _check_existing(place, form, force=force, remedy=remedy)


def _check_existing(place: Path, form: Format, *, force: bool, remedy: str) -> None:
    if not form.is_folder and place.is_dir():
        raise CorpusError(f"{place} is a folder: specify a file to write the corpus to")
    if not form.is_folder and not place.is_file():
        raise CorpusError(f"{place} exists but is not a file: specify a file, or - for standard output")
    if form.is_folder and not place.is_dir():
        raise CorpusError(f"{place} exists but is not a folder, and this format writes a folder: specify another name")
    if form.is_folder and not any(place.iterdir()):
        return
    if form.is_folder and not manifest_of(place).complete:  # an export was interrupted
        return
    if not force:
        raise CorpusError(f"{place} already exists: {remedy}, or specify another name")
