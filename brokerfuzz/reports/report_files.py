"""Reports in files: what the end of a name asks for, whether it can be written, and all of them written.

Reports are made by pipelines that run again and again, and so they replace those of the last run; a Python file that we did not
write is somebody's own work, and is let alone.
"""

import json
import os
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from importlib import import_module
from os.path import lexists
from pathlib import Path
from typing import TYPE_CHECKING, Any

from brokerfuzz.atomic_files import whole
from brokerfuzz.errors import ReportError
from brokerfuzz.reports.document_messages import Document
from brokerfuzz.removed import renamed_property
from brokerfuzz.wording import listed, printable

if TYPE_CHECKING:
    from jsonschema_rs import Draft202012Validator, ValidationError

Made = Callable[[Document], str]
_SCHEMA = Path(__file__).with_name("report.schema.json")
_FOR_HTTP = (".har", ".py")


def _by(module: str, function: str = "report") -> Made:
    """A report's function, whose module is imported once it is needed."""

    def made(document: Document) -> str:
        return str(getattr(import_module(f"brokerfuzz.reports.{module}"), function)(document))

    return made


def _as_json(document: Document) -> str:
    return json.dumps(document, indent=2) + "\n"


REPORTS: Mapping[str, tuple[str, Made]] = {
    ".html": ("a page to look at", _by("findings_page", "page")),
    ".xml": ("JUnit XML", _by("junit")),
    ".json": ("JSON", _as_json),
    ".ndjson": ("JSON, an object a line", _by("ndjson")),
    ".har": ("HAR", _by("har")),
    ".md": ("Markdown", _by("markdown")),
    ".py": ("tests for pytest", _by("pytest_file")),
}
"""The end of a name -> (the format, what makes it from the document)."""


def check_paths(paths: Iterable[str], *, force: bool = False, http: bool = True) -> None:
    """Raises `ReportError` where a report cannot come to be at one of the paths, before there is anything to report.

    `http` says whether the target is an HTTP endpoint, as some reports need. `force` replaces a Python file of somebody else's too.
    """
    met: dict[Path, str] = {}
    for path in paths:
        suffix = _suffix(path)
        if suffix in _FOR_HTTP and not http:
            raise ReportError(f"{path} is for HTTP targets, and this is none: leave it out, or fire at a URL")
        _check_place(Path(path))
        if suffix == ".py" and lexists(path) and not force and not _is_ours(Path(path)):
            raise ReportError(f"{path} is there and was not made by brokerfuzz: add --force to replace it, or name another file")
        real = Path(path).parent.resolve() / Path(path).name
        if real in met:
            raise ReportError(f"{met[real]} and {path} are one file: name it once")
        met[real] = path


def write_all(paths: Iterable[str], document: Document) -> list[str]:
    """Writes the reports, each whole or not at all; gives the paths.

    Raises `ReportError` where some could not be made or written, once all others are there.
    """
    written, problems = [], []
    for path in paths:
        try:
            _, made = REPORTS[_suffix(path)]
            text = made(document)
            with whole(Path(path)) as stream:
                stream.write(text.encode(errors="backslashreplace"))
            written.append(path)
        except OSError as problem:
            reason = problem.strerror or problem
            problems.append(f"{path} cannot be written: {reason}; choose a folder that is there and yours, with room in it")
        except ReportError as problem:
            problems.append(str(problem) if path in str(problem) else f"{path} cannot be written: {problem}")
    if problems:
        raise ReportError("; ".join(problems))
    return written


def read_report(path: str | Path) -> dict[str, Any]:
    """The document of a JSON report. Raises `ReportError` for what is none."""
    try:
        document: Any = json.loads(Path(path).read_bytes(), parse_constant=_reject)
        if former := renamed_property(document):
            raise ReportError(f"{path} {former}: run `brokerfuzz fire --json` again")
        problem = next(_validator().iter_errors(_plain(document)), None)
    except OSError as error:
        raise ReportError(f"{path} cannot be read: {error.strerror or error}; name a report that `brokerfuzz fire --json` made") from error
    except (ValueError, RecursionError) as error:
        why = "it is too deep" if isinstance(error, RecursionError) else printable(str(error), 200)
        raise ReportError(f"{path} is no report, {why}: name one that `brokerfuzz fire --json` made") from error
    if problem is not None:
        raise ReportError(f"{path} is no report, {_in_words(problem)}: name one that `brokerfuzz fire --json` made")
    report: dict[str, Any] = document
    return report


# ----------------------------------------------------------------------------------------------------------- paths


def _suffix(path: str) -> str:
    suffix = Path(path).suffix.lower()
    if suffix not in REPORTS:
        known = listed((f"{known} ({REPORTS[known][0]})" for known in REPORTS), "or")
        raise ReportError(f"{path!r} does not say what report it is to be: let it end in {known}")
    return suffix


def _check_place(path: Path) -> None:
    folder = path.parent
    if path.is_dir():
        raise ReportError(f"{path} is a folder: name the file that the report is to be written to")
    if not folder.is_dir():
        raise ReportError(f"{path} cannot be written: there is no folder {folder}; make it, or name another file")
    if lexists(path) and not path.is_file():
        raise ReportError(f"{path} is there and is no file: name another")
    if not os.access(folder, os.W_OK | os.X_OK):
        raise ReportError(f"{path} cannot be written: the folder {folder} is not yours to write to; name another file")


def _is_ours(path: Path) -> bool:
    from brokerfuzz.reports.pytest_file import GENERATED

    try:
        with path.open("rb") as stream:
            return stream.read(len(GENERATED)) == GENERATED.encode()
    except OSError:
        return False


# --------------------------------------------------------------------------------------------------------- reading


def _reject(constant: str) -> float:
    raise ValueError(f"{constant} is no JSON")


@cache
def _validator() -> "Draft202012Validator":
    from jsonschema_rs import Draft202012Validator

    return Draft202012Validator(json.loads(_SCHEMA.read_bytes()))


def _plain(value: Any) -> Any:
    """The document without what messages hold, which may be anything, and without the halves of surrogate pairs, which the validator rejects."""
    if isinstance(value, dict):
        return {_whole(key): None if key == "body" else _plain(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [_plain(inner) for inner in value]
    return _whole(value) if isinstance(value, str) else value


def _whole(text: str) -> str:
    return text.encode(errors="backslashreplace").decode()


def _in_words(problem: "ValidationError") -> str:
    place = "".join(f"/{step}" for step in problem.instance_path) or "the root"
    return printable(f"at {place}: {problem.message}", 300)
