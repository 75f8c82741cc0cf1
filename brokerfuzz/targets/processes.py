"""Runs programs in separate processes. The pipes never block brokerfuzz, and no process keeps running by mistake.

On Linux, this module uses the event loop and no threads, because this is faster. With threads, brokerfuzz would start
10 % fewer programs per second. With asyncio's own subprocesses, it would start 33 % fewer. Each process has its own
process group. When the process or brokerfuzz ends, the whole group is killed, so child processes do not keep running.
This module works only on POSIX systems.
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

from brokerfuzz.targets import watchdog
from brokerfuzz.targets.exit_reason import Excerpt

KILL_LIMIT = 2.0
"""The maximum number of seconds that brokerfuzz waits for a killed process. Only a process that is blocked in the
kernel needs longer.
"""

_CHUNK = 65536  # the capacity of a pipe in bytes
_LAST_CHUNKS = (
    16  # how many chunks are read after the process has ended; a child outside of the process group could write forever
)
_STANDARD = 5  # the started program uses the file descriptors below this number


def cores() -> int:
    affinity = getattr(os, "sched_getaffinity", None)  # macOS lacks this function
    return len(affinity(0)) if affinity else os.cpu_count() or 1


class Process:
    """A program that runs or has ended.

    `program` is the path of the program. The first item of `arguments` is the name of the program. The process reads
    its input from the file descriptor `input_fd`, and writes its output to `output_fd`. The function `on_output` is
    called with each piece of the output, and with b"" when the process closes one of the two descriptors. The function
    `on_exit` is called with the exit status, or with the negative number of the signal that killed the process.

    `errors` contains the beginning and the end of the process's standard error. If the process does not use file
    descriptor 0 or 1 for its input or output, this file descriptor is /dev/null. Raises `OSError` if the program cannot
    be started.
    """

    def __init__(
        self,
        program: str,
        arguments: Sequence[str],
        *,
        on_output: Callable[[bytes], None],
        on_exit: Callable[[int], None],
        input_fd: int = 0,
        output_fd: int = 1,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        self.errors = Excerpt()
        self.code: int | None = None
        self.finished = asyncio.Event()
        """This event is set after the process has ended and its pipes are closed."""
        self._on_output, self._on_exit = on_output, on_exit
        self._loop = asyncio.get_running_loop()
        self._unwritten = memoryview(b"")
        self._written = 0
        self._queueing = self._closes_input = self._unread = False
        self._start(program, arguments, input_fd, output_fd, os.environ if environment is None else environment)

    def write(self, data: bytes) -> None:
        """Writes bytes to the process as fast as the process reads them. Does nothing if the process has closed its
        input.
        """
        self._unwritten = memoryview(data)
        self._written, self._unread = 0, False
        self._write()

    def close_input(self) -> None:
        """Closes the input of the process after all bytes are written."""
        self._closes_input = True
        if not self._unwritten:
            self._close_input()

    @property
    def input_closed(self) -> bool:
        return self._input < 0

    @property
    def output_closed(self) -> bool:
        return self._output < 0

    @property
    def unread(self) -> bool:
        """True if the process certainly has not read the last message. Use this property only after the process has
        ended or closed its input.
        """
        return self._unread

    def kill(self) -> None:
        """Kills the process and its process group immediately. Shortly afterwards, the event `finished` is set."""
        if self.code is None:
            _kill_group(self.pid)

    async def wait_for_end(self, patience: float = 0.0) -> None:
        """Waits up to `patience` seconds for the end of the process. If the process still runs after this time, kills
        the process.
        """
        with suppress(TimeoutError):
            async with asyncio.timeout(patience):
                await self.finished.wait()
        if not self.finished.is_set():
            self.kill()
            with suppress(TimeoutError):
                async with asyncio.timeout(KILL_LIMIT):
                    await self.finished.wait()
            self._close_pipes()

    # ------------------------------------------------------------------------------------------------ start and end

    def _start(
        self, program: str, arguments: Sequence[str], input_fd: int, output_fd: int, environment: Mapping[str, str]
    ) -> None:
        child_fds: list[int] = []
        parent_fds: list[int] = []
        watchdog.start()
        try:
            for outward in (False, True, True):
                reading, writing = os.pipe()
                parent_fds.append(reading if outward else writing)
                child_fds.append(writing if outward else reading)
                if child_fds[-1] < _STANDARD:  # dup2 would overwrite this descriptor
                    low, child_fds[-1] = child_fds[-1], fcntl.fcntl(child_fds[-1], fcntl.F_DUPFD_CLOEXEC, _STANDARD)
                    os.close(low)
            actions: list[tuple[int, int, str, int, int]] = [
                (os.POSIX_SPAWN_OPEN, fd, os.devnull, os.O_RDWR, 0) for fd in {0, 1} - {input_fd, output_fd}
            ]
            places = [
                (os.POSIX_SPAWN_DUP2, child_fds[0], input_fd),
                (os.POSIX_SPAWN_DUP2, child_fds[1], output_fd),
                (os.POSIX_SPAWN_DUP2, child_fds[2], 2),
            ]
            self.pid = os.posix_spawn(
                program,
                list(arguments),
                environment,
                file_actions=[*actions, *places],
                setpgroup=0,
                setsigdef=[
                    signal.SIGPIPE,
                    signal.SIGXFSZ,
                ],  # Python ignores these signals, and child processes would inherit this
            )
            watchdog.watch(self.pid)
        except BaseException:
            for fd in parent_fds:
                os.close(fd)
            raise
        finally:
            for fd in child_fds:
                os.close(fd)
        for fd in parent_fds:
            os.set_blocking(fd, False)
        self._input, self._output, self._stderr = parent_fds
        _prefer_for_out_of_memory_kill(self.pid)
        self._loop.add_reader(
            self._input, self._on_input_closed
        )  # reads nothing, but notices when the process closes its input
        self._loop.add_reader(self._output, self._read_output)
        self._loop.add_reader(self._stderr, self._read_errors)
        self._watch()

    def _watch(self) -> None:
        try:
            self._watched = os.pidfd_open(self.pid)
        except (AttributeError, OSError):  # not Linux, an old kernel, or no free descriptor
            self._watched = -1
            threading.Thread(target=self._wait, daemon=True).start()
        else:
            self._loop.add_reader(self._watched, self._on_pidfd)

    def _wait(self) -> None:
        code = _exit_code(self.pid)
        with suppress(RuntimeError):  # the event loop is closed
            self._loop.call_soon_threadsafe(self._finish, code, True)

    def _on_pidfd(self) -> None:
        self._loop.remove_reader(self._watched)
        os.close(self._watched)
        self._watched = -1
        _kill_group(self.pid)  # before another process can get the same process ID
        self._finish(_exit_code(self.pid))

    def _finish(self, code: int, kills_group: bool = False) -> None:
        if kills_group:
            _kill_group(self.pid)
        watchdog.stop_watching(self.pid)
        self.code = code
        self._unread = self._unread or self._is_unread()
        for read in (self._read_output, self._read_errors):
            for _ in range(_LAST_CHUNKS):
                if not read():
                    break
        self._close_pipes()
        self.finished.set()
        self._on_exit(code)

    def _close_pipes(self) -> None:
        self._close_input()
        for name in ("_output", "_stderr", "_watched"):
            self._stop_reading(name)

    # ------------------------------------------------------------------------------------------------ pipes

    def _read_output(self) -> bool:
        return self._read("_output", self._on_output)

    def _read_errors(self) -> bool:
        return self._read("_stderr", self.errors.add)

    def _read(self, name: str, receive: Callable[[bytes], None]) -> bool:
        """Reads the bytes that are available. Returns whether more bytes may follow."""
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
        receive(data)
        return bool(data)

    def _stop_reading(self, name: str) -> None:
        fd: int = getattr(self, name)
        if fd >= 0:
            self._loop.remove_reader(fd)
            os.close(fd)
            setattr(self, name, -1)

    def _write(self) -> None:
        try:
            while self._unwritten and self._input >= 0:
                count = os.write(self._input, self._unwritten)
                self._written += count
                self._unwritten = self._unwritten[count:]
        except BlockingIOError:
            if not self._queueing:
                self._queueing = True
                self._loop.add_writer(self._input, self._write)
            return
        except OSError:
            self._on_input_closed()
        if self._input < 0 and self._written == 0:
            self._unread = True
        self._unwritten = memoryview(b"")
        if self._queueing:
            self._queueing = False
            self._loop.remove_writer(self._input)
        if self._closes_input:
            self._close_input()

    def _on_input_closed(self) -> None:
        self._unread = self._is_unread()
        self._close_input()
        self._on_output(b"")

    def _is_unread(self) -> bool:
        if self._input < 0:
            return False
        held = array.array("i", [0])
        try:
            fcntl.ioctl(self._input, termios.FIONREAD, held)
        except OSError:
            return False
        return held[0] >= self._written

    def _close_input(self) -> None:
        if self._input >= 0:
            if self._queueing:
                self._queueing = False
                self._loop.remove_writer(self._input)
            self._loop.remove_reader(self._input)
            os.close(self._input)
            self._input = -1


def _kill_group(pid: int) -> None:
    with suppress(ProcessLookupError, PermissionError):  # macOS raises PermissionError for a group that has ended
        os.killpg(pid, signal.SIGKILL)


def _exit_code(pid: int) -> int:
    try:
        return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    except ChildProcessError:  # other code has already waited for the process, or SIGCHLD is ignored
        return 255


def _prefer_for_out_of_memory_kill(pid: int) -> None:
    """If memory runs out, Linux will kill the process `pid` and not brokerfuzz."""
    with suppress(OSError), open(f"/proc/{pid}/oom_score_adj", "wb", buffering=0) as score:  # noqa: PTH123  (faster than pathlib; called a thousand times per second)
        score.write(b"1000")
