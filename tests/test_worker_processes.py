import asyncio
import subprocess
import sys
from pathlib import Path

import pytest
from hand_made_programs import dies
from hand_made_servers import serving_streams

from brokerfuzz import workers
from brokerfuzz.errors import WorkerError


def test_only_a_few_parts_are_started_ahead_of_the_results() -> None:
    begun: list[int] = []
    with workers.processes(2) as pool:
        results = pool.map(abs, (begun.append(number) or number for number in range(1000)))  # type: ignore[func-returns-value]
        assert [next(results) for _ in range(8)] == list(range(8))
        assert len(begun) < 20


PROGRAM = """
import os, time
from brokerfuzz import workers
if __name__ == '__main__':
    with workers.processes(1) as pool:
        print(next(pool.map(os.getpgid, [0])), pool.executor.submit(os.getpid).result(), flush=True)
        time.sleep(60)
"""


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="the state of processes is visible only in /proc")
def test_workers_end_if_their_parent_is_killed() -> None:
    with subprocess.Popen([sys.executable, "-c", PROGRAM], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        worker = int(process.stdout.readline().split()[1])
        process.kill()
    assert dies(worker)


@pytest.mark.parametrize("said", [None, b"", b"HTTP/1.0 400 Bad Request\r\n\r\n"])
def test_a_server_that_is_not_a_scheduler_is_rejected_in_time(
    said: bytes | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("distributed", reason="distributed is not installed")

    async def converse(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if said is not None:
            writer.write(said)
            await asyncio.sleep(60)

    monkeypatch.setattr(workers, "_PATIENCE", 0.5)
    with serving_streams(converse) as url:
        address = url.replace("http:", "tcp:").removesuffix("/offers")
        with pytest.raises(WorkerError) as raised, workers.cluster(address):
            pass
    assert str(raised.value) == (
        f"no Dask cluster answers at {address}: specify the address of the scheduler, e.g. tcp://127.0.0.1:8786"
    )
