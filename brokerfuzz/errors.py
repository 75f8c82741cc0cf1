"""The errors of brokerfuzz. Each message says what is wrong and what to do.

The command line prints each of these errors as one line and exits with status 2. If a strategy gets an invalid
argument, it raises `hypothesis.errors.InvalidArgument`, like the strategies of Hypothesis.
"""

from collections.abc import Iterable
from difflib import get_close_matches
from os import PathLike
from reprlib import Repr
from typing import Any

LONGEST_ERROR = 1000
"""The maximum length of a line with an error, in characters. The middle of a longer line is omitted."""
_LONGEST_NAME = 200
"""An error suggests a similar name only if the unknown name has at most this many characters."""
_LONGEST_VALUE = 300
"""The maximum length of a value in an error, in characters."""
_MOST_SUGGESTED = 5
"""The maximum number of names that an error suggests."""

_quoting = Repr()
_quoting.maxstring, _quoting.maxother, _quoting.maxlong, _quoting.maxlevel = 120, 240, 40, 3
_quoting.maxlist = _quoting.maxtuple = _quoting.maxdict = 8
_quoting.fillvalue = "…"


def quoted(value: Any) -> str:
    """Converts a value to a Python literal. The middle of a long literal is omitted."""
    try:
        return shortened(_quoting.repr(value), _LONGEST_VALUE)
    except ValueError:  # Python writes no integer of more than 4,300 digits
        return "a value with thousands of digits"


def shortened(line: str, limit: int = LONGEST_ERROR) -> str:
    """Returns the line, without its middle if the line has more than `limit` characters."""
    if len(line) <= limit:
        return line
    half = limit // 2 - 20
    return f"{line[:half]} … {len(line) - 2 * half:,} characters … {line[-half:]}"


def listed_names(argument: str, names: Iterable[str]) -> tuple[str, ...]:
    """Returns the names in a list. Raises `TypeError` for any other value of the argument, also for a single string."""
    for name in listed_values(argument, names):
        if not isinstance(name, str):
            raise TypeError(f"{argument} contains {quoted(name)}: use only strings")
    return tuple(names)


def listed_values(argument: str, values: Iterable[Any]) -> Iterable[Any]:
    """Returns `values` unchanged. Raises `TypeError` if the argument is a single string or not iterable."""
    if isinstance(values, str | bytes) or not isinstance(values, Iterable):
        raise TypeError(f"{argument}={quoted(values)} is not a list: use a list or tuple, also for a single value")
    return values


def path_in(argument: str, path: Any) -> str | PathLike[str]:
    """Returns the value of an argument if it is a path, and otherwise raises `TypeError`."""
    if isinstance(path, str | PathLike):
        return path
    raise TypeError(f"{argument}={quoted(path)} is not a path: use a string or a pathlib.Path")


def needs_extra(what: str, problem: ImportError, extra: str = "fire") -> str:
    """Returns the error message for a missing optional package. The message contains the command that installs the
    package. The command contains a path, because no package registry has brokerfuzz.
    """
    name = (problem.name or "another package").partition(".")[0]
    return f"{what} needs {name}: pip install 'PATH[{extra}]', where PATH is a checkout or a wheel of brokerfuzz"


def problem_of(problem: Exception) -> str:
    """Describes an exception that was caused by invalid data. The description does not name the class of the
    exception.
    """
    if isinstance(problem, KeyError):
        return f"the property {quoted(problem.args[0])} is missing"
    if isinstance(problem, RecursionError):
        return "the data is nested too deeply"
    if isinstance(problem, AttributeError):
        return "a value has an unexpected type"
    return " ".join(str(problem).split()) or "the reason is unknown"


class BrokerfuzzError(Exception):
    """The base class of every error that brokerfuzz raises on purpose.

    >>> from brokerfuzz import BrokerfuzzError, rules
    >>> try:
    ...     rules("offer")
    ... except BrokerfuzzError as problem:
    ...     print(str(problem)[:28])
    unknown message type 'offer'
    """

    def __init__(self, message: str = "") -> None:
        super().__init__(shortened(message))


class ContractError(BrokerfuzzError):
    """A contract cannot be used: for example, a file is missing, is not JSON, or is not a schema."""


class UnknownNameError(BrokerfuzzError):
    """A name is unknown. The error message suggests the most similar known name."""

    def __init__(self, kind: str, name: str, known_names: Iterable[str], remedy: str) -> None:
        super().__init__(f"unknown {kind} {quoted(name)}: {_guess(name, list(known_names))}{remedy}")


def _guess(name: str, known_names: list[str]) -> str:
    """Suggests the known names that contain `name`. If there are none, suggests the most similar known name."""
    if not name or len(name) > _LONGEST_NAME:
        return ""
    containing = [known_name for known_name in known_names if name.casefold() in known_name.casefold()]
    if len(containing) > _MOST_SUGGESTED:
        return f"{len(containing):,} names contain it, such as {containing[0]!r}; "
    near = containing or get_close_matches(name, known_names, n=1, cutoff=0.4)
    return f"did you mean {' or '.join(map(repr, near))}? " if near else ""


class CorpusError(BrokerfuzzError):
    """A corpus is incomplete or invalid, or cannot be read or written."""


class InputError(BrokerfuzzError):
    """A file with messages cannot be read."""


class ReportError(BrokerfuzzError):
    """A report cannot be created or written, or a file is not a report."""


class BaselineError(BrokerfuzzError):
    """A baseline is missing, is invalid, or cannot be written."""


class JournalError(BrokerfuzzError):
    """The journal of a campaign cannot be written or read, or belongs to another campaign."""


class WorkerError(BrokerfuzzError):
    """A cluster cannot be reached, or several workers were lost on the same task."""


class HookError(BrokerfuzzError):
    """A hook cannot be loaded, fails, hangs, or returns something wrong. `details` is the traceback, if the hook raised
    an exception.
    """

    def __init__(self, message: str, details: str = "") -> None:
        super().__init__(message)
        self.details = details


class TargetError(BrokerfuzzError):
    """A target cannot be reached, or its URL, command or function cannot be used."""


class UnreachableError(TargetError):
    """A server cannot be used yet, because it may still be starting. `reason` says why, in a few words."""

    def __init__(self, message: str, reason: str) -> None:
        super().__init__(message)
        self.reason = reason


class ConfigurationError(BrokerfuzzError):
    """A configuration file cannot be read or written, is invalid, or needs an environment variable that is not set."""


class ReferenceDataError(BrokerfuzzError):
    """Reference data (`--values`) cannot be read, or contains a value that the contract does not allow."""


class ClockError(BrokerfuzzError):
    """The time for which cases should be generated is not supported."""


class LabelError(BrokerfuzzError):
    """The oracle and a generator disagree about the verdict of a case. This is a bug in brokerfuzz: please report
    it.
    """
