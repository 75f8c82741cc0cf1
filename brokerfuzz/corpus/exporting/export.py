"""An export: its pieces, made in order, and written."""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import BinaryIO, cast

from brokerfuzz.cases.blocks import blocks
from brokerfuzz.cases.case import Case
from brokerfuzz.cases.plan import Plan
from brokerfuzz.compression import suffix
from brokerfuzz.corpus.counting import Summary
from brokerfuzz.corpus.destinations import Written, is_corpus, write_file, write_folder
from brokerfuzz.corpus.exporting.parts import EncodedCut, ExportTask, as_last, make, make_aside, parts
from brokerfuzz.corpus.formats import About, Folder, Format, OneFile
from brokerfuzz.corpus.places import CountingStream, Place
from brokerfuzz.errors import CorpusError
from brokerfuzz.workers import WorkerPool, in_order

NOTHING = "no case is left to write: choose more messages, verdicts, rules, techniques, sites or tags, leave out --minimal, or give a --count above 0"


@dataclass(frozen=True)
class Export:
    """The cases of some plans, as a format. They are made by the workers of `pool`, or in this process; catalogues always are.

    `progress` is called now and then with the number of cases written so far.
    """

    plans: tuple[Plan, ...]
    form: Format
    about: About
    pool: WorkerPool | None = None
    progress: Callable[[int], None] | None = None

    @cached_property
    def total(self) -> int:
        """How many cases there are, unless so little is wanted that there are fewer new ones. Makes the catalogues. Raises `CorpusError` for none."""
        total = sum(plan.total or 0 for plan in self.plans)
        if not total:
            raise CorpusError(NOTHING)
        return total

    def pieces(self, name: str, sizes: list[int], wanted: Collection[int]) -> Iterator[EncodedCut]:
        """The pieces of those shards of these sizes that are wanted, in order; `name` tells how they are packed.

        A plan ends where a block of it has no case. Raises `CorpusError` where there is no case at all.
        """
        ended: set[Plan] = set()
        held: EncodedCut | None = None
        todo = (part for part in _only(parts(blocks(self.plans), sizes, self.form.name, suffix(name)), wanted) if part.block.plan not in ended)
        folder = self.pool.folder if self.pool is not None else None
        aside = make if folder is None else partial(make_aside, folder)
        for piece in (piece for pieces in in_order(self.pool, make, todo, there=aside, stays=_is_catalogues, rather=_is_even) for piece in pieces):
            if not piece.counts:
                ended.add(piece.part.block.plan)
            elif piece.part.block.plan not in ended:
                if held is not None:
                    yield held
                held = piece
        if held is None:
            raise CorpusError(NOTHING)
        yield held if held.cut.last else as_last(held)


@dataclass(frozen=True)
class Outcome:
    """What was written, how many bytes there are of it, how many cases were there already, and how many were left out, by reason."""

    summary: Summary
    bytes: int
    kept: int = 0
    left_out: Mapping[str, int] = field(default_factory=dict)


class Writing:
    """The writing of an export's pieces, which are counted as they pass."""

    def __init__(self, export: Export, done: int = 0) -> None:
        self._export, self._done = export, done
        self._counts: Counter[tuple[str, str]] = Counter()

    @property
    def count(self) -> int:
        """How many cases have passed."""
        return self._counts.total()

    def outcome(self, size: int, kept: int = 0) -> Outcome:
        """What has been written, of so many bytes."""
        left_out = self._export.about.left_out
        return Outcome(Summary.of(self._counts, left_out.by_label), size, kept, dict(left_out.by_reason))

    def to(self, place: Place, pieces: Iterable[EncodedCut], *, summed: bool = True) -> Written:
        """Writes a corpus to a place; a file's checksum is taken if it is to be `summed`. Raises `CorpusError`."""
        form, about, passing = self._export.form, self._export.about, self._counted(pieces)
        if isinstance(form, Folder):
            return write_folder(place, form.files(_cases(passing), about), form.name, about)
        return write_file(place, self._bytes(form, passing), packed=form.encode is not None, summed=summed)

    def to_stream(self, stream: BinaryIO, pieces: Iterable[EncodedCut]) -> None:
        """Writes a corpus to a stream. Raises `CorpusError` for a folder."""
        if isinstance(self._export.form, Folder):
            raise CorpusError(f"the format {self._export.form.name} is a folder: name one in place of -")
        stream.writelines(self._bytes(self._export.form, self._counted(pieces)))

    def _bytes(self, form: OneFile, pieces: Iterable[EncodedCut]) -> Iterator[bytes]:
        if form.encode is not None:
            return (piece.taken() for piece in pieces)
        return form.pieces(_cases(pieces), self._export.about)

    def _counted(self, pieces: Iterable[EncodedCut]) -> Iterator[EncodedCut]:
        for piece in pieces:
            yield piece
            self._counts += piece.counts
            self._done += piece.counts.total()
            if self._export.progress:
                self._export.progress(self._done)


def write_corpus(export: Export, place: Place, *, force: bool = False) -> Outcome:
    """Writes one corpus to a place. Raises `CorpusError`: where it cannot be written, there is something and no `force`, or there is no case."""
    check_place(export.form, place, force=force)
    writing = Writing(export)
    written = writing.to(place, export.pieces(place.name, [export.total], {0}), summed=False)
    return writing.outcome(written.bytes)


def check_place(form: Format, place: Place, *, force: bool) -> None:
    """Raises `CorpusError` where no corpus of the format may be written."""
    if isinstance(form, Folder):
        place.check_folder(is_corpus, force=force)
    else:
        place.check_file(force=force)


def write_stream(export: Export, stream: BinaryIO) -> Outcome:
    """Writes one corpus to a stream. Raises `CorpusError` where there is no case, or the format is a folder."""
    writing, counted = Writing(export), CountingStream(stream)
    writing.to_stream(cast(BinaryIO, counted), export.pieces("", [export.total], {0}))
    return writing.outcome(counted.bytes)


def _only(parts: Iterable[ExportTask], wanted: Collection[int]) -> Iterator[ExportTask]:
    for part in parts:
        cuts = tuple(cut for cut in part.cuts if cut.shard in wanted)
        if cuts:
            yield replace(part, cuts=cuts)


def _is_catalogues(part: ExportTask) -> bool:
    return not part.block.is_random


def _is_even(part: ExportTask) -> bool:
    """Whether a part is of the shards of a seed that have one half of a stock; the variants of that half are all that it takes (`cases.steering`)."""
    return part.block.number % 2 == 0


def _cases(pieces: Iterable[EncodedCut]) -> Iterator[Case]:
    return (case for piece in pieces for case in piece.cases)
