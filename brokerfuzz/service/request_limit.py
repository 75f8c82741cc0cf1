"""Limits the size of the headers of a request.

httptools (the HTTP parser of uvicorn) accepts headers of any length, and copies the whole header each time a new part
arrives. Without a limit, httptools would need more than a minute for a header of 300 MB.
"""

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

LARGEST_HEAD = 256 * 1024
"""The maximum number of bytes for the first line and the headers of a request together. With chunked encoding, the
sizes of the chunks are included in this number.
"""
_RESPONSE = b"HTTP/1.1 431 Request Header Fields Too Large\r\nconnection: close\r\ncontent-length: 0\r\n\r\n"


class LimitedProtocol(HttpToolsProtocol):
    """Answers 431 and closes the connection if the headers of a request are larger than `LARGEST_HEAD`."""

    _head = 0

    def data_received(self, data: bytes) -> None:
        self._head += len(data)
        super().data_received(data)
        if self._head > LARGEST_HEAD and not self.transport.is_closing():
            self.transport.write(_RESPONSE)
            self.transport.close()

    def on_message_begin(self) -> None:
        self._head = 0
        super().on_message_begin()

    def on_body(self, body: bytes) -> None:
        self._head -= len(body)
        super().on_body(body)
