"""Writes corpora to files, folders and streams. The module `shards` writes them in several parts."""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import BinaryIO

from brokerfuzz.cases.case import Case
from brokerfuzz.contract_names import LABELS
from brokerfuzz.corpus.folders import manifest_of, write_folder
from brokerfuzz.corpus.formats import CorpusInfo, Format, format_named
from brokerfuzz.errors import CorpusError, listed_values, path_in, quoted
from brokerfuzz.file_contents import write_errors
from brokerfuzz.schemas import load_contract
from brokerfuzz.storage import complete_file, folder_problem, place_of

NOTHING = (
    "no cases to write: choose more messages, verdicts, rules, techniques or tags, or add --full, "
    "--large, --clock or --random"
)

_SUFFIXES_OF_FILES = (".gz", ".json", ".jsonl", ".ndjson", ".zst")


@dataclass
class Summary:
    """What was written. `bytes` is the size of the corpus. `kept` is the number of cases in the existing shards that a
    resumed export keeps.
    """

    info: CorpusInfo
    bytes: int = 0
    kept: int = 0
    _received: Counter[tuple[str, str]] = field(default_factory=Counter)

    @property
    def by_label(self) -> Counter[tuple[str, str]]:
        left_out = Counter[tuple[str, str]]()
        for (message_type, label, _), count in self.info.left_out.items():
            left_out[message_type, label] += count
        return self._received - left_out

    @property
    def left_out(self) -> Counter[str]:
        """The number of cases that the format does not write, for each reason."""
        counts = Counter[str]()
        for (_, _, reason), count in self.info.left_out.items():
            counts[reason] += count
        return counts

    @property
    def count(self) -> int:
        return self.by_label.total()

    def by_message(self) -> dict[str, dict[str, int]]:
        """Maps each message type that has cases to the number of cases for each label."""
        counts = self.by_label
        return {
            name: {label: counts[name, label] for label in LABELS} for name in dict.fromkeys(name for name, _ in counts)
        }

    def counted(self, cases: Iterable[Case], problem: str = NOTHING) -> Iterator[Case]:
        before = self._received.total()
        for case in cases:
            self._received[case.message_type, case.label] += 1
            yield case
        if self._received.total() == before:
            raise CorpusError(problem)


def write(path: str | Path, cases: Iterable[Case], *, fmt: str = "ndjson", info: CorpusInfo | None = None) -> Summary:
    """Writes a corpus to a path, or to a URL that fsspec supports. An existing corpus is replaced.

    `fmt` is the name of a format. A file is compressed if its name ends in `.gz` or `.zst`. `info` is a description of
    the corpus, which some formats use.

    Raises `UnknownNameError` if the format is unknown. Raises `CorpusError` if the corpus cannot be written or there is
    no case. After an error, no new local file remains.

    >>> from brokerfuzz.corpus import load, write
    >>> write("responses.ndjson.gz", load("product-list-response")[:100]).count
    100
    """
    if not isinstance(info, CorpusInfo | None):
        raise TypeError(f"info={quoted(info)} does not describe a corpus: omit this argument")
    contract = load_contract()
    used_info = info or CorpusInfo(contract, contract.message_types, "")
    return write_corpus(str(path_in("path", path)), format_named(fmt), _only_cases(cases), used_info, force=True)


def _only_cases(cases: Iterable[Case]) -> Iterator[Case]:
    """Raises `TypeError` at the first value that is not a case."""
    for case in listed_values("cases", cases):
        if not isinstance(case, Case):
            raise TypeError(f"cases contains {quoted(case)}: use cases, such as those of brokerfuzz.corpus.load")
        yield case


def write_corpus(
    out: str | Path, form: Format, cases: Iterable[Case], info: CorpusInfo, *, force: bool = False
) -> Summary:
    """Raises `CorpusError` if the corpus cannot be written, if there is no case, or if `force` is false and `out`
    already exists.
    """
    place, summary = place_of(out), Summary(info)
    check_place(place, form, force=force)
    write_place(place, form, summary.counted(cases), summary)
    return summary


def write_stream(stream: BinaryIO, form: Format, cases: Iterable[Case], info: CorpusInfo) -> Summary:
    if form.is_folder:
        raise CorpusError(f"the format `{form.name}` writes a folder: specify the name of a folder instead of -")
    summary = Summary(info)
    for piece in form.pieces(summary.counted(cases), info):
        stream.write(piece)
        summary.bytes += len(piece)
    return summary


def write_place(place: Path, form: Format, cases: Iterable[Case], summary: Summary) -> None:
    with write_errors(place, CorpusError):
        if form.is_folder:
            info = replace(summary.info, folder=place.name)
            summary.bytes += write_folder(place, form.name, form.files(cases, info), info)
        else:
            with complete_file(place, CorpusError) as stream:
                stream.writelines(form.pieces(cases, summary.info))
            summary.bytes += place.stat().st_size


def check_name(place: Path) -> None:
    if place.name in ("", ".."):
        raise CorpusError(f"{place} does not end in the name of a file or folder: add the name of the corpus")


def check_place(place: Path, form: Format, *, force: bool, remedy: str = "add --force to replace it") -> None:
    """Raises `CorpusError` if a corpus in this format cannot be written to `place`. A folder that contains files but is
    not a corpus is never replaced.
    """
    check_name(place)
    with write_errors(place, CorpusError):
        if problem := folder_problem(place):
            raise CorpusError(f"{place} cannot be written: {problem}")
        if form.is_folder and place.suffix in _SUFFIXES_OF_FILES:
            raise CorpusError(
                f"{place} is the name of a file, but the format `{form.name}` writes a folder: use a name without "
                f"{place.suffix}"
            )
        if place.exists() and _is_occupied(place, form) and not force:
            raise CorpusError(f"{place} already exists: {remedy}, or specify another name")


def _is_occupied(place: Path, form: Format) -> bool:
    """Returns False for an empty folder, and for a folder whose export was interrupted."""
    if form.is_folder != place.is_dir():
        kind = "folder" if form.is_folder else "file"
        raise CorpusError(f"{place} exists but is not a {kind}, and this format writes a {kind}: specify another name")
    if not form.is_folder and not place.is_file():
        raise CorpusError(f"{place} exists but is not a file: specify a file, or - for standard output")
    return not form.is_folder or (any(place.iterdir()) and manifest_of(place).complete)
