"""Starts a helper process, the watchdog. If brokerfuzz is killed, the watchdog kills the programs that brokerfuzz has
started.

The watchdog reads the numbers of process groups from a pipe, which closes when brokerfuzz ends for any reason. Then the
watchdog kills the groups that still exist. Linux itself can kill a program when brokerfuzz ends, but not the child
processes of the program. The watchdog is a shell script, because a shell starts in a millisecond. The watchdog has its
own process group, so that it does not receive Ctrl-C.
"""

import os
from contextlib import suppress

_SCRIPT = """
groups=" "
while read -r change group; do
  case $change in
    +) groups="$groups$group " ;;
    -) groups="${groups%%" $group "*} ${groups#*" $group "}" ;;
  esac
done
for group in $groups; do kill -s KILL -- "-$group"; done
"""
_SHELL = "/bin/sh"
_pipe = -1
"""The file descriptor of the pipe to the watchdog, or -1 if no watchdog runs."""


def start() -> None:
    global _pipe  # noqa: PLW0603  (one watchdog serves all programs of a process)
    if _pipe >= 0:
        return
    reading, writing = os.pipe()
    try:
        actions = [
            (os.POSIX_SPAWN_DUP2, reading, 0),
            *((os.POSIX_SPAWN_OPEN, fd, os.devnull, os.O_RDWR, 0) for fd in (1, 2)),
        ]
        os.posix_spawn(_SHELL, [_SHELL, "-c", _SCRIPT], {}, file_actions=actions, setpgroup=0)
    except OSError:
        os.close(writing)
        raise
    finally:
        os.close(reading)
    _pipe = writing


def watch(group: int) -> None:
    """Tells the watchdog to kill a process group when brokerfuzz ends."""
    _tell(b"+ %d\n" % group)


def stop_watching(group: int) -> None:
    """Tells the watchdog not to kill a process group, because the group has ended."""
    _tell(b"- %d\n" % group)


def _tell(change: bytes) -> None:
    with suppress(BrokenPipeError):  # someone has killed the watchdog
        os.write(_pipe, change)


def _forget() -> None:
    global _pipe  # noqa: PLW0603
    if _pipe >= 0:
        os.close(_pipe)
        _pipe = -1


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)  # a forked process needs its own watchdog
