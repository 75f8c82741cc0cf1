"""Checks the timeout and the number of processes of a target."""

import errno

from brokerfuzz.errors import TargetError

RESOURCE_ERRORS = frozenset({errno.EAGAIN, errno.EMFILE, errno.ENFILE, errno.ENOMEM})
"""Numbers of system errors that mean that no process, file descriptor or memory is available at the moment."""


def checked_timeout(seconds: float) -> float:
    if not seconds > 0:
        raise TargetError(f"the timeout is {seconds} seconds: use a value greater than 0")
    return seconds


def checked_processes(processes: int | None) -> int | None:
    if processes is not None and processes < 1:
        raise TargetError(f"processes={processes} is too small: use 1 or more, or None for one process per core")
    return processes


def unsendable(name: str) -> TargetError:
    """Creates the error for a message that the target cannot receive. Callers prevent this error with `can_send`."""
    return TargetError(f"{name} cannot receive this message: check can_send() before send()")
