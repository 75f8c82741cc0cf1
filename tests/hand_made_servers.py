"""HTTP servers that behave, and ones that do not, each on a port of loopback's own choosing."""

import asyncio
import socket
import ssl
import struct
import threading
from collections.abc import Awaitable, Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Final

from brokerfuzz.schemas import check
from brokerfuzz.schemas.headers import Headers
from brokerfuzz.targets import Answer

OFFER: Final = "offer-creation-request"
Behaviour = Callable[[bytes, asyncio.StreamWriter], Awaitable[None]]
"""What is done with the body of a request: something is written, or the connection harmed."""


Conversation = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]
"""What is done with a connection."""


def serving(behaviour: Behaviour, *, tls: ssl.SSLContext | None = None, port: int = 0) -> AbstractContextManager[str]:
    """The URL of a server that reads requests with a length, and does with their bodies what is said."""
    return serving_streams(lambda reader, writer: requests(behaviour, reader, writer), tls=tls, port=port)


@contextmanager
def serving_streams(conversation: Conversation, *, tls: ssl.SSLContext | None = None, port: int = 0) -> Iterator[str]:
    """The server's URL. It runs in a thread, and closes every connection when the block ends. `port` 0 is any that is free."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()
    starting = asyncio.start_server(lambda r, w: _converse(conversation, r, w), "127.0.0.1", port, limit=1 << 24, ssl=tls)
    server = asyncio.run_coroutine_threadsafe(starting, loop).result(5)
    try:
        yield f"{'https' if tls else 'http'}://127.0.0.1:{server.sockets[0].getsockname()[1]}/offers"
    finally:
        asyncio.run_coroutine_threadsafe(_end(server), loop).result(5)
        loop.call_soon_threadsafe(loop.stop)
        thread.join(5)
        loop.close()


async def _end(server: asyncio.Server) -> None:
    server.close()
    await asyncio.sleep(0.01)  # what has just been accepted becomes a conversation: given up before, it would leave its socket open
    others = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
    for task in others:
        task.cancel()
    await asyncio.gather(*others, return_exceptions=True)
    await asyncio.sleep(0.01)  # the connections that the tasks gave up are closed by now


async def requests(behaviour: Behaviour, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Reads requests with a length, until the client is gone, and does with their bodies what is said."""
    while not writer.is_closing():
        head = await reader.readuntil(b"\r\n\r\n")
        lengths = [line[15:] for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:")]
        await behaviour(await reader.readexactly(int(lengths[0]) if lengths else 0), writer)
        await writer.drain()


async def _converse(conversation: Conversation, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    try:
        await conversation(reader, writer)
        writer.close()
        await writer.wait_closed()
    except (asyncio.IncompleteReadError, asyncio.CancelledError, ConnectionError):
        writer.transport.abort()


def response(status: int, body: bytes = b"", *headers: str) -> bytes:
    """A whole response. `headers` are lines."""
    lines = "".join(f"{line}\r\n" for line in headers).encode()
    return b"HTTP/1.1 %d Said\r\n%bContent-Length: %d\r\n\r\n%b" % (status, lines, len(body), body)


def sends(data: bytes, *, then_closes: bool = False) -> Behaviour:
    """The same bytes for every request."""

    async def behave(_: bytes, writer: asyncio.StreamWriter) -> None:
        writer.write(data)
        if then_closes:
            writer.close()

    return behave


def answers(status_of: Callable[[bytes], int]) -> Behaviour:
    """A response without a body, of the status that the message deserves."""

    async def behave(body: bytes, writer: asyncio.StreamWriter) -> None:
        writer.write(response(status_of(body)))

    return behave


def one_after_another(*responses: bytes) -> Behaviour:
    """A response after another, and the last for all that follow."""
    left = list(responses)

    async def behave(_: bytes, writer: asyncio.StreamWriter) -> None:
        writer.write(left.pop(0) if len(left) > 1 else left[0])

    return behave


async def echoes(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """A conversation: each request comes back, head and all, as the body of a rejection."""
    while True:
        head = await reader.readuntil(b"\r\n\r\n")
        writer.write(response(422, head))
        await writer.drain()


def conforming(body: bytes) -> int:
    """201 for what the contract lets in, 400 else."""
    return 400 if check(OFFER, body).label == "invalid" else 201


def reset(writer: asyncio.StreamWriter) -> None:
    """Ends the connection with a RST instead of a FIN."""
    writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    writer.transport.abort()


async def hangs(_: bytes, writer: asyncio.StreamWriter) -> None:
    """No answer, ever."""
    await asyncio.sleep(3600)


async def resets(_: bytes, writer: asyncio.StreamWriter) -> None:
    """The connection is reset at once."""
    reset(writer)


async def resets_within_the_body(_: bytes, writer: asyncio.StreamWriter) -> None:
    """Some of the body comes, then a reset."""
    writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nab")
    await writer.drain()
    await asyncio.sleep(0.1)
    reset(writer)


async def stalls_in_the_body(_: bytes, writer: asyncio.StreamWriter) -> None:
    """Some of the body comes, then nothing."""
    writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nab")
    await asyncio.sleep(3600)


async def trickles(_: bytes, writer: asyncio.StreamWriter) -> None:
    """A byte of the body now and then, so that no single wait is long."""
    writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n")
    while True:
        writer.write(b"x")
        await writer.drain()
        await asyncio.sleep(0.05)


async def never_ends(_: bytes, writer: asyncio.StreamWriter) -> None:
    """A response of a gigabyte."""
    writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 1073741824\r\n\r\n")
    for _chunk in range(1 << 14):
        writer.write(b"x" * 65536)
        await writer.drain()


async def trickles_the_head(_: bytes, writer: asyncio.StreamWriter) -> None:
    """A byte of the head now and then."""
    for byte in b"HTTP/1.1 200 OK\r\nX-A: %b\r\n\r\n" % (b"x" * 1000):
        writer.write(bytes([byte]))
        await writer.drain()
        await asyncio.sleep(0.05)


async def never_ends_the_head(_: bytes, writer: asyncio.StreamWriter) -> None:
    """One header, without an end."""
    writer.write(b"HTTP/1.1 200 OK\r\nX-A: ")
    while True:
        writer.write(b"x" * 65536)
        await writer.drain()


async def says_continue_for_ever(_: bytes, writer: asyncio.StreamWriter) -> None:
    """Informational responses, one behind the other, and never one that counts."""
    while True:
        writer.write(b"HTTP/1.1 100 Continue\r\n\r\n" * 10)
        await writer.drain()
        await asyncio.sleep(0.001)


def unused_url() -> str:
    """A URL that nothing listens at."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return f"http://127.0.0.1:{taken.getsockname()[1]}/offers"


class Service:
    """A target within this process. `status_of` is what an HTTP service would answer."""

    name = "a service in the test"

    def __init__(self, status_of: Callable[[bytes], int]) -> None:
        self.status_of = status_of
        self.bodies: list[bytes] = []
        self.remembers = True

    async def open(self) -> None:
        """Nothing to open."""

    async def close(self) -> None:
        """Nothing to close."""

    async def send(self, body: bytes, headers: Headers = ()) -> Answer:
        """The answer that the status stands for."""
        await asyncio.sleep(0)
        if self.remembers:
            self.bodies.append(body)
        status = self.status_of(body)
        return Answer({2: "accepted", 4: "rejected", 5: "crashed"}[status // 100], status, reason=f"status {status}")  # type: ignore[arg-type]

    def can_send(self, body: bytes, headers: Headers = ()) -> bool:
        """Every message can be sent."""
        return True

    def reproduction(self, body: bytes, headers: Headers = ()) -> str:
        """No shell reaches it."""
        return f"send {len(body)} bytes"
