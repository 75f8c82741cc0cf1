import asyncio
import shutil
import subprocess
import sys

import pytest
from hand_made_servers import response, serving

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs limits of a POSIX system")

DESCRIPTORS = """
import asyncio, os, resource, sys
from brokerfuzz.targets import HttpTarget, Message

async def fire():
    target = HttpTarget(sys.argv[1])
    await target.open()
    await target.send(Message(b"{}"))
    used = max(int(name) for name in os.listdir("/dev/fd"))
    resource.setrlimit(resource.RLIMIT_NOFILE, (used + 4, used + 4))
    said = await asyncio.gather(*(target.send(Message(b"{}")) for _ in range(20)), return_exceptions=True)
    await target.close()
    print(*sorted({getattr(one, "kind", str(one)) for one in said}), sep="\\n")

asyncio.run(fire())
"""

PORTS = """
import asyncio, fcntl, pathlib, socket, struct
from brokerfuzz.targets import HttpTarget, Message

def loopback_up():
    with socket.socket() as some:
        fcntl.ioctl(some, 0x8914, struct.pack("16sH14x", b"lo", 1))  # SIOCSIFFLAGS, IFF_UP

async def hangs(reader, writer):
    await asyncio.sleep(60)

async def fire():
    server = await asyncio.start_server(hangs, "127.0.0.1", 8080)  # never closed: Python 3.12.1 would wait for hanging connections
    pathlib.Path("/proc/sys/net/ipv4/ip_local_port_range").write_text("40000 40009")
    target = HttpTarget("http://127.0.0.1:8080/", timeout=2)
    await target.open()
    said = await asyncio.gather(*(target.send(Message(b"{}")) for _ in range(30)), return_exceptions=True)
    print(*sorted({getattr(one, "kind", str(one)) for one in said}), sep="\\n")
    import os
    os._exit(0)

loopback_up()
asyncio.run(fire())
"""


def _run(command: list[str]) -> str:
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_lack_of_descriptors_is_an_error_that_names_concurrency() -> None:
    """Sends 20 messages at once, although at most four more files can be opened."""

    async def slow(_: bytes, writer: asyncio.StreamWriter) -> None:
        await asyncio.sleep(1.5)
        writer.write(response(201))

    with serving(slow) as url:
        said = _run([sys.executable, "-c", DESCRIPTORS, url])
    assert "this machine cannot open enough connections" in said
    assert "(no file descriptor is left): lower --concurrency" in said
    assert "crashed" not in said


NAMESPACES = (
    shutil.which("unshare")
    and subprocess.run(["unshare", "-rn", "true"], capture_output=True, check=False).returncode == 0
)


@pytest.mark.skipif(not NAMESPACES, reason="needs network namespaces, to have few local ports")
def test_a_lack_of_local_ports_is_an_error_that_names_concurrency() -> None:
    said = _run(["unshare", "-rn", sys.executable, "-c", PORTS])
    assert "(no local port is left): lower --concurrency" in said
    assert "crashed" not in said
