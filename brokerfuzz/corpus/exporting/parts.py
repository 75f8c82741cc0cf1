"""Generates the parts of an export, in the current process or in a worker. A part is a block of cases. If the cases
belong to several shards, the part is encoded in several pieces: one for each shard.
"""

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

from brokerfuzz.cases.case import Case
from brokerfuzz.cases.plan import Block
from brokerfuzz.compression import compressing
from brokerfuzz.corpus.formats import OneFile, format_named

_FEW = 64


class ShardRange(NamedTuple):
    """The cases of a block that belong to the same shard: the cases from index `start` to index `stop` - 1.

    `last` is True if these cases include the last case of the shard.
    """

    shard: int
    start: int
    stop: int
    last: bool


@dataclass(frozen=True)
class ExportTask:
    """A task for a worker: a block of cases to encode in a format. `compressing` is `.gz` or `.zst`, or empty if the
    corpus is not compressed.
    """

    block: Block
    shard_ranges: tuple[ShardRange, ...]
    format: str
    compressing: str


@dataclass(frozen=True)
class EncodedCases:
    """The encoded cases of a block that belong to the same shard. The bytes are in the file `spool_path` or in `data`.
    If the format has no `encode`, `cases` contains the cases themselves.
    """

    part: ExportTask
    shard_range: ShardRange
    counts: Counter[tuple[str, str]]
    data: bytes = b""
    cases: tuple[Case, ...] = ()
    spool_path: Path | None = None

    def take(self) -> bytes:
        """Returns the encoded bytes, and deletes the temporary file with these bytes."""
        if self.spool_path is None:
            return self.data
        data = self.spool_path.read_bytes()
        self.spool_path.unlink()
        return data


@contextmanager
def _collected_rarely() -> Iterator[None]:
    """Runs the garbage collector less often, which saves 8 % of the time of an export. Cases contain no reference
    cycles, so Python frees their memory without the garbage collector.
    """
    often, *others = gc.get_threshold()
    gc.set_threshold(256 * often, *others)
    try:
        yield
    finally:
        gc.set_threshold(often, *others)


@_collected_rarely()
def make(part: ExportTask) -> list[EncodedCases]:
    form, cases = format_named(part.format), part.block.cases()
    found, done = [], 0
    for shard_range in part.shard_ranges:
        some, counts = islice(cases, shard_range.start - done, shard_range.stop - done), Counter[tuple[str, str]]()
        done = shard_range.stop
        if isinstance(form, OneFile) and form.encode is not None:
            data = b"".join(_encoded(some, form.encode, shard_range.last, counts))
            found.append(EncodedCases(part, shard_range, counts, _packed(data, part.compressing) if data else b""))
        else:
            every = tuple(some)
            counts.update(map(_counted, every))
            found.append(EncodedCases(part, shard_range, counts, cases=every))
    return found


def make_spooled(folder: str, part: ExportTask) -> list[EncodedCases]:
    """Generates and encodes a part. If the disk has enough space, writes the bytes to files, because files are faster
    than a pipe.
    """
    return [_spooled(Path(folder), piece) if piece.data else piece for piece in make(part)]


def _spooled(folder: Path, piece: EncodedCases) -> EncodedCases:
    path = folder / uuid4().hex
    try:
        path.write_bytes(piece.data)
    except OSError:
        path.unlink(missing_ok=True)
        return piece
    return replace(piece, data=b"", spool_path=path)


def _encoded(
    cases: Iterator[Case], encode: Callable[[Sequence[Case], bool], bytes], last: bool, counts: Counter[tuple[str, str]]
) -> Iterator[bytes]:
    """Encodes only a few cases at a time, so that these cases fit into the processor's cache."""
    some = tuple(islice(cases, _FEW))
    while some:
        others = tuple(islice(cases, _FEW))
        counts.update(map(_counted, some))
        yield encode(some, last and not others)
        some = others


def _counted(case: Case) -> tuple[str, str]:
    return case.message_type, case.label


def as_last(piece: EncodedCases) -> EncodedCases:
    """Generates the cases of `piece` again as the last cases of the shard, because the planned cases after `piece` do
    not exist.
    """
    shard_range = piece.shard_range._replace(last=True)
    return make(replace(piece.part, shard_ranges=(shard_range,)))[0]


def _packed(data: bytes, end: str) -> bytes:
    if not end:
        return data
    stream = BytesIO()
    with compressing(stream, end) as packer:
        packer.write(data)
    return stream.getvalue()


def parts(blocks: Iterable[Block], sizes: Iterable[int], form: str, compressing: str) -> Iterator[ExportTask]:
    """Yields a task for each block. `sizes` contains the number of cases of each shard."""
    edges = iter(sizes)
    shard, left = 0, next(edges)
    for block in blocks:
        shard_ranges, start = [], 0
        while start < block.size:
            stop = min(block.size, start + left)
            left -= stop - start
            shard_ranges.append(ShardRange(shard, start, stop, last=not left))
            start = stop
            if not left:
                shard, left = shard + 1, next(edges, 0)
        yield ExportTask(block, tuple(shard_ranges), form, compressing)


def shard_sizes(total: int, shards: int) -> list[int]:
    """The sizes differ by at most one case."""
    return [total // shards + (shard < total % shards) for shard in range(shards)]
