"""What is printed arrives whole."""

import io

from brokerfuzz.cli import _lossless


class Narrow(io.RawIOBase):
    """A stream that takes ten bytes a call, as a pipe may."""

    def __init__(self) -> None:
        self.taken = b""

    def writable(self) -> bool:
        return True

    def write(self, data: object) -> int:
        piece = bytes(data)[:10]  # type: ignore[call-overload]
        self.taken += piece
        return len(piece)


def test_nothing_is_lost_where_python_is_told_to_buffer_nothing() -> None:
    narrow = Narrow()
    stream = _lossless(io.TextIOWrapper(narrow, encoding="utf-8", write_through=True))  # type: ignore[type-var]
    stream.write("x" * 1000)
    stream.flush()
    assert narrow.taken == b"x" * 1000


def test_what_an_encoding_has_no_letter_for_is_escaped() -> None:
    taken = io.BytesIO()
    stream = _lossless(io.TextIOWrapper(taken, encoding="ascii"))
    stream.write("\u20ac")
    stream.flush()
    assert taken.getvalue() == b"\\u20ac"
