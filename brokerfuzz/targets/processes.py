"""Programs as processes of their own: pipes that never block us, an end that is noticed, and nothing left behind.

All is driven by the event loop: asyncio's own subprocesses start two thirds as many programs a second, threads with
`subprocess` nine tenths. Each process leads a group of its own, and the whole group is killed when the process ends, however it does:
so no grandchild outlives the message that it was started for, unless it left the group on purpose. POSIX only.
"""

import array
import asyncio
import fcntl
import os
import signal
import termios
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress

from brokerfuzz.targets.exit_reason import Excerpt

DYING = 2.0
"""Seconds that a killed process is waited for. Only what the system itself holds up takes longer."""

_CHUNK = 65536  # bytes, what a pipe holds
_LAST_CHUNKS = 16  # how many are read after the end: who left the group may write on for ever
_STANDARD = 5  # descriptors below are put in place for the process


def cores() -> int:
    """How many cores we may use."""
    affinity = getattr(os, "sched_getaffinity", None)  # macOS has none
    return len(affinity(0)) if affinity else os.cpu_count() or 1


class Process:
    """A program that is running, or has ended: `program` is its path, `contract_wording` what it gets as its arguments, its name first.

    It is written to through its descriptor `inlet` and heard from its descriptor `outlet`: `heard` is called with what comes, and with
    b"" when it has closed one of the two; `ended` with the exit status, or the negative number of the signal. `errors` is what it said on standard
    error. Those of its three standard descriptors that are none of these lead nowhere. Raises `OSError` where it cannot be started.
    """

    def __init__(
        self,
        program: str,
        words: Sequence[str],
        *,
        heard: Callable[[bytes], None],
        ended: Callable[[int], None],
        inlet: int = 0,
        outlet: int = 1,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        self.errors = Excerpt()
        self.code: int | None = None
        self.gone = asyncio.Event()
        """Set when it is dead and buried."""
        self._heard, self._ended = heard, ended
        self._loop = asyncio.get_running_loop()
        self._rest = memoryview(b"")
        self._written = 0
        self._queueing = self._no_more = self._untouched = False
        self._start(program, words, inlet, outlet, os.environ if environment is None else environment)

    def write(self, data: bytes) -> None:
        """Writes the bytes, as fast as they are taken. Nothing happens where nobody takes them any more; see `deaf`."""
        self._rest = memoryview(data)
        self._written, self._untouched = 0, False
        self._write()

    def no_more(self) -> None:
        """Closes the inlet, once all is written."""
        self._no_more = True
        if not self._rest:
            self._close_inlet()

    @property
    def deaf(self) -> bool:
        """Whether it takes nothing more."""
        return self._inlet < 0

    @property
    def mute(self) -> bool:
        """Whether nothing more can come from it."""
        return self._outlet < 0

    @property
    def untouched(self) -> bool:
        """Whether it has certainly read nothing of what was written last. To be asked when it has ended, or is deaf."""
        return self._untouched

    def kill(self) -> None:
        """Kills it and all of its group, without leave. It is `gone` a moment later."""
        if self.code is None:
            _kill_group(self.pid)

    async def bury(self, patience: float = 0.0) -> None:
        """Waits for its end: for so many seconds first, then it is killed."""
        with suppress(TimeoutError):
            async with asyncio.timeout(patience):
                await self.gone.wait()
        if not self.gone.is_set():
            self.kill()
            with suppress(TimeoutError):
                async with asyncio.timeout(DYING):
                    await self.gone.wait()
            self._let_go()

    # ------------------------------------------------------------------------------------------------ beginning and end

    def _start(self, program: str, words: Sequence[str], inlet: int, outlet: int, environment: Mapping[str, str]) -> None:
        theirs: list[int] = []
        ours: list[int] = []
        try:
            for outward in (False, True, True):
                reading, writing = os.pipe()
                ours.append(reading if outward else writing)
                theirs.append(writing if outward else reading)
                if theirs[-1] < _STANDARD:  # would be overwritten when they are put in place
                    low, theirs[-1] = theirs[-1], fcntl.fcntl(theirs[-1], fcntl.F_DUPFD_CLOEXEC, _STANDARD)
                    os.close(low)
            actions: list[tuple[int, int, str, int, int]] = [(os.POSIX_SPAWN_OPEN, fd, os.devnull, os.O_RDWR, 0) for fd in {0, 1} - {inlet, outlet}]
            places = [(os.POSIX_SPAWN_DUP2, theirs[0], inlet), (os.POSIX_SPAWN_DUP2, theirs[1], outlet), (os.POSIX_SPAWN_DUP2, theirs[2], 2)]
            self.pid = os.posix_spawn(
                program,
                list(words),
                environment,
                file_actions=[*actions, *places],
                setpgroup=0,
                setsigdef=[signal.SIGPIPE, signal.SIGXFSZ],  # which Python ignores, and so would they
            )
        except BaseException:
            for fd in ours:
                os.close(fd)
            raise
        finally:
            for fd in theirs:
                os.close(fd)
        for fd in ours:
            os.set_blocking(fd, False)
        self._inlet, self._outlet, self._stderr = ours
        _first_when_memory_runs_out(self.pid)
        self._loop.add_reader(self._inlet, self._deafens)  # not that it could be read from: it is how its other end's end is noticed
        self._loop.add_reader(self._outlet, self._hear)
        self._loop.add_reader(self._stderr, self._hear_errors)
        self._watch()

    def _watch(self) -> None:
        try:
            self._watched = os.pidfd_open(self.pid)
        except (AttributeError, OSError):  # another system than Linux, an old one, or no descriptors left
            self._watched = -1
            threading.Thread(target=self._wait, daemon=True).start()
        else:
            self._loop.add_reader(self._watched, self._ends)

    def _wait(self) -> None:
        code = _exit_code(self.pid)
        with suppress(RuntimeError):  # the loop is closed
            self._loop.call_soon_threadsafe(self._has_ended, code, True)

    def _ends(self) -> None:
        self._loop.remove_reader(self._watched)
        os.close(self._watched)
        self._watched = -1
        _kill_group(self.pid)  # before its number can be another's
        self._has_ended(_exit_code(self.pid))

    def _has_ended(self, code: int, leaves_a_group: bool = False) -> None:
        if leaves_a_group:
            _kill_group(self.pid)
        self.code = code
        self._untouched = self._untouched or self._is_untouched()
        for hear in (self._hear, self._hear_errors):
            for _ in range(_LAST_CHUNKS):
                if not hear():
                    break
        self._let_go()
        self.gone.set()
        self._ended(code)

    def _let_go(self) -> None:
        self._close_inlet()
        for name in ("_outlet", "_stderr", "_watched"):
            self._stop_reading(name)

    # ------------------------------------------------------------------------------------------------ pipes

    def _hear(self) -> bool:
        return self._read("_outlet", self._heard)

    def _hear_errors(self) -> bool:
        return self._read("_stderr", self.errors.add)

    def _read(self, name: str, take: Callable[[bytes], None]) -> bool:
        """Reads what there is; whether there may be more."""
        fd: int = getattr(self, name)
        if fd < 0:
            return False
        try:
            data = os.read(fd, _CHUNK)
        except BlockingIOError:
            return False
        except OSError:
            data = b""
        if not data:
            self._stop_reading(name)
        take(data)
        return bool(data)

    def _stop_reading(self, name: str) -> None:
        fd: int = getattr(self, name)
        if fd >= 0:
            self._loop.remove_reader(fd)
            os.close(fd)
            setattr(self, name, -1)

    def _write(self) -> None:
        try:
            while self._rest and self._inlet >= 0:
                taken = os.write(self._inlet, self._rest)
                self._written += taken
                self._rest = self._rest[taken:]
        except BlockingIOError:
            if not self._queueing:
                self._queueing = True
                self._loop.add_writer(self._inlet, self._write)
            return
        except OSError:
            self._deafens()
        if self._inlet < 0 and self._written == 0:
            self._untouched = True
        self._rest = memoryview(b"")
        if self._queueing:
            self._queueing = False
            self._loop.remove_writer(self._inlet)
        if self._no_more:
            self._close_inlet()

    def _deafens(self) -> None:
        """It has closed its end."""
        self._untouched = self._is_untouched()
        self._close_inlet()
        self._heard(b"")

    def _is_untouched(self) -> bool:
        """Whether all that was written last is still in the pipe, in which there was nothing before."""
        if self._inlet < 0:
            return False
        held = array.array("i", [0])
        try:
            fcntl.ioctl(self._inlet, termios.FIONREAD, held)
        except OSError:
            return False
        return held[0] >= self._written

    def _close_inlet(self) -> None:
        if self._inlet >= 0:
            if self._queueing:
                self._queueing = False
                self._loop.remove_writer(self._inlet)
            self._loop.remove_reader(self._inlet)
            os.close(self._inlet)
            self._inlet = -1


def _kill_group(pid: int) -> None:
    with suppress(ProcessLookupError, PermissionError):  # macOS says the latter of a group that is dead
        os.killpg(pid, signal.SIGKILL)


def _exit_code(pid: int) -> int:
    try:
        return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    except ChildProcessError:  # someone else in this process has asked for it, or nobody wants to know of children
        return 255


def _first_when_memory_runs_out(pid: int) -> None:
    """Has the system, when memory runs out, end the program and not us."""
    with suppress(OSError), open(f"/proc/{pid}/oom_score_adj", "wb", buffering=0) as score:  # noqa: PTH123  (a thousand times a second)
        score.write(b"1000")
