"""Writes a test suite for one language: a file with the cases, tests that read this file, and templates that the user completes.

The source code of the tests is always the same (see the folder `suites`), so nothing in a case can become code. Later exports do
not change the files that the user has completed.
"""

from collections.abc import Callable, Iterable, Iterator
from importlib import resources

import orjson

from brokerfuzz.cases.case import Case
from brokerfuzz.cases.records import encode
from brokerfuzz.corpus.formats.case_names import name_of, now_of, reason_of
from brokerfuzz.corpus.formats.format import CorpusInfo, File, Folder

Lines = Callable[[Iterable[Case], CorpusInfo], Iterator[bytes]]
"""A function that returns cases as lines of a file."""


def suite(name: str, description: str, *, tests: Iterable[str], templates: Iterable[str], cases: str, lines: Lines, folder: str = "") -> Folder:
    """Returns the format of a test suite.

    `tests` and `templates` are files in the folder `suites`, which are copied to `folder`. The user completes the templates.
    `cases` is the name of the file that contains the `lines`.
    """

    def files(chosen: Iterable[Case], about: CorpusInfo) -> Iterator[File]:
        yield from (File(folder + source, [_source(source)]) for source in tests)
        yield from (File(folder + source, [_source(source)], user_owned=True) for source in templates)
        yield File(cases, lines(chosen, about))

    return Folder(name, description, files)


def json_lines(cases: Iterable[Case], about: CorpusInfo) -> Iterator[bytes]:
    """Yields the lines of the corpus. Each line begins with three more properties: the `name` of the test, the `reason` for the
    verdict, and the time `now` at which the verdict is correct.
    """
    held: Case | None = None
    for case in cases:
        if held is not None:
            yield _line(held)
        held = case
    if held is not None:
        yield _line(held, last=True)


def _line(case: Case, *, last: bool = False) -> bytes:
    head = orjson.dumps({"name": name_of(case), "reason": reason_of(case), "now": now_of(case)})
    return head[:-1] + b"," + encode(case, last=last)[1:] + b"\n"


def _source(name: str) -> bytes:
    """Returns the contents of a file in the folder `suites`. Python files in this folder end in `.txt`, because they are not
    modules of brokerfuzz.
    """
    found = resources.files("brokerfuzz.corpus.formats") / "suites" / (f"{name}.txt" if name.endswith(".py") else name)
    return found.read_bytes().replace(b"\r\n", b"\n")  # Git may have changed the line endings
