"""Limits what a request may contain besides its body.

httptools reads a header of any length, and copies it again with each new part. A header of 300 MB would take more than a minute.
"""

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

LARGEST_HEAD = 256 * 1024
"""Maximum number of bytes of a request besides its body: the headers, the framing of chunks and the trailers."""
_RESPONSE = b"HTTP/1.1 431 Request Header Fields Too Large\r\nconnection: close\r\ncontent-length: 0\r\n\r\n"


class LimitedProtocol(HttpToolsProtocol):
    """uvicorn's protocol. Answers 431 and closes the connection if a request exceeds `LARGEST_HEAD`."""

    _head = 0

    def data_received(self, data: bytes) -> None:
        """Reads the next bytes of the connection."""
        self._head += len(data)
        super().data_received(data)
        if self._head > LARGEST_HEAD and not self.transport.is_closing():
            self.transport.write(_RESPONSE)
            self.transport.close()

    def on_message_begin(self) -> None:
        """Begins to count again for each request."""
        self._head = 0
        super().on_message_begin()

    def on_body(self, body: bytes) -> None:
        """Does not count the body."""
        self._head -= len(body)
        super().on_body(body)
