"""Corpora as files: NDJSON, a case a line, whole or not there."""

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import BinaryIO

from brokerfuzz.cases.case import Case, clock
from brokerfuzz.corpus.counting import Counted, Summary
from brokerfuzz.corpus.destinations import write_file, write_folder
from brokerfuzz.corpus.formats import About, OneFile, format_named
from brokerfuzz.corpus.records import decode
from brokerfuzz.errors import CorpusError
from brokerfuzz.schemas import MESSAGE_TYPES, Contract, load_contract

LONGEST_LINE = 64 * 1024 * 1024
"""Bytes of a line that `read` takes at the most."""
_REMEMBERED = 4096


def write(
    path: str | Path,
    cases: Iterable[Case],
    *,
    progress: Callable[[int], None] | None = None,
    fmt: str = "ndjson",
    about: About | None = None,
) -> Summary:
    """Writes a corpus in a format: to a name of its own beside `path` first, which takes the name `path` once all is written.

    What is there is replaced. `progress` is called with the number of cases written so far. `about` is what formats besides `ndjson` have to know.
    Raises `CorpusError` where it cannot be written or there is no case (nothing is left behind then), `UnknownNameError` for a format that is none.
    """
    path, form = Path(path), format_named(fmt)
    counted, known = Counted(_some(cases), progress), about or About(load_contract(), MESSAGE_TYPES, clock(None), "")
    if isinstance(form, OneFile) and path.is_dir():
        raise CorpusError(f"{path} is a folder: name the file that the corpus is to be written to")
    try:
        if isinstance(form, OneFile):
            write_file(path, form.pieces(counted, known))
        else:
            write_folder(path, form.files(counted, known), form.name, known)
    except OSError as problem:
        reason = problem.strerror or problem
        raise CorpusError(f"{path} cannot be written: {reason}; choose a folder that is there and yours, with room in it") from problem
    return counted.summary


def dump(stream: BinaryIO, cases: Iterable[Case], *, progress: Callable[[int], None] | None = None, fmt: str = "ndjson") -> Summary:
    """Writes a corpus of a one-file format to a stream. Raises `CorpusError` where there is no case."""
    counted, form = Counted(_some(cases), progress), format_named(fmt)
    if not isinstance(form, OneFile):
        raise CorpusError(f"{fmt} is a folder: name one")
    stream.writelines(form.pieces(counted, About(load_contract(), MESSAGE_TYPES, clock(None), "")))
    return counted.summary


def _some(cases: Iterable[Case]) -> Iterator[Case]:
    """The cases, of which there have to be some."""
    case = None
    for case in cases:
        yield case
    if case is None:
        raise CorpusError("no case is left to write: choose more messages or verdicts, or a count above 0")


def read(path: str | Path, *, contract: Contract | None = None) -> Iterator[Case]:
    """The cases of a corpus, in order, each judged again: what its record says of it is true, or `CorpusError` is raised.

    A fault's `twin` is the case before it that has the id; where that was left out of the corpus, or came more than 4,096 valid
    cases before, only `twin_id` is known. Raises `CorpusError` too where the file cannot be read, is no corpus, or was cut off (the
    cases before the cut have been yielded by then: make a list of all before you rely on any).
    """
    path = Path(path)
    try:
        stream = path.open("rb")
    except OSError as problem:
        raise CorpusError(f"{path} cannot be read: {problem.strerror}; name a file that `brokerfuzz export` wrote") from problem
    with stream:
        yield from load(stream, str(path), contract=contract)


def load(stream: BinaryIO, name: str, *, contract: Contract | None = None) -> Iterator[Case]:
    """The cases of a corpus in a stream; `name` is what errors call it. Otherwise as `read`."""
    twins: dict[str, Case] = {}
    last = False
    for number, line in enumerate(_lines(stream, name), 1):
        if last:
            raise CorpusError(f"{name}, line {number}, follows the record that says it is the last: two corpora in one file? read them apart")
        try:
            case, last = decode(line, twins, contract=contract)
        except CorpusError as problem:
            raise CorpusError(f"{name}, line {number}, {problem}") from problem
        if case.label == "valid":
            twins[case.id] = case
            if len(twins) > _REMEMBERED:
                del twins[next(iter(twins))]
        yield case
    if not last:
        raise CorpusError(f"{name} was cut off: its last record does not say that it is the last; export it again")


def _lines(stream: BinaryIO, name: str) -> Iterator[bytes]:
    number = 0
    while line := stream.readline(LONGEST_LINE + 1):
        number += 1
        if len(line) > LONGEST_LINE:
            raise CorpusError(f"{name}, line {number}, is longer than {LONGEST_LINE:,} bytes: no corpus has such lines")
        yield line
