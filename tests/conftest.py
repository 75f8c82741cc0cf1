import gc
import os
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import IO

import pytest
from click.testing import CliRunner, Result
from fixture_types import Run, Spawn, Start, Write
from hand_made_servers import answers, serving
from hypothesis import Phase, settings
from pricing_reader import lenient

from brokerfuzz.cli import commands

SECONDS = 60

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # a shell sets this for & and nohup, but tests send Ctrl-C
    signal.signal(signal.SIGINT, signal.default_int_handler)

# Tests start hundreds of processes, so the compiled modules must be stored, whatever the settings of the machine are.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

usual = settings.get_profile(settings.get_current_profile_name())
FAST = [phase for phase in Phase if phase is not Phase.explain]
"""All phases of Hypothesis, except the slow phase that adds comments to a failing example."""
settings.register_profile("full", usual, deadline=None, phases=FAST)  # no test measures time: the machine may be busy
settings.register_profile("sample", usual, deadline=None, phases=FAST, max_examples=20)


def pytest_configure(config: pytest.Config) -> None:
    """Reduces the number of Hypothesis examples if long tests are excluded.

    Also makes garbage collection less frequent. Because of the large catalogues in memory, it would take a tenth of the
    test duration.
    """
    gc.set_threshold(100_000, 50, 100)
    settings.load_profile("sample" if config.option.markexpr == "not long" else "full")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Adds the marker `long` to the parameter sets that the marker `every` leaves out of the default run."""
    seen = Counter[str]()
    for item in items:
        marker = item.get_closest_marker("every")
        function, _, _ = item.nodeid.partition("[")
        if marker is not None and seen[function] % marker.args[0] != 0:
            item.add_marker(pytest.mark.long)
        seen[function] += 1


def pytest_collection_finish() -> None:
    gc.freeze()


def pytest_xdist_auto_num_workers() -> int:
    """Returns more processes than cores, because many tests wait. Each process collects all tests, and generates the
    catalogue.
    """
    return (os.cpu_count() or 1) + 1


@pytest.fixture(autouse=True, scope="module")
def _frozen() -> Iterator[None]:
    """After the tests of a module, excludes the remaining objects from garbage collection. brokerfuzz collects garbage
    whenever it starts worker processes, which is slow if there are many objects.
    """
    yield
    gc.collect()
    gc.freeze()


CLUSTER = """
import sys
from distributed import LocalCluster

if __name__ == "__main__":
    with LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None, silence_logs=50) as cluster:
        print(cluster.scheduler_address, *[worker.pid for worker in cluster.workers.values()], flush=True)
        sys.stdin.read()
"""
"""Starts a cluster with two worker processes, prints its address and their process IDs, and stops when standard input
ends.
"""

sys.path.append(
    str(Path(__file__).parents[1])
)  # for `benchmarks`; it comes last, so that the tests use an installed brokerfuzz


@pytest.fixture(scope="session")
def run() -> Run:
    """Runs a command in this process."""

    def invoke(*args: object, text: str = "", color: bool = False) -> Result:
        result = CliRunner().invoke(commands, [str(arg) for arg in args], input=text, color=color)
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        return result

    return invoke


@pytest.fixture
def environment() -> Mapping[str, str]:
    """Returns environment variables for child processes, so that they import the same modules as this process, even
    from another folder.
    """
    return {**os.environ, "PYTHONPATH": os.pathsep.join(str(Path(entry).absolute()) for entry in sys.path)}


@pytest.fixture
def start(environment: Mapping[str, str]) -> Start:
    """Starts a command as a separate process, as a user does."""

    def popen(
        *args: object, stdout: int | IO[bytes] = subprocess.PIPE, env: Mapping[str, str] | None = None
    ) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-m", "brokerfuzz.cli", *(str(arg) for arg in args)]
        return subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=stdout, stderr=subprocess.PIPE, env={**environment, **(env or {})}
        )

    return popen


@pytest.fixture
def spawn(start: Start) -> Spawn:
    """Runs a command as a separate process and waits for its end."""

    def complete(*args: object, body: bytes = b"", **options: object) -> subprocess.CompletedProcess[bytes]:
        with start(*args, **options) as process:
            try:
                stdout, stderr = process.communicate(body, timeout=SECONDS)
            except BaseException:
                process.kill()
                raise
        return subprocess.CompletedProcess(process.args, process.returncode, stdout or b"", stderr)

    return complete


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Makes an empty folder the current folder."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def write(folder: Path) -> Write:
    """Writes lines to a file in the current folder, and returns the file name."""

    def text(name: str, *lines: str) -> str:
        Path(name).write_text("".join(f"{line}\n" for line in lines))
        return name

    return text


@pytest.fixture
def tidy() -> Iterator[None]:
    """Fails if the test leaves processes running or files open."""
    from hand_made_programs import nothing_left_behind

    with nothing_left_behind():
        yield


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    """Yields the URL of a price reader with one bug (see `pricing_reader`)."""
    with serving(answers(lenient)) as url:
        yield url


@pytest.fixture
def cluster(environment: Mapping[str, str], tmp_path: Path) -> Iterator[tuple[str, list[int]]]:
    """Yields the address of a Dask scheduler, and the process IDs of its workers."""
    pytest.importorskip("distributed", reason="distributed is not installed")
    script = tmp_path / "cluster.py"
    script.write_text(CLUSTER)
    command = [sys.executable, str(script)]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=environment
    ) as process:
        try:
            assert process.stdout is not None
            address, *workers = process.stdout.readline().decode().split()
            yield address, [int(worker) for worker in workers]
        finally:
            process.communicate(b"", timeout=SECONDS)
