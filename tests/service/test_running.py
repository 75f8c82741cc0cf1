import http.client
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from urllib.parse import urlsplit

import pytest
from waiting import happens

from brokerfuzz.errors import TargetError, UnknownNameError
from brokerfuzz.service.running import running, serve

PATIENCE = 15.0  # seconds
ENVIRONMENT = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}


def is_up(url: str) -> bool:
    connection = http.client.HTTPConnection(urlsplit(url).netloc, timeout=2)
    try:
        connection.request("GET", "/products")
        return connection.getresponse().status == 200
    except OSError:
        return False
    finally:
        connection.close()


@contextmanager
def script(source: str) -> Iterator[subprocess.Popen[str]]:
    """Runs a script in a new Python process, which is killed at the end."""
    with subprocess.Popen(
        [sys.executable, "-c", source], stdout=subprocess.PIPE, text=True, env=ENVIRONMENT
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def first_line(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    return process.stdout.readline().strip()


@pytest.mark.parametrize(
    "head",
    [
        pytest.param(b"GET /products HTTP/1.1\r\nX-A: ", id="header"),
        pytest.param(b"GET /", id="path"),
        pytest.param(b"POST /offers HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n{\r\n0\r\nX-A: ", id="trailer"),
        pytest.param(b"POST /offers HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n1;", id="chunk extension"),
    ],
)
def test_a_request_with_an_endless_header_is_rejected_early(head: bytes) -> None:
    with (
        running() as url,
        socket.create_connection(("127.0.0.1", urlsplit(url).port or 0), timeout=PATIENCE) as connection,
    ):
        connection.sendall(head)
        sent = 0
        with suppress(ConnectionError):  # the service closes the connection
            while sent < 300_000_000:
                sent += connection.send(b"x" * 65536)
        assert sent < 20_000_000
        assert is_up(url)


def test_large_bodies_and_many_requests_on_one_connection_stay_possible() -> None:
    with running() as url:
        connection = http.client.HTTPConnection(urlsplit(url).netloc, timeout=PATIENCE)
        statuses = []
        for body in (b" " * 30_000_000, *[b"{}"] * 300):
            connection.request("POST", "/offers", body, {"X-A": "x" * 50_000})
            statuses.append((response := connection.getresponse()).status)
            response.read()
        connection.close()
    assert set(statuses) == {400}


def test_it_runs_within_the_block_and_not_after_it() -> None:
    with running() as url:
        assert urlsplit(url).hostname == "127.0.0.1"
        assert is_up(url)
    assert not is_up(url)


def test_it_ends_if_the_block_raises() -> None:
    with pytest.raises(ZeroDivisionError), running() as url:
        _ = 1 / 0
    assert not is_up(url)


def test_two_run_side_by_side() -> None:
    with running() as one, running() as other:
        assert one != other
        assert is_up(one)
        assert is_up(other)


def test_it_ends_with_its_parent_even_if_the_parent_is_killed() -> None:
    with script(
        "from brokerfuzz.service.running import running\nwith running() as url:\n    print(url, flush=True)\n    "
        "import time; time.sleep(60)"
    ) as parent:
        url = first_line(parent)
        assert is_up(url)
        parent.kill()
        parent.wait()
    assert happens(lambda: not is_up(url), PATIENCE)


def test_it_runs_from_a_script_without_a_main_guard() -> None:
    done = subprocess.run(
        [sys.executable, "-"],
        input="from brokerfuzz.service.running import running\nwith running() as url: print('up')",
        capture_output=True,
        text=True,
        check=True,
        env=ENVIRONMENT,
        timeout=PATIENCE,
    )
    assert (done.stdout, done.stderr) == ("up\n", "")


def test_a_port_in_use_is_an_error_with_a_remedy() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with (
            pytest.raises(TargetError, match=f"port {port} of 127.0.0.1 is in use: use another port, or 0"),
            running(port=port),
        ):
            pass
        with pytest.raises(TargetError, match="is in use"):
            serve(port=port, ready=lambda url: None)


def test_a_port_can_be_reused_at_once() -> None:
    with running() as url:
        assert is_up(url)
    with running(port=int(url.rpartition(":")[2])) as again:
        assert again == url
        assert is_up(again)


@pytest.mark.parametrize(
    ("host", "port", "said"),
    [
        ("192.0.2.1", 0, "not an address of this machine"),
        ("no.such.host.invalid", 0, "cannot be resolved"),
        ("a..b", 0, "cannot be resolved"),
        ("127.0.0.1", 70000, "use 1 to 65535"),
    ],
)
def test_an_unusable_address_is_an_error_with_a_remedy(host: str, port: int, said: str) -> None:
    with pytest.raises(TargetError, match=said) as raised, running(host=host, port=port):
        pass
    assert "\n" not in str(raised.value)


def test_an_unknown_bug_is_an_error_before_anything_starts() -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'ignores-clock'"), running(bugs=["ignore-clock"]):
        pass
    with pytest.raises(UnknownNameError, match="did you mean 'ignores-clock'"):
        serve(bugs=["ignore-clock"])


@pytest.mark.skipif(not socket.has_ipv6, reason="this Python is built without IPv6")
def test_an_address_of_ipv6_is_written_in_brackets() -> None:
    try:
        with running(host="::1") as url:
            assert url.startswith("http://[::1]:")
            assert is_up(url)
    except TargetError as problem:
        pytest.skip(f"this machine has no IPv6: {problem}")


def test_a_wildcard_address_is_reported_as_a_usable_address() -> None:
    with running(host="0.0.0.0") as url:
        assert url.startswith("http://127.0.0.1:")
        assert is_up(url)


def serving(bugs: str = "") -> str:
    """Returns a script that runs the service with these bugs. The script prints the address and, after the service has
    stopped, `over`.
    """
    return f"""
from brokerfuzz.service.running import serve
serve(port=0, bugs={bugs.split()!r}, ready=lambda url: print(url, flush=True))
print('over', flush=True)
"""


@pytest.mark.skipif(os.name != "posix", reason="sends SIGINT as a terminal does")
def test_serve_reports_its_address_and_ends_quietly_on_ctrl_c() -> None:
    with script(serving()) as server:
        url = first_line(server)
        assert is_up(url)
        server.send_signal(signal.SIGINT)
        assert first_line(server) == "over"
        assert server.wait(PATIENCE) == 0


@pytest.mark.skipif(os.name != "posix", reason="sends SIGINT as a terminal does")
def test_ctrl_c_ends_serve_while_a_bug_hangs_a_request() -> None:
    with script(serving("hangs-on-blanks")) as server:
        connection = http.client.HTTPConnection(urlsplit(first_line(server)).netloc, timeout=0.3)
        connection.request("POST", "/offers", b'{"number":"                ","offerType":"VDM"}')
        with pytest.raises(TimeoutError):
            connection.getresponse()
        server.send_signal(signal.SIGINT)
        assert first_line(server) == "over"
        connection.close()
