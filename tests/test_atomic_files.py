import os
import signal
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from threading import Event

import pytest

from brokerfuzz.atomic_files import atomic_file, uninterrupted, write_behind


def test_pieces_are_written_in_order() -> None:
    stream = BytesIO()
    write_behind(stream, (b"%d," % number for number in range(500)))
    assert stream.getvalue() == b"".join(b"%d," % number for number in range(500))


def test_a_limited_number_of_pieces_is_generated_while_others_are_written() -> None:
    made, most = Event(), 0

    class Slow(BytesIO):
        written = 0

        def write(self, data: bytes) -> int:  # type: ignore[override]
            assert made.wait(10), "further pieces are generated while the first one is written"
            self.written += 1
            return super().write(data)

    def pieces() -> Iterator[bytes]:
        nonlocal most
        for number in range(50):
            if number == 5:
                made.set()
            most = max(most, number - stream.written)
            yield b"%d," % number

    stream = Slow()
    write_behind(stream, pieces())
    assert stream.getvalue() == b"".join(b"%d," % number for number in range(50))
    assert 5 <= most <= 9


def test_no_piece_is_written_after_a_failed_one() -> None:
    class Full(BytesIO):
        def write(self, data: bytes) -> int:  # type: ignore[override]
            if data == b"2":
                raise OSError(28, "No space left on device")
            return super().write(data)

    stream = Full()
    with pytest.raises(OSError, match="No space"):
        write_behind(stream, (b"%d" % number for number in range(9)))
    assert stream.getvalue() == b"01"


def test_pieces_before_an_error_are_written() -> None:
    def pieces() -> Iterator[bytes]:
        yield b"whole"
        raise KeyboardInterrupt

    stream = BytesIO()
    with pytest.raises(KeyboardInterrupt):
        write_behind(stream, pieces())
    assert stream.getvalue() == b"whole"


def test_a_large_file_is_synchronized_with_the_disk_regularly(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    brought: list[int] = []
    monkeypatch.setattr(os, "fsync", lambda descriptor: brought.append(os.fstat(descriptor).st_size))
    with atomic_file(tmp_path / "large") as stream:
        for _ in range(80):
            stream.write(bytes(1 << 20))
    assert brought == [32 << 20, 64 << 20, 80 << 20]
    assert (tmp_path / "large").stat().st_size == 80 << 20


def test_ctrl_c_is_delayed_until_the_cleanup_is_complete() -> None:
    done = list[str]()

    def clean_up() -> None:
        with uninterrupted():
            signal.raise_signal(signal.SIGINT)
            done.append("cleaned up")

    with pytest.raises(KeyboardInterrupt):
        clean_up()
    assert done == ["cleaned up"]
    with uninterrupted():
        pass
    assert signal.getsignal(signal.SIGINT) == signal.default_int_handler
