import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

import pytest

from brokerfuzz.errors import WorkerError
from brokerfuzz.workers import cluster, clusters

HALF_A_PAGE = b"HTTP/1.0 400 Bad Request\r\n\r\n"


@contextmanager
def listening(greet: Callable[[socket.socket], object]) -> Iterator[str]:
    """Yields the address of a server that calls `greet` for each connection and leaves the connection open."""
    taken: list[socket.socket] = []

    def serve() -> None:
        with suppress(OSError):
            while True:
                taken.append(listener.accept()[0])
                greet(taken[-1])

    with socket.create_server(("127.0.0.1", 0)) as listener:
        threading.Thread(target=serve, daemon=True).start()
        yield f"tcp://127.0.0.1:{listener.getsockname()[1]}"
        listener.shutdown(socket.SHUT_RDWR)
    for connection in taken:
        connection.close()


@pytest.mark.parametrize(
    "greet",
    [
        pytest.param(lambda connection: connection.close(), id="closes the connection"),
        pytest.param(lambda connection: None, id="sends nothing"),
        pytest.param(lambda connection: connection.sendall(HALF_A_PAGE), id="speaks HTTP"),
        pytest.param(lambda connection: connection.sendall(bytes(999)), id="sends zeros"),
        pytest.param(lambda connection: connection.sendall(b"\xff" * 999), id="sends the largest numbers"),
        pytest.param(
            lambda connection: connection.sendall((8).to_bytes(8, "little") + (7).to_bytes(8, "little")),
            id="announces frames",
        ),
    ],
)
def test_a_server_that_is_not_a_scheduler_is_rejected_in_time(
    greet: Callable[[socket.socket], object], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(clusters, "_PATIENCE", 2)
    begun = time.monotonic()
    with listening(greet) as address, pytest.raises(WorkerError) as raised, cluster(address):
        pass
    assert str(raised.value) == (
        f"no Dask cluster answers at {address} (the server there is not a scheduler): specify the address of the "
        "scheduler, e.g. tcp://127.0.0.1:8786"
    )
    assert time.monotonic() - begun < 30
