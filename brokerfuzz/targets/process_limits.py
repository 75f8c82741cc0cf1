"""Limits that all targets have which are processes, and what is said when they are passed over."""

import errno

from brokerfuzz.errors import TargetError

LACKING = frozenset({errno.EAGAIN, errno.EMFILE, errno.ENFILE, errno.ENOMEM})
"""Why nothing can be started for the moment: there is no room for one more process or descriptor."""


def checked_timeout(seconds: float) -> float:
    """Raises `TargetError` where there is no time for an answer."""
    if not seconds > 0:
        raise TargetError(f"a timeout of {seconds} seconds leaves no time for an answer: give more than 0")
    return seconds


def checked_processes(processes: int | None) -> int | None:
    """Raises `TargetError` where there is nobody to answer."""
    if processes is not None and processes < 1:
        raise TargetError(f"processes={processes} leaves nobody to answer: give 1 or more, or None for one a core")
    return processes


def untold(name: str) -> TargetError:
    """Raised where a message is sent that the target does not carry: a fault of who sends it."""
    return TargetError(f"{name} takes no such message: ask carries() before send()")
