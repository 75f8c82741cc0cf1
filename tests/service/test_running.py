import http.client
import os
import signal
import socket
from contextlib import suppress
from urllib.parse import urlsplit

import pytest
from fixture_types import Start

from brokerfuzz.errors import TargetError
from brokerfuzz.service.running import running

PATIENCE = 15.0  # seconds


def is_up(url: str) -> bool:
    connection = http.client.HTTPConnection(urlsplit(url).netloc, timeout=5)
    try:
        connection.request("GET", "/products")
        return connection.getresponse().status == 200
    except OSError:
        return False
    finally:
        connection.close()


ENDLESS = {
    "header": b"GET /products HTTP/1.1\r\nX-A: ",
    "path": b"GET /",
    "trailer": b"POST /offers HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n{\r\n0\r\nX-A: ",
    "chunk extension": b"POST /offers HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n1;",
}


def test_a_request_with_an_endless_header_is_rejected_early() -> None:
    with running() as url:
        for name, head in ENDLESS.items():
            with socket.create_connection(("127.0.0.1", urlsplit(url).port or 0), timeout=PATIENCE) as connection:
                connection.sendall(head)
                sent = 0
                with suppress(ConnectionError):  # the service closes the connection
                    while sent < 20_000_000:
                        sent += connection.send(b"x" * 65536)
                assert sent < 20_000_000, name
        assert is_up(url)


def test_it_runs_within_the_block_and_not_after_it() -> None:
    with running() as one, running() as other:
        assert urlsplit(one).hostname == "127.0.0.1"
        assert is_up(one)
        assert is_up(other)
    assert not is_up(one)
    with running(port=int(one.rpartition(":")[2])) as again:
        assert again == one
        assert is_up(again)


def test_a_port_in_use_is_an_error_with_a_remedy() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        said = f"port {port} of 127.0.0.1 cannot be used \\(Address already in use\\): use 127.0.0.1 and another port"
        with pytest.raises(TargetError, match=said), running(port=port):
            pass


@pytest.mark.skipif(os.name != "posix", reason="sends SIGINT as a terminal does")
def test_ctrl_c_ends_serve_while_a_bug_hangs_a_request(start: Start) -> None:
    with start("serve", "--port", "0", "--bug", "hangs-on-blanks") as server:
        assert server.stdout is not None
        url = server.stdout.readline().decode().strip()
        connection = http.client.HTTPConnection(urlsplit(url).netloc, timeout=0.3)
        connection.request("POST", "/offers", b'{"number":"                ","offerType":"VDM"}')
        with pytest.raises(TimeoutError):
            connection.getresponse()
        server.send_signal(signal.SIGINT)
        assert server.wait(PATIENCE) == 0
        connection.close()
