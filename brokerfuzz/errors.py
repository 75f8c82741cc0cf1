"""What can go wrong, each with the remedy in its message.

BrokerfuzzError                 the base: catch it to catch them all
├── ContractError               a contract folder or a schema in it cannot be used
├── UnknownNameError            a name (rule, technique, ambiguity, message type, bug) that nothing bears
├── CorpusError                 a file is not a whole corpus, or cannot be read or written
├── InputError                  a file to judge cannot be read
├── ReportError                 a report cannot be made, written or read back
├── BaselineError              a baseline of known findings cannot be read or written
├── JournalError               a journal cannot be written, read or gone on with
├── WorkerError                 a cluster is not there, or those who do the work are lost again and again
├── TargetError                 a target cannot be reached or addressed
├── ConfigurationError          a configuration file cannot be read, used or written
├── ClockError                  a time to make cases against is too early
├── StrengthError               a strength of covering arrays that is not supported
└── LabelError                  a generator's claim and the oracle's verdict differ: a fault of brokerfuzz

The command line prints any of them as one line and exits with status 2. Arguments of strategies are
rejected with `hypothesis.errors.InvalidArgument`, as Hypothesis' own are.
"""

from collections.abc import Iterable
from difflib import get_close_matches
from reprlib import Repr
from typing import Any

LONGEST_LINE = 1000
"""Characters of a line that tells what is wrong, beyond which its middle is left out."""
_LONGEST_NAME = 200
"""Characters of a name that is compared to those that are known."""

_quoting = Repr()
_quoting.maxstring, _quoting.maxother, _quoting.maxlong, _quoting.maxlevel = 120, 240, 40, 3
_quoting.maxlist = _quoting.maxtuple = _quoting.maxdict = 8
_quoting.fillvalue = "…"


def quoted(value: Any) -> str:
    """A value as an error quotes it: as Python writes it, with an ellipsis in place of what is left out of a long one."""
    return _quoting.repr(value)


def shortened(line: str, most: int = LONGEST_LINE) -> str:
    """The line without its middle, where it is too long."""
    if len(line) <= most:
        return line
    half = most // 2 - 20
    return f"{line[:half]} … {len(line) - 2 * half:,} characters … {line[-half:]}"


class BrokerfuzzError(Exception):
    """Base of every error that brokerfuzz raises on purpose."""


class ContractError(BrokerfuzzError):
    """Raised when a folder holds no contract that can be used: a file missing, not JSON, not a schema."""


class UnknownNameError(BrokerfuzzError):
    """Raised for a name that nothing bears; the message holds the nearest known one."""

    def __init__(self, kind: str, name: str, known: Iterable[str], remedy: str) -> None:
        near = get_close_matches(name, list(known), n=1, cutoff=0.4) if len(name) <= _LONGEST_NAME else []
        guess = f"did you mean {near[0]!r}? " if near else ""
        super().__init__(f"no {kind} is called {quoted(name)}: {guess}{remedy}")


class CorpusError(BrokerfuzzError):
    """Raised when a file is not a whole corpus, or cannot be read or written."""


class InputError(BrokerfuzzError):
    """Raised when a file that is to be judged cannot be read."""


class ReportError(BrokerfuzzError):
    """Raised when a report cannot be made of a campaign, cannot be written where it is to be, or is none when it is read back."""


class BaselineError(BrokerfuzzError):
    """Raised when a baseline is not there, is none, or cannot be written."""


class JournalError(BrokerfuzzError):
    """Raised when a campaign's journal cannot be written or read, or is that of another campaign."""


class WorkerError(BrokerfuzzError):
    """Raised when a cluster cannot be reached, or work was begun several times and its worker was lost each time."""


class TargetError(BrokerfuzzError):
    """Raised when a target cannot be reached or addressed at all, so that no answer of it can be judged."""


class ConfigurationError(BrokerfuzzError):
    """Raised when a configuration file cannot be read, says what it must not, needs what the environment lacks, or cannot be written."""


class ClockError(BrokerfuzzError):
    """Raised when the time that cases are to be made against is before any that they can be made against."""


class LabelError(BrokerfuzzError):
    """Raised when the oracle does not confirm what a generator claims of a case: please report it."""


class StrengthError(BrokerfuzzError):
    """Raised for a strength of covering arrays that there is none of, or none in reasonable time."""
