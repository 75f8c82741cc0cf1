import asyncio
import socket
import ssl
import struct
import threading
from collections.abc import Awaitable, Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any

from behaviours import CONFORMING, OFFER, Accepts

import brokerfuzz

Behaviour = Callable[[bytes, asyncio.StreamWriter], Awaitable[None]]
"""The reaction to the body of a request. The function writes an answer, or breaks the connection."""


Conversation = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


def serving(behaviour: Behaviour, *, tls: ssl.SSLContext | None = None, port: int = 0) -> AbstractContextManager[str]:
    """The server reads requests with a content length, and reacts to each body with `behaviour`."""
    return serving_streams(lambda reader, writer: requests(behaviour, reader, writer), tls=tls, port=port)


@contextmanager
def serving_streams(conversation: Conversation, *, tls: ssl.SSLContext | None = None, port: int = 0) -> Iterator[str]:
    """The server runs in a thread, and closes every connection when the block ends. If `port` is 0, the system chooses
    a free port.
    """
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()
    writers: list[asyncio.StreamWriter] = []

    def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> Awaitable[None]:
        writers.append(writer)
        return _converse(conversation, reader, writer)

    starting = asyncio.start_server(connected, "127.0.0.1", port, limit=1 << 24, ssl=tls)
    server = asyncio.run_coroutine_threadsafe(starting, loop).result(5)
    try:
        yield f"{'https' if tls else 'http'}://127.0.0.1:{server.sockets[0].getsockname()[1]}/offers"
    finally:
        asyncio.run_coroutine_threadsafe(_end(server, writers), loop).result(5)
        loop.call_soon_threadsafe(loop.stop)
        thread.join(5)
        loop.close()


async def _end(server: asyncio.Server, writers: list[asyncio.StreamWriter]) -> None:
    await _turns()  # accepted connections reach `writers`: a server that closes earlier leaves their sockets open
    server.close()
    others = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
    for task in others:
        task.cancel()
    await asyncio.gather(*others, return_exceptions=True)
    for writer in writers:
        writer.transport.abort()
    await _turns()  # the aborted connections close their sockets


async def _turns() -> None:
    """Lets the other tasks run. Counts turns of the event loop instead of seconds, because a busy machine can be
    slow.
    """
    for _ in range(10):
        await asyncio.sleep(0)


async def requests(behaviour: Behaviour, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Reads requests with a content length until the client disconnects, and reacts to each body with `behaviour`."""
    while not writer.is_closing():
        _, body = await read_request(reader)
        await behaviour(body, writer)
        await writer.drain()


def serving_requests(answer: Callable[[bytes, bytes], bytes]) -> AbstractContextManager[str]:
    """The server sends what `answer` returns for the head and the body of each request."""

    async def converse(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while not writer.is_closing():
            writer.write(answer(*await read_request(reader)))
            await writer.drain()

    return serving_streams(converse)


async def read_request(reader: asyncio.StreamReader) -> tuple[bytes, bytes]:
    head = await reader.readuntil(b"\r\n\r\n")
    lengths = [line[15:] for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:")]
    return head, await reader.readexactly(int(lengths[0]) if lengths else 0)


async def _converse(conversation: Conversation, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    try:
        await conversation(reader, writer)
        writer.close()
        await writer.wait_closed()
    except (asyncio.IncompleteReadError, asyncio.CancelledError, ConnectionError):
        writer.transport.abort()


def response(status: int, body: bytes = b"", *headers: str) -> bytes:
    """`headers` are complete header lines."""
    lines = "".join(f"{line}\r\n" for line in headers).encode()
    return b"HTTP/1.1 %d Said\r\n%bContent-Length: %d\r\n\r\n%b" % (status, lines, len(body), body)


def sends(data: bytes, *, then_closes: bool = False) -> Behaviour:
    """Sends the same bytes for every request."""

    async def behave(_: bytes, writer: asyncio.StreamWriter) -> None:
        writer.write(data)
        if then_closes:
            writer.close()

    return behave


def answers(status_of: Callable[[bytes], int]) -> Behaviour:
    """Sends a response without a body. `status_of` returns the status for each message."""

    async def behave(body: bytes, writer: asyncio.StreamWriter) -> None:
        writer.write(response(status_of(body)))

    return behave


def fired(behaviour: Behaviour, message_type: brokerfuzz.MessageType = OFFER, **options: Any) -> brokerfuzz.Report:
    """Returns the report of a campaign against a server."""
    with serving(behaviour) as url:
        return brokerfuzz.fire(url, message_type, **options)


@contextmanager
def recording(status_of: Callable[[bytes], int]) -> Iterator[tuple[str, list[bytes]]]:
    """Yields the URL of a server, and a list with the messages that it has received."""
    received: list[bytes] = []

    def answer(body: bytes) -> int:
        received.append(body)
        return status_of(body)

    with serving(answers(answer)) as url:
        yield url, received


def one_after_another(*responses: bytes) -> Behaviour:
    """Sends the responses one after the other, and then repeats the last response."""
    left = list(responses)

    async def behave(_: bytes, writer: asyncio.StreamWriter) -> None:
        writer.write(left.pop(0) if len(left) > 1 else left[0])

    return behave


def in_stored_brotli(data: bytes) -> bytes:
    """A Brotli stream that contains the data as it is. The first three bytes contain the length; the last byte is an
    empty block.
    """
    return ((len(data) - 1) << 4 | 1 << 20).to_bytes(3, "little") + data + b"\x03"


def status_by(accepts: Accepts) -> Callable[[bytes], int]:
    return lambda body: 201 if accepts(body) else 400


conforming = status_by(CONFORMING)


def reset(writer: asyncio.StreamWriter) -> None:
    """Ends the connection with a RST instead of a FIN."""
    writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    writer.transport.abort()


async def resets(_: bytes, writer: asyncio.StreamWriter) -> None:
    reset(writer)


def unused_url() -> str:
    """Returns a URL at which no server listens."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return f"http://127.0.0.1:{taken.getsockname()[1]}/offers"
