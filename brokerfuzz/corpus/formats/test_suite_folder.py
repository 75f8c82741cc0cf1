"""A folder with tests for a language: the cases in one file, beside tests that read it, and what is left to fill in.

The tests are the same whatever the cases are (`suites` has them): nothing of a case gets into source text. What is to be filled in stands in
files of its own, which are the user's from the first export on.
"""

from collections.abc import Callable, Iterable, Iterator
from importlib import resources

import orjson

from brokerfuzz.cases.case import Case
from brokerfuzz.cases.records import encode
from brokerfuzz.corpus.formats.case_names import name_of, now_of, reason_of
from brokerfuzz.corpus.formats.format import About, File, Folder

Lines = Callable[[Iterable[Case], About], Iterator[bytes]]
"""Cases as the lines of a file."""


def suite(name: str, says: str, *, tests: Iterable[str], yours: Iterable[str], cases: str, lines: Lines, folder: str = "") -> Folder:
    """The format of a suite. `tests`, and `yours`, which is to be filled in, are files of `suites`, which go to `folder`; `lines` go to `cases`."""

    def files(chosen: Iterable[Case], about: About) -> Iterator[File]:
        yield from (File(folder + source, [_source(source)]) for source in tests)
        yield from (File(folder + source, [_source(source)], yours=True) for source in yours)
        yield File(cases, lines(chosen, about))

    return Folder(name, says, files)


def json_lines(cases: Iterable[Case], about: About) -> Iterator[bytes]:
    """The corpus' own records, each with three properties in front: the test's `name`, the verdict's `reason`, and `now`, the time that it holds
    at."""
    held: Case | None = None
    for case in cases:
        if held is not None:
            yield _line(held, about)
        held = case
    if held is not None:
        yield _line(held, about, last=True)


def _line(case: Case, about: About, *, last: bool = False) -> bytes:
    told = orjson.dumps({"name": name_of(case), "reason": reason_of(case), "now": now_of(case, about)})
    return told[:-1] + b"," + encode(case, last=last)[1:] + b"\n"


def _source(name: str) -> bytes:
    """A file of `suites`; those of Python have `.txt` behind their names there, for they are no modules of ours."""
    found = resources.files("brokerfuzz.corpus.formats") / "suites" / (f"{name}.txt" if name.endswith(".py") else name)
    return found.read_bytes().replace(b"\r\n", b"\n")  # a checkout may have other ends of lines
