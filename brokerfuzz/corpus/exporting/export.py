"""Exports a corpus: generates its parts and writes them in order."""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from itertools import chain
from typing import BinaryIO, cast

from brokerfuzz.cases.case import Case
from brokerfuzz.cases.plan import Plan
from brokerfuzz.compression import suffix
from brokerfuzz.corpus.destinations import Written, is_corpus, write_file, write_folder
from brokerfuzz.corpus.exporting.parts import EncodedCases, ExportTask, as_last, make, make_spooled, parts
from brokerfuzz.corpus.files import Summary
from brokerfuzz.corpus.formats import CorpusInfo, Folder, Format, OneFile
from brokerfuzz.corpus.places import CountingStream, Place
from brokerfuzz.errors import CorpusError
from brokerfuzz.workers import WorkerPool, in_order

NOTHING = (
    "no cases to write: choose more messages, verdicts, rules, techniques, sites or tags, or add --full, "
    "--large, --clock or --count"
)


@dataclass(frozen=True)
class Export:
    """An export of the cases of several plans, in one format.

    The workers of `pool` generate the random cases. Without a pool, the current process generates the random cases. The
    current process always generates the catalogues. `progress` is called regularly with the number of cases that were
    written.
    """

    plans: tuple[Plan, ...]
    form: Format
    about: CorpusInfo
    pool: WorkerPool | None = None
    progress: Callable[[int], None] | None = None

    @cached_property
    def total(self) -> int:
        """The number of cases to write. If few random cases match the filters, fewer cases are written. Reading this
        property generates the catalogues.

        Raises `CorpusError` if there is no case.
        """
        total = sum(plan.total or 0 for plan in self.plans)
        if not total:
            raise CorpusError(NOTHING)
        return total

    def pieces(self, name: str, sizes: list[int], wanted: Collection[int]) -> Iterator[EncodedCases]:
        """Yields the cases of the shards in `wanted`, in order. `sizes` contains the number of cases of each shard. The
        cases are compressed if `name` ends in `.gz` or `.zst`. Raises `CorpusError` if there is no case.
        """
        ended: set[Plan] = set()
        held: EncodedCases | None = None
        blocks = chain.from_iterable(plan.blocks() for plan in self.plans)
        todo = (
            part
            for part in _only(parts(blocks, sizes, self.form.name, suffix(name)), wanted)
            if part.block.plan not in ended
        )
        folder = self.pool.folder if self.pool is not None else None
        make_there = make if folder is None else partial(make_spooled, folder)
        made = in_order(
            self.pool, make, todo, worker_function=make_there, keep_local=lambda part: not part.block.is_random
        )
        for piece in chain.from_iterable(made):
            if not piece.counts:
                ended.add(piece.part.block.plan)
            elif piece.part.block.plan not in ended:
                if held is not None:
                    yield held
                held = piece
        if held is None:
            raise CorpusError(NOTHING)
        yield held if held.shard_range.last else as_last(held)


@dataclass(frozen=True)
class Outcome:
    """The result of an export. `bytes` is the size of the corpus. `kept` is the number of cases in the existing shards
    that a resumed export keeps. `left_out` maps a reason, such as `longer than 100 bytes`, to the number of cases that
    the format left out for this reason.
    """

    summary: Summary
    bytes: int
    kept: int = 0
    left_out: Mapping[str, int] = field(default_factory=dict)


class ExportWriter:
    """Writes the parts of an export and counts their cases."""

    def __init__(self, export: Export, done: int = 0) -> None:
        self._export, self._done = export, done
        self._counts: Counter[tuple[str, str]] = Counter()

    @property
    def count(self) -> int:
        return self._counts.total()

    def outcome(self, size: int, kept: int = 0) -> Outcome:
        left_out = self._export.about.left_out
        return Outcome(Summary.of(self._counts, left_out.by_label), size, kept, dict(left_out.by_reason))

    def to(self, place: Place, pieces: Iterable[EncodedCases], *, summed: bool = True) -> Written:
        """If `summed` is false and the format consists of one file, brokerfuzz computes no checksum.

        Raises `CorpusError` if the corpus cannot be written.
        """
        form, about, passing = self._export.form, self._export.about, self._counted(pieces)
        if isinstance(form, Folder):
            return write_folder(place, form.files(_cases(passing), about), form.name, about)
        return write_file(place, self._bytes(form, passing), compressed=form.encode is not None, summed=summed)

    def to_stream(self, stream: BinaryIO, pieces: Iterable[EncodedCases]) -> None:
        """Raises `CorpusError` if the format needs a folder."""
        if isinstance(self._export.form, Folder):
            raise CorpusError(
                f"the format `{self._export.form.name}` writes a folder: specify the name of a folder instead of -"
            )
        stream.writelines(self._bytes(self._export.form, self._counted(pieces)))

    def _bytes(self, form: OneFile, pieces: Iterable[EncodedCases]) -> Iterator[bytes]:
        if form.encode is not None:
            return (piece.take() for piece in pieces)
        return form.pieces(_cases(pieces), self._export.about)

    def _counted(self, pieces: Iterable[EncodedCases]) -> Iterator[EncodedCases]:
        for piece in pieces:
            yield piece
            self._counts += piece.counts
            self._done += piece.counts.total()
            if self._export.progress:
                self._export.progress(self._done)


def write_corpus(export: Export, place: Place, *, force: bool = False) -> Outcome:
    """Raises `CorpusError` if the corpus cannot be written, if there is no case, or if `force` is false and `place`
    already exists.
    """
    check_place(export.form, place, force=force)
    writing = ExportWriter(export)
    written = writing.to(place, export.pieces(place.name, [export.total], {0}), summed=False)
    return writing.outcome(written.bytes)


def check_place(form: Format, place: Place, *, force: bool) -> None:
    """Raises `CorpusError` if a corpus in this format cannot be written to `place`."""
    if isinstance(form, Folder):
        place.check_folder(is_corpus, force=force)
    else:
        place.check_file(force=force)


def write_stream(export: Export, stream: BinaryIO) -> Outcome:
    """Raises `CorpusError` if there is no case, or if the format needs a folder."""
    writing, counted = ExportWriter(export), CountingStream(stream)
    writing.to_stream(cast(BinaryIO, counted), export.pieces("", [export.total], {0}))
    return writing.outcome(counted.bytes)


def _only(parts: Iterable[ExportTask], wanted: Collection[int]) -> Iterator[ExportTask]:
    for part in parts:
        shard_ranges = tuple(one for one in part.shard_ranges if one.shard in wanted)
        if shard_ranges:
            yield replace(part, shard_ranges=shard_ranges)


def _cases(pieces: Iterable[EncodedCases]) -> Iterator[Case]:
    return (case for piece in pieces for case in piece.cases)
