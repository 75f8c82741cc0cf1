"""The parts of an export that workers make: a block of cases, cut where a shard of the corpus ends."""

import gc
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from io import BytesIO
from itertools import islice
from pathlib import Path
from typing import NamedTuple
from uuid import uuid4

from brokerfuzz.cases.blocks import Block
from brokerfuzz.cases.case import Case
from brokerfuzz.compression import packing
from brokerfuzz.corpus.formats import OneFile, format_named

_FEW = 64
"""Cases that are encoded at once."""


class Cut(NamedTuple):
    """Cases `start` to `stop` of a block, which go to this shard; whether they are its `last`."""

    shard: int
    start: int
    stop: int
    last: bool


@dataclass(frozen=True)
class ExportTask:
    """A block and its cuts, to be made for a format; `packing` is the end of the file's name, if it is packed."""

    block: Block
    cuts: tuple[Cut, ...]
    format: str
    packing: str


@dataclass(frozen=True)
class EncodedCut:
    """What became of one cut: its bytes, as they go into the file, where the format makes them of some cases by themselves; else the cases."""

    part: ExportTask
    cut: Cut
    counts: Counter[tuple[str, str]]
    data: bytes = b""
    cases: tuple[Case, ...] = ()
    aside: Path | None = None

    def taken(self) -> bytes:
        """The bytes: from the file that they were put `aside` in, which is taken away, if they were."""
        if self.aside is None:
            return self.data
        data = self.aside.read_bytes()
        self.aside.unlink()
        return data


@contextmanager
def _collected_rarely() -> Iterator[None]:
    """Cases are in no cycles, and a collector that looks for some after every few of them takes a twelfth of the time."""
    often, *others = gc.get_threshold()
    gc.set_threshold(256 * often, *others)
    try:
        yield
    finally:
        gc.set_threshold(often, *others)


@_collected_rarely()
def make(part: ExportTask) -> list[EncodedCut]:
    """Makes a part, in whatever process."""
    form, cases = format_named(part.format), part.block.cases()
    found, done = [], 0
    for cut in part.cuts:
        some, counts = islice(cases, cut.start - done, cut.stop - done), Counter[tuple[str, str]]()
        done = cut.stop
        if isinstance(form, OneFile) and form.encode is not None:
            data = b"".join(_encoded(some, form.encode, cut.last, counts))
            found.append(EncodedCut(part, cut, counts, _packed(data, part.packing) if data else b""))
        else:
            every = tuple(some)
            counts.update(map(_counted, every))
            found.append(EncodedCut(part, cut, counts, cases=every))
    return found


def make_aside(folder: str, part: ExportTask) -> list[EncodedCut]:
    """The same, with the bytes in files of a folder where there is room: a pipe between processes copies them four times more, a few at a time."""
    return [_aside(Path(folder), piece) if piece.data else piece for piece in make(part)]


def _aside(folder: Path, piece: EncodedCut) -> EncodedCut:
    path = folder / uuid4().hex
    try:
        path.write_bytes(piece.data)
    except OSError:
        path.unlink(missing_ok=True)
        return piece
    return replace(piece, data=b"", aside=path)


def _encoded(cases: Iterator[Case], encode: Callable[[Sequence[Case], bool], bytes], last: bool, counts: Counter[tuple[str, str]]) -> Iterator[bytes]:
    """The bytes of cases, which are counted; a few at a time, while they are in the processor's caches."""
    some = tuple(islice(cases, _FEW))
    while some:
        others = tuple(islice(cases, _FEW))
        counts.update(map(_counted, some))
        yield encode(some, last and not others)
        some = others


def _counted(case: Case) -> tuple[str, str]:
    return case.message_type, case.label


def as_last(piece: EncodedCut) -> EncodedCut:
    """A piece made again, as the last of its shard: there turned out to be none behind it."""
    cut = piece.cut._replace(last=True)
    return make(replace(piece.part, cuts=(cut,)))[0]


def _packed(data: bytes, end: str) -> bytes:
    if not end:
        return data
    stream = BytesIO()
    with packing(stream, end) as packer:
        packer.write(data)
    return stream.getvalue()


def parts(blocks: Iterable[Block], sizes: Iterable[int], form: str, packing: str) -> Iterator[ExportTask]:
    """Blocks cut into shards of these sizes."""
    edges = iter(sizes)
    shard, left = 0, next(edges)
    for block in blocks:
        cuts, start = [], 0
        while start < block.size:
            stop = min(block.size, start + left)
            left -= stop - start
            cuts.append(Cut(shard, start, stop, last=not left))
            start = stop
            if not left:
                shard, left = shard + 1, next(edges, 0)
        yield ExportTask(block, tuple(cuts), form, packing)


def even(total: int, shards: int) -> list[int]:
    """The sizes of so many shards, which differ by one at the most."""
    return [total // shards + (shard < total % shards) for shard in range(shards)]
