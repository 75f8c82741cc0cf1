"""Writes reports to files. The suffix of the file name selects the format: without a suffix, Markdown. A report replaces
an existing file.
"""

import json
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from os.path import lexists, realpath
from pathlib import Path
from typing import Any

from jsonschema_rs import Draft202012Validator

from brokerfuzz.errors import ReportError, problem_of
from brokerfuzz.file_contents import read_file, write_errors
from brokerfuzz.reports import har, json_document, junit, pages
from brokerfuzz.reports.json_document import Document
from brokerfuzz.schemas.json_parser import parsed_document
from brokerfuzz.shapes import problem_in
from brokerfuzz.storage import complete_file, folder_problem
from brokerfuzz.wording import listed, printable

_SCHEMA = Path(__file__).with_name("report.schema.json")
_REMEDY = "specify a report that `brokerfuzz fire --report report.json` wrote"

REPORTS: Mapping[str, tuple[str, Callable[[Document], str]]] = {
    ".html": ("an HTML page", pages.findings_page),
    ".xml": ("JUnit XML", junit.report),
    ".json": ("JSON", json_document.report),
    ".har": ("HAR", har.report),
    ".md": ("Markdown", pages.comment),
}
"""Maps the suffix of a file name to the name of the format, and to the function that creates it."""


# ----------------------------------------------------------------------------------------------------------- paths


def check_paths(paths: Iterable[str], *, http: bool, other_files: Mapping[str, str | None]) -> None:
    """Raises `ReportError` if a report cannot be written to its path. `http` says whether the target is an HTTP
    endpoint, which HAR needs. `other_files` maps options to the other files that the campaign reads or writes, which
    must not be the same file.
    """
    used: dict[Path, str] = {}
    for option, path in other_files.items():
        if path is not None:
            _check_unused(used, path, f"{option} {path}")
    for path in paths:
        if _suffix(path) == ".har" and not http:
            raise ReportError(f"{path} requires an HTTP target: remove this report, or test a URL")
        check_place(Path(path))
        _check_unused(used, path, f"the report {path}")


def _check_unused(used: dict[Path, str], path: str, description: str) -> None:
    with write_errors(path, ReportError):
        real = Path(realpath(path))  # unlike `Path.resolve`, it accepts a link to itself
    if real in used:
        raise ReportError(f"{used[real]} and {description} are the same file: specify different files")
    used[real] = description


def _suffix(path: str) -> str:
    suffix = Path(path).suffix.lower() or ".md"
    if suffix not in REPORTS:
        suffixes = listed((f"{ending} ({name})" for ending, (name, _) in REPORTS.items()), "or")
        raise ReportError(f"{path!r} does not end with the suffix of a report format: use {suffixes}")
    return suffix


def check_place(path: Path) -> None:
    """Raises `ReportError` if a file cannot be written to this path."""
    with write_errors(path, ReportError):
        is_folder = path.is_dir()
    if is_folder:
        raise ReportError(f"{path} is a folder: specify a file for the report")
    if problem := folder_problem(path):
        raise ReportError(f"{path} cannot be written: {problem}")
    if lexists(path) and not path.is_file():
        raise ReportError(f"{path} already exists and is not a file: specify another name")


# --------------------------------------------------------------------------------------------------------- writing


def write_reports(paths: Iterable[str], document: Document) -> dict[str, str]:
    """Writes all reports that can be written. Maps the paths of the others to the reasons."""
    problems: dict[str, str] = {}
    for path in paths:
        _, report = REPORTS[_suffix(path)]
        try:
            with complete_file(Path(path), ReportError) as stream:
                stream.write(report(document).encode(errors="backslashreplace"))
        except ReportError as problem:
            problems[path] = str(problem)
    return problems


# --------------------------------------------------------------------------------------------------------- reading


def read_report(path: str | Path) -> dict[str, Any]:
    """Reads the JSON document of a report. Raises `ReportError` if the file is not a report."""
    contents = read_file(path, ReportError, _REMEDY)
    document: dict[str, Any] = {}
    try:
        document = parsed_document(contents)
        problem = problem_in(_plain(document), _validator())
    except (ValueError, RecursionError) as error:
        problem = problem_of(error)
    if problem is not None:
        raise ReportError(f"{path} is not a report ({printable(problem, 300)}): {_REMEDY}")
    return document


@cache
def _validator() -> Draft202012Validator:
    return Draft202012Validator(json.loads(_SCHEMA.read_bytes()))


def _plain(value: Any) -> Any:
    """Removes bodies, which may have any value, and escapes lone surrogates, which the validator cannot handle."""
    match value:
        case dict():
            return {_plain(key): None if key == "body" else _plain(inner) for key, inner in value.items()}
        case list():
            return list(map(_plain, value))
        case str():
            return value.encode(errors="backslashreplace").decode()
        case _:
            return value
