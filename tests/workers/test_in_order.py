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
from hand_made_programs import dies

from brokerfuzz.errors import WorkerError
from brokerfuzz.workers import Processes, in_order


@pytest.fixture(scope="module", params=[False, True], ids=["workers only", "parent works too"])
def pool(request: pytest.FixtureRequest) -> Iterator[Processes]:
    processes = Processes(2, parent_works=request.param)
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
    """Kills its process on the first call."""
    flag = Path(path)
    if not flag.exists():
        flag.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return flag.name


def lost(number: int) -> int:
    os._exit(number)


def test_results_come_in_the_order_of_the_parts(pool: Processes) -> None:
    assert list(in_order(pool, slowest_first, range(20))) == list(map(slowest_first, range(20)))


def test_only_a_few_parts_are_started_before_their_results_are_needed(pool: Processes) -> None:
    begun: list[int] = []
    results = in_order(pool, slowest_first, (begun.append(number) or number for number in range(1000)))  # type: ignore[func-returns-value]
    assert [next(results) for _ in range(3)] == [0, 1, 4]
    assert len(begun) < 20


def test_local_parts_are_done_in_this_process_and_in_order(pool: Processes) -> None:
    pids = list(in_order(pool, who, range(6), keep_local=is_odd))
    assert [pid == os.getpid() for pid in pids][1::2] == [True] * 3
    assert pool.parent_works or os.getpid() not in pids[::2]


def test_a_working_parent_does_parts_instead_of_waiting() -> None:
    pool = Processes(2, parent_works=True)
    try:
        pids = list(in_order(pool, slow, range(12)))
    finally:
        pool.end()
    assert len(set(pids)) == 2
    assert pids.count(os.getpid()) > 2


def slow(number: int) -> int:
    time.sleep(0.05)
    return os.getpid()


INHERITANCE = """
import os, sys, threading, time
from brokerfuzz.workers import Processes, in_order

there = []

def current_data(number):
    time.sleep(0.05)
    return os.getpid(), bool(there)

if __name__ == "__main__":
    there.append("something")
    if sys.argv[1:] == ["thread"]:
        threading.Thread(target=time.sleep, args=[1], daemon=True).start()
    pool = Processes(2, parent_works=True)
    print({known for pid, known in in_order(pool, current_data, range(8)) if pid != os.getpid()})
    pool.end()
"""


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="the number of threads is visible only in /proc")
@pytest.mark.parametrize(("args", "inherited"), [([], True), (["thread"], False)], ids=["one thread", "two threads"])
def test_workers_inherit_data_only_if_the_parent_has_one_thread(
    tmp_path: Path, args: list[str], inherited: bool
) -> None:  # fmt: skip
    (tmp_path / "program.py").write_text(INHERITANCE)
    done = subprocess.run(
        [sys.executable, "program.py", *args], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert (done.stdout, done.stderr) == (f"{ {inherited} }\n", "")


def who(number: int) -> int:
    return os.getpid()


def is_odd(number: int) -> bool:
    return number % 2 == 1


def test_the_parts_of_a_lost_worker_are_done_again(others: Processes, tmp_path: Path) -> None:
    paths = [str(tmp_path / name) for name in "ab"]
    assert list(in_order(others, lost_once, paths)) == ["a", "b"]


class _Breaking(ThreadPoolExecutor):
    """An executor that fails at the third call of `submit`, as if a worker process had crashed."""

    given = 0

    def submit(self, *args: Any, **kwargs: Any) -> "Future[Any]":
        self.given += 1
        if self.given == 3:
            raise BrokenExecutor
        return super().submit(*args, **kwargs)


class _Renewed:
    workers = 2
    folder = None
    parent_works = False

    def __init__(self) -> None:
        self.executor: Executor = _Breaking(1)

    def renew(self) -> None:
        self.executor = ThreadPoolExecutor(1)


def test_a_part_is_done_again_if_submitting_it_shows_that_a_worker_was_lost() -> None:
    assert list(in_order(_Renewed(), str, range(8))) == list("01234567")


def test_a_part_that_kills_every_worker_is_an_error(others: Processes) -> None:
    with pytest.raises(WorkerError, match="check that the workers have enough memory"):
        list(in_order(others, lost, [3]))
    others.renew()


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="the state of processes is visible only in /proc")
def test_workers_end_if_their_parent_is_killed() -> None:
    program = "import os, signal, time\nfrom brokerfuzz.workers import Processes\n"
    program += (
        "if __name__ == '__main__':\n    pool = Processes(1)\n    "
        "print(pool.executor.submit(os.getpid).result(), flush=True)\n    time.sleep(60)\n"
    )
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        worker = int(process.stdout.readline())
        process.kill()
    assert dies(worker)


def test_the_folder_of_the_workers_exists_until_they_end() -> None:
    pool = Processes(1)
    folder = Path(str(pool.folder))
    assert folder.is_dir()
    pool.renew()
    assert str(folder) == pool.folder, "results from before the loss of a worker are still read from there"
    pool.end()
    assert not folder.exists()
