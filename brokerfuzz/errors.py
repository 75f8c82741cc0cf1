"""The errors of brokerfuzz. Each message says what is wrong and what to do.

BrokerfuzzError                 the base class: catch it to catch all of them
├── ContractError               a contract folder, or a schema in it, cannot be used
├── UnknownNameError            there is no rule, technique, ambiguity, message type or bug with this name
├── CorpusError                 a corpus is incomplete or invalid, or cannot be read or written
├── InputError                  a file with messages cannot be read
├── ReportError                 a report cannot be created, written or read
├── BaselineError               a baseline of known findings cannot be read or written
├── JournalError                a journal cannot be written, read or resumed
├── WorkerError                 a cluster cannot be reached, or workers are lost repeatedly
├── TargetError                 a target cannot be reached or addressed
├── ConfigurationError          a configuration file cannot be read, used or written
├── ClockError                  the time for which cases are generated is too early
├── StrengthError               a strength of covering arrays is not supported
└── LabelError                  a generator and the oracle disagree about a case: a bug in brokerfuzz

The command line prints each of them as one line and exits with status 2. Strategies reject invalid arguments with
`hypothesis.errors.InvalidArgument`, like the strategies of Hypothesis.
"""

from collections.abc import Iterable
from difflib import get_close_matches
from reprlib import Repr
from typing import Any

LONGEST_LINE = 1000
"""The maximum length of an error line in characters. The middle of a longer line is left out."""
_LONGEST_NAME = 200
"""The maximum length in characters of a name for which similar known names are suggested."""

_quoting = Repr()
_quoting.maxstring, _quoting.maxother, _quoting.maxlong, _quoting.maxlevel = 120, 240, 40, 3
_quoting.maxlist = _quoting.maxtuple = _quoting.maxdict = 8
_quoting.fillvalue = "…"


def quoted(value: Any) -> str:
    """Quotes a value for an error: its Python literal, with an ellipsis in place of omitted parts if it is long."""
    return _quoting.repr(value)


def shortened(line: str, most: int = LONGEST_LINE) -> str:
    """Returns the line, without its middle if it is too long."""
    if len(line) <= most:
        return line
    half = most // 2 - 20
    return f"{line[:half]} … {len(line) - 2 * half:,} characters … {line[-half:]}"


class BrokerfuzzError(Exception):
    """The base class of every error that brokerfuzz raises on purpose."""


class ContractError(BrokerfuzzError):
    """Raised when a contract cannot be used: for example, a file is missing, is not JSON, or is not a schema."""


class UnknownNameError(BrokerfuzzError):
    """Raised for an unknown name. The message suggests the most similar known name."""

    def __init__(self, kind: str, name: str, known: Iterable[str], remedy: str) -> None:
        near = get_close_matches(name, list(known), n=1, cutoff=0.4) if len(name) <= _LONGEST_NAME else []
        guess = f"did you mean {near[0]!r}? " if near else ""
        super().__init__(f"unknown {kind} {quoted(name)}: {guess}{remedy}")


class CorpusError(BrokerfuzzError):
    """Raised when a corpus is incomplete or invalid, or cannot be read or written."""


class InputError(BrokerfuzzError):
    """Raised when a file with messages to judge cannot be read."""


class ReportError(BrokerfuzzError):
    """Raised when a report of a campaign cannot be created or written, or when a file that is read is not a report."""


class BaselineError(BrokerfuzzError):
    """Raised when a baseline is missing, is invalid, or cannot be written."""


class JournalError(BrokerfuzzError):
    """Raised when the journal of a campaign cannot be written or read, or belongs to another campaign."""


class WorkerError(BrokerfuzzError):
    """Raised when a cluster cannot be reached, or when several workers are lost on the same task."""


class TargetError(BrokerfuzzError):
    """Raised when a target cannot be reached or addressed, so that it gives no answers to judge."""


class ConfigurationError(BrokerfuzzError):
    """Raised when a configuration file cannot be read or written, has invalid content, or needs an environment variable that is not set."""


class ClockError(BrokerfuzzError):
    """Raised when the time for which cases are generated is earlier than supported."""


class LabelError(BrokerfuzzError):
    """Raised when the oracle does not confirm the verdict that a generator claims for a case. Please report this error."""


class StrengthError(BrokerfuzzError):
    """Raised for a strength of covering arrays that does not exist, or that would take too long."""
