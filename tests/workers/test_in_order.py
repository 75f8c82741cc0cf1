"""Work in parts by real processes: in order, and again where a worker was lost."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import BrokenExecutor, Executor, Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from brokerfuzz.errors import WorkerError
from brokerfuzz.workers import Processes, in_order


@pytest.fixture(scope="module", params=[False, True], ids=["by others", "helped"])
def pool(request: pytest.FixtureRequest) -> Iterator[Processes]:
    processes = Processes(2, helped=request.param)
    yield processes
    processes.end()


@pytest.fixture(scope="module")
def others() -> Iterator[Processes]:
    processes = Processes(2)
    yield processes
    processes.end()


def slowest_first(number: int) -> int:
    time.sleep(max(0.0, 0.05 - number / 100))
    return number * number


def lost_once(path: str) -> str:
    """Ends its process the first time."""
    flag = Path(path)
    if not flag.exists():
        flag.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return flag.name


def lost(number: int) -> int:
    os._exit(number)


def test_results_come_in_the_parts_order(pool: Processes) -> None:
    assert list(in_order(pool, slowest_first, range(20))) == list(map(slowest_first, range(20)))


def test_no_more_is_made_than_is_asked_for_but_for_a_few(pool: Processes) -> None:
    begun: list[int] = []
    results = in_order(pool, slowest_first, (begun.append(number) or number for number in range(1000)))  # type: ignore[func-returns-value]
    assert [next(results) for _ in range(3)] == [0, 1, 4]
    assert len(begun) < 20


def test_parts_for_this_process_are_made_here_and_in_their_place(pool: Processes) -> None:
    pids = list(in_order(pool, who, range(6), stays=is_odd))
    assert [pid == os.getpid() for pid in pids][1::2] == [True] * 3
    assert pool.helped or os.getpid() not in pids[::2]


def test_who_helps_does_what_it_would_have_to_wait_for() -> None:
    pool = Processes(2, helped=True)
    try:
        pids = list(in_order(pool, slow, range(12)))
    finally:
        pool.end()
    assert len(set(pids)) == 2
    assert pids.count(os.getpid()) > 2


def test_who_helps_begins_with_what_it_does_rather_and_the_workers_with_the_rest() -> None:
    pool = Processes(2, helped=True)
    try:
        pids = list(in_order(pool, slow, range(16), rather=is_odd))
    finally:
        pool.end()
    ours = [number for number, pid in enumerate(pids) if pid == os.getpid()]
    assert sum(map(is_odd, ours)) > len(ours) / 2
    assert sum(map(is_odd, set(range(16)) - set(ours))) < (16 - len(ours)) / 2


def slow(number: int) -> int:
    time.sleep(0.05)
    return os.getpid()


HERITAGE = """
import os, sys, threading, time
from brokerfuzz.workers import Processes, in_order

there = []

def what_there_is(number):
    time.sleep(0.05)
    return os.getpid(), bool(there)

if __name__ == "__main__":
    there.append("something")
    if sys.argv[1:] == ["thread"]:
        threading.Thread(target=time.sleep, args=[1], daemon=True).start()
    pool = Processes(2, helped=True)
    print({known for pid, known in in_order(pool, what_there_is, range(8)) if pid != os.getpid()})
    pool.end()
"""


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="which threads there are is read from /proc")
@pytest.mark.parametrize(("args", "inherited"), [([], True), (["thread"], False)], ids=["alone", "beside a thread"])
def test_workers_have_what_this_process_has_unless_a_thread_may_be_in_the_midst_of_something(
    tmp_path: Path, args: list[str], inherited: bool
) -> None:  # fmt: skip
    (tmp_path / "program.py").write_text(HERITAGE)
    done = subprocess.run([sys.executable, "program.py", *args], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == (f"{ {inherited} }\n", "")


def who(number: int) -> int:
    return os.getpid()


def is_odd(number: int) -> bool:
    return number % 2 == 1


def test_what_a_lost_worker_had_is_made_again(others: Processes, tmp_path: Path) -> None:
    paths = [str(tmp_path / name) for name in "ab"]
    assert list(in_order(others, lost_once, paths)) == ["a", "b"]


class _Breaking(ThreadPoolExecutor):
    """Breaks as it is given its third part, as an executor does that lost a worker in the meantime."""

    given = 0

    def submit(self, *args: Any, **kwargs: Any) -> "Future[Any]":
        self.given += 1
        if self.given == 3:
            raise BrokenExecutor
        return super().submit(*args, **kwargs)


class _Renewed:
    workers = 2
    folder = None
    helped = False

    def __init__(self) -> None:
        self.executor: Executor = _Breaking(1)

    def renew(self) -> Executor:
        self.executor = ThreadPoolExecutor(1)
        return self.executor


def test_a_part_that_is_given_to_workers_which_are_lost_by_then_is_made_too() -> None:
    assert list(in_order(_Renewed(), str, range(8))) == list("01234567")


def test_a_part_that_no_worker_outlives_is_an_error(others: Processes) -> None:
    with pytest.raises(WorkerError, match="check that there is enough memory"):
        list(in_order(others, lost, [3]))
    others.renew()


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="which processes there are is read from /proc")
def test_workers_end_with_the_process_that_began_them_however_that_ends() -> None:
    program = "import os, signal, time\nfrom brokerfuzz.workers import Processes\n"
    program += (
        "if __name__ == '__main__':\n    pool = Processes(1)\n    print(pool.executor.submit(os.getpid).result(), flush=True)\n    time.sleep(60)\n"
    )
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        worker = int(process.stdout.readline())
        process.kill()
    deadline = time.monotonic() + 10
    while (ends := _is_running(worker)) and time.monotonic() < deadline:
        time.sleep(0.02)
    assert not ends


def _is_running(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def test_workers_have_a_folder_of_their_own_until_they_are_ended() -> None:
    pool = Processes(1)
    folder = Path(str(pool.folder))
    assert folder.is_dir()
    pool.renew()
    assert str(folder) == pool.folder, "what was made before a worker was lost is taken from there yet"
    pool.end()
    assert not folder.exists()
